//! `presight.approval.keeper`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::{Address, address};
use presight_wire::kinds::Group;
use presight_wire::report::Form;
use serde_json::json;

/// Where Permit2 is deployed on every chain that has it.
const PERMIT2: Address = address!("000000000022D473030F116dDEE9F6B43aC78BA3");

/// For a Permit2 approval: `{ keeper, canonical }`, the contract that keeps the allowance and whether it stands at
/// the usual address of Permit2. Permit2 forms are recognised at any address (I-38).
///
/// Reads: the request's bytes.
#[derive(Debug)]
pub struct Keeper;

impl Kind for Keeper {
    fn name(&self) -> &'static str {
        "presight.approval.keeper"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        let (approval, grant) = (approved.approval, approved.grant);
        if !matches!(approval.form, Form::Permit2Approve | Form::Permit2Permit) || !grant.keeper_named {
            return Vec::new();
        }
        let keeper = grant.keeper;
        Fact::only(context.granted(
            approved,
            json!({ "keeper": format!("{keeper:#x}"), "canonical": keeper == PERMIT2 }),
        ))
    }
}
