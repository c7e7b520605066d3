//! What x402 requirements say, beside what would be signed or sent. Each kind is listed where the request carries a payment context
//! and the requirements have the member it is about, or the payment has its counterpart; facts, never judgements.
//!
//! Amounts are decimal strings in the asset's smallest unit, times Unix seconds as decimal strings, addresses plain hex. `paid` is
//! what the request would sign or send (I-43): `null` where it pays nothing.

pub mod amount;
pub mod asset;
pub mod domain;
pub mod network;
pub mod pay_to;
pub mod resource;
pub mod scheme;
pub mod token_domain;
pub mod validity;

use crate::context::Context;
use crate::kind::Fact;
use crate::payment::{Given, Member, Requirements};
use alloy_primitives::Address;
use presight_view::Lookup;
use presight_wire::Read;
use serde_json::Value;

/// The one fact about the requirements of a request that has them; nothing when there is nothing to say.
fn of(
    context: &Context<'_>,
    read: impl FnOnce(&Requirements<'_>) -> Option<Lookup<Read<Value>>>,
) -> Vec<Fact> {
    let fact = Requirements::of(context.request).and_then(|requirements| read(&requirements));
    fact.map(Fact::only).unwrap_or_default()
}

/// A fact about one member: nothing when it is absent.
fn of_member<'a, T>(
    context: &Context<'a>,
    member: impl FnOnce(&Requirements<'a>) -> Member<T>,
    value: impl FnOnce(&Requirements<'a>, Given<T>) -> Lookup<Read<Value>>,
) -> Vec<Fact> {
    let Some(requirements) = Requirements::of(context.request) else {
        return Vec::new();
    };
    match member(&requirements) {
        None => Vec::new(),
        Some(Ok(given)) => Fact::only(value(&requirements, given)),
        Some(Err(not_read)) => Fact::only(Err(not_read.into())),
    }
}

/// A token as values show it: the chain's own is `native`.
fn shown(token: Option<Address>) -> String {
    token.map_or_else(|| "native".to_owned(), |token| format!("{token:#x}"))
}
