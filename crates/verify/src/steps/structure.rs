//! The structural rules of ERC-8481 §Report.

use super::{Outcome, name_some};
use crate::options::Options;
use presight_wire::report::{ReceivedReport, check};
use presight_wire::{Refusal, Request};

/// The checker's code for a core kind that is missing for a listed entity. The consumer treats such a kind as not
/// read (ERC-8481 §Report); every other broken rule makes the report no report.
const MISSING_KIND: &str = "missing-core-kind";

pub(crate) fn structure(received: &ReceivedReport, request: &Request, options: &Options) -> Outcome {
    let (gaps, broken): (Vec<_>, Vec<_>) = check::check(&received.value, request.kinds.as_deref())
        .into_iter()
        .partition(|r| r.code == MISSING_KIND);
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
