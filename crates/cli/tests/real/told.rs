//! What a simulation tells, in lines with the names of the chain; and the questions that hold it to account.

use super::chain::{Chain, lower};
use super::truth::Question;
use alloy_primitives::{Address, U256};
use serde_json::Value;
use std::collections::BTreeMap;

/// The effects in lines: one for each, and one for each contract with slots that have no meaning.
pub fn lines(chain: &Chain, told: &Value) -> Vec<String> {
    let mut lines = vec![match told["reason"].as_str() {
        Some(reason) => format!("{}: {reason}", told["status"].as_str().expect("a status")),
        None => told["status"].as_str().expect("a status").to_owned(),
    }];
    for (kind, effects) in told["effects"].as_object().expect("effects") {
        if kind == "unattributed" {
            continue;
        }
        if kind == "native" {
            lines.extend(
                effects
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|effect| moved(chain, effect)),
            );
            continue;
        }
        for effect in effects.as_array().expect("a list") {
            let members = effect.as_object().expect("an object").iter();
            let members = members.map(|(name, value)| format!("{name}={}", word(chain, value)));
            lines.push(format!("{kind} {}", members.collect::<Vec<_>>().join(" ")));
        }
    }
    let mut open: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for slot in told["effects"]["unattributed"].as_array().expect("a list") {
        let contract = slot["contract"].as_str().expect("an address");
        open.entry(contract)
            .or_default()
            .push(slot["keys"].as_array().expect("keys").len());
    }
    for (contract, mut keys) in open {
        keys.sort_unstable();
        lines.push(format!(
            "unattributed {} slots under {keys:?} keys",
            chain.name_of(contract)
        ));
    }
    lines
}

/// What a native balance gains or loses: how much it is depends on what the chain was set up with.
fn moved(chain: &Chain, effect: &Value) -> String {
    let amount = |member: &str| {
        effect[member]
            .as_str()
            .expect("text")
            .parse::<U256>()
            .expect("wei")
    };
    let (before, after) = (amount("before"), amount("after"));
    let account = chain.name_of(effect["account"].as_str().expect("an address"));
    if after > before {
        format!("native {account} gains {}", after - before)
    } else {
        format!("native {account} loses {}", before - after)
    }
}

fn word(chain: &Chain, value: &Value) -> String {
    let Some(text) = value.as_str() else {
        return value.to_string();
    };
    if let Some(delegate) = text.strip_prefix("delegated to ") {
        return format!("delegated to {}", chain.name_of(delegate));
    }
    let number: Option<U256> = text.parse().ok();
    match number {
        Some(U256::MAX) => "max".to_owned(),
        Some(number) if text.starts_with("0x") && text.len() == 42 => name(chain, number),
        Some(number)
            if text.starts_with("0x") && number > U256::from(1u64 << 60) && number.bit_len() <= 160 =>
        {
            name(chain, number)
        }
        _ => text.to_owned(),
    }
}

fn name(chain: &Chain, number: U256) -> String {
    chain.name_of(&lower(Address::from_word(number.into())))
}

/// Questions whose answers the effects tell.
pub fn questions(told: &Value) -> Vec<Question> {
    let effects = &told["effects"];
    let of = |kind: &str| {
        effects[kind]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|e| !e["before"].is_null())
    };
    let text = |effect: &Value, member: &str| effect[member].as_str().expect("text").to_owned();
    let values = |effect: &Value| {
        let value = |value: &Value| match value {
            Value::Bool(flag) => U256::from(*flag),
            other => other.as_str().expect("a value").parse().expect("a number"),
        };
        (value(&effect["before"]), value(&effect["after"]))
    };
    let ask = |effect: &Value, to: &str, signature: &str, arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|member| text(effect, member)).collect();
        let arguments: Vec<&dyn std::fmt::Display> = arguments.iter().map(|a| a as _).collect();
        let (before, after) = values(effect);
        Question::new(&text(effect, to), signature, &arguments, before, after)
    };
    let balances = of("balances").map(|e| {
        if e["id"].is_null() {
            ask(e, "token", "balanceOf(address)", &["account"])
        } else {
            ask(e, "token", "balanceOf(address,uint256)", &["account", "id"])
        }
    });
    let allowances =
        of("allowances").map(|e| ask(e, "token", "allowance(address,address)", &["owner", "spender"]));
    let permit2 = "allowance(address,address,address)";
    let permit2 = of("permit2").map(|e| ask(e, "contract", permit2, &["owner", "token", "spender"]));
    let operators = "isApprovedForAll(address,address)";
    let operators = of("operators").map(|e| ask(e, "token", operators, &["owner", "operator"]));
    let items = of("items").map(|e| ask(e, "token", "getApproved(uint256)", &["id"]));
    let owners = of("control")
        .filter(|e| e["what"] == "owner")
        .map(|e| ask(e, "contract", "owner()", &[]));
    balances
        .chain(allowances)
        .chain(permit2)
        .chain(operators)
        .chain(items)
        .chain(owners)
        .collect()
}
