//! What a simulation did, in the terms of a signer: from its state changes, its events and its call tree.
//!
//! Three witnesses are heard: what contracts say in their events, which slots changed and under which keys, and
//! what the contracts answer when asked again, before and after. The answers decide: an event that they do not bear
//! out is [`Standing::Claimed`], and a change that no event tells of is an effect all the same. A slot whose meaning
//! none of the witnesses gives is listed as it is.

mod ahead;
mod by_node;
mod candidates;
mod claims;
mod control;
mod dependence;
mod grants;
mod json;
mod layout;
mod nonces;
mod reread;
mod slots;
mod tokens;

use crate::delegation::AccountCode;
use crate::simulate::{self, Change, Outcome, Simulated, Simulation};
use alloy_primitives::{Address, U256};
use presight_view::{Lookup, Unread, View};
use presight_wire::{NotRead, Reason};
use reread::{Asker, MAX_REREADS_GAS};
use slots::Slots;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

pub use ahead::{MAX_EXPECTED, expect};
pub use by_node::of_node;
pub use control::{Control, Controls};
pub use dependence::{Dependence, Dependences, Difference, MAX_VARIED_GAS, Variation, depends_on};
pub use grants::{Allowance, ItemApproval, Operator, Origin, Permit2Allowance};
pub use nonces::{Nonce, Spends};
pub use reread::{MAX_REREAD_GAS, MAX_REREADS};
pub use slots::ChangedSlot;
pub use tokens::{Asset, TokenBalance, Transfer};

/// How an effect is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// The state bears it out: as it is now, or as it was before what was granted was used.
    Observed,
    /// The state changed, but not as the event says.
    Differs,
    /// An event says so, and the contract's own answers do not.
    Claimed,
    /// An event says so, and the contract could not be asked.
    Unconfirmed,
}

impl Standing {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Differs => "differs",
            Self::Claimed => "claimed, not observed",
            Self::Unconfirmed => "claimed, not confirmed",
        }
    }
}

/// A native balance that changed. Fees for gas are no part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeChange {
    /// Whose.
    pub account: Address,
    /// In wei.
    pub balance: Change<U256>,
}

/// Code that appeared, changed or went away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeChange {
    /// The account.
    pub account: Address,
    /// What its code was and what it is. The two are equal for a contract that was created in the place of another.
    pub code: Change<AccountCode>,
    /// It destroyed itself.
    pub destroyed: bool,
}

/// What a simulation did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Native balances that changed, by account.
    pub native: Vec<NativeChange>,
    /// Transfers that events tell of, in order.
    pub transfers: Vec<Transfer>,
    /// Token balances that changed, told of or not, by token and account.
    pub balances: Vec<TokenBalance>,
    /// ERC-20 allowances that were written, by token, owner and spender.
    pub allowances: Vec<Allowance>,
    /// Allowances held by a Permit2 contract that were written.
    pub permit2: Vec<Permit2Allowance>,
    /// Approvals for all.
    pub operators: Vec<Operator>,
    /// Approvals of single items (ERC-721).
    pub items: Vec<ItemApproval>,
    /// Counters and bit fields that signed messages are spent with.
    pub nonces: Vec<Nonce>,
    /// Who controls contracts: owners, implementations, modules.
    pub control: Vec<Control>,
    /// Code that changed, by account: creations, delegations, self-destructions.
    pub code: Vec<CodeChange>,
    /// Slots that changed and whose meaning is not known.
    pub unattributed: Vec<ChangedSlot>,
    /// Contracts that could not be asked, because their answers rest on state that is not to be had, or that were not
    /// asked all, because of a bound: what is said above of them may lack something.
    pub unread: BTreeMap<Address, NotRead>,
    /// What could not be read, because a node that executed the calls does not tell it. Lists are then not empty but
    /// unknown, or unknown beyond what events tell.
    pub not_read: BTreeSet<Part>,
}

/// A part of the effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Native balances.
    Native,
    /// Balances, grants and changes of control that no event tells of.
    Untold,
    /// Code.
    Code,
    /// Slots whose meaning is not known.
    Unattributed,
}

impl Part {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Untold => "untold",
            Self::Code => "code",
            Self::Unattributed => "unattributed",
        }
    }
}

/// Simulates the calls of a request and tells what they did: executed here, or by the node of the chain where they
/// cannot be executed here and it is to be asked.
///
/// # Errors
/// As [`simulate::run`], [`simulate::by_node`] and [`of`].
pub fn run<'v>(view: &'v View<'v>, simulation: &Simulation<'v>) -> Lookup<(Outcome, Effects)> {
    let here = simulate::run(view, simulation).and_then(|mut simulated| {
        let effects = of(&mut simulated)?;
        Ok((simulated.outcome, effects))
    });
    match here {
        Err(Unread::NotRead(why)) if why.reason == Reason::Unsupported => {
            match simulate::by_node(view, simulation) {
                Ok(mut told) => {
                    let effects = of_node(view, simulation, &mut told)?;
                    Ok((told.outcome, effects))
                }
                // Nobody executes them: why not here is what there is to know.
                Err(Unread::NotRead(node)) if node.reason == Reason::Unsupported => Err(Unread::NotRead(why)),
                Err(unread) => Err(unread),
            }
        }
        here => here,
    }
}

/// What a simulation did. Bounds that are hit on the way are added to its outcome.
///
/// # Errors
/// Pending, while answers of contracts rest on state that the view does not hold yet. State that is not to be had
/// is no error: what rests on it is [`Standing::Unconfirmed`] or unattributed.
pub fn of(simulated: &mut Simulated<'_>) -> Lookup<Effects> {
    of_within(simulated, &Cell::new(MAX_REREADS_GAS))
}

/// As [`of`], while contracts that are asked again use this much gas at most, which is taken from it.
fn of_within(simulated: &mut Simulated<'_>, gas: &Cell<u64>) -> Lookup<Effects> {
    let Simulated {
        outcome,
        machine,
        view,
        chain,
    } = simulated;
    outcome.preimages.extend(layout::COMPILED.iter().cloned());
    let header = machine.header();
    let asker = Asker::new(view, chain, header, machine, gas, created(outcome))?;
    let told = Effects {
        native: native(outcome),
        code: code(outcome),
        ..Effects::default()
    };
    let (effects, asker) = hear(outcome, told, asker);
    asker.ensure_settled()?;
    let bounds = asker.bounds;
    outcome.bounds.extend(bounds);
    Ok(effects)
}

/// Hears the witnesses of a simulation.
fn hear<'s, 'v>(outcome: &'s Outcome, effects: Effects, asker: Asker<'s, 'v>) -> (Effects, Asker<'s, 'v>) {
    let claims = claims::of(&outcome.logs);
    let mut hearing = Hearing {
        asker,
        slots: Slots::of(outcome),
        effects,
    };
    control::known_slots(&mut hearing);
    // Slots that speak for themselves first: what is asked is bounded, and events may tell of anything.
    let mut named = grants::named(&claims, outcome);
    named.take_changed(&hearing.slots).put(&mut hearing);
    grants::untold(&mut hearing);
    tokens::told(&claims, &mut hearing);
    hearing.asker.rest_on_hearsay(true);
    named.put(&mut hearing);
    hearing.asker.rest_on_hearsay(false);
    grants::untold_items(&mut hearing);
    tokens::untold(&mut hearing);
    control::told(&claims, outcome, &mut hearing);
    nonces::heard(&mut hearing);
    let Hearing {
        asker,
        slots,
        mut effects,
    } = hearing;
    effects.unread = asker.unread.clone();
    effects.unattributed = slots.into_open();
    effects.sort();
    (effects, asker)
}

/// The witnesses while they are heard, and what is known from them so far.
struct Hearing<'s, 'v> {
    asker: Asker<'s, 'v>,
    slots: Slots<'s>,
    effects: Effects,
}

impl Effects {
    /// Everything but transfers, which keep the order of their events, by what it is about.
    fn sort(&mut self) {
        self.balances.sort_by_key(|b| (b.token, b.id, b.account));
        self.allowances.sort_by_key(|a| (a.token, a.owner, a.spender));
        self.permit2
            .sort_by_key(|a| (a.contract, a.token, a.owner, a.spender));
        self.operators.sort_by_key(|o| (o.token, o.owner, o.operator));
        self.items.sort_by_key(|i| (i.token, i.id));
        self.nonces.sort_by_key(|n| (n.contract, n.owner, n.spends));
        self.control
            .sort_by_key(|c| (c.contract, c.what, c.subject, c.of));
    }
}

fn native(outcome: &Outcome) -> Vec<NativeChange> {
    let changes = outcome.changes.iter();
    changes
        .filter_map(|(account, change)| {
            let balance = change.balance.clone()?;
            Some(NativeChange { account, balance })
        })
        .collect()
}

/// Contracts that were not there before.
fn created(outcome: &Outcome) -> BTreeSet<Address> {
    let changes = outcome.changes.iter();
    changes
        .filter(|(_, change)| {
            let code = change.code.as_ref();
            code.is_some_and(|code| {
                code.before.is_empty() && AccountCode::of(&code.after) == AccountCode::Contract
            })
        })
        .map(|(account, _)| account)
        .collect()
}

fn code(outcome: &Outcome) -> Vec<CodeChange> {
    let changes = outcome.changes.iter();
    changes
        .filter_map(|(account, change)| {
            let code = match &change.code {
                Some(code) => Change {
                    before: AccountCode::of(&code.before),
                    after: AccountCode::of(&code.after),
                },
                None if change.destroyed => Change {
                    before: AccountCode::None,
                    after: AccountCode::None,
                },
                None => return None,
            };
            Some(CodeChange {
                account,
                code,
                destroyed: change.destroyed,
            })
        })
        .collect()
}
