//! Contract calls executed in revm on a [`View`]: every state a call reads comes through the view, and what the
//! view does not hold is never made up.

pub mod delegation;
pub mod reads;

use alloy_primitives::{Address, Bytes};
use presight_view::{Lookup, View};
use presight_wire::ChainId;

/// How a contract call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// It returned these bytes.
    Returned(Bytes),
    /// It reverted with these bytes.
    Reverted(Bytes),
    /// It stopped without an answer: out of gas, invalid opcode, a bound of ours. The word says which.
    Halted(String),
}

/// Executes a contract read on the pinned block: caller the zero address, no value, no fees, bounded gas and
/// return size (I-44). State that is missing is noted as wants of the view.
pub fn call(view: &View<'_>, chain: &ChainId, to: Address, data: &Bytes) -> Lookup<CallOutcome> {
    let _ = (view, chain, to, data);
    Err(presight_wire::Reason::Unsupported.into())
}
