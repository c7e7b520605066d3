//! `presight verify --envelope`: the reports that came with an envelope.

use super::{exit, in_words, open_reads, over_door, tell};
use crate::args::Verify;
use crate::exit::{Exit, Failure};
use crate::input;
use presight_verify::Options;
use presight_verify::attached::{self, Attached};
use presight_wire::Request;
use presight_wire::json::{self, Numbers};
use presight_wire::request::VERSION;
use serde_json::json;
use std::path::Path;

/// Verifies each report against the envelope it came in.
pub(super) fn run(args: &Verify, envelope: &Path, options: &Options, as_json: bool) -> Result<Exit, Failure> {
    let envelope = json::parse(&input::document(envelope)?, Numbers::Exact)?;
    let subject = json!({ "type": "erc8265-envelope", "envelope": envelope });
    let request = Request::from_value(json!({ "version": VERSION, "subject": subject }))?;
    let reports = attached::reports(&request)?;
    let driven = over_door(args, |view| {
        attached::verify_all(&reports, &request, view, options)
    })?;
    let attached = driven.value.map_err(|_| open_reads())?;
    let conclusion = attached::conclusion(&attached);
    let document = json!({ "conclusion": conclusion.as_str(), "reports": attached });
    let mut words: Vec<String> = (0..)
        .zip(&attached)
        .map(|(nth, attached)| one(nth, attached))
        .collect();
    if words.is_empty() {
        words.push("no report is attached".to_owned());
    }
    tell(&document, &words.join("\n"), as_json)?;
    Ok(exit(conclusion))
}

fn one(nth: usize, attached: &Attached) -> String {
    let source = match &attached.source {
        Some(source) => format!("{}/{}", source.registry, source.agent_id),
        None => "nobody".to_owned(),
    };
    let chosen = if attached.chosen {
        "a source you chose"
    } else {
        "not a source you chose"
    };
    format!(
        "report {nth}, attached by the envelope's sender, of {source}: {chosen}\n{}",
        in_words(&attached.verification)
    )
}
