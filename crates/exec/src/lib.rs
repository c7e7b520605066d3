//! Contract calls and transactions executed in revm on a [`View`]: every state a call reads comes through the view,
//! and what the view does not hold is never made up.
//!
//! A call runs as `eth_call` runs it (I-44): from the zero address, without value or fees, with bounded gas. A view
//! may know only some members of an account and only some fields of the header; a member is asked for when the
//! call observes it, and the call ends there when it is not held. The base fee is the header's, as in a transaction;
//! some nodes show a call zero. What a call can still observe of a field that is
//! not known is the price of warmth: whether an address equals an unknown coinbase is worth 2,500 gas (EIP-3651).

pub mod delegation;
pub mod effects;
pub mod reads;
pub mod simulate;

mod answer;
mod chains;
mod evm;
mod fork;
mod instructions;
mod state;

use alloy_primitives::{Address, Bytes};
pub use presight_view::executed::{CallOutcome, Halt};
use presight_view::{Lookup, View};
use presight_wire::ChainId;

pub use evm::{MAX_CALL_GAS, MAX_RETURN_BYTES, MAX_RUN_GAS};

/// Executes a contract read on the pinned block: caller the zero address, no value, no fees, bounded gas and
/// return size (I-44). An account without code returns nothing.
///
/// # Errors
/// State that the call observes and the view does not hold: noted as wants of the view, or not read. Not read,
/// `unsupported`, on a chain that is not an EVM chain; not read, `timeout`, when the calls of this run have used up
/// [`MAX_RUN_GAS`].
pub fn call(view: &View<'_>, chain: &ChainId, to: Address, data: &Bytes) -> Lookup<CallOutcome> {
    evm::run(view, chain, to, data)
}
