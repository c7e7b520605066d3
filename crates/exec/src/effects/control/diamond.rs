//! Diamonds (ERC-2535): which facet runs which function.

use super::{Control, Controls};
use crate::effects::claims::{Claim, Controlled, What};
use crate::effects::{Hearing, Part, Standing};
use crate::simulate::Outcome;
use alloy_primitives::{Address, B256, U256};
use std::collections::BTreeSet;

/// `facetAddress(bytes4)` for selectors under which a slot changed. A diamond that says it was cut and shows nothing
/// of it may keep its facets somewhere else, when its storage changed at all.
pub(super) fn facets(claims: &[Claim], outcome: &Outcome, hearing: &mut Hearing<'_, '_>) {
    let selectors: BTreeSet<(Address, U256)> = hearing
        .slots
        .open()
        .iter()
        .filter_map(|open| match *open.keys.as_slice() {
            [selector] if is_selector(selector) => Some((open.contract, selector)),
            _ => None,
        })
        .collect();
    let mut shown = BTreeSet::new();
    for (contract, selector) in selectors {
        let value = hearing
            .asker
            .ask(contract, "facetAddress(bytes4)", &[selector])
            .words(0);
        let Some(value) = value.filter(|value| value.before != value.after) else {
            continue;
        };
        hearing.slots.settle_value(contract, &[selector], &value);
        shown.insert(contract);
        hearing.effects.control.push(Control {
            of: Some(B256::from(selector)),
            ..Control::observed(contract, Controls::Facets, value)
        });
    }
    let cut: BTreeSet<Address> = claims
        .iter()
        .filter(|claim| matches!(claim.what, What::Control(Controlled::Facets, _)))
        .map(|claim| claim.contract)
        .collect();
    for contract in cut.difference(&shown) {
        let changes = outcome.changes.of(*contract);
        let changed = changes.is_some_and(|change| !change.storage.is_empty());
        hearing.effects.control.push(Control {
            contract: *contract,
            what: Controls::Facets,
            subject: None,
            of: None,
            value: None,
            standing: if changed || hearing.effects.not_read.contains(&Part::Untold) {
                Standing::Unconfirmed
            } else {
                Standing::Claimed
            },
        });
    }
}

/// A function's selector is in the first four bytes of its word.
fn is_selector(word: U256) -> bool {
    !word.is_zero() && word.trailing_zeros() >= 224
}
