//! `presight.effects.batch`

use super::of_request;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::simulate::Status;
use presight_wire::kinds::Group;
use serde_json::json;

/// How the calls ended as a whole: `{ status, gasUsed, calls, failed }`: the status of the first call that did not
/// succeed, the gas of all, their number and how many did not succeed. Each runs on what the earlier ones left; one
/// that fails is undone alone. The note says which of a block's checks were not made.
#[derive(Debug)]
pub struct Batch;

impl Kind for Batch {
    fn name(&self) -> &'static str {
        "presight.effects.batch"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_request(context, entity, |simulated| {
            let outcome = &simulated.outcome;
            let failed = outcome.calls.iter().filter(|call| call.status != Status::Success);
            let value = json!({
                "status": outcome.status.as_str(),
                "gasUsed": outcome.gas_used.to_string(),
                "calls": outcome.calls.len(),
                "failed": failed.count(),
            });
            let caveats: Vec<String> = outcome.caveats.iter().map(ToString::to_string).collect();
            let read = simulated.read(value, None);
            Fact::only(Ok(if caveats.is_empty() {
                read
            } else {
                read.with_note(caveats.join("; "))
            }))
        })
    }
}
