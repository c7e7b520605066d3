//! The report is about this very request (ERC-8481 §Binding): digests, chain and signer come from the consumer's
//! own request, never from the report.

use super::Outcome;
use presight_wire::{Report, Request};

pub(crate) fn subject_digest(report: &Report, request: &Request) -> Outcome {
    Outcome::equal("subjectDigest", &report.subject_digest, &request.subject_digest())
}

pub(crate) fn context_digest(report: &Report, request: &Request) -> Outcome {
    Outcome::equal("contextDigest", &report.context_digest, &request.context_digest())
}

pub(crate) fn chain(report: &Report, request: &Request) -> Outcome {
    Outcome::equal("chain", &report.chain, request.chain())
}

pub(crate) fn signer(report: &Report, request: &Request) -> Outcome {
    Outcome::equal("signer", &report.signer, request.signer())
}
