//! The report's blocks against the chains the consumer reads (ERC-8481 §Consuming a report, 2).

use super::time::age_seconds;
use super::{Outcome, name_some, settle, why};
use crate::options::{MAX_REPORT_BLOCKS, Options};
use crate::verify::Pending;
use presight_view::View;
use presight_wire::report::BlockRef;

/// What one entry of `blocks` was found to be.
enum Found {
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

fn each(
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
    if age > options.max_age_blocks {
        return Ok(Found::Bad(format!(
            "block {block} of {chain} is {age} blocks old; the bound is {}",
            options.max_age_blocks
        )));
    }
    // The report's block is no younger than the view's own.
    if let (Some(max), Ok(time)) = (options.max_age_seconds, i64::try_from(head.timestamp)) {
        let seconds = age_seconds(time, view.clock());
        if seconds > max {
            return Ok(Found::Bad(format!(
                "block {block} of {chain} is at least {seconds} s old; the bound is {max} s"
            )));
        }
    }
    Ok(Found::Good)
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

fn ahead(entry: &BlockRef, head: u64) -> String {
    format!(
        "block {} of {} is ahead of our own view, at block {head}",
        entry.block, entry.chain
    )
}
