//! What verification found, step by step.

use crate::replay::{Confirmation, Place, Replay, ReplayConclusion};
use crate::steps::{Outcome, name_some};
use alloy_primitives::B256;
use presight_wire::report::{Entities, ReceivedReport};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// How one step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Checked, and it holds.
    Pass,
    /// Checked, and it does not hold.
    Fail,
    /// What it takes to check it was not to be had.
    NotRead,
}

impl Status {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::NotRead => "not-read",
        }
    }
}

/// One step of verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Stable, kebab-case.
    pub name: &'static str,
    /// How it ended.
    pub status: Status,
    /// Whether the conclusion needs it to pass. A step that fails rejects the report either way.
    pub required: bool,
    /// What was compared, or what stopped it. Strings of the report in it are data.
    pub detail: Option<String>,
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("step", self.name)?;
        m.serialize_entry("status", self.status.as_str())?;
        if !self.required {
            m.serialize_entry("required", &false)?;
        }
        if let Some(detail) = &self.detail {
            m.serialize_entry("detail", detail)?;
        }
        m.end()
    }
}

/// What the steps add up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Conclusion {
    /// Every required step passed and none failed.
    Verified,
    /// A step failed: the report is unsigned, about another request, or unusable, and is treated as absent.
    Rejected,
    /// No step failed, and a required one was not read. The report is treated as absent.
    NotVerifiable,
}

impl Conclusion {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Rejected => "rejected",
            Self::NotVerifiable => "not-verifiable",
        }
    }

    pub(crate) fn of(steps: &[Step]) -> Self {
        if steps.iter().any(|s| s.status == Status::Fail) {
            Self::Rejected
        } else if steps.iter().any(|s| s.required && s.status != Status::Pass) {
            Self::NotVerifiable
        } else {
            Self::Verified
        }
    }
}

/// Every step and what they add up to.
#[derive(Debug, Clone)]
pub struct Verification {
    steps: Vec<Step>,
    report_hash: B256,
    unlisted: Entities,
    report: Option<ReceivedReport>,
    confirmations: Option<Vec<Confirmation>>,
}

impl Verification {
    pub(crate) fn new(
        steps: Vec<Step>,
        report_hash: B256,
        unlisted: Entities,
        report: Option<ReceivedReport>,
    ) -> Self {
        Self {
            steps,
            report_hash,
            unlisted,
            report,
            confirmations: None,
        }
    }

    /// With what recomputing the report from its witness gave, as the step `replay`. A difference rejects the report;
    /// what cannot be recomputed here, such as a report made by another method, leaves the conclusion as it is.
    ///
    /// The witness is its sender's word as far as its proofs do not show it.
    #[must_use]
    pub fn with_replay(mut self, replay: &Replay) -> Self {
        let findings = self
            .report
            .as_ref()
            .map_or(0, |received| received.report.findings.len());
        let confirmations = replay.confirmations(findings);
        self.steps.push(step_of(replay, &confirmations));
        self.confirmations = Some(confirmations);
        self
    }

    /// What a witness says of each finding, in their order, when one was given.
    pub fn confirmations(&self) -> Option<&[Confirmation]> {
        self.confirmations.as_deref()
    }

    /// The steps, in the order they are done.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step with this name.
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|s| s.name == name)
    }

    /// What the steps add up to.
    pub fn conclusion(&self) -> Conclusion {
        match self.report {
            None => Conclusion::Rejected,
            Some(_) => Conclusion::of(&self.steps),
        }
    }

    /// `reportHash`, recomputed from the report as received.
    pub fn report_hash(&self) -> B256 {
        self.report_hash
    }

    /// Entities our own decoding finds and the report does not list: not read (ERC-8481 §Entities).
    pub fn unlisted(&self) -> &Entities {
        &self.unlisted
    }

    /// The report, when the conclusion is [`Conclusion::Verified`]; nothing otherwise.
    pub fn into_verified(self) -> Option<VerifiedReport> {
        match self.conclusion() {
            Conclusion::Verified => self.report.map(|report| VerifiedReport {
                report,
                hash: self.report_hash,
                unlisted: self.unlisted,
            }),
            Conclusion::Rejected | Conclusion::NotVerifiable => None,
        }
    }
}

impl Serialize for Verification {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("conclusion", self.conclusion().as_str())?;
        m.serialize_entry("reportHash", &self.report_hash)?;
        m.serialize_entry("steps", &self.steps)?;
        if self.unlisted != Entities::default() {
            m.serialize_entry("unlisted", &self.unlisted.to_value())?;
        }
        if let Some(confirmations) = &self.confirmations {
            let words: Vec<_> = confirmations
                .iter()
                .map(|confirmation| confirmation.as_str())
                .collect();
            m.serialize_entry("findings", &words)?;
        }
        m.end()
    }
}

fn step_of(replay: &Replay, confirmations: &[Confirmation]) -> Step {
    let different: Vec<String> = replay
        .differences
        .iter()
        .filter(|difference| !difference.gap)
        .map(|difference| match &difference.place {
            Place::Finding(index) => format!("findings/{index}"),
            Place::Member(name) => name.escape_debug().to_string(),
        })
        .collect();
    let confirmed = confirmations
        .iter()
        .filter(|c| **c == Confirmation::Confirmed)
        .count();
    let counts = format!(
        "{confirmed} of {} findings come out the same; proofs: {}",
        confirmations.len(),
        replay.proofs_word()
    );
    let outcome = match replay.conclusion {
        _ if replay.is_of_invalid_proofs() => {
            let problems = name_some(&replay.problems);
            Outcome::fail(format!(
                "the witness contradicts its proofs: {problems}; {counts}"
            ))
        }
        ReplayConclusion::Different => {
            Outcome::fail(format!("{counts}; different: {}", name_some(&different)))
        }
        ReplayConclusion::Same => Outcome::pass(counts),
        ReplayConclusion::NotRecomputable => {
            let problems = name_some(&replay.problems);
            Outcome::not_read(format!("{counts}; {problems}")).optional_if(true)
        }
    };
    outcome.named("replay")
}

/// A report every required step of verification passed for. Only [`Verification::into_verified`] makes one.
#[derive(Debug, Clone)]
pub struct VerifiedReport {
    report: ReceivedReport,
    hash: B256,
    unlisted: Entities,
}

impl VerifiedReport {
    /// The report. Its strings are data, never instructions (ERC-8481 §Consuming a report).
    pub fn report(&self) -> &ReceivedReport {
        &self.report
    }

    /// Its `reportHash`.
    pub fn hash(&self) -> B256 {
        self.hash
    }

    /// Entities the report does not list: to be treated as not read.
    pub fn unlisted(&self) -> &Entities {
        &self.unlisted
    }
}
