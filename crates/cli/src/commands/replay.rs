//! `presight replay`

use crate::exit::{Exit, Failure, print, say};
use crate::{args, door, input};
use anyhow::Context as _;
use presight_engine::words::printable;
use presight_verify::{Difference, Place, Replay, ReplayConclusion, Unverified};
use presight_wire::Request;
use presight_wire::limits::MAX_REPORT_BYTES;
use serde_json::Value;

/// Recomputes the report from its witness and prints the differences.
pub(crate) fn run(args: &args::Replay, as_json: bool) -> Result<Exit, Failure> {
    let request = Request::parse(&input::document(&args.request)?)?;
    let report = Unverified::parse(&input::read(&args.report, MAX_REPORT_BYTES)?)?;
    let witness = door::view_file(&args.witness)?;
    let config = input::sources(&args.sources)?;
    let replay = presight_verify::replay(&report, &request, &witness, &config);
    if as_json {
        print(&serde_json::to_string(&replay).context("a replay is JSON")?);
    } else {
        say(&in_words(&replay));
    }
    Ok(exit(&replay))
}

/// A report that comes out the same from a witness whose proofs do not hold is not confirmed.
pub(crate) fn exit(replay: &Replay) -> Exit {
    match replay.conclusion {
        _ if replay.is_of_invalid_proofs() => Exit::Block,
        ReplayConclusion::Same => Exit::Clean,
        ReplayConclusion::Different => Exit::Block,
        ReplayConclusion::NotRecomputable => Exit::NotEvaluated,
    }
}

/// Proofs that do not hold, the differences, and the conclusion.
pub(crate) fn in_words(replay: &Replay) -> String {
    let mut lines = Vec::new();
    if replay.is_of_invalid_proofs() {
        lines.push(
            "the proofs of the witness are invalid: what is recomputed from it confirms nothing".to_owned(),
        );
    }
    lines.extend(replay.differences.iter().map(difference_in_words));
    lines.extend(
        replay
            .problems
            .iter()
            .map(|problem| format!("  {}", printable(problem))),
    );
    lines.push(format!(
        "replay: {}; proofs: {}",
        replay.conclusion.as_str(),
        replay.proofs_word()
    ));
    lines.join("\n")
}

fn difference_in_words(difference: &Difference) -> String {
    let place = match &difference.place {
        Place::Finding(index) => format!("finding {index}"),
        Place::Member(name) => printable(name),
    };
    let shown = |value: &Option<Value>| {
        value
            .as_ref()
            .map_or("nothing".to_owned(), |v| printable(&v.to_string()))
    };
    format!(
        "  {place}: reported {}, recomputed {}",
        shown(&difference.reported),
        shown(&difference.recomputed)
    )
}
