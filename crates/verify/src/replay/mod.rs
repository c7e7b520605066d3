//! Recomputing a report from its witness: a report is a pure function of request, view, clock and key.

mod compare;
mod gaps;

use crate::unverified::Unverified;
use gaps::Gaps;
use presight_decode::decode;
use presight_source::Config;
use presight_view::{Proofs, ViewFile};
use presight_wire::report::{ReceivedReport, Report};
use presight_wire::{Refusal, Request};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// Whether the witness gives the report again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplayConclusion {
    /// Byte for byte, `signature` and `detail` aside.
    Same,
    /// Something that the witness holds everything for comes out otherwise.
    Different,
    /// The witness does not hold what the report rests on, or the report was made by another method.
    NotRecomputable,
}

impl ReplayConclusion {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
            Self::NotRecomputable => "not-recomputable",
        }
    }
}

/// Where a report and its recomputation differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// `findings[i]` of the report; of the recomputation, when the report has no such finding.
    Finding(usize),
    /// Another member of the report.
    Member(String),
}

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Where.
    pub place: Place,
    /// What the report says; nothing when only the recomputation has it.
    pub reported: Option<Value>,
    /// What came out; nothing when only the report has it.
    pub recomputed: Option<Value>,
    /// The recomputation lacks what the report rests on: the witness has a gap, nothing contradicts the report.
    pub gap: bool,
}

impl Serialize for Difference {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        match &self.place {
            Place::Finding(index) => m.serialize_entry("finding", index)?,
            Place::Member(name) => m.serialize_entry("member", name)?,
        }
        m.serialize_entry("reported", &self.reported)?;
        m.serialize_entry("recomputed", &self.recomputed)?;
        m.end()
    }
}

/// What the witness says of one finding of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Confirmation {
    /// It comes out the same.
    Confirmed,
    /// It comes out otherwise.
    Different,
    /// The witness does not hold what it rests on.
    NotRecomputable,
}

impl Confirmation {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Different => "different",
            Self::NotRecomputable => "not-recomputable",
        }
    }
}

/// What replaying a report gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// Whether the witness gives the report again.
    pub conclusion: ReplayConclusion,
    /// What the witness' Merkle proofs show.
    pub proofs: Proofs,
    /// Every difference: findings in the report's order, then other members.
    pub differences: Vec<Difference>,
    /// What stopped the recomputation or a proof, in words.
    pub problems: Vec<String>,
}

impl Serialize for Replay {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        m.serialize_entry("conclusion", self.conclusion.as_str())?;
        m.serialize_entry("proofs", self.proofs_word())?;
        m.serialize_entry("differences", &self.differences)?;
        if !self.problems.is_empty() {
            m.serialize_entry("problems", &self.problems)?;
        }
        m.end()
    }
}

impl Replay {
    /// Whether the witness contradicts its own proofs, or lacks one that it could have. Nothing recomputed from it
    /// counts then.
    pub fn is_of_invalid_proofs(&self) -> bool {
        self.proofs == Proofs::Invalid
    }

    /// What the witness says of each of the report's findings, in their order.
    pub fn confirmations(&self, findings: usize) -> Vec<Confirmation> {
        if self.conclusion == ReplayConclusion::NotRecomputable && self.differences.is_empty() {
            return vec![Confirmation::NotRecomputable; findings];
        }
        let mut confirmations = vec![Confirmation::Confirmed; findings];
        let of_report = self
            .differences
            .iter()
            .filter(|difference| difference.reported.is_some());
        for difference in of_report {
            if let Place::Finding(index) = difference.place
                && let Some(confirmation) = confirmations.get_mut(index)
            {
                *confirmation = if difference.gap {
                    Confirmation::NotRecomputable
                } else {
                    Confirmation::Different
                };
            }
        }
        confirmations
    }

    /// The word of the command line's JSON. A witness that also holds what no proof can show is no proof of the
    /// report.
    pub fn proofs_word(&self) -> &'static str {
        match self.proofs {
            Proofs::Valid => "valid",
            Proofs::Invalid => "invalid",
            Proofs::Absent | Proofs::Partial => "absent",
        }
    }
}

/// Recomputes a report from the witness it was made from, whose clock gives `issuedAt`. The source's own choices
/// (`source`, `expiresAt`, `detail`, `signature`) are taken from the report, and what it was configured to read from is told by
/// the caller: `method` names it by its hash. Nothing is signed or trusted here.
pub fn replay(report: &Unverified, request: &Request, witness: &ViewFile, config: &Config) -> Replay {
    let mut problems: Vec<String> = witness.problems.iter().map(ToString::to_string).collect();
    if witness.proofs == Proofs::Partial {
        problems.push("some of what the witness holds no proof can show".to_owned());
    }
    let (conclusion, differences) = match recompute(report, request, witness, config) {
        Ok((reported, recomputed, gaps)) => {
            let differences = compare::differences(&reported.value, &recomputed.to_value(), &gaps);
            let conclusion = if reported.report.method != recomputed.method {
                problems.push(format!(
                    "the report was made by another method than {}",
                    recomputed.method
                ));
                ReplayConclusion::NotRecomputable
            } else {
                conclude(&differences)
            };
            (conclusion, differences)
        }
        Err(refusal) => {
            problems.push(refusal.to_string());
            (ReplayConclusion::NotRecomputable, Vec::new())
        }
    };
    Replay {
        conclusion,
        proofs: witness.proofs,
        differences,
        problems,
    }
}

fn conclude(differences: &[Difference]) -> ReplayConclusion {
    if differences.is_empty() {
        ReplayConclusion::Same
    } else if differences.iter().all(|difference| difference.gap) {
        ReplayConclusion::NotRecomputable
    } else {
        ReplayConclusion::Different
    }
}

/// The report as received, the one the witness gives, and what that lacks.
fn recompute<'a>(
    report: &'a Unverified,
    request: &Request,
    witness: &ViewFile,
    config: &Config,
) -> Result<(&'a ReceivedReport, Report, Gaps), Refusal> {
    let reported = report.read().map_err(Clone::clone)?;
    let decoded = decode(request)?;
    let (assembled, gaps) = gaps::recompute(
        &witness.snapshot,
        request,
        &decoded,
        &reported.report.source,
        config,
    )?;
    let recomputed = Report {
        expires_at: reported.report.expires_at,
        ..assembled
    };
    Ok((reported, recomputed, gaps))
}
