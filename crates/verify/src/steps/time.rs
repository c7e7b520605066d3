//! The report's own times against the consumer's clock and the chains.

use super::blocks::{Found, each};
use super::{Outcome, settle, why};
use crate::options::{MAX_CLOCK_SKEW_SECONDS, Options};
use crate::verification::Status;
use crate::verify::Pending;
use presight_view::View;
use presight_wire::report::BlockRef;
use presight_wire::{Report, Timestamp};

/// `issuedAt` is not ahead of the clock and not older than the consumer's bound; `expiresAt` has not come.
pub(crate) fn expiry(report: &Report, clock: Timestamp, options: &Options) -> Outcome {
    let issued = report.issued_at;
    if issued.0 > clock.0.saturating_add(MAX_CLOCK_SKEW_SECONDS) {
        return Outcome::fail(format!(
            "issued at {issued}, more than {MAX_CLOCK_SKEW_SECONDS} s ahead of the clock, {clock}"
        ));
    }
    if let Some(expires) = report.expires_at.filter(|expires| *expires <= clock) {
        return Outcome::fail(format!("expired at {expires}; the clock is {clock}"));
    }
    if let Some(max) = options.max_age_seconds {
        let age = clock.0.saturating_sub(issued.0).max(0).unsigned_abs();
        if age > max {
            return Outcome::fail(format!("issued {age} s ago; the bound is {max} s"));
        }
    }
    Outcome::pass(None)
}

/// No block that findings hold at was made after `issuedAt`: nobody reads a block that is not there yet. The
/// conclusion does not wait for a block whose time is not read.
pub(crate) fn issued_after_blocks(report: &Report, view: &View<'_>) -> Result<Outcome, Pending> {
    let issued = report.issued_at;
    let latest = issued.0.saturating_add(MAX_CLOCK_SKEW_SECONDS);
    let checked = each(&report.blocks, |BlockRef { chain, block, .. }| {
        Ok(match settle(view.header(chain, *block))? {
            Ok(found) if i64::try_from(found.timestamp).is_ok_and(|time| time <= latest) => Found::Good,
            Ok(found) => Found::Bad(format!(
                "issued at {issued}, more than {MAX_CLOCK_SKEW_SECONDS} s before block {block} of {chain}, made at {}",
                found.timestamp
            )),
            Err(not_read) => Found::NotRead(format!(
                "the time of block {block} of {chain} is not read: {}",
                why(&not_read)
            )),
        })
    })?;
    let not_read = checked.status == Status::NotRead;
    Ok(checked.optional_if(not_read))
}
