//! `presight.x402.amount`

use super::of_member;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::Requirements;
use crate::payment::requirements::unreadable;
use crate::payment::signed;
use alloy_primitives::U256;
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;
use std::cmp::Ordering;

/// The required amount beside all that the request would pay of the asset, whomever: `{ amount, paid, comparison }`, `comparison` being
/// `equal`, `above` (more is paid), `below` or, where nothing of the asset is paid, `null`. Where less may be taken than is
/// signed for (`upto`), `paid` is what is signed for.
///
/// Reads: the request's bytes. Not read, `unavailable`: it is malformed, or what is paid adds up to more than 2^256;
/// `unsupported`: it cannot be said what is paid of the asset.
#[derive(Debug)]
pub struct RequiredAmount;

impl Kind for RequiredAmount {
    fn name(&self) -> &'static str {
        "presight.x402.amount"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_member(context, Requirements::amount, |requirements, amount| {
            let payments = signed::payments(context, requirements)?;
            let paid = payments
                .iter()
                .try_fold(U256::ZERO, |sum, paid| sum.checked_add(paid.amount))
                .ok_or_else(|| unreadable("the payments add up to more than 2^256"))?;
            let paid = (!payments.is_empty()).then_some(paid);
            let comparison = paid.map(|paid| match paid.cmp(&amount.value) {
                Ordering::Equal => "equal",
                Ordering::Greater => "above",
                Ordering::Less => "below",
            });
            Ok(Read::from_request(json!({
                "amount": amount.text,
                "paid": paid.map(|paid| paid.to_string()),
                "comparison": comparison,
            })))
        })
    }
}
