//! `presight simulate`: on a recorded view, and against what a node really does with the same calls.

mod binary;
mod requests;
mod stage;

use alloy_primitives::U256;
use binary::{Folder, Run, arg, presight, root};
use presight_testnode::FUNDED;
use serde_json::{Value, json};
use stage::Stage;
use std::collections::BTreeMap;

const SPENDER: &str = "0x00000000000000000000000000000000005be4de";

fn example(name: &str) -> String {
    arg(&root().join("examples/approve").join(name))
}

fn simulate_example(more: &[&str]) -> Run {
    let (request, view) = (example("request.json"), example("view.json"));
    presight([&["simulate", &request, "--view", &view], more].concat())
}

#[test]
fn the_shipped_example_in_words_and_as_json() {
    let run = simulate_example(&["--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let told = run.json();
    assert_eq!(told["status"], "success");
    assert_eq!(told["logs"].as_array().map(Vec::len), Some(1));
    let allowance = &told["effects"]["allowances"][0];
    assert_eq!(allowance["before"], "0");
    assert_eq!(allowance["after"], U256::MAX.to_string());
    assert_eq!(allowance["standing"], "observed");
    for member in ["native", "transfers", "operators", "code", "unattributed"] {
        assert_eq!(told["effects"][member], json!([]), "{member}");
    }

    for call in [&told["calls"][0], &told["trace"][0]] {
        assert_eq!(call["selector"], "0x095ea7b3");
        assert_eq!(call["signature"], "approve(address,uint256)");
        assert_eq!(call["args"]["amount"], U256::MAX.to_string());
    }

    let words = simulate_example(&[]);
    let amount = format!("amount: {})", U256::MAX);
    assert!(words.text().contains(" approve(spender: 0x"), "{}", words.text());
    assert!(words.text().contains(&amount), "{}", words.text());
    assert_eq!(words.code, 0);
    assert!(words.text().starts_with("success at block"), "{}", words.text());
    assert!(words.text().contains("without limit"), "{}", words.text());
    assert!(!words.text().contains("balance_check: off"), "{}", words.text());
}

#[test]
fn a_balance_that_is_not_held_is_said_not_to_be_looked_at() {
    let folder = Folder::new();
    let mut view: Value =
        serde_json::from_slice(&std::fs::read(example("view.json")).expect("the example")).expect("JSON");
    let sender = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
    let account = view["chains"][0]["accounts"][sender]
        .as_object_mut()
        .expect("the sender");
    assert!(account.remove("balance").is_some());
    let path = folder.write("view.json", view.to_string());
    let run = presight(["simulate", &example("request.json"), "--view", &arg(&path)]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.text().contains("balance_check: off"), "{}", run.text());
}

#[test]
fn what_is_not_held_is_not_read_and_exits_30() {
    let folder = Folder::new();
    let mut request: Value =
        serde_json::from_slice(&std::fs::read(example("request.json")).expect("the example")).expect("JSON");
    request["subject"]["calls"][0]["to"] = json!(SPENDER);
    let path = folder.write("request.json", request.to_string());
    let run = presight(["simulate", &arg(&path), "--view", &example("view.json"), "--json"]);
    assert_eq!(run.code, 30);
    let told = run.json();
    assert_eq!(
        (&told["status"], &told["notRead"]),
        (&json!("not-read"), &json!("unavailable"))
    );
    assert!(
        told["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains(SPENDER)),
        "{told}"
    );
}

#[test]
fn a_request_that_sends_nothing_is_refused() {
    let folder = Folder::new();
    let mut request: Value =
        serde_json::from_slice(&std::fs::read(example("request.json")).expect("the example")).expect("JSON");
    request["subject"]["calls"] = json!([]);
    request["subject"]["typedData"] = json!({
        "types": { "EIP712Domain": [], "Note": [{ "name": "text", "type": "string" }] },
        "primaryType": "Note", "domain": {}, "message": { "text": "hello" },
    });
    let path = folder.write("request.json", request.to_string());
    let run = presight(["simulate", &arg(&path), "--view", &example("view.json"), "--json"]);
    assert_eq!(run.code, 2, "{}", run.text());
    assert_eq!(run.json()["error"]["code"], "nothing-to-simulate");
}

#[test]
fn simulations_are_what_the_node_does() {
    let Some(stage) = Stage::set() else { return };
    let mut cases = requests::all(&stage);
    cases.extend(requests::more::all(&stage));
    let (mut compared, mut calls) = (0, 0);
    for (name, request) in &cases {
        let sent = request["subject"]["calls"].as_array().expect("calls");
        // The node wants the tuples of a list signed for its own accounting of nonces; other tests have them.
        if sent.is_empty() || request["subject"].get("authorizationList").is_some() {
            continue;
        }
        let told = simulate(&stage, request);
        let real = really_send(&stage, sent);
        for (index, real) in real.iter().enumerate() {
            let call = &told["calls"][index];
            let status = if call["status"] == "success" { "0x1" } else { "0x0" };
            assert_eq!(real.receipt["status"], status, "{name}: {call}");
            assert_eq!(
                real.receipt["gasUsed"],
                format!("{:#x}", call["gasUsed"].as_u64().expect("gas")),
                "{name}"
            );
            assert_eq!(
                logs(&told["logs"], |log| log["call"] == index),
                logs(&real.receipt["logs"], |_| true)
            );
            calls += 1;
        }
        if let [real] = real.as_slice() {
            assert_eq!(simulated_slots(&told), real.slots, "{name}");
        }
        compared += 1;
    }
    println!("{compared} requests with {calls} calls: status, gas, logs and storage are the node's");
    assert!(compared >= 30, "{compared}");
}

fn simulate(stage: &Stage, request: &Value) -> Value {
    let folder = Folder::new();
    let path = folder.write("request.json", request.to_string());
    let mut arguments = vec!["simulate".to_owned(), arg(&path), "--json".to_owned()];
    arguments.extend(stage.rpc());
    let run = presight(&arguments);
    assert_eq!(run.code, 0, "{} {}", run.text(), run.stderr);
    run.json()
}

type Slots = BTreeMap<(String, U256), U256>;

/// A call that the node mined.
struct Real {
    receipt: Value,
    slots: Slots,
}

/// Sends the calls and takes them back.
fn really_send(stage: &Stage, calls: &[Value]) -> Vec<Real> {
    let node = &stage.node;
    let snapshot = node.request("evm_snapshot", &json!([])).expect("a snapshot");
    let sent = calls.iter().map(|call| {
        let value = call["value"]
            .as_str()
            .expect("a value")
            .parse::<U256>()
            .expect("a number");
        let transaction = json!({
            "from": FUNDED[0], "to": call["to"], "data": call["data"], "value": format!("{value:#x}"),
            "gas": format!("{:#x}", 1 << 24),
        });
        let receipt = node.send(&transaction).expect("it is mined");
        let tracer = json!({ "tracer": "prestateTracer", "tracerConfig": { "diffMode": true } });
        let diff = node
            .request(
                "debug_traceTransaction",
                &json!([receipt["transactionHash"], tracer]),
            )
            .expect("a trace");
        Real {
            slots: real_slots(&diff),
            receipt,
        }
    });
    let sent: Vec<_> = sent.collect();
    node.request("evm_revert", &json!([snapshot])).expect("reverts");
    sent
}

/// Slots that changed, with what they hold after it.
fn real_slots(diff: &Value) -> Slots {
    let mut slots = Slots::new();
    for state in ["pre", "post"] {
        for (account, members) in diff[state].as_object().expect("accounts") {
            for (slot, value) in members["storage"].as_object().into_iter().flatten() {
                let key = (account.to_lowercase(), slot.parse().expect("a slot"));
                let after = if state == "post" {
                    value.as_str().expect("a word").parse().expect("a word")
                } else {
                    U256::ZERO
                };
                slots.insert(key, after);
            }
        }
    }
    slots
}

fn simulated_slots(told: &Value) -> Slots {
    let accounts = told["stateDiff"].as_array().expect("accounts").iter();
    accounts
        .flat_map(|account| {
            let slots = account["storage"].as_array().expect("slots").iter();
            slots.map(move |slot| {
                let word = |name: &str| slot[name].as_str().expect("a word").parse().expect("a word");
                let name = account["account"].as_str().expect("an address").to_owned();
                ((name, word("slot")), word("after"))
            })
        })
        .collect()
}

fn logs(logs: &Value, of: impl Fn(&Value) -> bool) -> Vec<Value> {
    let logs = logs.as_array().expect("logs").iter().filter(|log| of(log));
    logs.map(|log| json!([log["address"], log["topics"], log["data"]]))
        .collect()
}
