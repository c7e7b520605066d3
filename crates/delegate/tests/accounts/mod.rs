//! The accounts of the variants that `variants/generate.mjs` puts together, and of the traps in `traps/Traps.sol`.

use alloy_primitives::{Address, Bytes, U256, address};
use presight_delegate::{FreshAccount, World};
use presight_view::Lookup;
use serde_json::Value;
use std::collections::BTreeMap;

/// The token that variants name.
const TOKEN: Address = address!("0xCEC31e1a299460cFcCAa46722574d18Ba9280ae4");

/// An account with some slots, and nothing else on the chain.
pub(crate) struct Account {
    /// Its delegate's code.
    pub(crate) code: Bytes,
    storage: BTreeMap<U256, U256>,
}

impl World for Account {
    fn account(&self) -> Address {
        FreshAccount::ADDRESS
    }

    fn code(&self, address: Address) -> Lookup<Bytes> {
        Ok(match address {
            FreshAccount::DELEGATE => self.code.clone(),
            // Replaced when it is called; what counts is that there is a contract.
            TOKEN => Bytes::from_static(&[0xfe]),
            _ => Bytes::new(),
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

/// A variant, and what is right to say of it.
#[allow(dead_code, reason = "each test looks at its own part")]
pub(crate) struct Variant {
    /// Its name.
    pub(crate) id: String,
    /// The account.
    pub(crate) account: Account,
    /// The right answers for both kinds.
    pub(crate) right: [Vec<Option<bool>>; 2],
}

/// All variants, and then all traps.
pub(crate) fn variants() -> Vec<Variant> {
    let files = [
        include_str!("../data/variants.json"),
        include_str!("../data/traps.json"),
    ];
    files.into_iter().flat_map(accounts).collect()
}

fn accounts(file: &str) -> Vec<Variant> {
    let json: Value = serde_json::from_str(file).unwrap();
    let answers = |value: &Value| value.as_array().unwrap().iter().map(Value::as_bool).collect();
    let variant = |value: &Value| Variant {
        id: value["id"].as_str().unwrap().to_owned(),
        account: Account {
            code: value["code"].as_str().unwrap().parse().unwrap(),
            storage: value["storage"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(slot, value)| (slot.parse().unwrap(), value.as_str().unwrap().parse().unwrap()))
                .collect(),
        },
        right: [
            answers(&value["singleCaller"]),
            answers(&value["unboundedOutflow"]),
        ],
    };
    json.as_array().unwrap().iter().map(variant).collect()
}
