//! The worlds of the vectors.
#![allow(dead_code, reason = "each test file uses its part")]

use alloy_primitives::{Address, Bytes, U256};
use presight_delegate::World;
use presight_view::Lookup;
use serde_json::Value;
use std::collections::BTreeMap;

/// The set of vectors.
pub(crate) struct Set {
    /// The delegated account.
    pub(crate) account: Address,
    /// The delegate.
    pub(crate) delegate: Address,
    /// The code of the other contracts.
    pub(crate) contracts: BTreeMap<Address, Bytes>,
    /// The vectors.
    pub(crate) vectors: Vec<Vector>,
    timestamp: u64,
}

/// One vector.
pub(crate) struct Vector {
    /// Its name.
    pub(crate) id: String,
    /// What the first kind must be.
    pub single_caller: Expected,
    /// What the second kind must be.
    pub unbounded_outflow: Expected,
    /// The account's storage.
    pub(crate) storage: BTreeMap<U256, U256>,
    extra: BTreeMap<Address, Bytes>,
    /// Its code, as compiled in several ways.
    pub(crate) variants: Vec<Variant>,
}

/// One compiled form.
pub(crate) struct Variant {
    /// Its name.
    pub(crate) name: String,
    /// Its code.
    pub(crate) runtime: Bytes,
}

/// The answers that are right.
pub(crate) struct Expected(Vec<Option<bool>>);

impl Expected {
    /// Whether an answer is right.
    pub(crate) fn allows(&self, answer: Option<bool>) -> bool {
        self.0.contains(&answer)
    }
}

/// A vector's chain.
pub(crate) struct VectorWorld<'s> {
    set: &'s Set,
    vector: &'s Vector,
    runtime: &'s Bytes,
}

impl<'s> VectorWorld<'s> {
    /// The chain of a vector, with one of its codes at the delegate.
    pub(crate) fn new(set: &'s Set, vector: &'s Vector, runtime: &'s Bytes) -> Self {
        Self { set, vector, runtime }
    }
}

impl World for VectorWorld<'_> {
    fn account(&self) -> Address {
        self.set.account
    }

    fn code(&self, address: Address) -> Lookup<Bytes> {
        if address == self.set.delegate {
            return Ok(self.runtime.clone());
        }
        let code = self
            .vector
            .extra
            .get(&address)
            .or(self.set.contracts.get(&address));
        Ok(code.cloned().unwrap_or_default())
    }

    fn slot(&self, slot: U256) -> Lookup<U256> {
        Ok(self.vector.storage.get(&slot).copied().unwrap_or_default())
    }

    fn all_slots(&self) -> Option<BTreeMap<U256, U256>> {
        Some(self.vector.storage.clone())
    }

    fn chain_id(&self) -> u64 {
        1
    }

    fn timestamp(&self) -> u64 {
        self.set.timestamp
    }
}

/// The vectors.
pub(crate) fn vectors() -> Set {
    let json: Value = serde_json::from_str(include_str!("../data/vectors.json")).unwrap();
    let world = &json["world"];
    let named = |name: &str| address(&world["addresses"][name]["address"]);
    let contracts = |value: &Value| -> BTreeMap<Address, Bytes> {
        let Some(members) = value.as_object() else {
            return BTreeMap::new();
        };
        members
            .iter()
            .map(|(address, contract)| {
                (
                    address.parse().unwrap(),
                    bytes(if contract.is_string() {
                        contract
                    } else {
                        &contract["code"]
                    }),
                )
            })
            .collect()
    };
    let vectors = json["vectors"].as_array().unwrap();
    Set {
        account: named("ACCOUNT"),
        delegate: named("DELEGATE"),
        contracts: contracts(&world["contracts"]),
        timestamp: world["block"]["timestamp"].as_u64().unwrap(),
        vectors: vectors
            .iter()
            .map(|v| Vector {
                id: v["id"].as_str().unwrap().to_owned(),
                single_caller: expected(v, "singleCaller"),
                unbounded_outflow: expected(v, "unboundedOutflow"),
                storage: v["account"]["storage"]
                    .as_object()
                    .unwrap()
                    .iter()
                    .map(|(slot, value)| (slot.parse().unwrap(), value.as_str().unwrap().parse().unwrap()))
                    .collect(),
                extra: contracts(&v["extraContracts"]),
                variants: v["variants"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|variant| Variant {
                        name: variant["name"].as_str().unwrap().to_owned(),
                        runtime: bytes(&variant["runtime"]),
                    })
                    .collect(),
            })
            .collect(),
    }
}

fn expected(vector: &Value, kind: &str) -> Expected {
    let mut answers = vec![vector["expected"][kind].as_bool()];
    for also in vector["accept"][kind].as_array().into_iter().flatten() {
        answers.push(also.as_bool());
    }
    Expected(answers)
}

fn address(value: &Value) -> Address {
    value.as_str().unwrap().parse().unwrap()
}

fn bytes(value: &Value) -> Bytes {
    value.as_str().unwrap().parse().unwrap()
}
