//! Typed contract reads. Each gives the value with the executed call as evidence; a reverted or malformed answer
//! is not read, `unavailable`.

use alloy_primitives::{Address, U256};
use presight_view::{Lookup, View};
use presight_wire::{ChainId, Read, Reason};

/// ERC-20 `totalSupply()`.
pub fn total_supply(view: &View<'_>, chain: &ChainId, token: Address) -> Lookup<Read<U256>> {
    let _ = (view, chain, token);
    Err(Reason::Unsupported.into())
}
