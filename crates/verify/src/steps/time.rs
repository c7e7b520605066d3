//! The report's own times against the consumer's clock.

use super::Outcome;
use crate::options::{MAX_CLOCK_SKEW_SECONDS, Options};
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
