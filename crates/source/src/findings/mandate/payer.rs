//! `presight.mandate.payer`

use super::of_payments;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;

/// Whether the mandate's subject pays: `{ subject, payer, equal }`, the payer as CAIP-10. A subject without a chain is the same account
/// on every chain.
///
/// Reads: the request's bytes. Not read, `unavailable`: the mandate is of another shape, or nothing is paid and the requirements do
/// not say what would be.
#[derive(Debug)]
pub struct Payer;

impl Kind for Payer {
    fn name(&self) -> &'static str {
        "presight.mandate.payer"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_payments(context, |presented, payment| {
            let payer = payment.account(payment.from);
            let mandate = &presented.mandate;
            Some(Ok(Read::from_request(json!({
                "subject": mandate.subject,
                "payer": payer,
                "equal": mandate.is_subject(&payer),
            }))))
        })
    }
}
