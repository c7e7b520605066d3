//! The report's blocks against the chains the consumer reads (ERC-8481 §Consuming a report, 2).

use super::{Outcome, name_some, settle, why};
use crate::options::{MAX_REPORT_BLOCKS, Options};
use crate::verify::Pending;
use presight_view::{Block, View};
use presight_wire::Timestamp;
use presight_wire::report::BlockRef;

/// What one entry of `blocks` was found to be.
pub(super) enum Found {
    Good,
    Bad(String),
    NotRead(String),
}

/// No block is older than the consumer's bound.
pub(crate) fn freshness(blocks: &[BlockRef], view: &View<'_>, options: &Options) -> Result<Outcome, Pending> {
    each(blocks, |entry| age(entry, view, options))
}

/// Every hash is the canonical chain's at its block.
pub(crate) fn canonical_hash(blocks: &[BlockRef], view: &View<'_>) -> Result<Outcome, Pending> {
    each(blocks, |entry| canonical(entry, view))
}

/// One entry that is bad fails the step, and otherwise one that is not read leaves it not read.
pub(super) fn each(
    blocks: &[BlockRef],
    check: impl Fn(&BlockRef) -> Result<Found, Pending>,
) -> Result<Outcome, Pending> {
    if blocks.len() > MAX_REPORT_BLOCKS {
        return Ok(Outcome::not_read(format!(
            "{} blocks; MAX_REPORT_BLOCKS is {MAX_REPORT_BLOCKS}",
            blocks.len()
        )));
    }
    // Every entry is asked about before any answer is waited for: one wave.
    let checked: Vec<_> = blocks.iter().map(check).collect();
    let (mut bad, mut not_read) = (Vec::new(), Vec::new());
    for found in checked {
        match found? {
            Found::Good => {}
            Found::Bad(why) => bad.push(why),
            Found::NotRead(why) => not_read.push(why),
        }
    }
    Ok(if !bad.is_empty() {
        Outcome::fail(name_some(&bad))
    } else if !not_read.is_empty() {
        Outcome::not_read(name_some(&not_read))
    } else {
        Outcome::pass(None)
    })
}

fn age(entry: &BlockRef, view: &View<'_>, options: &Options) -> Result<Found, Pending> {
    let BlockRef { chain, block, .. } = entry;
    let head = match settle(view.block(chain))? {
        Ok(head) => head,
        Err(not_read) => {
            return Ok(Found::NotRead(format!(
                "the block of {chain} is not read: {}",
                why(&not_read)
            )));
        }
    };
    let Some(age) = head.number.checked_sub(*block) else {
        return Ok(Found::NotRead(ahead(entry, head.number)));
    };
    let (max_blocks, max_seconds) = options.max_age(chain);
    if age > max_blocks {
        return Ok(Found::Bad(format!(
            "block {block} of {chain} is {age} blocks old; the bound is {max_blocks}"
        )));
    }
    match max_seconds {
        None => Ok(Found::Good),
        Some(max) => age_in_time(entry, head, max, view),
    }
}

/// By the block's own timestamp; the view's own block, which is no older, may settle it before.
fn age_in_time(entry: &BlockRef, head: &Block, max: u64, view: &View<'_>) -> Result<Found, Pending> {
    let BlockRef { chain, block, .. } = entry;
    let least = age_seconds(head.timestamp, view.clock());
    if least > max {
        return Ok(Found::Bad(format!(
            "block {block} of {chain} is at least {least} s old; the bound is {max} s"
        )));
    }
    Ok(match settle(view.header(chain, *block))? {
        Ok(found) => {
            let seconds = age_seconds(found.timestamp, view.clock());
            if seconds > max {
                Found::Bad(format!(
                    "block {block} of {chain} is {seconds} s old; the bound is {max} s"
                ))
            } else {
                Found::Good
            }
        }
        Err(not_read) => Found::NotRead(format!(
            "the time of block {block} of {chain} is not read: {}",
            why(&not_read)
        )),
    })
}

fn canonical(entry: &BlockRef, view: &View<'_>) -> Result<Found, Pending> {
    let BlockRef { chain, block, hash } = entry;
    let canonical = settle(view.block(chain))?.map(|head| head.number);
    if let Ok(head) = canonical
        && head < *block
    {
        return Ok(Found::NotRead(ahead(entry, head)));
    }
    Ok(match settle(view.block_hash(chain, *block))? {
        Ok(canonical) if canonical == *hash => Found::Good,
        Ok(canonical) => Found::Bad(format!(
            "block {block} of {chain} has hash {canonical}, the report says {hash}: reorganised away"
        )),
        Err(not_read) => Found::NotRead(format!(
            "the hash of block {block} of {chain} is not read: {}",
            why(&not_read)
        )),
    })
}

/// Seconds from a block's time to the clock; 0 when the time lies ahead.
fn age_seconds(time: u64, clock: Timestamp) -> u64 {
    u64::try_from(clock.0).map_or(0, |clock| clock.saturating_sub(time))
}

fn ahead(entry: &BlockRef, head: u64) -> String {
    format!(
        "block {} of {} is ahead of our own view, at block {head}",
        entry.block, entry.chain
    )
}
