//! `presight verify`

mod anchored;
mod attached;
mod options;

pub(crate) use options::of as options;

use crate::args::Verify;
use crate::door;
use crate::exit::{Exit, Failure, print, say};
use crate::input;
use anyhow::{Context as _, anyhow};
use presight_engine::Door as _;
use presight_engine::words::printable;
use presight_verify::{Conclusion, Options, Step, Unverified, Verification, replay};
use presight_view::{Driven, View};
use presight_wire::limits::MAX_REPORT_BYTES;
use presight_wire::{Refusal, Request};
use serde::Serialize;

/// Runs the consumer's steps and prints them.
pub(crate) fn run(args: &Verify, as_json: bool) -> Result<Exit, Failure> {
    let options = Options {
        accept_gaps: args.accept_gaps,
        ..options(&args.consumer)?
    };
    if let Some(envelope) = &args.envelope {
        return attached::run(args, envelope, &options, as_json);
    }
    let (Some(report), Some(request)) = (&args.report, &args.request) else {
        return Err(Refusal::new("usage", "", "a report and its request, or an envelope").into());
    };
    let request = Request::parse(&input::document(request)?)?;
    let report = Unverified::parse(&input::read(report, MAX_REPORT_BYTES)?)?;
    match &args.anchored {
        Some(contract) => anchored::run(args, &report, &request, contract, &options, as_json),
        None => one(args, &report, &request, &options, as_json),
    }
}

fn one(
    args: &Verify,
    report: &Unverified,
    request: &Request,
    options: &Options,
    as_json: bool,
) -> Result<Exit, Failure> {
    let mut verification = if args.offline {
        presight_engine::verify(&door::Offline, report, request, options)?
    } else {
        presight_engine::verify(&args.door, report, request, options)?
    };
    if let Some(witness) = &args.witness {
        let replayed = replay(
            report,
            request,
            &door::view_file(witness)?,
            &input::sources(&args.sources)?,
        );
        verification = verification.with_replay(&replayed);
    }
    tell(&verification, &in_words(&verification), as_json)?;
    Ok(exit(verification.conclusion()))
}

fn over_door<T>(args: &Verify, core: impl Fn(&View<'_>) -> T) -> Result<Driven<T>, Failure> {
    if args.offline {
        door::Offline.run(core)
    } else {
        args.door.run(core)
    }
}

fn open_reads() -> Failure {
    anyhow!("the view was left with open reads").into()
}

fn tell(value: &impl Serialize, words: &str, as_json: bool) -> Result<(), Failure> {
    if as_json {
        print(&serde_json::to_string(value).context("an answer is JSON")?);
    } else {
        say(words);
    }
    Ok(())
}

fn exit(conclusion: Conclusion) -> Exit {
    match conclusion {
        Conclusion::Verified => Exit::Clean,
        Conclusion::Rejected => Exit::Block,
        Conclusion::NotVerifiable => Exit::NotEvaluated,
    }
}

/// The steps, a line each, and the conclusion.
pub(crate) fn in_words(verification: &Verification) -> String {
    steps_in_words(verification.steps(), verification.conclusion())
}

fn steps_in_words(steps: &[Step], conclusion: Conclusion) -> String {
    let mut lines: Vec<String> = steps
        .iter()
        .map(|step| {
            let detail = step
                .detail
                .as_deref()
                .map_or(String::new(), |d| format!("  {}", printable(d)));
            format!("  {:<9} {:<16}{detail}", step.status.as_str(), step.name)
        })
        .collect();
    lines.push(format!("conclusion: {}", conclusion.as_str()));
    lines.join("\n")
}
