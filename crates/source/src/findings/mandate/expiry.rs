//! `presight.mandate.expiry`

use super::of;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;

/// When the mandate ends: `{ notAfter, ended }`. At `notAfter` it has ended; the time is the report's clock.
///
/// Reads: the request's bytes. Not read, `unavailable`: the mandate is of another shape.
#[derive(Debug)]
pub struct Expiry;

impl Kind for Expiry {
    fn name(&self) -> &'static str {
        "presight.mandate.expiry"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of(context, |presented| {
            let now = context.view.clock().0.saturating_mul(1_000);
            let ended = presented.mandate.has_ended(now);
            Ok(Read::from_request(
                json!({ "notAfter": presented.mandate.not_after, "ended": ended }),
            ))
        })
    }
}
