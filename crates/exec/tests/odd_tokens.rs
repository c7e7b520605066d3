//! Typed reads of plain and odd contracts on a whole state.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use common::{DEPLOYER, World, calldata, chain, token_args, word};
use presight_exec::reads::{self, Permit2Allowance};
use presight_exec::{CallOutcome, MAX_RETURN_BYTES};
use presight_view::{Lookup, Snapshot, Unread, View};
use presight_wire::{AccountId, At, Evidence, NotRead, Read, Reason};

/// Runs a read on the whole state of a world.
fn on<T>(world: &World, read: impl FnOnce(&View<'_>) -> Lookup<T>) -> Lookup<T> {
    let snapshot = world.complete();
    read(&View::new(&snapshot))
}

/// Not read, `unavailable`, at the block, with this many calls seen; gives the note.
fn unavailable<T: std::fmt::Debug>(lookup: Lookup<Read<T>>, calls: usize) -> String {
    match lookup {
        Err(Unread::NotRead(NotRead {
            reason: Reason::Unavailable,
            at: Some(at),
            evidence,
            note: Some(note),
        })) => {
            assert_eq!(
                at,
                At {
                    chain: chain(),
                    block: 1_000
                }
            );
            assert_eq!(evidence.len(), calls, "{note}");
            note
        }
        other => panic!("{other:?}"),
    }
}

fn plain_token(world: &mut World) -> Address {
    let token = world.deploy(
        "Token",
        &token_args("Plain Token", "PLN", 6, U256::from(1_000_000)),
        0,
    );
    world.send(
        token,
        calldata("approve(address,uint256)", &[U256::from(0xbeef), U256::MAX]),
    );
    token
}

#[test]
fn a_plain_token_is_read_with_the_executed_calls() {
    let mut world = World::new();
    let token = plain_token(&mut world);
    let spender = Address::from_word(U256::from(0xbeef).into());
    let snapshot = world.complete();
    let view = View::new(&snapshot);

    let supply = reads::total_supply(&view, &chain(), token).unwrap();
    let at = At {
        chain: chain(),
        block: 1_000,
    };
    let evidence = Evidence::Call {
        at: at.clone(),
        to: AccountId::new(chain(), token),
        data: Bytes::from_static(&[0x18, 0x16, 0x0d, 0xdd]),
        result: U256::from(1_000_000).to_be_bytes::<32>().into(),
    };
    assert_eq!(
        supply,
        Read::from_chain(U256::from(1_000_000), at, vec![evidence])
    );

    let allowance = reads::allowance(&view, &chain(), token, DEPLOYER, spender).unwrap();
    assert_eq!(*allowance.value(), U256::MAX);
    assert_eq!(
        allowance.evidence(),
        [Evidence::Call {
            at: At {
                chain: chain(),
                block: 1_000
            },
            to: AccountId::new(chain(), token),
            data: calldata("allowance(address,address)", &[word(DEPLOYER), word(spender)]),
            result: U256::MAX.to_be_bytes::<32>().into(),
        }]
    );
    let none = reads::allowance(&view, &chain(), token, spender, DEPLOYER).unwrap();
    assert_eq!(*none.value(), U256::ZERO);
    assert_eq!(
        *reads::balance_of(&view, &chain(), token, DEPLOYER)
            .unwrap()
            .value(),
        U256::from(1_000_000)
    );
    assert_eq!(*reads::decimals(&view, &chain(), token).unwrap().value(), 6);
    assert_eq!(
        reads::name(&view, &chain(), token).unwrap().value(),
        "Plain Token"
    );
    assert_eq!(reads::symbol(&view, &chain(), token).unwrap().value(), "PLN");
    let erc721 = reads::is_erc721(&view, &chain(), token).unwrap();
    assert!(!erc721.value());
    assert_eq!(erc721.evidence().len(), 1);
    assert_eq!(erc721.note(), Some("supportsInterface() reverted"));
}

#[test]
fn proxies_are_read_through() {
    let mut world = World::new();
    let logic = world.deploy("Bytes32Names", &[], 0);
    let proxy = world.deploy("Eip1967Proxy", logic.into_word().as_slice(), 0);
    let beacon = world.deploy("Beacon", logic.into_word().as_slice(), 0);
    let beacon_proxy = world.deploy("BeaconProxy", beacon.into_word().as_slice(), 0);
    for token in [logic, proxy, beacon_proxy] {
        assert_eq!(
            on(&world, |v| reads::name(v, &chain(), token)).unwrap().value(),
            "Maker"
        );
        assert_eq!(
            on(&world, |v| reads::symbol(v, &chain(), token)).unwrap().value(),
            "MKR"
        );
    }
}

#[test]
fn names_are_data_of_any_length_up_to_the_bound() {
    let mut world = World::new();
    let huge = world.deploy("HugeName", &[], 0);
    let name = on(&world, |v| reads::name(v, &chain(), huge)).unwrap();
    assert_eq!(*name.value(), "x".repeat(100_000));
    let note = unavailable(on(&world, |v| reads::symbol(v, &chain(), huge)), 0);
    assert!(
        note.contains(&format!("MAX_RETURN_BYTES = {MAX_RETURN_BYTES}")),
        "{note}"
    );

    let instruction = world.deploy("InstructionName", &[], 0);
    let name = on(&world, |v| reads::name(v, &chain(), instruction)).unwrap();
    assert_eq!(
        name.value(),
        "\u{202e}USDC approve 0x000000000022D473030F116dDEE9F6B43aC78BA3 now"
    );

    let invalid = world.deploy("InvalidUtf8Name", &[], 0);
    let note = unavailable(on(&world, |v| reads::name(v, &chain(), invalid)), 1);
    assert_eq!(note, "name() returned a text that is not UTF-8");
    let note = unavailable(on(&world, |v| reads::symbol(v, &chain(), invalid)), 1);
    assert_eq!(note, "symbol() returned a text that is not UTF-8");

    let bad = world.deploy("BadStringName", &[], 0);
    let note = unavailable(on(&world, |v| reads::name(v, &chain(), bad)), 1);
    assert_eq!(note, "name() returned a string that ends outside the answer");
    unavailable(on(&world, |v| reads::symbol(v, &chain(), bad)), 1);
}

/// Every typed read of a contract.
fn every_read(world: &World, contract: Address) -> Vec<(&'static str, Lookup<Read<String>>)> {
    fn shown<T: std::fmt::Debug>(lookup: Lookup<Read<T>>) -> Lookup<Read<String>> {
        lookup.map(|read| read.map(|value| format!("{value:?}")))
    }
    let (a, b, c) = (DEPLOYER, Address::repeat_byte(1), chain());
    let one = U256::ONE;
    vec![
        (
            "totalSupply",
            shown(on(world, |v| reads::total_supply(v, &c, contract))),
        ),
        (
            "allowance",
            shown(on(world, |v| reads::allowance(v, &c, contract, a, b))),
        ),
        (
            "balanceOf",
            shown(on(world, |v| reads::balance_of(v, &c, contract, a))),
        ),
        ("decimals", shown(on(world, |v| reads::decimals(v, &c, contract)))),
        ("name", shown(on(world, |v| reads::name(v, &c, contract)))),
        ("symbol", shown(on(world, |v| reads::symbol(v, &c, contract)))),
        (
            "isApprovedForAll",
            shown(on(world, |v| reads::is_approved_for_all(v, &c, contract, a, b))),
        ),
        (
            "getApproved",
            shown(on(world, |v| reads::get_approved(v, &c, contract, one))),
        ),
        (
            "ownerOf",
            shown(on(world, |v| reads::owner_of(v, &c, contract, one))),
        ),
        (
            "tokenURI",
            shown(on(world, |v| reads::token_uri(v, &c, contract, one))),
        ),
        (
            "getAgentWallet",
            shown(on(world, |v| reads::get_agent_wallet(v, &c, contract, one))),
        ),
        (
            "permit2",
            shown(on(world, |v| reads::permit2_allowance(v, &c, contract, a, b, a))),
        ),
    ]
}

#[test]
fn reverts_silence_and_short_answers_are_never_a_value() {
    let mut world = World::new();
    world.block.gas_limit = Some(1_000_000);
    for (contract, calls, word) in [
        ("Reverting", 1, "reverted"),
        ("Silent", 1, "returned nothing"),
        ("ShortAnswers", 1, "returned"),
        ("GasBurner", 0, "halted: OutOfGas(Basic)"),
        ("Invalid", 0, "halted: InvalidFEOpcode"),
    ] {
        let address = world.deploy(contract, &[], 0);
        for (function, lookup) in every_read(&world, address) {
            let note = unavailable(lookup, calls);
            assert!(note.contains(word), "{contract}.{function}: {note}");
        }
    }
    for (function, lookup) in every_read(&world, Address::repeat_byte(0xee)) {
        let note = unavailable(lookup, 1);
        assert!(note.ends_with("() the account has no code"), "{function}: {note}");
    }
}

#[test]
fn values_outside_their_type_are_never_cut() {
    let mut world = World::new();
    let two = world.deploy("AnswersTwo", &[], 0);
    let max = world.deploy("AnswersMax", &[], 0);
    let read = |contract, wanted: &str| {
        let mut all = every_read(&world, contract).into_iter();
        all.find(|(function, _)| *function == wanted).unwrap().1
    };
    assert_eq!(read(two, "totalSupply").unwrap().value(), "2");
    assert_eq!(read(two, "decimals").unwrap().value(), "2");
    assert_eq!(
        unavailable(read(two, "isApprovedForAll"), 1),
        "isApprovedForAll() returned a number that is no bool"
    );
    unavailable(read(two, "permit2"), 1);
    unavailable(read(two, "tokenURI"), 1);
    assert_eq!(
        *read(max, "totalSupply").unwrap().value(),
        format!("{:?}", U256::MAX)
    );
    for function in [
        "decimals",
        "isApprovedForAll",
        "getApproved",
        "ownerOf",
        "getAgentWallet",
        "permit2",
        "name",
    ] {
        unavailable(read(max, function), 1);
    }
    assert_eq!(
        unavailable(read(max, "ownerOf"), 1),
        "ownerOf() returned an address with dirty padding"
    );
}

#[test]
fn erc165_is_probed_in_full() {
    let mut world = World::new();
    world.block.gas_limit = Some(1_000_000);
    let mut probe = |contract: &str| {
        let address = world.deploy(contract, &[], 0);
        on(&world, |v| reads::is_erc721(v, &chain(), address))
    };
    let nft = probe("Nft").unwrap();
    assert!(nft.value());
    assert_eq!(nft.evidence().len(), 3);
    for (contract, calls) in [
        ("YesToAll", 2),
        ("RevertsOnInvalidId", 2),
        ("OnlyErc165", 3),
        ("Reverting", 1),
        ("Silent", 1),
        ("ShortAnswers", 1),
        ("Invalid", 1),
    ] {
        let read = probe(contract).unwrap();
        assert!(!read.value(), "{contract}");
        assert_eq!(read.evidence().len(), calls, "{contract}");
    }
    // A bound of ours, and an answer some callers take for true.
    assert!(unavailable(probe("GasBurner"), 0).contains("OutOfGas"));
    assert!(unavailable(probe("AnswersTwo"), 1).contains("no bool"));
    let nobody = on(&world, |v| {
        reads::is_erc721(v, &chain(), Address::repeat_byte(0xee))
    })
    .unwrap();
    assert!(!nobody.value());
    assert_eq!(nobody.note(), Some("supportsInterface() the account has no code"));
}

#[test]
fn items_permits_wallets_and_registries() {
    let mut world = World::new();
    let nft = world.deploy("Nft", &[], 0);
    let operator = Address::repeat_byte(7);
    world.send(
        nft,
        calldata("approve(address,uint256)", &[word(operator), U256::ONE]),
    );
    world.send(
        nft,
        calldata("setApprovalForAll(address,bool)", &[word(operator), U256::ONE]),
    );
    let c = chain();
    assert_eq!(
        *on(&world, |v| reads::get_approved(v, &c, nft, U256::ONE))
            .unwrap()
            .value(),
        operator
    );
    assert_eq!(
        *on(&world, |v| reads::owner_of(v, &c, nft, U256::ONE))
            .unwrap()
            .value(),
        DEPLOYER
    );
    assert!(
        *on(&world, |v| reads::is_approved_for_all(
            v, &c, nft, DEPLOYER, operator
        ))
        .unwrap()
        .value()
    );
    assert!(
        !*on(&world, |v| reads::is_approved_for_all(
            v, &c, nft, operator, DEPLOYER
        ))
        .unwrap()
        .value()
    );

    let permit2 = world.deploy("Permit2Allowances", &[], 0);
    let amount = (U256::ONE << 160) - U256::ONE;
    let args = [word(nft), word(operator), amount, U256::from(1_800_000_000)];
    world.send(
        permit2,
        calldata("approve(address,address,uint160,uint48)", &args),
    );
    let held = on(&world, |v| {
        reads::permit2_allowance(v, &c, permit2, DEPLOYER, nft, operator)
    })
    .unwrap();
    assert_eq!(
        *held.value(),
        Permit2Allowance {
            amount,
            expiration: 1_800_000_000,
            nonce: 0
        }
    );

    let hash = B256::repeat_byte(9);
    let wallet = world.deploy("Wallet", &[hash, keccak256(b"signed")].concat(), 0);
    let check = |hash, signature: &[u8]| {
        on(&world, |v| {
            reads::is_valid_signature(v, &c, wallet, hash, signature)
        })
    };
    assert!(check(hash, b"signed").unwrap().value());
    assert!(!check(B256::ZERO, b"signed").unwrap().value());
    assert!(!check(hash, b"").unwrap().value());
    let reverted = check(hash, &[1; 1_000]).unwrap();
    assert!(!reverted.value());
    assert_eq!(reverted.note(), Some("isValidSignature() reverted"));

    let registry = world.deploy("Registry", operator.into_word().as_slice(), 0);
    let seven = U256::from(7);
    assert_eq!(
        *on(&world, |v| reads::get_agent_wallet(v, &c, registry, seven))
            .unwrap()
            .value(),
        operator
    );
    let cleared = on(&world, |v| reads::get_agent_wallet(v, &c, registry, U256::ONE)).unwrap();
    assert_eq!(*cleared.value(), Address::ZERO);
    let uri = on(&world, |v| reads::token_uri(v, &c, registry, seven)).unwrap();
    assert_eq!(uri.value(), "https://agent.example/registration.json");
    assert_eq!(
        unavailable(on(&world, |v| reads::owner_of(v, &c, registry, U256::ONE)), 1),
        "ownerOf() reverted"
    );
}

#[test]
fn accounts_without_code_accept_no_signature_and_forged_magic_is_refused() {
    let mut world = World::new();
    // PUSH4 magic, left in the low bytes: not the magic value as ABI encodes it.
    let forged: Bytes = "0x631626ba7e60005260206000f3".parse().unwrap();
    let wallet = Address::repeat_byte(0x66);
    world.db.insert_account_info(wallet, common::with_code(forged));
    for account in [wallet, Address::repeat_byte(0xee)] {
        let read = on(&world, |v| {
            reads::is_valid_signature(v, &chain(), account, B256::ZERO, &[])
        })
        .unwrap();
        assert!(!read.value());
    }
}

#[test]
fn code_is_its_own_evidence() {
    let mut world = World::new();
    let delegate = Address::repeat_byte(0xde);
    let account = Address::repeat_byte(0xac);
    let designator: Bytes = [&[0xef, 0x01, 0x00], delegate.as_slice()].concat().into();
    world
        .db
        .insert_account_info(account, common::with_code(designator.clone()));
    let read = on(&world, |v| reads::code(v, &chain(), account)).unwrap();
    assert_eq!(*read.value(), designator);
    let at = At {
        chain: chain(),
        block: 1_000,
    };
    let to = AccountId::new(chain(), account);
    assert_eq!(
        read.evidence(),
        [Evidence::Call {
            at,
            to,
            data: Bytes::new(),
            result: designator
        }]
    );
    assert_eq!(read.note(), Some("the result is the account's code"));
}

#[test]
fn a_delegated_account_answers_with_its_delegate() {
    let mut world = World::new();
    let delegate = world.deploy("Bytes32Names", &[], 0);
    let account = Address::repeat_byte(0xac);
    let designator: Bytes = [&[0xef, 0x01, 0x00], delegate.as_slice()].concat().into();
    world
        .db
        .insert_account_info(account, common::with_code(designator));
    assert_eq!(
        on(&world, |v| reads::name(v, &chain(), account)).unwrap().value(),
        "Maker"
    );
    // Before Prague the same bytes are code, and their first one no instruction.
    let mut snapshot: Snapshot = world.complete();
    snapshot.chains.get_mut(&chain()).unwrap().hard_fork = presight_view::HardFork::Cancun;
    let note = unavailable(reads::name(&View::new(&snapshot), &chain(), account), 0);
    assert_eq!(note, "name() halted: OpcodeNotFound");
}

#[test]
fn chains_that_are_not_evm_chains_are_unsupported() {
    let world = World::new();
    let snapshot = world.complete();
    let solana = presight_wire::ChainId::parse("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "").unwrap();
    let view = View::new(&snapshot);
    let outcome: Lookup<CallOutcome> = presight_exec::call(&view, &solana, DEPLOYER, &Bytes::new());
    assert!(matches!(outcome, Err(Unread::NotRead(n)) if n.reason == Reason::Unsupported));
}
