//! The structural rules of ERC-8481 §Report.

use super::{Outcome, name_some};
use crate::options::Options;
use presight_wire::report::{ReceivedReport, check};
use presight_wire::{Refusal, Request};

/// Every rule holds. A core kind that is missing for a listed entity is a gap, which the consumer treats as not read
/// (ERC-8481 §Report); any other broken rule makes the report no report.
pub(crate) fn structure(received: &ReceivedReport, request: &Request, options: &Options) -> Outcome {
    let (gaps, broken): (Vec<_>, Vec<_>) = check::check(&received.value, request.kinds.as_deref())
        .into_iter()
        .partition(|r| r.code == check::MISSING_CORE_KIND);
    if !broken.is_empty() {
        return Outcome::fail(name_some(&words(&broken)));
    }
    if !gaps.is_empty() {
        return Outcome::not_read(name_some(&words(&gaps))).optional_if(options.accept_gaps);
    }
    Outcome::pass(None)
}

fn words(refusals: &[Refusal]) -> Vec<String> {
    refusals.iter().map(ToString::to_string).collect()
}
