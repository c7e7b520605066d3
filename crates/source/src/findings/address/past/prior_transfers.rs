//! `erc.presign.address.prior-transfers`

use super::{first_named, named, of_signer};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::Address;
use presight_exec::reads;
use presight_view::Lookup;
use presight_view::history::{Transfer, TransferKind};
use presight_wire::kinds::Group;
use presight_wire::{AccountId, At, NotRead, Read, Reason};
use serde_json::Value;

/// The transactions that the signer sent to the address and the token transfers it made to it, in blocks before the
/// report's, as a decimal string. A transfer counts when it moved something and the signer really made it (I-28): anyone can
/// emit a zero-value or counterfeit `Transfer` from the signer.
#[derive(Debug)]
pub struct PriorTransfers;

impl Kind for PriorTransfers {
    fn name(&self) -> &'static str {
        "erc.presign.address.prior-transfers"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(entity) = entity else {
            return Vec::new();
        };
        Fact::only(count(context, &entity.address))
    }
}

fn count(context: &Context<'_>, account: &AccountId) -> Lookup<Read<Value>> {
    let at = context.at(&account.chain)?;
    let records = of_signer(context, account, &at)?;
    let signer = context.signer();
    let mut made = Vec::new();
    let mut by_others = 0_usize;
    for record in records.iter() {
        let to_account = record.from == signer && record.to == Some(account.address);
        if !to_account || record.block >= at.block {
            continue;
        }
        match maker(record, signer) {
            Maker::Signer => made.push(record),
            Maker::Nobody => {}
            Maker::Another => by_others += 1,
            Maker::Unknown(what) => return Err(incomplete(&at, what)),
        }
    }
    let mut note = format!("{} of the signer's records are transfers to it", made.len());
    if by_others > 0 {
        let code = reads::code(context.view, &account.chain, signer)?;
        if !code.value().is_empty() {
            let what =
                "the signer has code, and which transfers in transactions of others it made is not known";
            return Err(incomplete(&at, what));
        }
        note = format!("{note}; {by_others} in transactions of others do not count");
    }
    let count = made.len().to_string().into();
    let evidence = made.into_iter().map(|record| named(&account.chain, record));
    Ok(Read::from_history(count, at, first_named(evidence)).with_note(note))
}

/// Who made what a record says the signer made.
enum Maker {
    Signer,
    /// It moved nothing.
    Nobody,
    /// Another's transaction did: its own doing, or, for a signer with code, the signer's.
    Another,
    Unknown(&'static str),
}

fn maker(record: &Transfer, signer: Address) -> Maker {
    match (record.kind, record.value, record.sender) {
        (TransferKind::Transaction, ..) => Maker::Signer,
        // Neither a transaction nor a token transfer.
        (TransferKind::Internal | TransferKind::Create, ..) => Maker::Nobody,
        (_, Some(value), _) if value.is_zero() => Maker::Nobody,
        (_, None, _) => Maker::Unknown("the value of a transfer is not known"),
        (_, _, None) => Maker::Unknown("who sent the transaction of a transfer is not known"),
        (_, _, Some(sender)) if sender == signer => Maker::Signer,
        _ => Maker::Another,
    }
}

fn incomplete(at: &At, what: &str) -> presight_view::Unread {
    NotRead::new(Reason::Incomplete)
        .holding_at(at.clone())
        .with_note(what)
        .into()
}
