//! `presight.mandate.limits`

use super::of_payments;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;

/// Whether one payment stays within the mandate: `{ amount, perPayment, cap, within }`, amounts as decimal strings in the asset's
/// smallest unit, `perPayment` `null` where the mandate has none. What was paid under it before is not known here.
///
/// Reads: the request's bytes. Not read, `unavailable`: the mandate is of another shape, or nothing is paid and the requirements do
/// not say what would be.
#[derive(Debug)]
pub struct Limits;

impl Kind for Limits {
    fn name(&self) -> &'static str {
        "presight.mandate.limits"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_payments(context, |presented, payment| {
            let mandate = &presented.mandate;
            let read = Read::from_request(json!({
                "amount": payment.amount.to_string(),
                "perPayment": mandate.per_payment.map(|most| most.to_string()),
                "cap": mandate.cap.to_string(),
                "within": mandate.allows_at_once(payment.amount),
            }));
            Some(Ok(
                read.with_note("what was paid under the mandate before is not known")
            ))
        })
    }
}
