//! Safes: their modules and owners, and how many of these must sign.

use super::{Control, Controls};
use crate::effects::claims::{Claim, Controlled, What};
use crate::effects::slots::{is_address, to_address};
use crate::effects::{Hearing, Standing};
use alloy_primitives::{Address, U256};
use std::collections::BTreeSet;

/// The slots of a Safe's mappings of modules and owners.
const SAFE_MODULES: u64 = 1;
const SAFE_OWNERS: u64 = 2;
/// The first and last element of a Safe's linked lists.
const SENTINEL: U256 = U256::ONE;

/// Modules and owners of Safes: of contracts that say they changed, and of those with a mapping where a Safe has
/// it.
pub(super) fn members(claims: &[Claim], hearing: &mut Hearing<'_, '_>) {
    let claimed: BTreeSet<(Address, Controls, U256)> = claims
        .iter()
        .filter_map(|claim| match claim.what {
            What::Control(Controlled::Module, member) => Some((claim.contract, Controls::Module, member)),
            What::Control(Controlled::SafeOwner, member) => {
                Some((claim.contract, Controls::SafeOwner, member))
            }
            _ => None,
        })
        .collect();
    let linked = hearing.slots.open().iter().flat_map(|open| {
        let what = match (open.base, open.keys.as_slice()) {
            (Some(base), [_]) if base == U256::from(SAFE_MODULES) => Some(Controls::Module),
            (Some(base), [_]) if base == U256::from(SAFE_OWNERS) => Some(Controls::SafeOwner),
            _ => None,
        };
        // An element's slot holds the next one.
        let members = open
            .keys
            .iter()
            .copied()
            .chain([open.change.before, open.change.after]);
        let contract = open.contract;
        members
            .filter(|member| is_address(*member) && *member != SENTINEL)
            .filter_map(move |member| Some((contract, what?, member)))
            .collect::<Vec<_>>()
    });
    let asked: BTreeSet<_> = claimed.iter().copied().chain(linked).collect();
    for (contract, what, member) in asked {
        let question = match what {
            Controls::Module => "isModuleEnabled(address)",
            _ => "isOwner(address)",
        };
        let value = hearing.asker.ask(contract, question, &[member]).words(0);
        let told = claimed.contains(&(contract, what, member));
        let standing = match &value {
            Some(value) if value.before != value.after => Standing::Observed,
            Some(_) if told => Standing::Claimed,
            None if told => Standing::Unconfirmed,
            Some(_) | None => continue,
        };
        if standing == Standing::Observed {
            settle_list(contract, what, member, hearing);
        }
        hearing.effects.control.push(Control {
            contract,
            what,
            subject: Some(to_address(member)),
            of: None,
            value,
            standing,
        });
    }
}

/// Settles the slots of a linked list that name a member.
fn settle_list(contract: Address, what: Controls, member: U256, hearing: &mut Hearing<'_, '_>) {
    let base = U256::from(if what == Controls::Module {
        SAFE_MODULES
    } else {
        SAFE_OWNERS
    });
    let named: Vec<U256> = hearing
        .slots
        .open()
        .iter()
        .filter(|open| open.contract == contract && open.base == Some(base))
        .filter(|open| {
            open.keys.contains(&member) || open.change.before == member || open.change.after == member
        })
        .map(|open| open.slot)
        .collect();
    for slot in named {
        hearing.slots.settle(contract, slot);
    }
}

/// `getThreshold()` of contracts with a small number that changed.
pub(super) fn thresholds(hearing: &mut Hearing<'_, '_>) {
    const SLOTS: [u64; 2] = [3, 4]; // the number of owners, and how many of them must sign
    let contracts: BTreeSet<Address> = hearing
        .slots
        .open()
        .iter()
        .filter(|open| open.keys.is_empty() && SLOTS.map(U256::from).contains(&open.slot))
        .map(|open| open.contract)
        .collect();
    for contract in contracts {
        let is_safe = hearing
            .effects
            .control
            .iter()
            .any(|control| control.contract == contract && control.what == Controls::SafeOwner);
        let Some(value) = hearing.asker.ask(contract, "getThreshold()", &[]).words(0) else {
            continue;
        };
        if is_safe {
            hearing.slots.settle(contract, U256::from(SLOTS[0]));
        }
        if value.before == value.after {
            continue;
        }
        hearing.slots.settle(contract, U256::from(SLOTS[1]));
        let control = Control::observed(contract, Controls::Threshold, value);
        hearing.effects.control.push(control);
    }
}
