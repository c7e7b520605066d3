//! `erc.presign.address.code`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::delegation::AccountCode;
use presight_wire::kinds::Group;
use serde_json::Value;

/// `"none"`, `"contract"`, or `"delegated"` (EIP-7702), as the code is once the request's authorization list has
/// been applied. The evidence is the account's code at the block (I-16).
#[derive(Debug)]
pub struct Code;

impl Kind for Code {
    fn name(&self) -> &'static str {
        "erc.presign.address.code"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(address) = entity else {
            return Vec::new();
        };
        Fact::only(context.code_after(&address.address).map(|code| {
            code.map(|code| {
                Value::from(match code {
                    AccountCode::None => "none",
                    AccountCode::Contract => "contract",
                    AccountCode::Delegated(_) => "delegated",
                })
            })
        }))
    }
}
