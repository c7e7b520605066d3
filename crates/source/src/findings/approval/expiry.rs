//! `erc.presign.approval.expiry`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_decode::Expiry as Ends;
use presight_view::Lookup;
use presight_wire::kinds::Group;
use presight_wire::{ChainId, Read};
use serde_json::Value;

/// When the allowance itself ends, in Unix seconds, or `"none"`. Not the deadline of the signature that grants it.
///
/// Reads: the request's bytes; for a Permit2 expiration of 0, the block's own timestamp (I-26).
#[derive(Debug)]
pub struct Expiry;

impl Kind for Expiry {
    fn name(&self) -> &'static str {
        "erc.presign.approval.expiry"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        Fact::only(match approved.grant.expiry {
            Ends::Never => context.granted(approved, Value::from("none")),
            Ends::At(seconds) => context.granted(approved, Value::from(seconds)),
            Ends::SameBlock => block_timestamp(context, &approved.approval.token.chain),
        })
    }
}

fn block_timestamp(context: &Context<'_>, chain: &ChainId) -> Lookup<Read<Value>> {
    let timestamp = context.view.block(chain)?.timestamp;
    let at = context.at(chain)?;
    Ok(Read::from_request(Value::from(timestamp))
        .holding_at(at)
        .with_note("expiration 0 means the timestamp of the block: usable in that block only"))
}
