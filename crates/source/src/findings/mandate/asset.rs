//! `presight.mandate.asset`

use super::of_payments;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;

/// Whether what is paid with is the mandate's asset: `{ asset, paid, equal }`, the token paid with as CAIP-10, `null` for the chain's
/// own asset, which no mandate names here.
///
/// Reads: the request's bytes. Not read, `unavailable`: the mandate is of another shape, or nothing is paid and the requirements do
/// not say what would be.
#[derive(Debug)]
pub struct MandateAsset;

impl Kind for MandateAsset {
    fn name(&self) -> &'static str {
        "presight.mandate.asset"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_payments(context, |presented, payment| {
            let paid = payment.token.map(|token| payment.account(token));
            let mandate = &presented.mandate;
            let equal = paid.as_ref().is_some_and(|token| mandate.is_asset(token));
            Some(Ok(Read::from_request(
                json!({ "asset": mandate.asset, "paid": paid, "equal": equal }),
            )))
        })
    }
}
