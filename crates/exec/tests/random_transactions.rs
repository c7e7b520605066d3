//! Random contracts in transactions that follow each other: on the whole state they do what they do in plain revm,
//! and with parts of it taken away they do the same or nothing is read.
#![allow(clippy::unwrap_used, reason = "a test")]

mod common;

use alloy_primitives::{Address, Bytes, U256};
use common::random::{CONTRACTS, EMPTY, FIELDS, FUNDED, USED, contract, world};
use common::{CHAIN, World, block_hash, chain, drop_read, fill, state_wants};
use presight_exec::simulate::{self, Change, Outcome, Simulation, Status, Surroundings};
use presight_view::{Answer, Lookup, Snapshot, Unread, View, Want};
use presight_wire::Reason;
use presight_wire::request::{Authorization, Call};
use proptest::prelude::*;
use revm::context::result::ExecutionResult;
use revm::context::{BlockEnv, CfgEnv, Context, TxEnv};
use revm::context_interface::block::BlobExcessGasAndPrice;
use revm::context_interface::either::Either;
use revm::context_interface::transaction::{
    Authorization as Tuple, RecoveredAuthority, RecoveredAuthorization, TransactionType,
};
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::TxKind;
use revm::primitives::hardfork::SpecId;
use revm::{DatabaseRef, ExecuteCommitEvm, MainBuilder, MainContext};
use std::collections::BTreeSet;

/// What is sent.
#[derive(Debug, Clone)]
struct Sent {
    sender: Address,
    calls: Vec<Call>,
    /// The authority and the nonce of each tuple; all delegate to the last contract.
    list: Vec<(Address, u64)>,
}

fn sent() -> impl Strategy<Value = Sent> {
    let sender = prop::sample::select(vec![FUNDED, USED, CONTRACTS[1]]);
    let to = prop::sample::select([&CONTRACTS[..], &[EMPTY, USED]].concat());
    let call = (to, 0..3u64);
    let tuple = prop::sample::select(vec![(EMPTY, 0), (EMPTY, 1), (USED, 3), (USED, 4), (FUNDED, 1)]);
    (
        sender,
        prop::collection::vec(call, 1..4),
        prop::collection::vec(tuple, 0..3),
    )
        .prop_map(|(sender, calls, list)| Sent {
            sender,
            calls: calls
                .into_iter()
                .map(|(to, value)| Call {
                    to,
                    // Only this account has something to send.
                    value: U256::from(if sender == FUNDED { value } else { 0 }),
                    data: Bytes::new(),
                })
                .collect(),
            list,
        })
}

impl Sent {
    fn simulate(&self, snapshot: &Snapshot) -> (Lookup<Outcome>, BTreeSet<Want>) {
        let chain = chain();
        let view = View::new(snapshot);
        let list: Vec<Authorization> = self
            .list
            .iter()
            .map(|(_, nonce)| Authorization {
                chain_id: U256::ZERO,
                address: CONTRACTS[2],
                nonce: *nonce,
                y_parity: 0,
                r: U256::ONE,
                s: U256::ONE,
            })
            .collect();
        let authorities: Vec<_> = self.list.iter().map(|(authority, _)| Some(*authority)).collect();
        let simulation = Simulation {
            chain: &chain,
            sender: self.sender,
            calls: &self.calls,
            authorization_list: &list,
            authorities: &authorities,
            surroundings: Surroundings::default(),
        };
        let outcome = simulate::run(&view, &simulation).map(|simulated| simulated.outcome);
        let used = state_wants(view.used());
        (outcome, used)
    }

    /// The same in plain revm, without fees.
    fn plain(&self, world: &World) -> (Vec<ExecutionResult>, CacheDB<EmptyDB>) {
        let mut db = world.db.clone();
        db.cache.block_hashes = (700..1_000).map(|n| (U256::from(n), block_hash(n))).collect();
        let block = BlockEnv {
            number: U256::from(world.block.number),
            beneficiary: world.block.miner.unwrap(),
            timestamp: U256::from(world.block.timestamp),
            gas_limit: world.block.gas_limit.unwrap(),
            basefee: world.block.base_fee_per_gas.unwrap(),
            prevrandao: world.block.mix_hash,
            blob_excess_gas_and_price: Some(BlobExcessGasAndPrice {
                excess_blob_gas: 0,
                blob_gasprice: 1,
            }),
            ..BlockEnv::default()
        };
        let mut cfg = CfgEnv::new_with_spec(SpecId::OSAKA).with_chain_id(CHAIN);
        cfg.disable_nonce_check = true;
        cfg.disable_fee_charge = true;
        cfg.disable_eip3607 = true;
        let mut results = Vec::new();
        for (index, call) in self.calls.iter().enumerate() {
            let list = if index == 0 { self.list.as_slice() } else { &[] };
            let tx_type = if list.is_empty() {
                TransactionType::Eip1559
            } else {
                TransactionType::Eip7702
            };
            let tx = TxEnv {
                tx_type: tx_type.into(),
                caller: self.sender,
                kind: TxKind::Call(call.to),
                value: call.value,
                gas_limit: 1 << 24,
                gas_price: u128::from(world.block.base_fee_per_gas.unwrap()),
                gas_priority_fee: Some(0),
                chain_id: Some(CHAIN),
                authorization_list: list
                    .iter()
                    .map(|(authority, nonce)| {
                        let tuple = Tuple {
                            chain_id: U256::ZERO,
                            address: CONTRACTS[2],
                            nonce: *nonce,
                        };
                        let authority = RecoveredAuthority::Valid(*authority);
                        Either::Right(RecoveredAuthorization::new_unchecked(tuple, authority))
                    })
                    .collect(),
                ..TxEnv::default()
            };
            let mut evm = Context::mainnet()
                .with_db(&mut db)
                .with_block(block.clone())
                .with_cfg(cfg.clone())
                .build_mainnet();
            results.push(evm.transact_commit(tx).unwrap());
        }
        (results, db)
    }
}

/// What each call came to, and the state afterwards, are the same.
fn assert_same(outcome: &Outcome, results: &[ExecutionResult], world: &World, after: &CacheDB<EmptyDB>) {
    assert_eq!(outcome.calls.len(), results.len());
    for (index, (call, plain)) in outcome.calls.iter().zip(results).enumerate() {
        let status = match plain {
            ExecutionResult::Success { .. } => Status::Success,
            ExecutionResult::Revert { .. } => Status::Revert,
            ExecutionResult::Halt { .. } => Status::Halt,
        };
        assert_eq!((call.status, call.gas_used), (status, plain.tx_gas_used()));
        let logs: Vec<_> = outcome.logs.iter().filter(|log| log.call == index).collect();
        assert_eq!(logs.len(), plain.logs().len());
        for (log, plain) in logs.iter().zip(plain.logs()) {
            assert_eq!(
                (log.address, log.topics.as_slice()),
                (plain.address, plain.data.topics())
            );
            assert_eq!(log.data, plain.data.data);
        }
    }
    let before = &world.db;
    let accounts: BTreeSet<Address> = after.cache.accounts.keys().copied().collect();
    for address in accounts {
        let info = |db: &CacheDB<EmptyDB>| db.basic_ref(address).unwrap().unwrap_or_default();
        let code = |db: &CacheDB<EmptyDB>| {
            let hash = info(db).code_hash;
            db.code_by_hash_ref(hash).unwrap().original_bytes()
        };
        let change = outcome.changes.of(address).cloned().unwrap_or_default();
        assert_eq!(
            change.balance,
            Change::between(info(before).balance, info(after).balance),
            "{address}"
        );
        assert_eq!(
            change.code,
            Change::between(code(before), code(after)),
            "{address}"
        );
        // A nonce that nothing looked at is not told of.
        if change.nonce.is_some() {
            assert_eq!(
                change.nonce,
                Change::between(info(before).nonce, info(after).nonce),
                "{address}"
            );
        }
        let slot = |db: &CacheDB<EmptyDB>, slot| db.storage_ref(address, slot).unwrap();
        for key in (0..4u64).map(U256::from) {
            assert_eq!(
                change.storage.get(&key).cloned(),
                Change::between(slot(before, key), slot(after, key)),
                "{address} {key}"
            );
        }
    }
}

fn is_unavailable(outcome: &Lookup<Outcome>) -> bool {
    matches!(outcome, Err(Unread::NotRead(n)) if n.reason == Reason::Unavailable && n.note.is_some())
}

/// The same, but for what is said of the sender's balance and code.
fn is_same(outcome: &Lookup<Outcome>, truth: &Outcome) -> bool {
    outcome.as_ref().is_ok_and(|outcome| {
        let mut outcome = outcome.clone();
        outcome.caveats.clone_from(&truth.caveats);
        outcome == *truth
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn transactions_do_what_they_do_in_plain_revm_or_nothing_is_read(
        codes in [contract(), contract(), contract()],
        balance in 0..4u64,
        sent in sent(),
        taken in any::<prop::sample::Index>(),
    ) {
        let world = world(codes, balance);
        let whole = world.complete();
        let (outcome, used) = sent.simulate(&whole);
        let outcome = outcome.unwrap();
        // A delegate can give away what the sender's later calls send: no block takes those, plain revm does here.
        prop_assume!(outcome.calls.iter().all(|call| call.gas_used > 0));
        let (results, after) = sent.plain(&world);
        assert_same(&outcome, &results, &world, &after);

        // Only what was used is held: the same. Without any one of it: the same or nothing.
        let used: Vec<_> = used.into_iter().collect();
        let mut part = world.bare(Some(Reason::Unavailable));
        for want in &used {
            fill(&mut part, &whole, want);
        }
        prop_assert_eq!(sent.simulate(&part).0, Ok(outcome.clone()));
        let mut less = part.clone();
        drop_read(&mut less, taken.get(&used));
        let now = sent.simulate(&less).0;
        prop_assert!(is_same(&now, &outcome) || is_unavailable(&now), "{now:?} {outcome:?}");

        // Without a field of the header: the same, or nothing.
        for forget in FIELDS {
            let mut less = part.clone();
            let held = less.chains.get_mut(&chain()).unwrap();
            let mut block = held.block.known().unwrap().clone();
            forget(&mut block);
            held.block = Answer::Known(block);
            let now = sent.simulate(&less).0;
            prop_assert!(is_same(&now, &outcome) || is_unavailable(&now), "{now:?} {outcome:?}");
        }
    }
}
