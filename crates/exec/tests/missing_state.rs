//! What a call observes and the view does not hold is asked for, one thing at a time, and never made up.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use alloy_primitives::{Address, Bytes, U256};
use common::{DEPLOYER, World, block_hash, calldata, chain, drop_read, fill, state_wants, token_args, word};
use presight_exec::{CallOutcome, call};
use presight_view::{Block, HardFork, Snapshot, Unread, View, Want};
use presight_wire::{NotRead, Reason};
use revm::context::result::ExecutionResult;
use std::collections::BTreeSet;

/// Contracts that observe every kind of state, and a call of each.
fn cases(world: &mut World) -> Vec<(String, Address, Bytes)> {
    let token = world.deploy(
        "Token",
        &token_args("A name that is longer than 31 bytes", "T", 18, U256::MAX),
        0,
    );
    let spender = Address::repeat_byte(5);
    world.send(
        token,
        calldata("approve(address,uint256)", &[word(spender), U256::from(500)]),
    );
    let proxy = world.deploy("Eip1967Proxy", token.into_word().as_slice(), 0);
    let beacon = world.deploy("Beacon", token.into_word().as_slice(), 0);
    let beacon_proxy = world.deploy("BeaconProxy", beacon.into_word().as_slice(), 0);
    let delegated = Address::repeat_byte(0xac);
    let designator: Bytes = [&[0xef, 0x01, 0x00], token.as_slice()].concat().into();
    world
        .db
        .insert_account_info(delegated, common::with_code(designator));
    let nft = world.deploy("Nft", &[], 0);
    let permit2 = world.deploy("Permit2Allowances", &[], 0);

    let supply = || calldata("totalSupply()", &[]);
    let of = |owner: Address| calldata("balanceOf(address)", &[word(owner)]);
    let mut cases = Vec::new();
    for (name, contract) in [
        ("token", token),
        ("proxy", proxy),
        ("beacon proxy", beacon_proxy),
        ("delegated", delegated),
    ] {
        cases.push((format!("{name} supply"), contract, supply()));
        cases.push((format!("{name} name"), contract, calldata("name()", &[])));
        let args = [word(DEPLOYER), word(spender)];
        cases.push((
            format!("{name} allowance"),
            contract,
            calldata("allowance(address,address)", &args),
        ));
    }
    cases.push(("owner".into(), nft, calldata("ownerOf(uint256)", &[U256::ONE])));
    let args = [word(DEPLOYER), word(nft), word(spender)];
    cases.push((
        "permit2".into(),
        permit2,
        calldata("allowance(address,address,address)", &args),
    ));
    for trap in [
        "BaseFeeTrap",
        "CoinbaseTrap",
        "PrevRandaoTrap",
        "GasLimitTrap",
        "BlobBaseFeeTrap",
        "CallerTrap",
    ] {
        let trap = (trap.into(), world.deploy(trap, &[], 0), supply());
        cases.push(trap);
    }
    for depth in [0, 1, 2, 256, 257] {
        let trap = world.deploy("BlockHashTrap", &U256::from(depth).to_be_bytes::<32>(), 0);
        cases.push((format!("block hash {depth}"), trap, supply()));
    }
    let self_balance = world.deploy("SelfBalanceTrap", &[], 33);
    cases.push(("self balance".into(), self_balance, supply()));
    let empty = Address::repeat_byte(0xee);
    let ecrecover = Address::with_last_byte(1);
    for (name, other) in [
        ("deployer", DEPLOYER),
        ("token", token),
        ("empty", empty),
        ("precompile", ecrecover),
    ] {
        let trap = world.deploy("OtherTrap", other.into_word().as_slice(), 9);
        cases.push((format!("balance of {name}"), trap, supply()));
        cases.push((format!("code hash of {name}"), trap, calldata("name()", &[])));
        cases.push((
            format!("code length of {name}"),
            trap,
            calldata("decimals()", &[]),
        ));
        cases.push((format!("value to {name}"), trap, of(DEPLOYER)));
    }
    let zero = world.deploy("OtherTrap", &[0; 32], 9);
    cases.push(("code hash of the caller".into(), zero, calldata("name()", &[])));
    let create = world.deploy("CreateTrap", &[], 0);
    cases.push(("create".into(), create, supply()));
    cases.push(("create2".into(), create, of(DEPLOYER)));
    let destroy = world.deploy("SelfDestructTrap", &[], 44);
    cases.push(("self destruct to an account".into(), destroy, of(DEPLOYER)));
    cases.push(("self destruct to nobody".into(), destroy, of(empty)));
    cases.push(("self destruct to itself".into(), destroy, of(destroy)));
    cases
}

fn same(outcome: &CallOutcome, plain: &ExecutionResult) -> bool {
    match (outcome, plain) {
        (CallOutcome::Returned(bytes), ExecutionResult::Success { output, .. }) => bytes == output.data(),
        (CallOutcome::Reverted(bytes), ExecutionResult::Revert { output, .. }) => bytes == output,
        (CallOutcome::Halted(halt), ExecutionResult::Halt { reason, .. }) => {
            halt.word == format!("{reason:?}")
        }
        _ => false,
    }
}

#[test]
fn on_the_whole_state_a_call_gives_what_plain_revm_gives() {
    let mut world = World::new();
    for (name, to, data) in cases(&mut world) {
        let snapshot = world.complete();
        let outcome = call(&View::new(&snapshot), &chain(), to, &data).unwrap();
        let plain = world.eth_call(to, &data);
        assert!(same(&outcome, &plain), "{name}: {outcome:?}, plain {plain:?}");
    }
}

#[test]
fn what_is_missing_is_asked_for_until_the_answer_is_the_same() {
    let mut world = World::new();
    for (name, to, data) in cases(&mut world) {
        let whole = world.complete();
        let expected = call(&View::new(&whole), &chain(), to, &data).unwrap();
        let mut held = world.bare(None);
        for wave in 0.. {
            assert!(wave < 20, "{name}: no end");
            let view = View::new(&held);
            let outcome = call(&view, &chain(), to, &data);
            let wants = state_wants(view.into_wants());
            match outcome {
                Ok(outcome) => {
                    assert_eq!(outcome, expected, "{name}");
                    assert!(wants.is_empty(), "{name}: {wants:?}");
                    break;
                }
                Err(Unread::Pending) => assert!(!wants.is_empty(), "{name}"),
                Err(Unread::NotRead(n)) => panic!("{name}: {n:?}"),
            }
            for want in wants {
                fill(&mut held, &whole, &want);
            }
        }
    }
}

/// The smallest snapshot a call runs on, and what it holds.
fn minimal(world: &World, to: Address, data: &Bytes) -> (Snapshot, BTreeSet<Want>) {
    let whole = world.complete();
    let mut held = world.bare(None);
    let mut all = BTreeSet::new();
    loop {
        let view = View::new(&held);
        let outcome = call(&view, &chain(), to, data);
        let wants = state_wants(view.into_wants());
        if outcome.is_ok() {
            return (held, all);
        }
        for want in wants {
            fill(&mut held, &whole, &want);
            all.insert(want);
        }
    }
}

#[test]
fn every_single_read_that_is_taken_away_is_the_one_that_is_wanted() {
    let mut world = World::new();
    let mut taken = 0;
    for (name, to, data) in cases(&mut world) {
        let (held, reads) = minimal(&world, to, &data);
        assert!(reads.contains(&Want::Code(chain(), to)), "{name}");
        for want in reads {
            let mut without = held.clone();
            drop_read(&mut without, &want);
            let view = View::new(&without);
            assert_eq!(
                call(&view, &chain(), to, &data),
                Err(Unread::Pending),
                "{name}: {want:?}"
            );
            assert_eq!(
                state_wants(view.into_wants()),
                BTreeSet::from([want.clone()]),
                "{name}"
            );

            without.closed = Some(Reason::Unavailable);
            let view = View::new(&without);
            match call(&view, &chain(), to, &data) {
                Err(Unread::NotRead(NotRead {
                    reason: Reason::Unavailable,
                    note: Some(note),
                    ..
                })) => {
                    assert!(note.ends_with("was not read"), "{name}: {note}");
                }
                other => panic!("{name}: {want:?}: {other:?}"),
            }
            assert!(view.into_wants().is_empty(), "{name}");
            taken += 1;
        }
    }
    assert!(taken > 100, "{taken}");
}

#[test]
fn a_call_asks_for_nothing_it_does_not_observe() {
    let mut world = World::new();
    let token = world.deploy("Token", &token_args("N", "S", 18, U256::from(5)), 0);
    let (_, reads) = minimal(&world, token, &calldata("totalSupply()", &[]));
    let supply_slot = U256::from(2);
    assert_eq!(
        reads,
        BTreeSet::from([
            Want::Code(chain(), token),
            Want::Storage(chain(), token, supply_slot)
        ])
    );

    // SHA-256 of nothing, by STATICCALL of the precompile; nobody looks at the precompile's account.
    let hasher = Address::repeat_byte(0x22);
    let code: Bytes = "0x60205f5f5f60025afa60205ff3".parse().unwrap();
    world.db.insert_account_info(hasher, common::with_code(code));
    let (_, reads) = minimal(&world, hasher, &Bytes::new());
    assert_eq!(reads, BTreeSet::from([Want::Code(chain(), hasher)]));
}

#[test]
fn header_fields_that_are_not_known_are_never_zero() {
    type Forget = fn(&mut Block);
    let cases: [(&str, &str, Forget); 5] = [
        ("BaseFeeTrap", "base fee", |b| b.base_fee_per_gas = None),
        ("CoinbaseTrap", "coinbase", |b| b.miner = None),
        ("PrevRandaoTrap", "prevRandao", |b| b.mix_hash = None),
        ("GasLimitTrap", "gas limit", |b| b.gas_limit = None),
        ("BlobBaseFeeTrap", "blob base fee", |b| b.excess_blob_gas = None),
    ];
    let mut world = World::new();
    let token = world.deploy("Token", &token_args("N", "S", 18, U256::from(5)), 0);
    let supply = calldata("totalSupply()", &[]);
    for (trap, field, forget) in cases {
        let trap = world.deploy(trap, &[], 0);
        let mut snapshot = world.complete();
        assert!(
            call(&View::new(&snapshot), &chain(), trap, &supply).is_ok(),
            "{field}"
        );
        let held = snapshot.chains.get_mut(&chain()).unwrap();
        let mut block = held.block.known().unwrap().clone();
        forget(&mut block);
        held.block = presight_view::Answer::Known(block);
        match call(&View::new(&snapshot), &chain(), trap, &supply) {
            Err(Unread::NotRead(NotRead {
                reason: Reason::Unavailable,
                note,
                ..
            })) => {
                assert_eq!(
                    note.as_deref(),
                    Some(&*format!("the block's {field} was not read"))
                );
            }
            other => panic!("{field}: {other:?}"),
        }
        assert!(
            call(&View::new(&snapshot), &chain(), token, &supply).is_ok(),
            "{field}"
        );
    }
}

#[test]
fn the_blob_base_fee_is_known_only_with_the_chains_fraction() {
    let mut world = World::new();
    let trap = world.deploy("BlobBaseFeeTrap", &[], 0);
    world.block.excess_blob_gas = Some(1_000_000);
    let outcome = call(
        &View::new(&world.complete()),
        &chain(),
        trap,
        &calldata("totalSupply()", &[]),
    );
    assert!(matches!(outcome, Err(Unread::NotRead(_))), "{outcome:?}");
}

#[test]
fn the_parents_hash_comes_from_the_header() {
    let mut world = World::new();
    let trap = world.deploy("BlockHashTrap", &U256::from(1).to_be_bytes::<32>(), 0);
    let supply = calldata("totalSupply()", &[]);
    let (_, reads) = minimal(&world, trap, &supply);
    assert_eq!(reads, BTreeSet::from([Want::Code(chain(), trap)]));
    let outcome = call(&View::new(&world.complete()), &chain(), trap, &supply).unwrap();
    assert_eq!(outcome, CallOutcome::Returned(block_hash(999).0.into()));
    world.block.parent_hash = None;
    let (_, reads) = minimal(&world, trap, &supply);
    assert!(reads.contains(&Want::BlockHash(chain(), 999)));
}

#[test]
fn instructions_of_later_forks_halt_and_want_nothing() {
    let mut world = World::new();
    for (trap, fork) in [
        ("BaseFeeTrap", HardFork::Berlin),
        ("BlobBaseFeeTrap", HardFork::Shanghai),
    ] {
        let trap = world.deploy(trap, &[], 0);
        let mut snapshot = world.complete();
        let held = snapshot.chains.get_mut(&chain()).unwrap();
        held.hard_fork = fork;
        held.block = presight_view::Answer::Known(Block {
            number: 1_000,
            ..Block::default()
        });
        let outcome = call(
            &View::new(&snapshot),
            &chain(),
            trap,
            &calldata("totalSupply()", &[]),
        )
        .unwrap();
        assert!(matches!(outcome, CallOutcome::Halted(_)), "{outcome:?}");
    }
}

#[test]
fn before_spurious_dragon_the_existence_of_an_empty_account_is_not_known() {
    let mut world = World::new();
    let (empty, funded) = (Address::repeat_byte(0xee), DEPLOYER);
    for (target, known) in [(empty, false), (funded, true)] {
        // CALL(gas, target, 0, 0, 0, 0, 0); RETURN(0, 32)
        let mut code = vec![0x60, 0, 0x60, 0, 0x60, 0, 0x60, 0, 0x60, 0, 0x73];
        code.extend(target);
        code.extend([0x62, 0x00, 0x10, 0x00, 0xf1, 0x60, 32, 0x60, 0, 0xf3]);
        let caller = Address::repeat_byte(if known { 0xa1 } else { 0xa2 });
        world
            .db
            .insert_account_info(caller, common::with_code(code.into()));
        let mut snapshot = world.complete();
        for fork in [HardFork::Frontier, HardFork::Tangerine, HardFork::SpuriousDragon] {
            snapshot.chains.get_mut(&chain()).unwrap().hard_fork = fork;
            let outcome = call(&View::new(&snapshot), &chain(), caller, &Bytes::new());
            assert_eq!(
                outcome.is_ok(),
                known || fork == HardFork::SpuriousDragon,
                "{fork:?} {outcome:?}"
            );
        }
    }
}

#[test]
fn a_call_is_bounded_by_gas_and_by_the_block() {
    let mut world = World::new();
    let trap = world.deploy("GasLeftTrap", &[], 0);
    let supply = calldata("totalSupply()", &[]);
    let left = |limit: Option<u64>, world: &mut World| {
        world.block.gas_limit = limit;
        match call(&View::new(&world.complete()), &chain(), trap, &supply).unwrap() {
            CallOutcome::Returned(bytes) => u64::try_from(U256::from_be_slice(&bytes)).unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let bound = presight_exec::MAX_CALL_GAS;
    for (limit, gas) in [
        (None, bound),
        (Some(30_000_000), bound),
        (Some(1_000_000), 1_000_000),
    ] {
        let left = left(limit, &mut world);
        assert!(left < gas && left > gas - 22_000, "{limit:?}: {left}");
    }
    world.block.gas_limit = Some(10);
    let outcome = call(&View::new(&world.complete()), &chain(), trap, &supply).unwrap();
    assert!(matches!(outcome, CallOutcome::Halted(halt) if halt.word.contains("could not be run")));
}

#[test]
fn precompiles_of_other_chains_are_not_accounts_without_code() {
    // STATICCALL(gas, 0x167, 0, 0, 0, 0); RETURN(0, 32): a chain's own precompile behind a token.
    let code: Bytes = "0x60006000600060006101675afa60205ff3".parse().unwrap();
    let mut world = World::new();
    let token = Address::repeat_byte(0x33);
    world.db.insert_account_info(token, common::with_code(code));
    let precompile = Address::from_word(U256::from(0x167).into());
    for to in [token, precompile] {
        let mut snapshot = world.complete();
        assert!(call(&View::new(&snapshot), &chain(), to, &Bytes::new()).is_ok());

        let hedera = presight_wire::ChainId::evm(295);
        let held = snapshot.chains[&chain()].clone();
        snapshot.chains.insert(hedera.clone(), held);
        match call(&View::new(&snapshot), &hedera, to, &Bytes::new()) {
            Err(Unread::NotRead(n)) => {
                assert_eq!(n.reason, Reason::Unsupported);
                assert!(n.note.unwrap().ends_with("167 does on eip155:295 is not known"));
            }
            other => panic!("{other:?}"),
        }
        // With code there it is a contract like any other.
        let accounts = &mut snapshot.chains.get_mut(&hedera).unwrap().accounts;
        let stub = presight_view::Answer::Known(Bytes::from_static(&[0x00]));
        accounts.entry(precompile).or_default().code = Some(stub);
        assert!(call(&View::new(&snapshot), &hedera, to, &Bytes::new()).is_ok());
    }
}

#[test]
fn precompiles_of_layer_2_chains_are_not_executed() {
    // STATICCALL(gas, 0x64, 0, 0, 0, 0); RETURN(0, 32), and the same of RIPEMD-160 and the identity.
    let caller = |precompile: u8| -> Bytes {
        format!("0x6000600060006000 60{precompile:02x}5afa60205ff3")
            .replace(' ', "")
            .parse()
            .unwrap()
    };
    let (arbitrum, base, scroll) = (42_161, 8_453, 534_352);
    let invalid = Bytes::from_static(&[0xfe]);
    let cases: [(u64, u8, Bytes, bool); 8] = [
        (arbitrum, 0x64, invalid.clone(), false),
        (arbitrum, 0x64, Bytes::new(), false),
        (arbitrum, 0x6c, invalid, false),
        (arbitrum, 0x04, Bytes::new(), true),
        (base, 0x64, Bytes::new(), false),
        (base, 0x03, Bytes::new(), true),
        (scroll, 0x03, Bytes::new(), false),
        (scroll, 0x04, Bytes::new(), true),
    ];
    for (id, precompile, code, read) in cases {
        let token = Address::repeat_byte(0x33);
        let mut world = World::new();
        world
            .db
            .insert_account_info(token, common::with_code(caller(precompile)));
        let mut snapshot = world.complete();
        let on = presight_wire::ChainId::evm(id);
        let mut held = snapshot.chains.remove(&chain()).unwrap();
        let target = Address::with_last_byte(precompile);
        held.accounts.entry(target).or_default().code = Some(presight_view::Answer::Known(code));
        snapshot.chains.insert(on.clone(), held);
        for to in [token, target] {
            let outcome = call(&View::new(&snapshot), &on, to, &Bytes::new());
            let unsupported = matches!(&outcome, Err(Unread::NotRead(n)) if n.reason == Reason::Unsupported);
            assert_eq!(
                (outcome.is_ok(), unsupported),
                (read, !read),
                "{id} {precompile:x}: {outcome:?}"
            );
        }
    }
}

#[test]
fn block_numbers_are_the_chains_own_where_that_is_known() {
    // NUMBER; MSTORE(0); RETURN(0, 32), and the same of PREVRANDAO and BLOCKHASH(NUMBER - 1).
    let codes = [
        "0x435f5260205ff3",
        "0x445f5260205ff3",
        "0x6001430340 5f5260205ff3",
    ];
    let mut world = World::new();
    for code in codes {
        let contract = Address::repeat_byte(0x44);
        world.db.insert_account_info(
            contract,
            common::with_code(code.replace(' ', "").parse().unwrap()),
        );
        let other = presight_wire::ChainId::evm(46_630);
        let on_other = |difficulty: Option<u64>, fork| {
            let mut snapshot = world.complete();
            let mut held = snapshot.chains.remove(&chain()).unwrap();
            let block = held.block.known().unwrap().clone();
            let difficulty = difficulty.map(U256::from);
            held.block = presight_view::Answer::Known(Block { difficulty, ..block });
            held.hard_fork = fork;
            snapshot.chains.insert(other.clone(), held);
            call(&View::new(&snapshot), &other, contract, &Bytes::new())
        };
        assert!(matches!(
            on_other(Some(0), HardFork::Prague),
            Ok(CallOutcome::Returned(_))
        ));
        for difficulty in [None, Some(1)] {
            let outcome = on_other(difficulty, HardFork::Prague);
            assert!(matches!(outcome, Err(Unread::NotRead(n)) if n.reason == Reason::Unsupported));
        }
    }
}
