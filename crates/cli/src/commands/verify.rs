//! `presight verify`

use crate::args::Verify;
use crate::exit::{Exit, Failure, print};
use crate::words::printable;
use crate::{door, input};
use anyhow::{Context as _, anyhow};
use presight_verify::{Conclusion, Options, TrustedSource, Unverified, Verification};
use presight_wire::Request;
use presight_wire::limits::MAX_REPORT_BYTES;

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
    let verify = |view: &presight_view::View<'_>| presight_verify::verify(&report, &request, view, &options);
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
    Ok(match verification.conclusion() {
        Conclusion::Verified => Exit::Clean,
        Conclusion::Rejected => Exit::Block,
        Conclusion::NotVerifiable => Exit::NotEvaluated,
    })
}

/// The steps, a line each, and the conclusion.
pub(crate) fn in_words(verification: &Verification) -> String {
    let mut lines: Vec<String> = verification
        .steps()
        .iter()
        .map(|step| {
            let detail = step
                .detail
                .as_deref()
                .map_or(String::new(), |d| format!("  {}", printable(d)));
            format!("  {:<9} {:<16}{detail}", step.status.as_str(), step.name)
        })
        .collect();
    lines.push(format!("conclusion: {}", verification.conclusion().as_str()));
    lines.join("\n")
}
