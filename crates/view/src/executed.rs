//! Contract calls executed over a view, remembered for the run: readers ask for the same answers.

use crate::view::Lookup;
use alloy_primitives::{Address, Bytes};
use presight_wire::ChainId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// How a contract call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// It returned these bytes.
    Returned(Bytes),
    /// It reverted with these bytes.
    Reverted(Bytes),
    /// It stopped without an answer.
    Halted(Halt),
}

/// A call that stopped without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halt {
    /// What stopped it.
    pub word: String,
    /// A bound of ours stopped it: with another bound there may be an answer.
    pub by_our_bound: bool,
}

/// The calls of one run, and the gas they took.
#[derive(Debug, Default)]
pub struct Executed {
    outcomes: RefCell<BTreeMap<(ChainId, Address, Bytes), Lookup<CallOutcome>>>,
    gas: Cell<u64>,
}

impl Executed {
    /// The outcome of a call, executed the first time it is asked for. `execute` gives the outcome and its gas.
    pub fn once(
        &self,
        chain: &ChainId,
        to: Address,
        data: &Bytes,
        execute: impl FnOnce() -> (Lookup<CallOutcome>, u64),
    ) -> Lookup<CallOutcome> {
        let key = (chain.clone(), to, data.clone());
        if let Some(known) = self.outcomes.borrow().get(&key) {
            return known.clone();
        }
        let (outcome, gas) = execute();
        self.gas.set(self.gas.get().saturating_add(gas));
        self.outcomes.borrow_mut().insert(key, outcome.clone());
        outcome
    }

    /// The gas of every call executed so far.
    pub fn gas(&self) -> u64 {
        self.gas.get()
    }
}
