//! What the node really does with calls: receipts, state differences, the contracts' own answers.

use super::chain::{Case, Chain, calldata, transaction};
use alloy_primitives::U256;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;

/// Members of accounts that changed, by account and member, with what they were and are.
pub type Changes = BTreeMap<(String, String), (String, String)>;

/// A question to a contract, and what it is to answer before and after.
pub struct Question {
    pub to: String,
    pub data: String,
    pub word: usize,
    pub before: U256,
    pub after: U256,
}

impl Question {
    pub fn new(to: &str, signature: &str, arguments: &[&dyn Display], before: U256, after: U256) -> Self {
        Self {
            to: to.to_owned(),
            data: calldata(signature, arguments),
            word: 0,
            before,
            after,
        }
    }

    fn answered(&self, chain: &Chain) -> U256 {
        let call = json!({ "to": self.to, "data": self.data });
        let answer = chain.node.request("eth_call", &json!([call, "latest"]));
        // What reverts holds nothing.
        let answer = answer.map_or(String::new(), |answer| answer.as_str().expect("hex").to_owned());
        let bytes = alloy_primitives::hex::decode(answer).expect("hex");
        let at = self.word * 32;
        bytes.get(at..at + 32).map_or(U256::ZERO, U256::from_be_slice)
    }
}

/// What the node did with the calls of a case.
pub struct Truth {
    pub receipts: Vec<Value>,
    pub changes: Changes,
}

/// Sends the calls, compares the contracts' answers before and after, and takes everything back.
pub fn send(chain: &Chain, case: &Case, questions: &[Question]) -> Truth {
    let node = &chain.node;
    let snapshot = node.request("evm_snapshot", &json!([])).expect("a snapshot");
    for question in questions {
        assert_eq!(
            question.answered(chain),
            question.before,
            "{}: before: {}",
            case.name,
            question.data
        );
    }
    let (mut receipts, mut changes, mut paid) = (Vec::new(), Changes::new(), U256::ZERO);
    for call in &case.calls {
        let receipt = node.send(&transaction(&case.from, call)).expect("it is mined");
        let tracer = json!({ "tracer": "prestateTracer", "tracerConfig": { "diffMode": true } });
        let fee = number(&receipt["gasUsed"]) * number(&receipt["effectiveGasPrice"]);
        let hash = &receipt["transactionHash"];
        let diff = node
            .request("debug_traceTransaction", &json!([hash, tracer]))
            .expect("a trace");
        then(&mut changes, of_trace(&diff, &case.from, paid, fee));
        paid += fee;
        receipts.push(receipt);
    }
    for question in questions {
        assert_eq!(
            question.answered(chain),
            question.after,
            "{}: after: {}",
            case.name,
            question.data
        );
    }
    node.request("evm_revert", &json!([snapshot])).expect("reverts");
    Truth { receipts, changes }
}

fn then(sum: &mut Changes, later: Changes) {
    for (member, (before, after)) in later {
        let before = sum.remove(&member).map_or(before, |(first, _)| first);
        if before != after {
            sum.insert(member, (before, after));
        }
    }
}

/// The state differences of a transaction, without what its sender paid for the gas of earlier ones and of this.
fn of_trace(diff: &Value, sender: &str, paid: U256, fee: U256) -> Changes {
    let accounts = |state: &str| diff[state].as_object().expect("accounts").clone();
    let (pre, post) = (accounts("pre"), accounts("post"));
    let mut changes = Changes::new();
    for account in pre.keys().chain(post.keys()) {
        let empty = json!({});
        let before = pre.get(account).unwrap_or(&empty);
        let after = post.get(account).unwrap_or(&empty);
        for member in ["balance", "nonce", "code"] {
            let mut was = text(member, &before[member]);
            let mut is = if after[member].is_null() {
                was.clone()
            } else {
                text(member, &after[member])
            };
            if member == "balance" && account.eq_ignore_ascii_case(sender) {
                let with = |balance: &str, fees: U256| {
                    (balance.parse::<U256>().expect("a balance") + fees).to_string()
                };
                (was, is) = (with(&was, paid), with(&is, paid + fee));
            }
            changes.insert((account.to_lowercase(), member.to_owned()), (was, is));
        }
        let storage = |state: &Value| state["storage"].as_object().cloned().unwrap_or_default();
        let (before, after) = (storage(before), storage(after));
        for slot in before.keys().chain(after.keys()) {
            let word = |state: &serde_json::Map<String, Value>| state.get(slot).map_or(U256::ZERO, number);
            let member = format!("{:#066x}", slot.parse::<U256>().expect("a slot"));
            let values = (
                format!("{:#066x}", word(&before)),
                format!("{:#066x}", word(&after)),
            );
            changes.insert((account.to_lowercase(), member), values);
        }
    }
    changes.retain(|_, (before, after)| before != after);
    changes
}

/// A balance or nonce in decimal, code as it is; zero for what is not listed.
fn text(member: &str, value: &Value) -> String {
    match value.as_str() {
        Some("0x") => "0".to_owned(),
        Some(code) if member == "code" => code.to_owned(),
        Some(_) => number(value).to_string(),
        None => value.as_u64().unwrap_or(0).to_string(),
    }
}

pub fn number(value: &Value) -> U256 {
    value.as_str().expect("a quantity").parse().expect("a quantity")
}

/// The changes that a simulation tells of.
pub fn of_simulation(told: &Value) -> Changes {
    let mut changes = Changes::new();
    for account in told["stateDiff"].as_array().expect("accounts") {
        let name = account["account"].as_str().expect("an address").to_owned();
        let values = |change: &Value| {
            let word = |which: &str| match change[which].as_str().expect("a value") {
                "0x" => "0".to_owned(),
                value => value.to_owned(),
            };
            (word("before"), word("after"))
        };
        for member in ["balance", "nonce", "code"] {
            if !account[member].is_null() {
                changes.insert((name.clone(), member.to_owned()), values(&account[member]));
            }
        }
        for slot in account["storage"].as_array().expect("slots") {
            changes.insert(
                (name.clone(), slot["slot"].as_str().expect("a slot").to_owned()),
                values(slot),
            );
        }
    }
    changes
}

/// What `eth_simulateV1` says of the calls: status, gas and logs of each; none where the node refuses.
pub fn simulated_by_node(chain: &Chain, case: &Case) -> Result<Vec<Value>, String> {
    let calls: Vec<Value> = case
        .calls
        .iter()
        .map(|call| {
            let mut call = transaction(&case.from, call);
            let members = call.as_object_mut().expect("an object");
            members.remove("maxFeePerGas");
            members.remove("maxPriorityFeePerGas");
            call
        })
        .collect();
    let options = json!({ "blockStateCalls": [{ "calls": calls }], "validation": false });
    let answer = chain
        .node
        .request("eth_simulateV1", &json!([options, "latest"]))
        .map_err(|e| e.to_string())?;
    Ok(answer[0]["calls"].as_array().cloned().unwrap_or_default())
}
