//! Findings that the request's own bytes contradict.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::{B256, U160};
use common::{APPROVE, TOKEN, World, approve_request};
use presight_verify::Conclusion;
use presight_verify::Status::{self, Fail, NotRead, Pass};
use serde_json::{Value, json};

const AMOUNT: &str = "erc.presign.approval.amount";
const UNLIMITED: &str = "erc.presign.approval.unlimited";
const EXPIRY: &str = "erc.presign.approval.expiry";
const SPENDER_WORD: &str = "00000000000000000000000000000000000000000000000000000000005be4de";

fn finding<'a>(world: &'a mut World, kind: &str, entity: &Value) -> &'a mut Value {
    let findings = world.report["findings"].as_array_mut().unwrap();
    let found = findings
        .iter_mut()
        .find(|f| f["kind"] == kind && f["entity"] == *entity);
    found.unwrap_or_else(|| panic!("no {kind} of {entity}"))
}

/// Writes a value into a finding, read or not, and signs again.
fn say(world: &mut World, kind: &str, entity: &Value, value: Value) {
    let finding = finding(world, kind, entity).as_object_mut().unwrap();
    finding.remove("reason");
    finding.insert("status".into(), json!("read"));
    finding.insert("value".into(), value);
    world.sign();
}

fn first() -> Value {
    json!({ "approval": 0 })
}

#[track_caller]
fn assert_status(world: &World, expected: Status, kind: &str) {
    let verification = world.verify();
    let step = verification.step("request-facts").unwrap();
    assert!(step.required);
    assert_eq!(step.status, expected, "{:?}", step.detail);
    if expected == Fail {
        assert!(step.detail.as_ref().unwrap().contains(kind), "{:?}", step.detail);
        assert_eq!(verification.conclusion(), Conclusion::Rejected);
    }
}

/// The report of this request passes; with the finding about approval 0 changed it ends as `expected`.
#[track_caller]
fn assert_said(request: &Value, kind: &str, value: Value, expected: Status) {
    let mut world = World::of(request.clone());
    world.assert_steps(&[]);
    say(&mut world, kind, &first(), value);
    assert_status(&world, expected, kind);
}

fn calls(data: &[String]) -> Value {
    let mut request = approve_request();
    request["subject"]["calls"] = data
        .iter()
        .map(|data| json!({ "to": format!("{TOKEN:#x}"), "value": "0", "data": data }))
        .collect();
    request
}

fn approve(amount: u64) -> String {
    format!("0x095ea7b3{SPENDER_WORD}{amount:064x}")
}

fn permit_single(expiration: &str) -> Value {
    let mut request = approve_request();
    let subject = request["subject"].as_object_mut().unwrap();
    subject.insert("calls".into(), json!([]));
    subject.insert(
        "typedData".into(),
        json!({
            "types": {
                "EIP712Domain": [
                    { "name": "name", "type": "string" },
                    { "name": "chainId", "type": "uint256" },
                    { "name": "verifyingContract", "type": "address" },
                ],
                "PermitDetails": [
                    { "name": "token", "type": "address" },
                    { "name": "amount", "type": "uint160" },
                    { "name": "expiration", "type": "uint48" },
                    { "name": "nonce", "type": "uint48" },
                ],
                "PermitSingle": [
                    { "name": "details", "type": "PermitDetails" },
                    { "name": "spender", "type": "address" },
                    { "name": "sigDeadline", "type": "uint256" },
                ],
            },
            "primaryType": "PermitSingle",
            "domain": {
                "name": "Permit2",
                "chainId": 1,
                "verifyingContract": "0x000000000022d473030f116ddee9f6b43ac78ba3",
            },
            "message": {
                "details": {
                    "token": format!("{TOKEN:#x}"),
                    "amount": U160::MAX.to_string(),
                    "expiration": expiration,
                    "nonce": "0",
                },
                "spender": format!("0x{}", &SPENDER_WORD[24..]),
                "sigDeadline": "1900000000",
            },
        }),
    );
    request
}

#[test]
fn an_amount_is_that_of_the_bytes() {
    assert_said(&calls(&[approve(5)]), AMOUNT, json!("5"), Pass);
    assert_said(&calls(&[approve(5)]), AMOUNT, json!("6"), Fail);
    assert_said(&calls(&[approve(5)]), AMOUNT, json!("0"), Fail);
    assert_said(&approve_request(), AMOUNT, json!("1"), Fail);
}

#[test]
fn a_maximum_is_unlimited_and_nothing_else_is() {
    assert_said(&calls(&[approve(5)]), UNLIMITED, json!(true), Fail);
    assert_said(&permit_single("1800000000"), UNLIMITED, json!(false), Fail);
    let increase = APPROVE.replace("095ea7b3", "39509351");
    assert_said(&calls(&[increase]), UNLIMITED, json!(false), Fail);
    let all = format!("0xa22cb465{SPENDER_WORD}{:064x}", 1);
    assert_said(&calls(std::slice::from_ref(&all)), UNLIMITED, json!(false), Fail);
    assert_said(&calls(&[all]), AMOUNT, json!("all"), Pass);
}

#[test]
fn the_number_of_an_item_may_be_the_maximum() {
    let mut world = World::new();
    let amount = finding(&mut world, AMOUNT, &first()).as_object_mut().unwrap();
    amount.remove("value");
    amount.insert("status".into(), json!("not-read"));
    amount.insert("reason".into(), json!("unsupported"));
    say(&mut world, UNLIMITED, &first(), json!(false));
    assert_status(&world, Pass, UNLIMITED);
}

#[test]
fn an_expiry_is_that_of_the_allowance() {
    assert_said(&approve_request(), EXPIRY, json!(1_900_000_000), Fail);
    let permit = permit_single("1800000000");
    assert_said(&permit, EXPIRY, json!(1_800_000_000), Pass);
    assert_said(&permit, EXPIRY, json!(1_900_000_000), Fail);
    assert_said(&permit, EXPIRY, json!("none"), Fail);
    let same_block = permit_single("0");
    assert_said(&same_block, EXPIRY, json!(1_700_000_000), Pass);
    assert_said(&same_block, EXPIRY, json!("none"), Fail);
}

#[test]
fn what_is_not_read_denies_nothing() {
    let mut world = World::of(calls(&[approve(5)]));
    for kind in [AMOUNT, UNLIMITED, EXPIRY] {
        let finding = finding(&mut world, kind, &first()).as_object_mut().unwrap();
        finding.remove("value");
        finding.insert("status".into(), json!("not-read"));
        finding.insert("reason".into(), json!("unsupported"));
    }
    world.sign();
    assert_status(&world, Pass, "");
}

/// `multicall(bytes[])` of two approvals to one spender: two entities that are equal.
fn two_alike() -> Value {
    let word = |n: usize| format!("{n:064x}");
    let bytes = |amount: u64| format!("{}{}{}", word(68), &approve(amount)[2..], "0".repeat(56));
    let data = format!(
        "0xac9650d8{}{}{}{}{}{}",
        word(32),
        word(2),
        word(64),
        word(192),
        bytes(5),
        bytes(7)
    );
    calls(&[data])
}

#[test]
fn approvals_that_are_alike_are_told_apart_by_their_order() {
    let mut world = World::of(two_alike());
    world.assert_steps(&[]);
    let approvals = world.report["entities"]["approvals"].as_array().unwrap();
    assert!(approvals.len() == 2 && approvals[0] == approvals[1]);
    say(&mut world, AMOUNT, &json!({ "approval": 1 }), json!("5"));
    assert_status(&world, Fail, AMOUNT);
    say(&mut world, AMOUNT, &first(), json!("7"));
    assert_status(&world, Fail, AMOUNT);
}

#[test]
fn an_approval_left_out_does_not_shift_the_others() {
    for (amount, expected) in [("5", Pass), ("7", Pass), ("6", Fail)] {
        let mut world = World::of(two_alike());
        world.report["entities"]["approvals"]
            .as_array_mut()
            .unwrap()
            .pop();
        let findings = world.report["findings"].as_array_mut().unwrap();
        findings.retain(|f| f["entity"] != json!({ "approval": 1 }));
        say(&mut world, AMOUNT, &first(), json!(amount));
        assert_status(&world, expected, AMOUNT);
    }
}

#[test]
fn an_approval_decoded_beyond_ours_hides_no_contradiction() {
    for (amounts, expected) in [(["5", "9"], Pass), (["9", "5"], Pass), (["9", "9"], Fail)] {
        let mut world = World::of(calls(&[approve(5)]));
        let approvals = world.report["entities"]["approvals"].as_array_mut().unwrap();
        approvals.push(approvals[0].clone());
        let mut again = finding(&mut world, AMOUNT, &first()).clone();
        again["entity"] = json!({ "approval": 1 });
        world.report["findings"].as_array_mut().unwrap().push(again);
        for (index, amount) in amounts.into_iter().enumerate() {
            say(&mut world, AMOUNT, &json!({ "approval": index }), json!(amount));
        }
        assert_status(&world, expected, AMOUNT);
    }
}

fn with_text(text: &str) -> World {
    let mut request = approve_request();
    request["context"]["texts"] = json!([
        { "field": "tool-output", "text": "plain" },
        { "field": "tool-output", "text": text },
    ]);
    let world = World::of(request);
    world.assert_steps(&[]);
    world
}

#[test]
fn the_findings_of_a_text_are_those_of_its_bytes() {
    let text = format!("\u{202e}se\u{430}nd to {TOKEN:#x}");
    for (kind, lie) in [
        ("erc.presign.text.control-chars", json!(0)),
        ("erc.presign.text.mixed-script", json!(false)),
        ("erc.presign.text.addresses", json!([])),
    ] {
        let mut world = with_text(&text);
        say(&mut world, kind, &json!({ "text": 1 }), lie.clone());
        assert_status(&world, Fail, kind);
        let mut world = with_text(&text);
        say(&mut world, kind, &json!({ "text": 0 }), lie);
        assert_status(&world, Pass, kind);
    }
}

#[test]
fn a_text_is_known_by_its_digest_wherever_it_is_listed() {
    let mut world = with_text("\u{202e}");
    let texts = world.report["entities"]["texts"].as_array_mut().unwrap();
    let (first, second) = (texts[0]["digest"].take(), texts[1]["digest"].take());
    texts[0]["digest"] = second;
    texts[1]["digest"] = first;
    world.sign();
    assert_status(&world, Fail, "erc.presign.text.control-chars");
}

#[test]
fn nothing_is_read_of_a_name_that_was_not_read() {
    let mut world = World::new();
    let texts = world.report["entities"]["texts"].as_array_mut().unwrap();
    let name = texts
        .iter_mut()
        .find(|text| text["field"] == "token.name")
        .unwrap();
    name["digest"] = json!(B256::ZERO);
    let entity = json!({ "text": name["index"] });
    say(&mut world, "erc.presign.text.control-chars", &entity, json!(0));
    assert_status(&world, Fail, "erc.presign.text.control-chars");
}

#[test]
fn a_request_we_refuse_to_decode_leaves_the_texts() {
    let mut world = World::new();
    world.request["subject"]["typedData"] = json!({ "types": {} });
    assert_status(&world, NotRead, "");
    say(
        &mut world,
        "erc.presign.text.control-chars",
        &json!({ "text": 0 }),
        json!(3),
    );
    assert_status(&world, Fail, "erc.presign.text.control-chars");
}
