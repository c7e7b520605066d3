//! What is likely to be asked next, asked while something else is missing, so that it comes in the same wave. The run
//! is thrown away: nothing of it is seen in a result or a witness.

use crate::reads;
use crate::simulate::{Outcome, Simulation};
use alloy_primitives::Address;
use presight_view::View;
use std::collections::BTreeSet;

/// Contracts that are asked ahead of time.
const MAX_ASKED: usize = 32;

/// Asks contracts that spoke or changed what one asks a token: its names, its supply, what the sender holds.
pub(super) fn ask(view: &View<'_>, simulation: &Simulation<'_>, outcome: &Outcome) {
    let chain = simulation.chain;
    let spoke = outcome.logs.iter().map(|log| log.address);
    let changed = outcome.changes.slots().map(|(contract, ..)| contract);
    let contracts: BTreeSet<Address> = spoke.chain(changed).collect();
    for contract in contracts.into_iter().take(MAX_ASKED) {
        // What comes of it is seen where it is needed.
        drop((
            reads::name(view, chain, contract),
            reads::symbol(view, chain, contract),
            reads::decimals(view, chain, contract),
            reads::total_supply(view, chain, contract),
            reads::is_erc721(view, chain, contract),
            reads::balance_of(view, chain, contract, simulation.sender),
        ));
    }
    for (account, _) in outcome.changes.iter().take(MAX_ASKED) {
        drop(view.code(chain, account));
    }
}
