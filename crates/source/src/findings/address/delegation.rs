//! `erc.presign.address.delegation`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::Address;
use presight_wire::kinds::Group;
use presight_wire::report::Role;
use serde_json::{Value, json};

/// For an authority of the authorization list: `{ before, after }`, the delegate the account points to at the
/// block and after the list, each an address or `null`. The note names applied and skipped tuples (I-27).
#[derive(Debug)]
pub struct Delegation;

impl Kind for Delegation {
    fn name(&self) -> &'static str {
        "erc.presign.address.delegation"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(address) = entity else {
            return Vec::new();
        };
        if address.role != Role::Authority {
            return Vec::new();
        }
        Fact::only(
            context.delegation(address.address.address).map(|read| {
                read.map(|d| json!({ "before": delegate(d.before), "after": delegate(d.after) }))
            }),
        )
    }
}

fn delegate(address: Option<Address>) -> Value {
    address.map_or(Value::Null, |a| Value::from(format!("{a:#x}")))
}
