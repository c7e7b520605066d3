//! `presight.approval.owner-balance`

use super::amount;
use crate::context::Context;
use crate::kind::{Approved, Entity, Fact, Kind};
use presight_decode::Amount;
use presight_exec::reads;
use presight_view::Lookup;
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::Value;

/// What the account whose allowance it is holds of the token at the block, in base units as a decimal string: a grant of as
/// much takes everything. Does not apply to an approval for all; not read for an item (I-36).
///
/// Reads: `balanceOf(owner)`, and whether the token is an ERC-721.
#[derive(Debug)]
pub struct OwnerBalance;

impl Kind for OwnerBalance {
    fn name(&self) -> &'static str {
        "presight.approval.owner-balance"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        match approved.grant.amount {
            Amount::All => Vec::new(),
            Amount::Units { .. } => Fact::only(balance(context, approved)),
        }
    }
}

fn balance(context: &Context<'_>, approved: &Approved<'_>) -> Lookup<Read<Value>> {
    // Both are asked for before either may fail, so that one wave fetches what both need.
    let is_amount = amount(context, approved);
    let token = &approved.approval.token;
    let held = reads::balance_of(context.view, &token.chain, token.address, approved.grant.owner);
    let (_, held) = (is_amount?, held?);
    Ok(held.map(|held| Value::from(held.to_string())))
}
