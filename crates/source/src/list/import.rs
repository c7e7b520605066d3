//! Addresses out of lists that others publish, whatever their shape.
//!
//! Such lists are JSON: arrays of addresses, addresses under a label (a ticker, a technique, a domain), objects that describe
//! an address, or objects by address. An address becomes an entry, and the labels above it and the words beside it its
//! evidence. What is no EVM address is counted, not guessed at.

use super::{MAX_ENTRY_EVIDENCE, MAX_TEXT_BYTES, Scope};
use alloy_primitives::Address;
use presight_wire::hex;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Members that hold the address which an object describes.
const ADDRESS_MEMBERS: [&str; 3] = ["address", "spender", "contract_address"];
/// Members that hold an address which is not the one that is described, or say nothing of why it is listed.
const OTHER_MEMBERS: [&str; 2] = ["token", "is_contract"];

/// What an import found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The addresses with their evidence.
    pub entries: BTreeMap<(Address, Scope), BTreeSet<String>>,
    /// Values that are no EVM addresses, such as those of other ledgers.
    pub skipped: usize,
}

/// The addresses of a list. `origin` is evidence of each, `scope` where an address is listed when it does not say so.
pub fn import(value: &Value, origin: &str, scope: &Scope) -> Found {
    let mut walk = Walk {
        origin,
        scope,
        found: Found::default(),
    };
    walk.value(value, &mut Vec::new());
    walk.found
}

struct Walk<'a> {
    origin: &'a str,
    scope: &'a Scope,
    found: Found,
}

impl Walk<'_> {
    fn value<'v>(&mut self, value: &'v Value, labels: &mut Vec<&'v str>) {
        match value {
            Value::Array(items) => {
                for item in items {
                    self.value(item, labels);
                }
            }
            Value::Object(members) => self.object(members, labels),
            Value::String(text) => match key(text, self.scope) {
                Some(key) => self.add(key, &labels.join(", ")),
                None => self.found.skipped += 1,
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => self.found.skipped += 1,
        }
    }

    fn object<'v>(&mut self, members: &'v Map<String, Value>, labels: &mut Vec<&'v str>) {
        let named = ADDRESS_MEMBERS.iter().find_map(|name| members.get(*name));
        if let Some(address) = named {
            match address.as_str().and_then(|text| key(text, self.scope)) {
                Some(key) => self.add(key, &described(members, labels)),
                None => self.found.skipped += 1,
            }
            return;
        }
        for (name, value) in members {
            if let Some(key) = key(name, self.scope) {
                let mut words = labels.clone();
                words.extend(value.as_str());
                let words = match value {
                    Value::Object(members) => described(members, &words),
                    _ => words.join(", "),
                };
                self.add(key, &words);
            } else {
                labels.push(name);
                self.value(value, labels);
                labels.pop();
            }
        }
    }

    fn add(&mut self, key: (Address, Scope), words: &str) {
        let evidence = match words {
            "" => self.origin.to_owned(),
            words => format!("{}: {words}", self.origin),
        };
        let evidence = evidence.chars().filter(|c| !c.is_control()).collect::<String>();
        let fitting = evidence.floor_char_boundary(MAX_TEXT_BYTES);
        let entry = self.found.entries.entry(key).or_default();
        if entry.len() < MAX_ENTRY_EVIDENCE {
            entry.insert(evidence[..fitting].to_owned());
        }
    }
}

/// An address, alone or behind the number of its chain (`1:0x…`, `eip155:1:0x…`).
fn key(text: &str, scope: &Scope) -> Option<(Address, Scope)> {
    let text = text.strip_prefix("eip155:").unwrap_or(text);
    let (address, scope) = match text.split_once(':') {
        Some((chain, address)) => (address, Scope::Evm(chain.parse().ok()?)),
        None => (text, scope.clone()),
    };
    Some((hex::address_any_case(address, "").ok()?, scope))
}

/// The labels, and what an object says of its address.
fn described(members: &Map<String, Value>, labels: &[&str]) -> String {
    let mut words: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    for (name, value) in members {
        if !ADDRESS_MEMBERS.contains(&name.as_str()) && !OTHER_MEMBERS.contains(&name.as_str()) {
            said(name, value, &mut words);
        }
    }
    words.join(", ")
}

fn said(name: &str, value: &Value, words: &mut Vec<String>) {
    match value {
        Value::String(text) => words.push(format!("{name} {text}")),
        Value::Number(number) => words.push(format!("{name} {number}")),
        Value::Bool(true) => words.push(name.to_owned()),
        Value::Bool(false) | Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| said(name, item, words)),
        Value::Object(members) => members.iter().for_each(|(name, value)| said(name, value, words)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, import};
    use crate::list::Scope;
    use alloy_primitives::Address;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn found(value: &Value) -> Found {
        import(value, "X", &Scope::EveryEvm)
    }

    fn evidence(found: &Found, byte: u8, scope: Scope) -> Vec<&str> {
        let entry: &BTreeSet<String> = &found.entries[&(Address::repeat_byte(byte), scope)];
        entry.iter().map(String::as_str).collect()
    }

    fn address(byte: u8) -> String {
        Address::repeat_byte(byte).to_string()
    }

    #[test]
    fn every_shape_gives_its_addresses_and_why() {
        let plain = found(&json!([
            address(1),
            address(2),
            "bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh"
        ]));
        assert_eq!((plain.entries.len(), plain.skipped), (2, 1));
        assert_eq!(evidence(&plain, 1, Scope::EveryEvm), ["X"]);

        let by_label = found(&json!({ "ETH": [address(1)], "USDC": [address(1)], "XBT": ["1Abc"] }));
        assert_eq!(evidence(&by_label, 1, Scope::EveryEvm), ["X: ETH", "X: USDC"]);
        assert_eq!(by_label.skipped, 1);

        let records =
            found(&json!([{ "address": address(3), "name": "LAZARUS GROUP" }, { "address": "none" }]));
        assert_eq!(evidence(&records, 3, Scope::EveryEvm), ["X: name LAZARUS GROUP"]);
        assert_eq!(records.skipped, 1);

        let by_address = found(
            &json!({ format!("10:{}", address(4)): { "label": "Exploiter", "riskFactors": [
            { "type": "exploit", "source": "whois" }] }, address(5): "Fake" }),
        );
        assert_eq!(
            evidence(&by_address, 4, Scope::Evm(10)),
            ["X: label Exploiter, source whois, type exploit"]
        );
        assert_eq!(evidence(&by_address, 5, Scope::EveryEvm), ["X: Fake"]);

        let asked = found(&json!([{ "domain": "a.example", "token": address(6), "spender": address(7) }]));
        assert_eq!(evidence(&asked, 7, Scope::EveryEvm), ["X: domain a.example"]);
        assert_eq!(asked.entries.len(), 1, "the token is not the one that takes it");
    }

    #[test]
    fn evidence_is_bounded_and_has_no_control_characters() {
        let long = found(&json!([{ "address": address(1), "name": format!("\u{1b}{}", "é".repeat(5_000)) }]));
        let [text] = evidence(&long, 1, Scope::EveryEvm)[..] else {
            panic!()
        };
        assert!(text.len() <= super::MAX_TEXT_BYTES && !text.contains('\u{1b}'));
    }
}
