//! Authorization lists: random ones with real signatures against revm's own type-4 transactions, and each reason a
//! tuple is passed over.
#![allow(clippy::unwrap_used, reason = "a test")]

use alloy_primitives::{Address, B256, Bytes, Signature, U256, keccak256};
use k256::ecdsa::SigningKey;
use presight_exec::delegation::{AccountCode, Delegation, Skip, TupleOutcome, apply};
use presight_view::{AccountSnapshot, Answer, Block, ChainSnapshot, HardFork, Snapshot, Unread, View, Want};
use presight_wire::request::Authorization;
use presight_wire::{At, ChainId, Evidence, Reason, Timestamp};
use proptest::prelude::*;
use revm::context::transaction::{AccessList, Authorization as RawAuthorization, SignedAuthorization};
use revm::context::{CfgEnv, Context, TxEnv};
use revm::context_interface::either::Either;
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::TxKind;
use revm::primitives::hardfork::SpecId;
use revm::state::{AccountInfo, Bytecode};
use revm::{Database, ExecuteCommitEvm, MainBuilder, MainContext};
use std::collections::BTreeSet;

const CHAIN: u64 = 10;
/// The order of secp256k1.
const ORDER: U256 = U256::from_limbs([
    0xbfd2_5e8c_d036_4141,
    0xbaae_dce6_af48_a03b,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
]);

fn chain() -> ChainId {
    ChainId::evm(CHAIN)
}

fn key(index: u8) -> SigningKey {
    SigningKey::from_slice(&[index + 1; 32]).unwrap()
}

fn owner(index: u8) -> Address {
    Address::from_private_key(&key(index))
}

/// A tuple signed by a key (EIP-7702: `keccak256(0x05 ‖ rlp([chain_id, address, nonce]))`).
fn signed(index: u8, chain_id: u64, address: Address, nonce: u64) -> Authorization {
    let hash = RawAuthorization {
        chain_id: U256::from(chain_id),
        address,
        nonce,
    }
    .signature_hash();
    let (signature, recovery) = key(index).sign_prehash_recoverable(hash.as_slice()).unwrap();
    Authorization {
        chain_id: U256::from(chain_id),
        address,
        nonce,
        y_parity: recovery.to_byte() & 1,
        r: U256::from_be_slice(&signature.r().to_bytes()),
        s: U256::from_be_slice(&signature.s().to_bytes()),
    }
}

fn high_s(mut tuple: Authorization) -> Authorization {
    tuple.s = ORDER - tuple.s;
    tuple.y_parity ^= 1;
    tuple
}

/// The authority as the decoder recovers it: whatever the half s is in (I-40).
fn recovered(tuple: &Authorization) -> Option<Address> {
    let raw = RawAuthorization {
        chain_id: tuple.chain_id,
        address: tuple.address,
        nonce: tuple.nonce,
    };
    let signature = Signature::new(tuple.r, tuple.s, tuple.y_parity == 1);
    (tuple.y_parity < 2)
        .then(|| signature.recover_address_from_prehash(&raw.signature_hash()).ok())
        .flatten()
}

fn designator(delegate: Address) -> Bytes {
    [&[0xef, 0x01, 0x00], delegate.as_slice()].concat().into()
}

fn snapshot(accounts: &[(Address, u64, Bytes)]) -> Snapshot {
    let block = Block {
        number: 5,
        hash: B256::repeat_byte(5),
        timestamp: 55,
        ..Block::default()
    };
    let mut held = ChainSnapshot::new(Answer::Known(block), HardFork::Prague);
    for (address, nonce, code) in accounts {
        let account = AccountSnapshot {
            nonce: Some(Answer::Known(*nonce)),
            code: Some(Answer::Known(code.clone())),
            ..AccountSnapshot::default()
        };
        held.accounts.insert(*address, account);
    }
    let mut snapshot = Snapshot::new(Timestamp(60));
    snapshot.chains.insert(chain(), held);
    snapshot
}

/// Codes and nonces after revm ran a type-4 transaction with the list.
fn by_revm(accounts: &[(Address, u64, Bytes)], list: &[Authorization]) -> Vec<(Bytes, u64)> {
    let mut db = CacheDB::new(EmptyDB::default());
    for (address, nonce, code) in accounts {
        let code = Bytecode::new_raw(code.clone());
        let info = AccountInfo {
            nonce: *nonce,
            code_hash: code.hash_slow(),
            code: Some(code),
            ..AccountInfo::default()
        };
        db.insert_account_info(*address, info);
    }
    let signed = list.iter().map(|t| {
        let raw = RawAuthorization {
            chain_id: t.chain_id,
            address: t.address,
            nonce: t.nonce,
        };
        Either::Left(SignedAuthorization::new_unchecked(raw, t.y_parity, t.r, t.s))
    });
    let (sender, nonce, _) = &accounts[0];
    let tx = TxEnv {
        tx_type: 4,
        caller: *sender,
        kind: TxKind::Call(Address::repeat_byte(0x99)),
        nonce: *nonce,
        gas_limit: 10_000_000,
        gas_price: 0,
        gas_priority_fee: Some(0),
        chain_id: Some(CHAIN),
        access_list: AccessList::default(),
        authorization_list: signed.collect(),
        ..TxEnv::default()
    };
    let cfg = CfgEnv::new_with_spec(SpecId::PRAGUE).with_chain_id(CHAIN);
    let mut evm = Context::mainnet().with_db(&mut db).with_cfg(cfg).build_mainnet();
    assert!(evm.transact_commit(tx).unwrap().is_success());
    let after = accounts.iter().map(|(address, _, _)| {
        let info = db.basic(*address).unwrap().unwrap_or_default();
        let code = match info.code {
            Some(code) => code,
            None => db.code_by_hash(info.code_hash).unwrap(),
        };
        (code.original_bytes(), info.nonce)
    });
    after.collect()
}

/// A tuple in words: who signs, for which chain, which delegate, the nonce, and what is done to the signature.
fn tuples() -> impl Strategy<Value = Vec<Authorization>> {
    let chain_id = prop_oneof![6 => Just(CHAIN), 2 => Just(0), 1 => Just(1)];
    let delegate = prop_oneof![1 => Just(Address::ZERO), 4 => (1..5u8).prop_map(Address::repeat_byte)];
    let nonce = prop_oneof![8 => 0..6u64, 1 => Just(u64::MAX)];
    let spoil = prop_oneof![8 => Just(0u8), 1 => Just(1), 1 => Just(2), 1 => Just(3)];
    let tuple =
        (0..4u8, chain_id, delegate, nonce, spoil).prop_map(|(index, chain_id, delegate, nonce, spoil)| {
            let mut tuple = signed(index, chain_id, delegate, nonce);
            match spoil {
                1 => tuple = high_s(tuple),
                2 => tuple.r = ORDER,
                3 => tuple.y_parity = 27,
                _ => {}
            }
            tuple
        });
    prop::collection::vec(tuple, 1..12)
}

fn codes() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        4 => Just(Bytes::new()),
        3 => (1..5u8).prop_map(|b| designator(Address::repeat_byte(b))),
        1 => Just(Bytes::from_static(&[0x60, 0x00])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn lists_leave_what_revm_leaves(
        list in tuples(),
        nonces in [0..4u64, 0..4u64, 0..4u64, 0..4u64],
        codes in [codes(), codes(), codes()],
        delegated_sender in any::<bool>(),
    ) {
        let sender_code = if delegated_sender { designator(Address::repeat_byte(4)) } else { Bytes::new() };
        let codes = [sender_code].into_iter().chain(codes);
        let accounts: Vec<_> =
            (0..4u8).zip(nonces).zip(codes).map(|((i, nonce), code)| (owner(i), nonce, code)).collect();
        let after = by_revm(&accounts, &list);

        let snapshot = snapshot(&accounts);
        let view = View::new(&snapshot);
        let authorities: Vec<_> = list.iter().map(recovered).collect();
        let applied = apply(&view, &chain(), owner(0), &list, &authorities);
        for ((address, nonce, code), (code_after, nonce_after)) in accounts.iter().zip(&after) {
            let read = applied.code_after(*address).unwrap();
            prop_assert_eq!(*read.value(), AccountCode::of(code_after));
            let delegation = applied.delegation(*address).unwrap();
            let (before, after) = (AccountCode::of(code).delegate(), AccountCode::of(code_after).delegate());
            prop_assert_eq!(*delegation.value(), Delegation { before, after });
            let mine = |(authority, outcome): &(&Option<Address>, &TupleOutcome)| {
                **authority == Some(*address) && **outcome == TupleOutcome::Applied
            };
            let count = authorities.iter().zip(applied.tuples()).filter(mine).count() as u64;
            let sent = u64::from(*address == owner(0));
            prop_assert_eq!(nonce + sent + count, *nonce_after);
        }
        prop_assert!(view.into_wants().is_empty());
    }
}

#[test]
fn every_reason_is_named() {
    let [a, b, contract] = [owner(0), owner(1), owner(2)];
    let old = Address::repeat_byte(0xaa);
    let new = Address::repeat_byte(0xbb);
    let sender = Address::repeat_byte(1);
    let snapshot = snapshot(&[
        (a, 3, designator(old)),
        (b, 0, Bytes::new()),
        (contract, 1, vec![0].into()),
    ]);
    let list = [
        signed(0, 1, new, 3),
        signed(0, CHAIN, new, u64::MAX),
        high_s(signed(0, CHAIN, new, 3)),
        Authorization {
            r: ORDER,
            ..signed(0, CHAIN, new, 3)
        },
        signed(2, CHAIN, new, 1),
        signed(0, CHAIN, new, 4),
        signed(0, 0, new, 3),
        signed(1, CHAIN, Address::ZERO, 0),
    ];
    let authorities: Vec<_> = list.iter().map(recovered).collect();
    assert_eq!(authorities[3], None);
    let view = View::new(&snapshot);
    let applied = apply(&view, &chain(), sender, &list, &authorities);
    let skipped = TupleOutcome::Skipped;
    assert_eq!(
        applied.tuples(),
        [
            skipped(Skip::Chain(U256::ONE)),
            skipped(Skip::NonceLimit),
            skipped(Skip::HighS),
            skipped(Skip::InvalidSignature),
            skipped(Skip::AuthorityHasCode),
            skipped(Skip::Nonce { tuple: 4, account: 3 }),
            TupleOutcome::Applied,
            TupleOutcome::Applied,
        ]
    );
    let moved = applied.delegation(a).unwrap();
    assert_eq!(
        *moved.value(),
        Delegation {
            before: Some(old),
            after: Some(new)
        }
    );
    assert_eq!(
        moved.note(),
        Some(
            "the result is the account's code before the list; tuple 0 skipped: it is for chain 1; tuple 1 skipped: \
             its nonce is 2^64 - 1; tuple 2 skipped: the s of its signature is in the upper half; tuple 5 skipped: \
             its nonce is 4, its authority's 3; tuple 6 applied"
        )
    );
    let at = At {
        chain: chain(),
        block: 5,
    };
    assert_eq!(moved.at(), Some(&at));
    assert!(matches!(moved.evidence(), [Evidence::Call { result, .. }] if *result == designator(old)));
    // A clear of an account without a delegation changes only its nonce.
    let cleared = applied.delegation(b).unwrap();
    assert_eq!(
        *cleared.value(),
        Delegation {
            before: None,
            after: None
        }
    );
    assert_eq!(
        *applied.delegation(contract).unwrap().value(),
        Delegation {
            before: None,
            after: None
        }
    );
    assert_eq!(
        *applied.code_after(contract).unwrap().value(),
        AccountCode::Contract
    );
}

#[test]
fn a_later_tuple_replaces_an_earlier_one_in_the_order_given() {
    let (first, second) = (Address::repeat_byte(0x11), Address::repeat_byte(0x22));
    let sender = owner(0);
    let snapshot = snapshot(&[(sender, 7, Bytes::new())]);
    let view = View::new(&snapshot);
    // The signer's own nonce is raised before its list: 8 applies, 7 does not.
    let list = [
        signed(0, CHAIN, first, 7),
        signed(0, CHAIN, first, 8),
        signed(0, CHAIN, second, 9),
    ];
    let authorities = [Some(sender); 3];
    let applied = apply(&view, &chain(), sender, &list, &authorities);
    let stale = TupleOutcome::Skipped(Skip::Nonce { tuple: 7, account: 8 });
    assert_eq!(
        applied.tuples(),
        [stale, TupleOutcome::Applied, TupleOutcome::Applied]
    );
    assert_eq!(
        *applied.code_after(sender).unwrap().value(),
        AccountCode::Delegated(second)
    );

    let cleared = [signed(0, CHAIN, first, 8), signed(0, CHAIN, Address::ZERO, 9)];
    let applied = apply(&view, &chain(), sender, &cleared, &authorities[..2]);
    assert_eq!(*applied.code_after(sender).unwrap().value(), AccountCode::None);
}

#[test]
fn what_is_not_read_of_one_authority_leaves_the_others() {
    let new = Address::repeat_byte(0xbb);
    let known = owner(0);
    let mut snapshot = snapshot(&[(known, 0, Bytes::new()), (owner(1), 0, Bytes::new())]);
    let accounts = &mut snapshot.chains.get_mut(&chain()).unwrap().accounts;
    accounts.get_mut(&owner(1)).unwrap().nonce = None;
    let list = [
        signed(1, CHAIN, new, 0),
        signed(0, CHAIN, new, 0),
        signed(2, CHAIN, new, 0),
        signed(1, CHAIN, new, 1),
    ];
    let authorities: Vec<_> = list.iter().map(recovered).collect();
    let view = View::new(&snapshot);
    let applied = apply(&view, &chain(), Address::repeat_byte(1), &list, &authorities);
    let open = TupleOutcome::Unknown(Unread::Pending);
    assert_eq!(
        applied.tuples(),
        [open.clone(), TupleOutcome::Applied, open.clone(), open]
    );
    assert_eq!(
        *applied.code_after(known).unwrap().value(),
        AccountCode::Delegated(new)
    );
    assert_eq!(applied.delegation(owner(1)), Err(Unread::Pending));
    assert_eq!(applied.code_after(owner(2)), Err(Unread::Pending));
    drop(applied);
    // One wave asks for everything.
    let wants = [
        Want::Nonce(chain(), owner(1)),
        Want::Nonce(chain(), owner(2)),
        Want::Code(chain(), owner(2)),
    ];
    assert_eq!(view.into_wants(), BTreeSet::from(wants));

    snapshot.closed = Some(Reason::Timeout);
    let view = View::new(&snapshot);
    let applied = apply(&view, &chain(), Address::repeat_byte(1), &list, &authorities);
    match applied.delegation(owner(1)) {
        Err(Unread::NotRead(n)) => {
            assert_eq!(n.reason, Reason::Timeout);
            assert_eq!(n.note.as_deref(), Some("the account's nonce was not read"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tuple_that_cannot_apply_is_skipped_whatever_is_not_read() {
    let new = Address::repeat_byte(0xbb);
    let mut snapshot = snapshot(&[(owner(0), 4, Bytes::new()), (owner(1), 0, vec![0].into())]);
    let accounts = &mut snapshot.chains.get_mut(&chain()).unwrap().accounts;
    accounts.get_mut(&owner(0)).unwrap().code = None;
    accounts.get_mut(&owner(1)).unwrap().nonce = None;
    let list = [signed(0, CHAIN, new, 3), signed(1, CHAIN, new, 0)];
    let authorities: Vec<_> = list.iter().map(recovered).collect();
    let view = View::new(&snapshot);
    let applied = apply(&view, &chain(), Address::repeat_byte(1), &list, &authorities);
    let skipped = TupleOutcome::Skipped;
    let nonce = Skip::Nonce { tuple: 3, account: 4 };
    assert_eq!(
        applied.tuples(),
        [skipped(nonce), skipped(Skip::AuthorityHasCode)]
    );
    // What the account points to is not read all the same.
    assert_eq!(applied.delegation(owner(0)), Err(Unread::Pending));
    assert_eq!(
        *applied.code_after(owner(1)).unwrap().value(),
        AccountCode::Contract
    );
}

#[test]
fn before_prague_a_list_is_unsupported_and_other_addresses_are_read() {
    let mut snapshot = snapshot(&[(owner(0), 0, Bytes::new()), (owner(1), 0, vec![0].into())]);
    snapshot.chains.get_mut(&chain()).unwrap().hard_fork = HardFork::Cancun;
    let view = View::new(&snapshot);
    let list = [signed(0, CHAIN, Address::repeat_byte(2), 0)];
    let applied = apply(&view, &chain(), Address::repeat_byte(1), &list, &[Some(owner(0))]);
    for read in [
        applied.delegation(owner(0)).map(|_| ()),
        applied.code_after(owner(0)).map(|_| ()),
    ] {
        assert!(matches!(read, Err(Unread::NotRead(n)) if n.reason == Reason::Unsupported));
    }
    assert_eq!(
        *applied.code_after(owner(1)).unwrap().value(),
        AccountCode::Contract
    );
}

#[test]
fn the_highest_nonce_of_the_sender_is_no_nonce_to_apply_at() {
    let snapshot = snapshot(&[(owner(0), u64::MAX, Bytes::new())]);
    let view = View::new(&snapshot);
    let list = [signed(0, CHAIN, Address::repeat_byte(2), 0)];
    let applied = apply(&view, &chain(), owner(0), &list, &[Some(owner(0))]);
    assert!(matches!(
        applied.tuples(),
        [TupleOutcome::Unknown(Unread::NotRead(_))]
    ));
    assert!(applied.delegation(owner(0)).is_err());
}

#[test]
fn only_a_designator_of_exactly_23_bytes_is_a_delegation() {
    let delegate = Address::repeat_byte(3);
    let code = designator(delegate);
    assert_eq!(AccountCode::of(&code), AccountCode::Delegated(delegate));
    assert_eq!(AccountCode::of(&[]), AccountCode::None);
    for other in [
        &code[..22],
        &[&code[..], &[0]].concat(),
        &[0xef, 0x01, 0x01],
        &keccak256("x")[..23],
    ] {
        assert_eq!(AccountCode::of(other), AccountCode::Contract);
    }
}
