//! Owners, those who may become owners, and holders of roles.

use super::proxies::holding;
use super::{Control, Controls};
use crate::effects::claims::{Claim, Controlled, What};
use crate::effects::slots::{is_address, to_address, to_word};
use crate::effects::{Hearing, Standing};
use crate::simulate::Change;
use alloy_primitives::{Address, B256, U256};
use std::collections::{BTreeMap, BTreeSet};

/// `owner()` of contracts that say it changed, or whose storage holds an address that did.
pub(super) fn told(claims: &[Claim], hearing: &mut Hearing<'_, '_>) {
    let claimed = claims.iter().filter_map(|claim| match claim.what {
        What::Control(Controlled::Owner, to) => Some((claim.contract, to)),
        _ => None,
    });
    let claimed: BTreeMap<Address, U256> = claimed.collect();
    let contracts: BTreeSet<Address> = claimed.keys().copied().chain(holding(hearing)).collect();
    for contract in contracts {
        let value = hearing.asker.ask(contract, "owner()", &[]).words(0);
        let Some(standing) = standing(value.as_ref(), claimed.get(&contract)) else {
            continue;
        };
        if let Some(value) = value.as_ref().filter(|value| value.before != value.after) {
            hearing.slots.settle_value(contract, &[], value);
        }
        hearing.effects.control.push(Control {
            contract,
            what: Controls::Owner,
            subject: None,
            of: None,
            value,
            standing,
        });
    }
}

fn standing(answers: Option<&Change<U256>>, told: Option<&U256>) -> Option<Standing> {
    Some(match (answers, told) {
        (None, None) => return None,
        (None, Some(_)) => Standing::Unconfirmed,
        (Some(value), None) if value.before == value.after => return None,
        (Some(_), None) => Standing::Observed,
        (Some(value), Some(told)) if value.after == *told => Standing::Observed,
        (Some(value), Some(_)) if value.before == value.after => Standing::Claimed,
        (Some(_), Some(_)) => Standing::Differs,
    })
}

/// `pendingOwner()` of contracts with an address of no mapping that changed.
pub(super) fn pending(hearing: &mut Hearing<'_, '_>) {
    for contract in holding(hearing) {
        let value = hearing.asker.ask(contract, "pendingOwner()", &[]).words(0);
        if let Some(value) = value.filter(|value| value.before != value.after) {
            hearing.slots.settle_value(contract, &[], &value);
            let control = Control::observed(contract, Controls::PendingOwner, value);
            hearing.effects.control.push(control);
        }
    }
}

/// `hasRole(bytes32,address)`, of roles and accounts that events name, or under which a slot changed.
pub(super) fn roles(claims: &[Claim], hearing: &mut Hearing<'_, '_>) {
    type Holding = (Address, U256, U256);
    let claimed: BTreeMap<Holding, U256> = claims
        .iter()
        .filter_map(|claim| match claim.what {
            What::Role { role, account, has } => {
                Some(((claim.contract, role, to_word(account)), U256::from(has)))
            }
            _ => None,
        })
        .collect();
    let changed = hearing
        .slots
        .open()
        .iter()
        .filter_map(|open| match *open.keys.as_slice() {
            [role, account] if is_address(account) => Some((open.contract, role, account)),
            _ => None,
        });
    let asked: BTreeSet<Holding> = claimed.keys().copied().chain(changed).collect();
    for holding @ (contract, role, account) in asked {
        let keys = [role, account];
        let value = hearing
            .asker
            .ask(contract, "hasRole(bytes32,address)", &keys)
            .words(0);
        let Some(standing) = standing(value.as_ref(), claimed.get(&holding)) else {
            continue;
        };
        if let Some(value) = value.as_ref().filter(|value| value.before != value.after) {
            hearing.slots.settle_value(contract, &keys, value);
        }
        hearing.effects.control.push(Control {
            contract,
            what: Controls::Role,
            subject: Some(to_address(account)),
            of: Some(B256::from(role)),
            value,
            standing,
        });
    }
}
