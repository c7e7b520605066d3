//! `erc.presign.address.first-seen-block` and `presight.address.never-seen`

use super::{named, whole};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::Address;
use presight_view::history::{Transfer, TransferKind};
use presight_view::{Lookup, Unread};
use presight_wire::kinds::Group;
use presight_wire::{AccountId, NotRead, Read, Reason};

/// The first block, up to and including the report's, in which the address sent a transaction, received native value or a
/// token transfer, or had code deployed (I-29). A decimal string.
#[derive(Debug)]
pub struct FirstSeenBlock;

/// `true`: the whole history up to the block has no appearance of the address, which is why `first-seen-block` is not
/// read (I-29). Listed only then.
#[derive(Debug)]
pub struct NeverSeen;

impl Kind for FirstSeenBlock {
    fn name(&self) -> &'static str {
        "erc.presign.address.first-seen-block"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(entity) = entity else {
            return Vec::new();
        };
        let first = first_seen(context, &entity.address).and_then(|first| {
            let never = |at| {
                NotRead::new(Reason::Unavailable)
                    .holding_at(at)
                    .with_note("the whole history has no appearance of the address")
            };
            match first {
                Appearance::At(block) => Ok(block.map(|block| block.to_string().into())),
                Appearance::Never(read) => Err(read
                    .at()
                    .cloned()
                    .map_or(Reason::Unavailable.into(), |at| never(at).into())),
            }
        });
        Fact::only(first)
    }
}

impl Kind for NeverSeen {
    fn name(&self) -> &'static str {
        "presight.address.never-seen"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(entity) = entity else {
            return Vec::new();
        };
        match first_seen(context, &entity.address) {
            Ok(Appearance::Never(read)) => Fact::only(Ok(read.map(|()| true.into()))),
            Err(Unread::Pending) => Fact::only(Err(Unread::Pending)),
            Ok(Appearance::At(_)) | Err(Unread::NotRead(_)) => Vec::new(),
        }
    }
}

/// What a whole history says of an address.
enum Appearance {
    /// It first appears in this block.
    At(Read<u64>),
    /// It does not appear.
    Never(Read<()>),
}

fn first_seen(context: &Context<'_>, account: &AccountId) -> Lookup<Appearance> {
    let at = context.at(&account.chain)?;
    let records = whole(context, account, &at)?;
    for record in records.iter() {
        match appears(record, account.address) {
            Some(true) => {
                let evidence = vec![named(&account.chain, record)];
                return Ok(Appearance::At(Read::from_history(record.block, at, evidence)));
            }
            Some(false) => {}
            None => {
                let note = format!(
                    "the history does not say what was received in block {}",
                    record.block
                );
                return Err(NotRead::new(Reason::Incomplete)
                    .holding_at(at)
                    .with_note(note)
                    .into());
            }
        }
    }
    Ok(Appearance::Never(Read::from_history((), at, Vec::new())))
}

/// Whether the record is an appearance of the address; `None` when that is not known. Being named as the giver of a token
/// transfer is none: anyone can emit that event.
fn appears(record: &Transfer, address: Address) -> Option<bool> {
    // A creation in a transaction that the history does not list besides is that transaction.
    let creates = record.kind == TransferKind::Create && record.sender.is_none() && record.from == address;
    if creates || record.sender == Some(address) {
        return Some(true);
    }
    if record.to != Some(address) {
        return Some(false);
    }
    match record.kind {
        TransferKind::Transaction | TransferKind::Internal => record.value.map(|value| !value.is_zero()),
        TransferKind::Erc20 | TransferKind::Erc721 | TransferKind::Erc1155 | TransferKind::Create => {
            Some(true)
        }
    }
}
