//! What the calls of the request do when they are simulated on the pinned block.
//!
//! Every kind applies to requests with calls only. When the simulation was not read, each is listed not read for the
//! simulation's reason. Facts about one asset are about its token; facts about one call are about its target; what
//! concerns the request as a whole is about the target of its first call. Amounts are decimal strings in the
//! smallest unit, addresses plain hex on the request's chain. The evidence is the simulated calls with their
//! results, in order; where they are long, the document `presight:simulated-calls`, whose hash is that of
//! `[{ to, value, data, status, result }]`.

pub mod allowance_after;
pub mod allowances_after;
pub mod balance_changes;
pub mod batch;
pub mod claimed;
pub mod code_changes;
pub mod control_changes;
pub mod coverage;
pub mod depends_on;
pub mod hidden_approvals;
pub mod native_changes;
pub mod operator_changes;
pub mod outcome;
pub mod recipients;
pub mod unattributed;

use crate::context::Context;
use crate::kind::{Entity, Fact};
use crate::simulation::Simulated;
use alloy_primitives::{Address, U256};
use presight_exec::effects::Part;
use presight_exec::simulate::Change;
use presight_wire::report::Role;
use presight_wire::{NotRead, Reason};
use serde_json::{Value, json};

/// Entries of one list; those about the signer come first. That there are more is a fact of its own, not read,
/// `incomplete`, with the param `{ beyond }`.
pub const MAX_ITEMS: usize = 200;

/// The facts of a simulation that ran, or that it was not read; nothing for a request without calls.
fn of(context: &Context<'_>, facts: impl FnOnce(&Simulated) -> Vec<Fact>) -> Vec<Fact> {
    match &context.simulation {
        None => Vec::new(),
        Some(Ok(simulated)) => facts(simulated),
        Some(Err(unread)) => Fact::only(Err(unread.clone())),
    }
}

/// Facts about the request as a whole.
fn of_request(
    context: &Context<'_>,
    entity: &Entity<'_>,
    facts: impl FnOnce(&Simulated) -> Vec<Fact>,
) -> Vec<Fact> {
    let first = context.decoded.calls.first().map(|call| call.to);
    match target(context, entity) {
        Some(target) if Some(target) == first => of(context, facts),
        _ => Vec::new(),
    }
}

/// The address of a target on the request's chain.
fn target(context: &Context<'_>, entity: &Entity<'_>) -> Option<Address> {
    let Entity::Address(entity) = entity else {
        return None;
    };
    let is_target = entity.role == Role::Target && entity.address.chain == *context.chain();
    is_target.then_some(entity.address.address)
}

/// Facts about a token. What rests on answers of the token is not read when it could not be asked.
fn of_token(
    context: &Context<'_>,
    entity: &Entity<'_>,
    facts: impl FnOnce(&Simulated, Address) -> Vec<Fact>,
) -> Vec<Fact> {
    let Entity::Token(token) = entity else {
        return Vec::new();
    };
    if token.chain != *context.chain() {
        return Vec::new();
    }
    of(context, |simulated| {
        match simulated.effects.unread.get(&token.address) {
            Some(why) => Fact::only(Err(why.clone().into())),
            None => facts(simulated, token.address),
        }
    })
}

/// A list as a fact. Items come with whether they are about what the signer owns. Where a node executed the calls and
/// does not tell this part of the effects, that there may be more is a fact of its own.
fn list(simulated: &Simulated, part: Part, items: impl Iterator<Item = (bool, Value)>) -> Vec<Fact> {
    let untold = simulated.effects.not_read.contains(&part);
    let mut items = items.peekable();
    if untold && items.peek().is_none() {
        return vec![beyond_events()];
    }
    let mut facts = listed(simulated, items);
    if untold {
        facts.push(beyond_events());
    }
    facts
}

/// A list of which nothing is missing but what is beyond [`MAX_ITEMS`].
fn listed(simulated: &Simulated, items: impl Iterator<Item = (bool, Value)>) -> Vec<Fact> {
    let (mut own, others): (Vec<_>, Vec<_>) = items.partition(|(own, _)| *own);
    own.extend(others);
    let all = own.len();
    let shown: Value = own.into_iter().take(MAX_ITEMS).map(|(_, value)| value).collect();
    let mut facts = Fact::only(Ok(simulated.read(shown, None)));
    if all > MAX_ITEMS {
        facts.push(beyond(all));
    }
    facts
}

fn beyond_events() -> Fact {
    let note = "the node that executed the calls tells of events, and not of what changed in the state";
    Fact {
        param: Some(json!({ "beyond": "events" })),
        reading: Err(NotRead::new(Reason::Incomplete).with_note(note).into()),
    }
}

fn beyond(all: usize) -> Fact {
    let note = format!(
        "{} more are not listed: MAX_ITEMS is {MAX_ITEMS}",
        all - MAX_ITEMS
    );
    Fact {
        param: Some(json!({ "beyond": MAX_ITEMS })),
        reading: Err(NotRead::new(Reason::Incomplete).with_note(note).into()),
    }
}

/// The first reason why some contract could not be asked.
fn unread(simulated: &Simulated) -> Option<&NotRead> {
    simulated.effects.unread.values().next()
}

fn hex(address: Address) -> Value {
    Value::from(format!("{address:#x}"))
}

fn decimal(number: U256) -> Value {
    Value::from(number.to_string())
}

/// Puts `before` and `after` into an object.
fn put_change<T: Copy>(value: &mut Value, change: &Change<T>, word: impl Fn(T) -> Value) {
    value["before"] = word(change.before);
    value["after"] = word(change.after);
}
