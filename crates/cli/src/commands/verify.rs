//! `presight verify`

use crate::args::Verify;
use crate::exit::{Exit, Failure, print};
use crate::words::printable;
use crate::{door, input};
use anyhow::{Context as _, anyhow};
use presight_verify::anchoring::{attribute, locate};
use presight_verify::{Conclusion, Options, Step, TrustedSource, Unverified, Verification};
use presight_view::{View, run_recorded};
use presight_wire::limits::MAX_REPORT_BYTES;
use presight_wire::{AccountId, Request};

/// Runs the consumer's steps and prints them.
pub(crate) fn run(args: &Verify, as_json: bool) -> Result<Exit, Failure> {
    let request = Request::parse(&input::document(&args.request)?)?;
    let report = Unverified::parse(&input::read(&args.report, MAX_REPORT_BYTES)?)?;
    let options = Options {
        trusted: args
            .trust
            .iter()
            .map(|source| TrustedSource::parse(source))
            .collect::<Result<_, _>>()?,
        max_age_blocks: args.max_age_blocks,
        max_age_seconds: args.max_age_seconds,
        ..Options::default()
    };
    if let Some(contract) = &args.anchored {
        return anchored(
            args,
            &report,
            &request,
            &AccountId::parse(contract, "")?,
            &options,
            as_json,
        );
    }
    let verify = |view: &View<'_>| presight_verify::verify(&report, &request, view, &options);
    let driven = if args.offline {
        door::run_offline(verify)?
    } else {
        door::run(&args.door, verify)?
    };
    let verification = driven
        .value
        .map_err(|_| anyhow!("the view was left with open reads"))?;

    if as_json {
        print(&serde_json::to_string(&verification).context("a verification is JSON")?);
    } else {
        print(&in_words(&verification));
    }
    Ok(exit(verification.conclusion()))
}

/// Whether the report counts against its source, as of its anchoring.
fn anchored(
    args: &Verify,
    report: &Unverified,
    request: &Request,
    contract: &AccountId,
    options: &Options,
    as_json: bool,
) -> Result<Exit, Failure> {
    let open = || anyhow!("the view was left with open reads");
    let located = door::run(&args.door, |view| locate(report, contract, view))?
        .value
        .map_err(|_| open())?;
    let attribute = |view: &View<'_>| attribute(report, request, &located, view, options);
    let driven = match (located.past_block(), &args.door.view, &args.past_view) {
        (Some(_), Some(_), Some(path)) => run_recorded(&door::view_file(path)?.snapshot, attribute),
        (Some(then), None, _) => door::run_at(&args.door, &then.chain, then.block.hash, attribute)?,
        _ => door::run_offline(attribute)?,
    };
    let attribution = driven.value.map_err(|_| open())?;
    if as_json {
        print(&serde_json::to_string(&attribution).context("an attribution is JSON")?);
    } else {
        print(&steps_in_words(attribution.steps(), attribution.conclusion()));
    }
    Ok(exit(attribution.conclusion()))
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
