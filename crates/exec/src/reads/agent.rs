//! Whether an ERC-8004 agent exists.

use super::contract::{Contract, arguments, number};
use crate::answer;
use alloy_primitives::{Address, U256};
use presight_view::{Lookup, View};
use presight_wire::{ChainId, Read};

/// The owner of an ERC-8004 agent; `None` where the registry says that there is no such agent: `ownerOf` reverts, gives
/// zero, or there is no contract (ERC-721).
///
/// # Errors
/// State that the view does not hold, an answer that is no address, or a call that a bound of this engine stopped.
pub fn agent_owner(
    view: &View<'_>,
    chain: &ChainId,
    registry: Address,
    agent_id: U256,
) -> Lookup<Read<Option<Address>>> {
    let args = arguments(&[number(agent_id)]);
    let registry = Contract {
        view,
        chain,
        address: registry,
    };
    let asked = registry.ask("ownerOf(uint256)", &args)?;
    let owner = match asked.returned() {
        Some(bytes) if !bytes.is_empty() => match answer::address(bytes) {
            Ok(owner) => Some(owner).filter(|owner| !owner.is_zero()),
            Err(malformed) => return Err(asked.not_read(&format!("returned {}", malformed.0))),
        },
        Some(_) if !asked.has_no_code() => return Err(asked.not_read("returned nothing")),
        _ => None,
    };
    asked.judged(owner)
}
