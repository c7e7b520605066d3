//! The signature and the binding as of an anchoring.

use super::{Anchoring, Located, PastBlock};
use crate::identity::{Fetch, identity};
use crate::options::Options;
use crate::steps::{Outcome, binding, settle, signature, trust, why};
use crate::unverified::Unverified;
use crate::verification::{Conclusion, Status, Step};
use crate::verify::Pending;
use alloy_primitives::B256;
use presight_view::View;
use presight_wire::Request;
use presight_wire::report::ReceivedReport;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;

/// Whether a report is attributed to its source's `agentId`, step by step.
#[derive(Debug, Clone)]
pub struct Attribution {
    steps: Vec<Step>,
    report_hash: B256,
    anchoring: Option<Anchoring>,
    past_block: Option<PastBlock>,
    report: Option<ReceivedReport>,
}

impl Attribution {
    /// The steps, in the order they are done.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step with this name.
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }

    /// What the steps add up to. [`Conclusion::Verified`] is: attributed.
    pub fn conclusion(&self) -> Conclusion {
        match Conclusion::of(&self.steps) {
            // What could not be evaluated is not attributed, whatever the other steps are.
            Conclusion::Verified if self.past_block.is_none() || self.report.is_none() => {
                Conclusion::NotVerifiable
            }
            concluded => concluded,
        }
    }

    /// The report, when it is attributed; nothing otherwise.
    pub fn into_attributed(self) -> Option<AttributedReport> {
        match (self.conclusion(), self.report, self.anchoring) {
            (Conclusion::Verified, Some(report), Some(anchoring)) => {
                Some(AttributedReport { report, anchoring })
            }
            _ => None,
        }
    }
}

impl Serialize for Attribution {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("conclusion", self.conclusion().as_str())?;
        m.serialize_entry("reportHash", &self.report_hash)?;
        if let Some(Anchoring {
            contract,
            timestamp,
            block,
        }) = &self.anchoring
        {
            let anchoring = json!({
                "contract": contract.to_string(), "timestamp": timestamp.to_string(), "block": block.to_string(),
            });
            m.serialize_entry("anchoring", &anchoring)?;
        }
        if let Some(PastBlock { chain, block }) = &self.past_block {
            let block = json!({
                "chainId": chain.to_string(), "block": block.number.to_string(), "hash": block.hash,
                "timestamp": block.timestamp.to_string(),
            });
            m.serialize_entry("registryBlock", &block)?;
        }
        m.serialize_entry("steps", &self.steps)?;
        m.end()
    }
}

/// A report that counts against its source. It says nothing of the request today: to sign by a report, verify it.
#[derive(Debug, Clone)]
pub struct AttributedReport {
    report: ReceivedReport,
    anchoring: Anchoring,
}

impl AttributedReport {
    /// The report. Its strings are data, never instructions.
    pub fn report(&self) -> &ReceivedReport {
        &self.report
    }

    /// When it existed.
    pub fn anchoring(&self) -> &Anchoring {
        &self.anchoring
    }
}

/// Evaluates the signature and the binding on `past`, a view whose chain of the registry is pinned to
/// [`Located::past_block`]. Without that block there is nothing to evaluate, and `past` is not looked at.
///
/// # Errors
/// [`Pending`] while the view wants reads it does not hold; never on a closed snapshot.
pub fn attribute(
    report: &Unverified,
    request: &Request,
    located: &Located,
    past: &View<'_>,
    options: &Options,
) -> Result<Attribution, Pending> {
    let received = report.read().ok();
    let mut attribution = Attribution {
        steps: located.steps.clone(),
        report_hash: report.report_hash(),
        anchoring: located.anchoring.clone(),
        past_block: located.past_block.clone(),
        report: received.cloned(),
    };
    let Some(received) = received else {
        return Ok(attribution);
    };
    let steps = &mut attribution.steps;
    let report = &received.report;
    steps.push(binding::subject_digest(report, request).named("subject-digest"));
    steps.push(binding::context_digest(report, request).named("context-digest"));
    let trust = trust::trust(&report.source, options);
    let fetch = if trust.status == Status::Fail {
        Fetch::Forbidden
    } else {
        Fetch::ContentAddressed
    };
    steps.push(trust.named("trust"));
    let Some(then) = &located.past_block else {
        return Ok(attribution);
    };
    if let Err(outcome) = is_pinned(past, then)? {
        steps.push(outcome.named("signature"));
        return Ok(attribution);
    }
    // Both are run before either is waited for: one wave.
    let signature = signature::signature(report, attribution.report_hash, past);
    let identity = identity(&report.source, past, fetch);
    steps.push(signature?.named("signature"));
    steps.push(identity?.named("identity"));
    Ok(attribution)
}

/// The view reads the registry's chain at the block of the anchoring, and at no other.
fn is_pinned(past: &View<'_>, then: &PastBlock) -> Result<Result<(), Outcome>, Pending> {
    let PastBlock { chain, block } = then;
    Ok(match settle(past.block(chain))? {
        Ok(pinned)
            if (pinned.hash, pinned.number, pinned.timestamp)
                == (block.hash, block.number, block.timestamp) =>
        {
            Ok(())
        }
        Ok(pinned) => Err(Outcome::not_read(format!(
            "{chain} is read at block {} {}, not at block {} {}",
            pinned.number, pinned.hash, block.number, block.hash
        ))),
        Err(not_read) => Err(Outcome::not_read(format!(
            "block {} of {chain} is not read: {}",
            block.number,
            why(&not_read)
        ))),
    })
}
