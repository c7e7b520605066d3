//! `presight.permit.other-owner`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_decode::{Amount, ForeignPermit};
use presight_wire::kinds::Group;
use presight_wire::report::{AddressEntity, Role};
use serde_json::{Value, json};

/// A permit of another owner that the request submits as a call (I-38): `{ owner, token, amount, callIndex }`, the
/// amount in base units or `"all"`. `param` is `{ index }`, the position among such permits of the request.
///
/// Reads: the request's bytes.
#[derive(Debug)]
pub struct OtherOwner;

impl Kind for OtherOwner {
    fn name(&self) -> &'static str {
        "presight.permit.other-owner"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(address) = entity else {
            return Vec::new();
        };
        let permits = context.decoded.foreign_permits.iter().enumerate();
        permits
            .filter(|(_, permit)| lets(permit, address, context))
            .map(|(index, permit)| Fact {
                param: Some(json!({ "index": index })),
                reading: context.from_request(context.chain(), value(permit)),
            })
            .collect()
    }
}

fn lets(permit: &ForeignPermit, entity: &AddressEntity, context: &Context<'_>) -> bool {
    entity.role == Role::Spender
        && entity.address.chain == *context.chain()
        && entity.address.address == permit.spender
}

fn value(permit: &ForeignPermit) -> Value {
    json!({
        "owner": format!("{:#x}", permit.owner),
        "token": format!("{:#x}", permit.token),
        "amount": match permit.grant.amount {
            Amount::All => "all".to_owned(),
            Amount::Units { value, .. } => value.to_string(),
        },
        "callIndex": permit.call_index,
    })
}
