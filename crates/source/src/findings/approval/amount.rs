//! `erc.presign.approval.amount`

use super::amount;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_decode::Amount as Granted;
use presight_wire::kinds::Group;
use serde_json::Value;

/// The amount granted, in base units as a decimal string, or `"all"`; for `increaseAllowance` the added value
/// (I-23).
///
/// Reads: the request's bytes, and for a plain `approve` whether the token is an ERC-721 (I-36).
#[derive(Debug)]
pub struct Amount;

impl Kind for Amount {
    fn name(&self) -> &'static str {
        "erc.presign.approval.amount"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        Fact::only(amount(context, approved).map(|read| {
            read.map(|granted| match granted {
                Granted::All => Value::from("all"),
                Granted::Units { value, .. } => Value::from(value.to_string()),
            })
        }))
    }
}
