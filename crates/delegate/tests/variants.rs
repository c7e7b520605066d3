//! Delegates put together by `variants/generate.mjs`: none is said something wrong of.

use alloy_primitives::{Address, Bytes, U256};
use presight_delegate::{FreshAccount, World, analyse};
use presight_view::Lookup;
use serde_json::Value;
use std::collections::BTreeMap;

/// An account with some slots, and nothing else on the chain.
struct Account {
    code: Bytes,
    storage: BTreeMap<U256, U256>,
}

impl World for Account {
    fn account(&self) -> Address {
        FreshAccount::ADDRESS
    }

    fn code(&self, address: Address) -> Lookup<Bytes> {
        Ok(if address == FreshAccount::DELEGATE {
            self.code.clone()
        } else {
            Bytes::new()
        })
    }

    fn slot(&self, slot: U256) -> Lookup<U256> {
        Ok(self.storage.get(&slot).copied().unwrap_or_default())
    }

    fn all_slots(&self) -> Option<BTreeMap<U256, U256>> {
        Some(self.storage.clone())
    }

    fn chain_id(&self) -> u64 {
        1
    }

    fn timestamp(&self) -> u64 {
        1_790_000_001
    }
}

/// Answers that may be missing: what is neither proven nor shown is not read.
const MOST_NOT_READ: usize = 40;

#[test]
fn no_variant_is_said_something_wrong_of() {
    let json: Value = serde_json::from_str(include_str!("data/variants.json")).unwrap();
    let variants = json.as_array().unwrap();
    let (mut wrong, mut missing) = (Vec::new(), Vec::new());
    for variant in variants {
        let account = Account {
            code: variant["code"].as_str().unwrap().parse().unwrap(),
            storage: variant["storage"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(slot, value)| (slot.parse().unwrap(), value.as_str().unwrap().parse().unwrap()))
                .collect(),
        };
        let found = analyse(
            &account,
            FreshAccount::DELEGATE,
            &account.code,
            Default::default(),
        )
        .unwrap();
        for (kind, fact) in [
            ("singleCaller", &found.single_caller),
            ("unboundedOutflow", &found.unbounded_outflow),
        ] {
            let right: Vec<Option<bool>> = variant[kind]
                .as_array()
                .unwrap()
                .iter()
                .map(Value::as_bool)
                .collect();
            let line = format!("{} {kind}: {fact:?}, right: {right:?}", variant["id"]);
            if right.contains(&fact.value()) {
                continue;
            }
            if fact.value().is_none() {
                missing.push(line);
            } else {
                wrong.push(line);
            }
        }
    }
    let all = 2 * variants.len();
    println!(
        "{all} answers, {} wrong, {} not read where a value was due",
        wrong.len(),
        missing.len()
    );
    println!("{}", missing.join("\n"));
    assert!(variants.len() >= 200 && wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(missing.len() <= MOST_NOT_READ, "{}", missing.len());
}
