//! The history of a view file: found by address, pinned, and kept in the witness as far as it was used.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alloy_primitives::Address;
use presight_view::file;
use presight_view::history::Transfer;
use presight_view::{Snapshot, Unread, View, Want, run_recorded};
use presight_wire::{ChainId, Reason};
use serde_json::{Value, json};
use std::time::Instant;

const ALICE: Address = Address::repeat_byte(0xaa);
const BOB: Address = Address::repeat_byte(0xbb);
const CAROL: Address = Address::repeat_byte(0xcc);
const PINNED: u64 = 100;

fn mainnet() -> ChainId {
    ChainId::evm(1)
}

fn view_file(history: &Value) -> Value {
    json!({
        "format": "presight-view/1", "clock": "2026-11-30T12:00:00Z",
        "chains": [{
            "chainId": "eip155:1",
            "block": { "number": format!("{PINNED:#x}"), "hash": word(1), "timestamp": "0x1" },
            "history": history,
        }],
    })
}

fn snapshot(history: &Value) -> Snapshot {
    file::parse(view_file(history).to_string().as_bytes())
        .unwrap()
        .snapshot
}

fn word(n: u64) -> String {
    format!("{n:#066x}")
}

fn transfer(block: u64, kind: &str, from: Address, to: Address) -> Value {
    json!({ "block": format!("{block:#x}"), "tx": word(block), "kind": kind,
            "from": from, "to": to, "value": "0x1" })
}

fn seen(snapshot: &Snapshot, address: Address) -> Result<Vec<Transfer>, Unread> {
    let view = View::new(snapshot);
    let records = view.history(&mainnet(), address)?;
    Ok(records.iter().cloned().collect())
}

fn blocks(snapshot: &Snapshot, address: Address) -> Vec<u64> {
    seen(snapshot, address)
        .unwrap()
        .iter()
        .map(|record| record.block)
        .collect()
}

#[test]
fn records_are_found_by_either_side_and_by_sender_in_block_order_up_to_the_pinned_block() {
    let mut by_another = transfer(3, "erc20", BOB, BOB);
    by_another["sender"] = json!(ALICE);
    let history = json!({ "complete": true, "fromBlock": "0x0", "transfers": [
        transfer(7, "tx", ALICE, BOB),
        transfer(5, "internal", CAROL, ALICE),
        by_another,
        transfer(PINNED, "tx", ALICE, ALICE),
        transfer(PINNED + 1, "tx", ALICE, CAROL),
    ] });
    let snapshot = snapshot(&history);
    assert_eq!(blocks(&snapshot, ALICE), [3, 5, 7, PINNED]);
    assert_eq!(blocks(&snapshot, BOB), [3, 7]);
    assert_eq!(blocks(&snapshot, CAROL), [5]);
    assert_eq!(blocks(&snapshot, Address::ZERO), [0_u64; 0]);
}

#[test]
fn the_sender_is_known_from_the_transaction_among_the_records() {
    let mut event = transfer(7, "erc20", BOB, CAROL);
    event["logIndex"] = json!("0x3");
    let of = |transfers: Value| snapshot(&json!({ "transfers": transfers }));
    let alone = of(json!([event]));
    assert_eq!(seen(&alone, CAROL).unwrap()[0].sender, None);
    let beside = of(json!([event, transfer(7, "tx", ALICE, BOB)]));
    let records = seen(&beside, CAROL).unwrap();
    assert_eq!((records.len(), records[0].sender), (1, Some(ALICE)));
    assert_eq!(seen(&beside, ALICE).unwrap().len(), 2, "she sent what moved it");
}

#[test]
fn what_is_listed_twice_is_there_once() {
    let mut event = transfer(7, "erc20", ALICE, BOB);
    event["logIndex"] = json!("0x3");
    let mut batch = transfer(8, "erc1155", ALICE, BOB);
    batch["logIndex"] = json!("0x3");
    let transaction = transfer(9, "tx", ALICE, BOB);
    let history = json!({ "transfers": [event, event, transaction, batch, batch, transaction] });
    // Two items of one batch are two records, however equal.
    assert_eq!(blocks(&snapshot(&history), BOB), [7, 8, 8, 9]);
}

#[test]
fn without_a_history_or_its_part_nothing_is_read() {
    let unavailable = Err(Unread::from(Reason::Unavailable));
    let without = file::parse(
        {
            let mut file = view_file(&json!({}));
            file["chains"][0].as_object_mut().unwrap().remove("history");
            file.to_string()
        }
        .as_bytes(),
    );
    let without = without.unwrap().snapshot;
    assert_eq!(seen(&without, ALICE), unavailable);
    assert_eq!(
        seen(&snapshot(&json!({ "authorizations": [] })), ALICE),
        unavailable
    );
    let of_bob =
        json!({ "complete": true, "addresses": [BOB], "transfers": [transfer(7, "tx", ALICE, BOB)] });
    let of_bob = snapshot(&of_bob);
    assert_eq!(seen(&of_bob, ALICE), unavailable, "it is about others");
    assert_eq!(blocks(&of_bob, BOB), [7]);
    assert_eq!(
        View::new(&without).authorizations(&mainnet(), ALICE).unwrap_err(),
        Unread::from(Reason::Unavailable)
    );
}

#[test]
fn an_open_view_asks_nobody_for_history() {
    let mut open = snapshot(&json!({ "complete": true, "transfers": [] }));
    open.closed = None;
    open.chains.get_mut(&mainnet()).unwrap().history = None;
    let view = View::new(&open);
    assert_eq!(
        view.history(&mainnet(), ALICE).unwrap_err(),
        Unread::from(Reason::Unavailable)
    );
    assert!(view.used().contains(&Want::History(mainnet(), ALICE)));
    assert!(view.into_wants().is_empty());
}

#[test]
fn a_witness_keeps_what_was_asked_and_says_of_whom() {
    let history = json!({ "complete": true, "fromBlock": "0x2", "transfers": [
        transfer(7, "tx", ALICE, BOB), transfer(8, "tx", CAROL, BOB), transfer(9, "tx", CAROL, CAROL),
    ], "authorizations": [] });
    let snapshot = snapshot(&history);
    let driven = run_recorded(&snapshot, |view| view.history(&mainnet(), ALICE).map(|_| ()));
    let written: Value = serde_json::from_str(&file::to_json(&driven.witness())).unwrap();
    let kept = &written["chains"][0]["history"];
    assert_eq!(kept["addresses"], json!([ALICE]));
    assert_eq!(kept["transfers"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&kept["delegates"], &kept["fromBlock"]),
        (&json!([]), &json!("0x2"))
    );
    let again = file::parse(written.to_string().as_bytes()).unwrap().snapshot;
    assert_eq!(blocks(&again, ALICE), [7]);
    assert_eq!(
        seen(&again, BOB),
        Err(Reason::Unavailable.into()),
        "nobody asked about him"
    );
    let unasked = run_recorded(&snapshot, |view| view.block(&mainnet()).is_ok()).witness();
    assert_eq!(unasked.chains[&mainnet()].history, None);
}

#[test]
fn a_failed_history_keeps_its_reason() {
    let mut file = view_file(&json!({}));
    let chain = file["chains"][0].as_object_mut().unwrap();
    chain.remove("history");
    chain.insert(
        "notRead".into(),
        json!([{ "read": "history", "reason": "timeout" }]),
    );
    let snapshot = file::parse(file.to_string().as_bytes()).unwrap().snapshot;
    assert_eq!(seen(&snapshot, ALICE), Err(Reason::Timeout.into()));
    let driven = run_recorded(&snapshot, |view| view.history(&mainnet(), ALICE).map(|_| ()));
    let again = file::parse(file::to_json(&driven.witness()).as_bytes())
        .unwrap()
        .snapshot;
    assert_eq!(seen(&again, ALICE), Err(Reason::Timeout.into()));
}

#[test]
fn a_hundred_thousand_records_are_indexed_once() {
    const RECORDS: u64 = 100_000;
    let address = |n: u64| Address::left_padding_from(&(0x1000 + n).to_be_bytes());
    let transfers: Vec<_> = (0..RECORDS)
        .map(|n| {
            let mut record = transfer(1 + n % PINNED, "internal", address(n), ALICE);
            record["tx"] = json!(word(n));
            record
        })
        .collect();
    let started = Instant::now();
    let snapshot = snapshot(&json!({ "complete": true, "fromBlock": "0x0", "transfers": transfers }));
    let parsed = started.elapsed();
    let view = View::new(&snapshot);
    let found: usize = (0..RECORDS)
        .map(|n| view.history(&mainnet(), address(n)).unwrap().iter().count())
        .sum();
    println!(
        "{RECORDS} records parsed in {parsed:?}, {found} found in {:?}",
        started.elapsed() - parsed
    );
    assert_eq!(found as u64, RECORDS);
    assert_eq!(blocks(&snapshot, ALICE).len() as u64, RECORDS);
}
