//! What the addresses did before: read from the view's history, never from a node's word about "latest".
//!
//! A history that does not reach far enough is not read, `incomplete`, whatever it holds: a record that is missing can
//! change every one of these values.

pub mod authorizations;
pub mod first_seen;
pub mod lookalike;
pub mod prior_transfers;

use crate::context::Context;
use presight_view::Lookup;
use presight_view::history::{Record, Records, Transfer};
use presight_wire::{AccountId, At, ChainId, Evidence, NotRead, Reason};

/// Records that a finding names as its evidence.
const MAX_NAMED_RECORDS: usize = 16;

/// The records, when they reach back to this block.
fn reaching<'a, T: Record>(records: Records<'a, T>, since: u64, at: &At) -> Lookup<Records<'a, T>> {
    let reach = records.reach();
    if reach.covers(since) {
        return Ok(records);
    }
    let note = match reach.from_block {
        _ if !reach.complete => "the history is not complete".to_owned(),
        Some(first) => format!("the history starts at block {first}, not at block {since}"),
        None => "the history does not say at which block it starts".to_owned(),
    };
    Err(NotRead::new(Reason::Incomplete)
        .holding_at(at.clone())
        .with_note(note)
        .into())
}

/// All that an address did and received.
fn whole<'a>(context: &Context<'a>, account: &AccountId, at: &At) -> Lookup<Records<'a, Transfer>> {
    reaching(context.view.history(&account.chain, account.address)?, 0, at)
}

/// All that the signer did and received, on the chain it signs for. On another chain its address can be another's.
fn of_signer<'a>(context: &Context<'a>, account: &AccountId, at: &At) -> Lookup<Records<'a, Transfer>> {
    if account.chain != *context.chain() {
        let note = format!("the signer is an account of {}", context.chain());
        return Err(NotRead::new(Reason::Unsupported)
            .holding_at(at.clone())
            .with_note(note)
            .into());
    }
    whole(context, context.request.signer(), at)
}

/// The record as evidence: its event, or its transaction.
fn named(chain: &ChainId, record: &Transfer) -> Evidence {
    match record.log_index {
        Some(log_index) if record.kind.is_token() => Evidence::Log {
            chain: chain.clone(),
            tx: record.tx,
            log_index,
        },
        _ => Evidence::Tx {
            chain: chain.clone(),
            hash: record.tx,
        },
    }
}

/// The first of these as evidence, each once.
fn first_named(evidence: impl Iterator<Item = Evidence>) -> Vec<Evidence> {
    let mut named = Vec::new();
    for one in evidence {
        if named.len() == MAX_NAMED_RECORDS {
            break;
        }
        if !named.contains(&one) {
            named.push(one);
        }
    }
    named
}
