//! `presight.address.flags`

use super::{call_index, value};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::kinds::Group;
use presight_wire::report::Role;

/// What is odd about the calls to a target: `[{ code, pointer }]`. Omitted when nothing is.
///
/// Reads: the request's bytes.
#[derive(Debug)]
pub struct AddressFlags;

impl Kind for AddressFlags {
    fn name(&self) -> &'static str {
        "presight.address.flags"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(address) = entity else {
            return Vec::new();
        };
        if address.role != Role::Target || address.address.chain != *context.chain() {
            return Vec::new();
        }
        let calls = &context.decoded.calls;
        let flags = context.decoded.flags.iter().filter(|flag| {
            let call = call_index(flag).and_then(|index| calls.get(index));
            call.is_some_and(|call| call.to == address.address.address)
        });
        value(flags).map_or(Vec::new(), |value| {
            Fact::only(context.from_request(context.chain(), value))
        })
    }
}
