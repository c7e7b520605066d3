//! Reports that came inside an envelope (ERC-8481 §Use in a Prepared Transaction Envelope).
//!
//! Whoever attached a report chose its source. Each is verified like any other, and none is the consumer's own: it
//! concludes verified only when its source is one the consumer chose.

use crate::options::Options;
use crate::unverified::Unverified;
use crate::verification::{Conclusion, Verification};
use crate::verify::{Pending, verify};
use presight_view::View;
use presight_wire::report::Source;
use presight_wire::request::Subject;
use presight_wire::{Refusal, Request};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Reports of one envelope that are verified; an envelope with more is refused.
pub const MAX_ATTACHED_REPORTS: usize = 16;

/// One report of `risk.reports`.
#[derive(Debug, Clone)]
pub struct Attached {
    /// Whom it says it is from, when it is a report at all.
    pub source: Option<Source>,
    /// Whether the consumer chose that source.
    pub chosen: bool,
    /// Its verification.
    pub verification: Verification,
}

impl Serialize for Attached {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("attachedBy", "the envelope's sender")?;
        if let Some(source) = &self.source {
            m.serialize_entry("source", &format!("{}/{}", source.registry, source.agent_id))?;
        }
        m.serialize_entry("chosen", &self.chosen)?;
        m.serialize_entry("verification", &self.verification)?;
        m.end()
    }
}

/// What the conclusions of all attached reports add up to: one that is rejected shows on the envelope, and without any
/// that is verified nothing is.
pub fn conclusion(attached: &[Attached]) -> Conclusion {
    let has = |conclusion| attached.iter().any(|a| a.verification.conclusion() == conclusion);
    if has(Conclusion::Rejected) {
        Conclusion::Rejected
    } else if has(Conclusion::Verified) {
        Conclusion::Verified
    } else {
        Conclusion::NotVerifiable
    }
}

/// The reports in the `risk.reports` of the request's envelope, in their order; none for a request without one.
///
/// # Errors
/// `wrong-type` when `risk.reports` is no array, `too-many` beyond [`MAX_ATTACHED_REPORTS`].
pub fn reports(request: &Request) -> Result<Vec<Unverified>, Refusal> {
    let place = "/risk/reports";
    let reports = match &request.subject {
        Subject::Envelope(subject) => subject.envelope.value().pointer(place),
        Subject::Calls(_) => None,
    };
    let Some(reports) = reports else {
        return Ok(Vec::new());
    };
    let reports = reports
        .as_array()
        .ok_or_else(|| Refusal::new("wrong-type", place, "an array of reports expected"))?;
    if reports.len() > MAX_ATTACHED_REPORTS {
        let message = format!(
            "{} reports; MAX_ATTACHED_REPORTS is {MAX_ATTACHED_REPORTS}",
            reports.len()
        );
        return Err(Refusal::new("too-many", place, message));
    }
    Ok(reports.iter().cloned().map(Unverified::from_value).collect())
}

/// Verifies each attached report against the envelope it came in.
///
/// # Errors
/// [`Pending`] while the view wants reads it does not hold; never on a closed snapshot.
pub fn verify_all(
    reports: &[Unverified],
    request: &Request,
    view: &View<'_>,
    options: &Options,
) -> Result<Vec<Attached>, Pending> {
    let options = Options {
        trust_required: true,
        ..options.clone()
    };
    // Every report is looked at before any is waited for: one wave.
    let verified: Vec<_> = reports
        .iter()
        .map(|report| (report, verify(report, request, view, &options)))
        .collect();
    verified
        .into_iter()
        .map(|(report, verification)| {
            let source = report.read().ok().map(|received| received.report.source.clone());
            let chosen = source.as_ref().is_some_and(|source| {
                let mut named = options.trusted.iter();
                named.any(|trusted| trusted.is_identity_of(source) && trusted.accepts_signer(source))
            });
            Ok(Attached {
                source,
                chosen,
                verification: verification?,
            })
        })
        .collect()
}
