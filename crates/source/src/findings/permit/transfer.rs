//! `presight.permit2.transfer`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_decode::TransferPermit;
use presight_wire::kinds::Group;
use presight_wire::report::{AddressEntity, Role};
use serde_json::{Value, json};

/// What a Permit2 `PermitTransferFrom` signature lets a spender take once (I-21): `{ permit2, token, amount,
/// deadline, to }`, amounts in base units, the deadline of the signature in Unix seconds as a decimal string, `to`
/// the receiver an x402 witness binds or `null` where the spender chooses it. `param` is `{ index }`, the position
/// among the permits of the request.
///
/// Reads: the request's bytes.
#[derive(Debug)]
pub struct Transfer;

impl Kind for Transfer {
    fn name(&self) -> &'static str {
        "presight.permit2.transfer"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(address) = entity else {
            return Vec::new();
        };
        let permits = context.decoded.transfer_permits.iter().enumerate();
        permits
            .filter(|(_, permit)| allows(permit, address))
            .map(|(index, permit)| Fact {
                param: Some(json!({ "index": index })),
                reading: context.from_request(&permit.chain, value(permit)),
            })
            .collect()
    }
}

fn allows(permit: &TransferPermit, entity: &AddressEntity) -> bool {
    entity.role == Role::Spender
        && entity.address.chain == permit.chain
        && entity.address.address == permit.spender
}

fn value(permit: &TransferPermit) -> Value {
    json!({
        "permit2": format!("{:#x}", permit.keeper),
        "token": format!("{:#x}", permit.token),
        "amount": permit.amount.to_string(),
        "deadline": permit.deadline.to_string(),
        "to": permit.witness_to.map(|to| format!("{to:#x}")),
    })
}
