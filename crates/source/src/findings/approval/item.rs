//! `presight.approval.item`

use super::{Argument, argument};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::U256;
use presight_exec::reads;
use presight_view::Lookup;
use presight_wire::Read;
use presight_wire::kinds::Group;
use presight_wire::report::{Approval, Form};
use serde_json::{Value, json};

/// For `approve` on a contract that is an ERC-721 at the block: `{ tokenId, approved }`, the item the spender is
/// approved for, and whether it is already (I-36). Omitted for every other approval.
#[derive(Debug)]
pub struct Item;

impl Kind for Item {
    fn name(&self) -> &'static str {
        "presight.approval.item"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        let approval = approved.approval;
        if approval.form != Form::Erc20Approve {
            return Vec::new();
        }
        match argument(context, approved) {
            Ok(read) => match *read.value() {
                Argument::Item(id) => Fact::only(item(context, approval, id)),
                Argument::Amount(_) => Vec::new(),
            },
            // Whether it is an item was not read: neither was the item (I-13).
            Err(unread) => Fact::only(Err(unread)),
        }
    }
}

fn item(context: &Context<'_>, approval: &Approval, id: U256) -> Lookup<Read<Value>> {
    let approved = reads::get_approved(context.view, &approval.token.chain, approval.token.address, id)?;
    let spender = approval.spender.address;
    Ok(approved.map(|approved| json!({ "tokenId": id.to_string(), "approved": approved == spender })))
}
