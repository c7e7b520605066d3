//! §Security Considerations: the policy on delegatecalls, wherever they are made.

use crate::calls::*;
use crate::documents::{OTHER, SIGNER, THIRD, TOKEN, call, envelope, executed, places, run, typed};
use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolCall, sol};
use presight_verify::envelope::{CheckContext, Checked, DelegatecallPolicy, check};
use presight_view::drive::run_recorded;
use presight_view::file;
use serde_json::{Value, json};

sol! {
    interface Modular { function execute(bytes32 mode, bytes executionCalldata); }
    interface Proxy { function execute(address target, bytes data); }
}

const REFUSED: &str = "delegatecall-refused";

fn under(policy: DelegatecallPolicy) -> CheckContext {
    CheckContext {
        delegatecall: policy,
        ..CheckContext::default()
    }
}

/// A delegatecall to `TOKEN` at this place, under every policy.
fn assert_seen(what: &str, content: &Value, place: &str) {
    let warned = run(content, &CheckContext::default());
    assert_eq!(places(&warned, "delegatecall"), [place], "{what}");
    let allowed = |targets: Vec<Address>| under(DelegatecallPolicy::AllowList(targets));
    for policy in [
        under(DelegatecallPolicy::Deny),
        under(DelegatecallPolicy::RequireSimulation),
        allowed(vec![OTHER]),
    ] {
        assert_eq!(places(&run(content, &policy), REFUSED), [place], "{what}");
    }
    assert_eq!(run(content, &allowed(vec![TOKEN])).errors, [], "{what}");
}

fn multi_send(operation: u8) -> Vec<u8> {
    let mut packed = vec![operation];
    packed.extend(TOKEN);
    packed.extend(U256::ZERO.to_be_bytes::<32>());
    packed.extend(U256::from(4).to_be_bytes::<32>());
    packed.extend([1, 2, 3, 4]);
    MultiSend::multiSendCall {
        transactions: packed.into(),
    }
    .abi_encode()
}

#[test]
fn inside_calls() {
    let data = "/content/calls/0/data";
    let one = |to: Address, data: Vec<u8>| envelope(vec![call(to, &data)]);
    let safe = executed(vec![1, 2, 3, 4], 1);
    assert_seen("a Safe", &one(THIRD, safe.clone()), data);
    assert_seen("MultiSend", &one(THIRD, multi_send(1)), data);
    let mode = B256::right_padding_from(&[0xff]);
    let modular = Modular::executeCall {
        mode,
        executionCalldata: [TOKEN.as_slice(), &[1, 2, 3, 4]].concat().into(),
    };
    assert_seen("ERC-7579", &one(THIRD, modular.abi_encode()), data);
    let proxy = Proxy::executeCall {
        target: TOKEN,
        data: Bytes::from(vec![1, 2, 3, 4]),
    };
    assert_seen("DSProxy", &one(THIRD, proxy.abi_encode()), data);
    let deep = Multicall::multicallCall {
        data: vec![safe.into()],
    };
    assert_seen("in a multicall", &one(THIRD, deep.abi_encode()), data);
    let mut own = one(TOKEN, vec![1, 2, 3, 4]);
    own["content"]["calls"][0]["operation"] = json!("delegatecall");
    assert_seen("the envelope's own", &own, "/content/calls/0/operation");
    let quiet = run(&one(THIRD, executed(vec![], 0)), &under(DelegatecallPolicy::Deny));
    assert_eq!(quiet.errors, []);
}

#[test]
fn inside_a_message() {
    let member = |name: &str, ty: &str| json!({ "name": name, "type": ty });
    let message = |operation: u8| {
        typed(json!({
            "domain": { "chainId": 1, "verifyingContract": THIRD },
            "types": { "SafeTx": [
                member("to", "address"), member("value", "uint256"), member("data", "bytes"),
                member("operation", "uint8"), member("safeTxGas", "uint256"), member("baseGas", "uint256"),
                member("gasPrice", "uint256"), member("gasToken", "address"),
                member("refundReceiver", "address"), member("nonce", "uint256"),
            ] },
            "primaryType": "SafeTx",
            "message": {
                "to": TOKEN, "value": "0", "data": "0x01020304", "operation": operation, "safeTxGas": "0",
                "baseGas": "0", "gasPrice": "0", "gasToken": Address::ZERO, "refundReceiver": SIGNER, "nonce": "0",
            },
        }))
    };
    assert_seen("a Safe's transaction", &message(1), "/content/message");
    let said = |content: &Value| {
        let facts = run(content, &under(DelegatecallPolicy::Deny)).facts.unwrap();
        facts
            .not_checked
            .iter()
            .any(|n| n.path == "/content/message" && n.reason.contains("delegatecall"))
    };
    assert!(said(&message(2)), "an operation that is neither");
    assert!(said(&message(0)), "calldata that is not understood");
}

#[test]
fn what_is_not_understood_may_make_one() {
    let said = |policy: DelegatecallPolicy, content: &Value| {
        let facts = run(content, &under(policy)).facts.unwrap();
        facts
            .not_checked
            .iter()
            .filter(|n| n.reason.contains("delegatecall"))
            .count()
    };
    let opaque = envelope(vec![call(OTHER, &[1, 2, 3, 4])]);
    assert_eq!(said(DelegatecallPolicy::Deny, &opaque), 1);
    assert_eq!(said(DelegatecallPolicy::Warn, &opaque), 0, "nothing is refused");
    let mut beyond = opaque;
    beyond["content"]["chain"] = json!("eip155:18446744073709551616");
    assert_eq!(said(DelegatecallPolicy::Warn, &beyond), 1, "not decoded at all");
    beyond["content"]["calls"][0]["operation"] = json!("delegatecall");
    let denied = run(&beyond, &under(DelegatecallPolicy::Deny));
    assert_eq!(places(&denied, REFUSED), ["/content/calls/0/operation"]);
}

/// The outcome on a chain where [`THIRD`] has this code, under the policy that asks for a simulation.
fn simulated(content: &Value, code: &str) -> Checked {
    let view = json!({
        "format": "presight-view/1", "clock": "2026-09-02T12:00:00Z",
        "chains": [{
            "chainId": "eip155:1", "spec": "prague", "complete": true,
            "block": {
                "number": "0x10", "hash": B256::repeat_byte(1), "parentHash": B256::repeat_byte(2),
                "timestamp": "0x68b00000", "gasLimit": "0x1c9c380", "miner": Address::ZERO,
                "baseFeePerGas": "0x1", "mixHash": B256::ZERO, "stateRoot": B256::repeat_byte(3),
            },
            "accounts": { format!("{THIRD:#x}"): { "code": code } },
        }],
    });
    let snapshot = file::parse(view.to_string().as_bytes()).unwrap().snapshot;
    let bytes = serde_json::to_vec(content).unwrap();
    let context = under(DelegatecallPolicy::RequireSimulation);
    run_recorded(&snapshot, |view| check(&bytes, &context, Some(view)))
        .value
        .unwrap()
}

#[test]
fn what_was_simulated_is_let_through() {
    let content = envelope(vec![call(THIRD, &executed(vec![], 1))]);
    let runs = format!("0x5f5f5f5f73{}5af45000", alloy_primitives::hex::encode(TOKEN));
    let good = simulated(&content, &runs);
    assert_eq!(good.errors, []);
    assert_eq!(places(&good, "delegatecall"), ["/content/calls/0/data"]);
    let document = good.facts.unwrap().simulation.unwrap();
    assert_eq!(
        (&document["status"], document["effects"].is_object()),
        (&json!("success"), true)
    );

    let refused = |checked: &Checked, why: &str| {
        assert_eq!(places(checked, REFUSED), ["/content/calls/0/data"], "{why}");
        let message = &checked.errors[0].message;
        assert!(message.contains(why), "{message}");
        assert!(checked.facts.as_ref().unwrap().simulation.is_none());
    };
    refused(&simulated(&content, "0x60006000fd"), "ends in revert");
    refused(&simulated(&content, "0x00"), "did not run");
    refused(&simulated(&content, "0x"), "did not run");
    let other = format!("0x5f5f5f5f73{}5af45000", alloy_primitives::hex::encode(OTHER));
    refused(&simulated(&content, &other), "did not run");
    let with_data = envelope(vec![call(THIRD, &executed(vec![1, 2, 3, 4], 1))]);
    refused(&simulated(&with_data, &runs), "did not run");
    let twice = Multicall::multicallCall {
        data: vec![executed(vec![], 1).into(); 2],
    };
    let twice = envelope(vec![call(THIRD, &twice.abi_encode())]);
    refused(&simulated(&twice, &runs), "did not run");
    let mut unnamed = content.clone();
    unnamed["content"].as_object_mut().unwrap().remove("from");
    refused(&simulated(&unnamed, &runs), "`from`");
    let mut elsewhere = content.clone();
    elsewhere["content"]["chain"] = json!("eip155:2");
    refused(&simulated(&elsewhere, &runs), "not read");
    refused(
        &run(&content, &under(DelegatecallPolicy::RequireSimulation)),
        "no chain state",
    );

    let mut own = envelope(vec![call(THIRD, &[])]);
    own["content"]["calls"][0]["operation"] = json!("delegatecall");
    let own = simulated(&own, "0x00");
    assert_eq!(places(&own, REFUSED), ["/content/calls/0/operation"]);
}
