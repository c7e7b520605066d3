//! The report's entities against our own decoding.
#![allow(clippy::unwrap_used)]

mod common;

use common::{APPROVE, SPENDER, STRANGER, TOKEN, World};
use presight_verify::Conclusion;
use presight_verify::Status::{Fail, NotRead, Pass};
use serde_json::{Value, json};

fn entities(world: &mut World, group: &str) -> Vec<Value> {
    std::mem::take(world.report["entities"][group].as_array_mut().unwrap())
}

/// Verifies the report with one group of entities edited. Findings and structure are left aside: only the
/// comparison is looked at.
fn edited(group: &str, edit: impl FnOnce(&mut Vec<Value>)) -> World {
    let mut world = World::new();
    let mut items = entities(&mut world, group);
    edit(&mut items);
    world.report["entities"][group] = json!(items);
    world.sign();
    world
}

#[test]
fn what_is_not_listed_is_named_and_not_read() {
    for (group, name) in [
        ("tokens", format!("token eip155:1:{TOKEN:#x}")),
        ("approvals", format!("to eip155:1:{SPENDER:#x}")),
        ("addresses", "target".to_owned()),
        ("texts", "token.name".to_owned()),
    ] {
        let verification = edited(group, Vec::clear).verify();
        let step = verification.step("entities").unwrap();
        assert_eq!(step.status, NotRead, "{group}");
        assert!(
            step.detail.as_ref().unwrap().contains(&name),
            "{:?} {name}",
            step.detail
        );
        assert!(verification.into_verified().is_none());
    }
}

#[test]
fn a_consumer_that_accepts_gaps_is_told_of_them() {
    let mut world = World::new();
    let token = format!("eip155:1:{TOKEN:#x}");
    let is_token = |entity: &Value| entity["address"] == token && entity["role"] == "token";
    let addresses = entities(&mut world, "addresses");
    world.report["entities"]["addresses"] = addresses
        .into_iter()
        .filter(|a| !is_token(a))
        .collect::<Vec<_>>()
        .into();
    let findings = world.report["findings"].as_array_mut().unwrap();
    findings.retain(|f| !is_token(&f["entity"]));
    world.sign();
    assert_eq!(
        world.assert_steps(&[("entities", NotRead)]).conclusion(),
        Conclusion::NotVerifiable
    );
    world.options.accept_gaps = true;
    let json = serde_json::to_value(world.verify()).unwrap();
    assert_eq!(json["unlisted"]["addresses"].as_array().unwrap().len(), 1);
    let verified = world.verify().into_verified().unwrap();
    assert_eq!(verified.unlisted().addresses.len(), 1);
    assert!(verified.unlisted().tokens.is_empty());
}

#[test]
fn what_is_listed_beyond_ours_is_allowed_and_named() {
    for (group, extra) in [
        ("tokens", json!(format!("eip155:1:{STRANGER:#x}"))),
        (
            "addresses",
            json!({ "address": format!("eip155:1:{STRANGER:#x}"), "role": "recipient" }),
        ),
    ] {
        let verification = edited(group, |items| items.push(extra)).verify();
        let step = verification.step("entities").unwrap();
        assert_eq!(step.status, Pass, "{group}");
        assert!(step.detail.as_ref().unwrap().contains(&format!("{STRANGER:#x}")));
    }
}

#[test]
fn an_approval_beyond_ours_is_one_that_the_simulation_tells_of() {
    let token = format!("eip155:1:{TOKEN:#x}");
    let made_up = json!({
        "token": token, "spender": format!("eip155:1:{STRANGER:#x}"), "form": "erc20-approve", "callIndex": 0,
    });
    let told = |approval: usize, spender: String| {
        let mut world = World::new();
        let mut approvals = entities(&mut world, "approvals");
        approvals.push(made_up.clone());
        world.report["entities"]["approvals"] = json!(approvals);
        let item = json!({ "approval": approval, "spender": spender, "form": "erc20-approve" });
        let findings = world.report["findings"].as_array_mut().unwrap();
        findings.retain(|f| f["kind"] != "presight.effects.hidden-approvals");
        findings.push(json!({
            "kind": "presight.effects.hidden-approvals", "entity": { "token": token }, "status": "read",
            "value": [item], "evidence": [],
        }));
        world.sign();
        world.verify().step("entities").unwrap().status
    };
    assert_eq!(told(1, format!("{STRANGER:#x}")), Pass);
    assert_eq!(told(0, format!("{STRANGER:#x}")), NotRead);
    assert_eq!(told(1, format!("{SPENDER:#x}")), NotRead);
    let alone = edited("approvals", |items| items.push(made_up.clone())).verify();
    assert_eq!(alone.step("entities").unwrap().status, NotRead);
}

#[test]
fn letter_case_makes_no_difference() {
    let upper = |value: &mut Value| {
        let (chain, address) = value.as_str().unwrap().split_once(":0x").unwrap();
        *value = json!(format!("{chain}:0x{}", address.to_uppercase()));
    };
    let tokens = edited("tokens", |items| upper(&mut items[0])).verify();
    assert_eq!(tokens.step("entities").unwrap().status, Pass);
    let texts = edited("texts", |items| {
        for text in &mut items[1..] {
            upper(&mut text["ref"]);
        }
    })
    .verify();
    assert_eq!(texts.step("entities").unwrap().status, Pass);
}

#[test]
fn an_approval_listed_otherwise_fails() {
    for (member, value) in [
        ("form", json!("erc20-increase")),
        ("form", json!("approval-for-all")),
        ("callIndex", json!(1)),
    ] {
        let world = edited("approvals", |items| items[0][member] = value);
        assert_eq!(world.verify().step("entities").unwrap().status, Fail, "{member}");
    }
}

#[test]
fn approvals_in_another_order_fail() {
    let mut request = common::approve_request();
    let other = APPROVE.replace("5be4de", "5be4df");
    request["subject"]["calls"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "to": format!("{TOKEN:#x}"), "value": "0", "data": other }));
    let mut world = World::of(request);
    world.assert_steps(&[]);
    let mut approvals = entities(&mut world, "approvals");
    approvals.swap(0, 1);
    world.report["entities"]["approvals"] = json!(approvals);
    world.sign();
    assert_eq!(world.verify().step("entities").unwrap().status, Fail);
}

#[test]
fn a_text_with_another_digest_fails() {
    let zero = format!("{:#x}", alloy_primitives::B256::ZERO);
    let world = edited("texts", |items| items[0]["digest"] = json!(zero));
    assert_eq!(world.verify().step("entities").unwrap().status, Fail);
}

#[test]
fn a_text_of_the_context_does_not_stand_for_a_name_read_from_the_chain() {
    let mut request = common::approve_request();
    let token = format!("eip155:1:{TOKEN:#x}");
    request["context"]["texts"][0] = json!({ "field": "token.name", "ref": token, "text": "Coin" });
    let mut world = World::of(request);
    world.assert_steps(&[]);
    let texts = entities(&mut world, "texts");
    let kept: Vec<_> = texts
        .iter()
        .enumerate()
        .filter(|(i, t)| *i == 0 || t["field"] != "token.name")
        .map(|(_, t)| t)
        .collect();
    assert_eq!(kept.len() + 1, texts.len());
    world.report["entities"]["texts"] = json!(kept);
    world.sign();
    assert_eq!(world.verify().step("entities").unwrap().status, NotRead);
}

#[test]
fn a_payment_that_is_not_listed_is_not_read() {
    let mut request = common::approve_request();
    request["context"]["payment"] = json!({ "requirements": {
        "scheme": "exact",
        "network": "eip155:1",
        "amount": "5",
        "asset": format!("{TOKEN:#x}"),
        "payTo": format!("{STRANGER:#x}"),
        "maxTimeoutSeconds": 60,
    } });
    let mut world = World::of(request);
    world.assert_steps(&[]);
    world.report["entities"]["payment"] = json!(false);
    world.sign();
    let verification = world.verify();
    let step = verification.step("entities").unwrap();
    assert_eq!(step.status, NotRead);
    assert!(step.detail.as_ref().unwrap().contains("the payment") && verification.unlisted().payment);
}

#[test]
fn a_payment_the_request_does_not_carry_fails() {
    let mut world = World::new();
    world.report["entities"]["payment"] = json!(true);
    world.sign();
    assert_eq!(world.verify().step("entities").unwrap().status, Fail);
}
