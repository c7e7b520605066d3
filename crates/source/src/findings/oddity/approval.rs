//! `presight.approval.flags`

use super::{call_index, value};
use crate::context::Context;
use crate::kind::{Approved, Entity, Fact, Kind};
use presight_wire::kinds::Group;

/// What is odd about the call or the message that grants the approval: `[{ code, pointer }]`. Omitted when nothing is.
///
/// Reads: the request's bytes.
#[derive(Debug)]
pub struct ApprovalFlags;

impl Kind for ApprovalFlags {
    fn name(&self) -> &'static str {
        "presight.approval.flags"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(Approved { approval, .. }) = entity else {
            return Vec::new();
        };
        let flags = context
            .decoded
            .flags
            .iter()
            .filter(|flag| call_index(flag) == approval.call_index);
        value(flags).map_or(Vec::new(), |value| {
            Fact::only(context.from_request(&approval.token.chain, value))
        })
    }
}
