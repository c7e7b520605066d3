//! `erc.presign.approval.unlimited`

use super::{Argument, argument};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_decode::Amount;
use presight_wire::kinds::Group;
use serde_json::Value;

/// `true` when the amount is exactly the maximum of its type or the approval is an approval for all; `false` for
/// an ERC-721 item (I-23, I-36).
#[derive(Debug)]
pub struct Unlimited;

impl Kind for Unlimited {
    fn name(&self) -> &'static str {
        "erc.presign.approval.unlimited"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        // An argument below the maximum is no unlimited amount and no unlimited item either: nothing to read.
        if matches!(approved.grant.amount, Amount::Units { value, max } if value != max) {
            return Fact::only(context.granted(approved, Value::from(false)));
        }
        Fact::only(
            argument(context, approved)
                .map(|read| read.map(|a| Value::from(matches!(a, Argument::Amount(_))))),
        )
    }
}
