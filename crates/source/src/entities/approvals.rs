//! Approvals that the request's bytes do not show.

use super::Found;
use alloy_primitives::{Address, B256, U256, b256};
use presight_decode::{Amount, Decoded, Expiry, Grant, Granted, grants_of};
use presight_exec::effects::{Origin, Standing};
use presight_exec::simulate::{Bound, Change, FrameKind};
use presight_wire::report::{Approval, Form};
use presight_wire::{AccountId, ChainId};
use std::cmp::Ordering;

/// `Approval(address,address,uint256)`
const APPROVAL: B256 = b256!("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");

/// An approval that the simulation shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) granted: Granted,
    call: Option<usize>,
}

impl Shown {
    pub(super) fn entity(&self, chain: &ChainId) -> Approval {
        let account = |address| AccountId::new(chain.clone(), address);
        Approval {
            token: account(self.granted.token),
            spender: account(self.granted.spender),
            form: self.granted.grant.form,
            call_index: self.call,
        }
    }

    fn key(&self) -> impl Ord {
        let Granted {
            token,
            spender,
            grant,
        } = &self.granted;
        let (kind, amount) = match grant.amount {
            Amount::All => (None, U256::ZERO),
            Amount::Units { value, .. } => (Some(grant.form), value),
        };
        (
            *token,
            *spender,
            grant.owner,
            grant.keeper,
            kind,
            amount,
            self.call,
        )
    }
}

impl PartialOrd for Shown {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Shown {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// What keeps an allowance, and whose and for whom it is.
type Parties = (bool, Address, Address, Address, Address);

fn parties(granted: &Granted) -> Parties {
    let grant = &granted.grant;
    let for_all = grant.amount == Amount::All;
    (for_all, grant.keeper, granted.token, grant.owner, granted.spender)
}

/// Grants that are known so far.
struct Known {
    grants: Vec<Granted>,
}

impl Known {
    /// Whether the same was granted.
    fn has(&self, granted: &Granted) -> bool {
        let same = |known: &&Granted| parties(known) == parties(granted);
        let mut alike = self.grants.iter().filter(same);
        alike.any(|known| known.grant.amount == granted.grant.amount)
    }

    /// Whether what was granted explains what is left.
    fn explains(&self, granted: &Granted, before: U256, after: U256) -> bool {
        let mut increased = U256::ZERO;
        self.grants
            .iter()
            .filter(|known| parties(known) == parties(granted))
            .any(|known| match (known.grant.form, known.grant.amount) {
                (_, Amount::All) => true,
                (Form::Erc20Increase, Amount::Units { value, .. }) => {
                    increased = increased.saturating_add(value);
                    after <= before.saturating_add(increased)
                }
                (_, Amount::Units { value, .. }) => after <= value.saturating_add(increased),
            })
    }
}

pub(super) fn find(decoded: &Decoded, found: &mut Found<'_>) {
    let approvals = decoded.entities.approvals.iter().zip(&decoded.grants);
    let mut known = Known {
        grants: approvals
            .map(|(approval, grant)| Granted {
                token: approval.token.address,
                spender: approval.spender.address,
                grant: grant.clone(),
            })
            .collect(),
    };
    called(&mut known, found);
    left(&known, found);
}

/// Functions that were called to grant something, anywhere in the call tree.
fn called(known: &mut Known, found: &mut Found<'_>) {
    let outcome = &found.simulated.outcome;
    for frame in outcome.standing_frames() {
        // Calldata that is cut is not read; what it grants is seen in the state it leaves.
        if frame.kind != FrameKind::Call || frame.input.len() != frame.input_len {
            continue;
        }
        for granted in grants_of(frame.caller, frame.account, &frame.input) {
            if !found.actors.contains(&granted.grant.owner) || known.has(&granted) {
                continue;
            }
            known.grants.push(granted.clone());
            let call = Some(frame.call);
            found.approvals.add(Shown { granted, call }, true, true);
        }
    }
}

/// Allowances that are there afterwards and that no function was called for.
fn left(known: &Known, found: &mut Found<'_>) {
    let (effects, actors) = (&found.simulated.effects, found.actors);
    let is_seen = |standing| matches!(standing, Standing::Observed | Standing::Differs);
    let mut shown: Vec<(Granted, Origin)> = Vec::new();
    for allowance in &effects.allowances {
        let Some(Change { before, after }) = allowance.amount.clone() else {
            continue;
        };
        let granted = Granted {
            token: allowance.token,
            spender: allowance.spender,
            grant: by_token(allowance.owner, allowance.token, after, allowance.origin),
        };
        let seen = is_seen(allowance.standing) && actors.contains(&allowance.owner);
        if seen && after > before && !known.explains(&granted, before, after) {
            shown.push((granted, allowance.origin));
        }
    }
    for allowance in &effects.permit2 {
        let Some(Change { before, after }) = allowance.amount.clone() else {
            continue;
        };
        let Some(until) = allowance.expiration.as_ref() else {
            continue;
        };
        let Ok(expiration) = u64::try_from(until.after) else {
            continue;
        };
        let raised = after > before || (until.after > until.before && !after.is_zero());
        let granted = Granted {
            token: allowance.token,
            spender: allowance.spender,
            grant: Grant {
                amount: Amount::Units {
                    value: after,
                    max: U256::MAX >> 96,
                },
                expiry: Expiry::At(expiration),
                form: Form::Permit2Approve,
                owner: allowance.owner,
                keeper: allowance.contract,
                keeper_named: true,
            },
        };
        let seen = is_seen(allowance.standing) && actors.contains(&allowance.owner);
        if seen && raised && !known.explains(&granted, before, after) {
            shown.push((granted, allowance.origin));
        }
    }
    for operator in &effects.operators {
        let raised = operator.approved.as_ref().is_some_and(|a| a.after && !a.before);
        let granted = Granted {
            token: operator.token,
            spender: operator.operator,
            grant: for_all(operator.owner, operator.token),
        };
        if raised && actors.contains(&operator.owner) && !known.has(&granted) {
            shown.push((granted, operator.origin));
        }
    }
    for item in &effects.items {
        let Some(approved) = item
            .approved
            .as_ref()
            .filter(|a| !a.after.is_zero() && a.before != a.after)
        else {
            continue;
        };
        let Some(owner) = told_owner(found, item.token, item.id) else {
            continue;
        };
        let granted = Granted {
            token: item.token,
            spender: approved.after,
            grant: by_token(owner, item.token, item.id, Origin::default()),
        };
        if actors.contains(&owner) && !known.has(&granted) {
            shown.push((granted, item.origin));
        }
    }
    for (granted, origin) in shown {
        let call = origin.call.or_else(|| found.only_call_to(granted.grant.keeper));
        found.approvals.add(Shown { granted, call }, true, true);
    }
}

impl Found<'_> {
    /// The one call of the request in which a contract's storage was there to be written; `None` when it is in several.
    fn only_call_to(&self, contract: Address) -> Option<usize> {
        let outcome = &self.simulated.outcome;
        if outcome.bounds.contains(&Bound::Frames) {
            return self.simulated.only_call();
        }
        let frames = outcome
            .standing_frames()
            .filter(|frame| frame.account == contract);
        let mut calls = frames.map(|frame| frame.call);
        let first = calls.next()?;
        calls.all(|call| call == first).then_some(first)
    }
}

/// The owner of an approved item, by the last event that names it.
fn told_owner(found: &Found<'_>, token: Address, id: U256) -> Option<Address> {
    let events = found.simulated.outcome.logs.iter().rev();
    let mut owners = events.filter(|log| log.address == token).filter_map(|log| {
        let [topic, owner, _, item] = log.topics.as_slice() else {
            return None;
        };
        (*topic == APPROVAL && U256::from_be_bytes(item.0) == id).then(|| Address::from_word(*owner))
    });
    owners.next()
}

/// An allowance that the token keeps, in the form whose effect it has.
fn by_token(owner: Address, token: Address, value: U256, origin: Origin) -> Grant {
    Grant {
        amount: Amount::Units {
            value,
            max: U256::MAX,
        },
        expiry: Expiry::Never,
        form: match origin.selector {
            // permit, and DAI's
            Some([0xd5, 0x05, 0xac, 0xcf] | [0x8f, 0xcb, 0xaf, 0x04]) => Form::Erc2612Permit,
            _ => Form::Erc20Approve,
        },
        owner,
        keeper: token,
        keeper_named: true,
    }
}

fn for_all(owner: Address, token: Address) -> Grant {
    Grant {
        amount: Amount::All,
        expiry: Expiry::Never,
        form: Form::ApprovalForAll,
        owner,
        keeper: token,
        keeper_named: true,
    }
}
