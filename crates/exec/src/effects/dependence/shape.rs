//! Effects as they are compared.

use crate::delegation::AccountCode;
use crate::effects::{Effects, Standing};
use crate::simulate::{Outcome, Status};
use alloy_primitives::{Address, U256};
use std::collections::BTreeSet;

/// The effects without slots whose meaning is not known: they hold timestamps and the like. Native balances are
/// kept as what they gain or lose: the sender's may be another to begin with.
pub(super) fn attributed(effects: &Effects) -> Effects {
    let mut effects = effects.clone();
    effects.unattributed.clear();
    for native in &mut effects.native {
        let moved = native.balance.after.wrapping_sub(native.balance.before);
        native.balance.before = U256::ZERO;
        native.balance.after = moved;
    }
    effects
}

/// What happens, without how much.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shape {
    statuses: Vec<Status>,
    native: BTreeSet<(Address, bool)>,
    transfers: BTreeSet<(Address, &'static str, Address, Address, Standing)>,
    balances: BTreeSet<(Address, Option<U256>, Address, bool)>,
    allowances: BTreeSet<(Address, Address, Address, bool)>,
    permit2: BTreeSet<(Address, Address, Address, Address)>,
    operators: BTreeSet<(Address, Address, Address, Option<bool>)>,
    items: BTreeSet<(Address, U256, Option<Address>)>,
    control: BTreeSet<(Address, &'static str, Option<Address>)>,
    code: BTreeSet<(Address, Option<Address>, bool, bool)>,
}

impl Shape {
    pub(super) fn of(outcome: &Outcome, effects: &Effects) -> Self {
        Self {
            statuses: outcome.calls.iter().map(|call| call.status).collect(),
            native: effects
                .native
                .iter()
                .map(|n| (n.account, n.balance.after > n.balance.before))
                .collect(),
            transfers: effects
                .transfers
                .iter()
                .map(|t| (t.token, t.asset.as_str(), t.from, t.to, t.standing))
                .collect(),
            balances: effects
                .balances
                .iter()
                .map(|b| (b.token, b.id, b.account, b.balance.after > b.balance.before))
                .collect(),
            allowances: effects
                .allowances
                .iter()
                .map(|a| (a.token, a.owner, a.spender, a.is_raised()))
                .collect(),
            permit2: effects
                .permit2
                .iter()
                .map(|a| (a.contract, a.token, a.owner, a.spender))
                .collect(),
            operators: effects
                .operators
                .iter()
                .map(|o| (o.token, o.owner, o.operator, o.approved.as_ref().map(|a| a.after)))
                .collect(),
            items: effects
                .items
                .iter()
                .map(|i| (i.token, i.id, i.approved.as_ref().map(|a| a.after)))
                .collect(),
            control: effects
                .control
                .iter()
                .map(|c| (c.contract, c.what.as_str(), c.subject))
                .collect(),
            code: effects
                .code
                .iter()
                .map(|c| {
                    let has_code = c.code.after != AccountCode::None;
                    (c.account, c.code.after.delegate(), has_code, c.destroyed)
                })
                .collect(),
        }
    }
}
