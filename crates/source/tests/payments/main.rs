//! Payments: requirements, quotes, identities, mandates, and every vector of the companion protocols.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../../../exec/tests/common/mod.rs"]
mod common;

mod clients;
mod companions;
mod identities;
mod mandates;
mod quotes;
mod vectors;

use alloy_primitives::{Address, B256, U256};
use presight_source::Config;
use presight_view::drive::run_recorded;
use presight_view::{Answer, Block, ChainSnapshot, HardFork, Snapshot};
use presight_wire::report::{Finding, Outcome, Report, Source};
use presight_wire::{AccountId, ChainId, Reason, Request, Timestamp};
use serde_json::{Value, json};

/// The first account of the public test mnemonic, who pays.
const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// A chain on which there is nothing.
fn empty(chain_id: u64, clock: i64) -> Snapshot {
    let block = Block {
        number: 100,
        hash: B256::repeat_byte(0x64),
        timestamp: 1_788_000_000,
        base_fee_per_gas: Some(7),
        gas_limit: Some(30_000_000),
        miner: Some(Address::ZERO),
        difficulty: Some(U256::ZERO),
        mix_hash: Some(B256::ZERO),
        parent_hash: Some(B256::ZERO),
        state_root: None,
        excess_blob_gas: Some(0),
    };
    let mut held = ChainSnapshot::new(Answer::Known(block), HardFork::Osaka);
    held.complete = true;
    let mut snapshot = Snapshot::new(Timestamp(clock));
    snapshot.chains.insert(ChainId::evm(chain_id), held);
    snapshot
}

/// A request that signs typed data, or sends no call of interest, under a payment context.
fn request(chain_id: u64, typed_data: Option<&Value>, payment: &Value) -> Request {
    let mut subject = json!({
        "type": "calls", "chainId": format!("eip155:{chain_id}"), "from": format!("eip155:{chain_id}:{PAYER}"), "calls": [],
    });
    match typed_data {
        Some(data) => subject["typedData"] = data.clone(),
        None => subject["calls"] = json!([{ "to": PAYER, "value": "0", "data": "0x" }]),
    }
    Request::from_value(
        json!({ "version": "erc-presign/1", "subject": subject, "context": { "payment": payment } }),
    )
    .unwrap()
}

fn report_of(snapshot: &Snapshot, request: &Request, config: &Config) -> Report {
    let decoded = presight_decode::decode(request).unwrap();
    let registry = AccountId::new(request.chain().clone(), Address::ZERO);
    let source = Source {
        registry: registry.clone(),
        agent_id: U256::ZERO,
        signer: registry,
    };
    let driven = run_recorded(snapshot, |view| {
        presight_source::assemble(view, request, &decoded, &source, config)
    });
    let report = driven.value.unwrap();
    presight_source::sign::check_structure(&report, request).unwrap();
    // What a witness holds gives the same report.
    let again = run_recorded(&driven.snapshot, |view| {
        presight_source::assemble(view, request, &decoded, &source, config)
    });
    assert_eq!(again.value.unwrap().to_value(), report.to_value());
    report
}

fn report(snapshot: &Snapshot, request: &Request) -> Report {
    report_of(snapshot, request, &Config::default())
}

fn finding<'r>(report: &'r Report, kind: &str) -> Option<&'r Finding> {
    report.findings.iter().find(|f| f.kind == kind)
}

/// The value of the one finding of a kind.
fn value<'r>(report: &'r Report, kind: &str) -> &'r Value {
    match finding(report, kind).map(|f| &f.outcome) {
        Some(Outcome::Read(value)) => value,
        other => panic!("{kind}: {other:?}"),
    }
}

/// A pair of `payment.match`.
fn pair<'r>(report: &'r Report, name: &str) -> Option<&'r Finding> {
    report
        .findings
        .iter()
        .find(|f| f.kind == "erc.presign.payment.match" && f.param == Some(name.into()))
}

fn pair_value<'r>(report: &'r Report, name: &str) -> &'r Value {
    match pair(report, name).map(|f| &f.outcome) {
        Some(Outcome::Read(value)) => value,
        other => panic!("{name}: {other:?}"),
    }
}

fn reason(finding: Option<&Finding>) -> Reason {
    match finding.map(|f| &f.outcome) {
        Some(Outcome::NotRead(reason)) => *reason,
        other => panic!("{other:?}"),
    }
}

fn equal(report: &Report, name: &str) -> bool {
    pair_value(report, name)["equal"].as_bool().unwrap()
}
