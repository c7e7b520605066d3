//! What a question is answered with.

use super::problem::Problem;
use super::question::{More, Question, Topic};
use crate::metrics::Metrics;
use crate::nodes::World;
use alloy_primitives::B256;
use axum::body::Bytes;
use presight_engine::{Identity, Reported, simulate};
use presight_wire::report::{Outcome, Report};
use presight_wire::{ChainId, Reason};
use serde_json::{Value, json};
use tokio::time::Instant;

/// An answer: a JSON document, and what it rests on.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) body: Bytes,
    /// When it was made.
    pub(crate) made: Instant,
    /// Blocks it holds at; while the chains are still at them, the same question has the same answer. `None`: it is
    /// not to be given again, for something was missing that may be there the next time.
    pub(crate) holds_at: Option<Vec<(ChainId, B256)>>,
}

/// Works out the answer, on a thread that may be blocked.
pub(crate) fn work(
    question: &Question,
    world: &World,
    identity: &Identity,
    metrics: &Metrics,
    deadline: Instant,
) -> Result<Answer, Problem> {
    let request = &question.request;
    let decoded = presight_decode::decode(request).map_err(|refusal| match question.topic {
        Topic::Check | Topic::Verify => Problem::from(refusal).within("request"),
        Topic::Report | Topic::Simulate | Topic::Decode => refusal.into(),
    })?;
    let door = world.door(request.chain(), deadline);
    let (document, holds_at) = match (&question.more, question.topic) {
        (More::Check(policy), _) => {
            let checked = presight_engine::check(&door, request, &decoded, identity, policy)?;
            let mut document = checked.to_value();
            document["report"] = checked.reported.told.report.to_value();
            (document, told_of(&checked.reported, metrics))
        }
        (More::Verify(report, options), _) => {
            let verification = presight_engine::verify(&door, report, request, options)?;
            (json!(verification), None)
        }
        (More::Nothing, Topic::Simulate) => match presight_engine::simulate(&door, request, &decoded)? {
            Ok(simulated) => (simulated.to_value(), None),
            Err(why) => (simulate::not_read(&why), None),
        },
        (More::Nothing, Topic::Decode) => (presight_engine::decode::document(&decoded), Some(Vec::new())),
        (More::Nothing, _) => {
            let reported = presight_engine::report(&door, request, &decoded, identity)?;
            (reported.told.report.to_value(), told_of(&reported, metrics))
        }
    };
    Ok(Answer {
        body: bytes(&document),
        made: Instant::now(),
        holds_at,
    })
}

fn bytes(document: &Value) -> Bytes {
    document.to_string().into()
}

/// Counts what was read, logs what was wrong, and says where the report holds.
fn told_of(reported: &Reported, metrics: &Metrics) -> Option<Vec<(ChainId, B256)>> {
    let report = &reported.told.report;
    metrics.count_report(report, reported.waves, reported.calls);
    for problem in &reported.problems {
        tracing::warn!(%problem, "not everything was to be had");
    }
    let whole = reported.problems.is_empty() && !was_cut_short(report);
    whole.then(|| {
        report
            .blocks
            .iter()
            .map(|block| (block.chain.clone(), block.hash))
            .collect()
    })
}

fn was_cut_short(report: &Report) -> bool {
    let mut outcomes = report.findings.iter().map(|finding| &finding.outcome);
    outcomes.any(|outcome| matches!(outcome, Outcome::NotRead(Reason::Timeout)))
}
