//! The whole consumer side, in the order of ERC-8481 §Consuming a report.

use crate::identity::{Fetch, identity};
use crate::options::Options;
use crate::steps::{Outcome, binding, blocks, entities, request_facts, signature, structure, time, trust};
use crate::unverified::Unverified;
use crate::verification::{Status, Verification};
use presight_decode::decode;
use presight_view::View;
use presight_wire::Request;
use presight_wire::report::Entities;

/// The view does not hold every read yet: fetch its wants and verify again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the view does not hold every read yet")]
pub struct Pending;

/// Verifies a report for a consumer about to sign `request`, on what `view` reads now.
///
/// # Errors
/// [`Pending`] while the view wants reads it does not hold; never on a closed snapshot.
pub fn verify(
    report: &Unverified,
    request: &Request,
    view: &View<'_>,
    options: &Options,
) -> Result<Verification, Pending> {
    let hash = report.report_hash();
    let received = match report.read() {
        Ok(received) => received,
        Err(refusal) => {
            let structure = Outcome::fail(refusal.to_string()).named("structure");
            return Ok(Verification::new(
                vec![structure],
                hash,
                Entities::default(),
                None,
            ));
        }
    };
    let report = &received.report;
    let trust = trust::trust(&report.source, options);
    let chosen = match trust.status {
        Status::Pass => true,
        Status::NotRead => !options.trust_required,
        Status::Fail => false,
    };
    let fetch = if chosen { Fetch::Allowed } else { Fetch::Forbidden };
    // Every step that reads runs before any is waited for, so that one wave fetches what all of them want.
    let signature = signature::signature(report, hash, view);
    let identity = identity(&report.source, view, fetch);
    let freshness = blocks::freshness(&report.blocks, view, options);
    let canonical_hash = blocks::canonical_hash(&report.blocks, view);
    let issued = time::issued_after_blocks(report, view);
    let own = decode(request);
    let (compared, unlisted) = entities::entities(&own, report, options);
    let steps = vec![
        structure::structure(received, request, options).named("structure"),
        binding::subject_digest(report, request).named("subject-digest"),
        binding::context_digest(report, request).named("context-digest"),
        binding::chain(report, request).named("chain"),
        binding::signer(report, request).named("signer"),
        signature?.named("signature"),
        identity?.named("identity"),
        trust.named("trust"),
        compared.named("entities"),
        request_facts::request_facts(report, request, &own).named("request-facts"),
        time::expiry(report, view.clock(), options).named("expiry"),
        freshness?.named("freshness"),
        canonical_hash?.named("canonical-hash"),
        issued?.named("issued-after-blocks"),
    ];
    Ok(Verification::new(steps, hash, unlisted, Some(received.clone())))
}
