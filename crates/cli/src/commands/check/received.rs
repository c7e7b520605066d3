//! `presight check --from-report`: a verdict over a report that somebody else made.

use super::exit;
use super::words::{self, Judged};
use crate::args::Check;
use crate::commands::verify;
use crate::exit::{Exit, Failure, print, say};
use crate::input;
use anyhow::anyhow;
use presight_decode::Decoded;
use presight_engine::Door as _;
use presight_engine::report::token_words;
use presight_policy::{Input, Policy};
use presight_verify::{Options, Unverified};
use presight_wire::Request;
use presight_wire::limits::MAX_REPORT_BYTES;
use serde_json::json;
use std::path::Path;

/// Verifies the report as `presight verify` does, and evaluates the policy over one that is verified. Any other one is
/// absent: nothing of it is judged or shown but the steps.
pub(super) fn run(
    args: &Check,
    path: &Path,
    policy: &Policy,
    request: &Request,
    decoded: &Decoded,
    as_json: bool,
) -> Result<Exit, Failure> {
    let received = Unverified::parse(&input::read(path, MAX_REPORT_BYTES)?)?;
    let options = Options {
        // What the report leaves out is not read for the policy.
        accept_gaps: true,
        ..verify::options(&args.consumer)?
    };
    let driven = args.door.run(|view| {
        let tokens = token_words(view, &decoded.entities.tokens);
        let verification = presight_verify::verify(&received, request, view, &options);
        verification.map(|verification| (verification, tokens))
    })?;
    let (verification, tokens) = driven
        .value
        .map_err(|_| anyhow!("the view was left with open reads"))?;
    let conclusion = verification.conclusion();
    let (document, steps) = (json!(verification), verify::in_words(&verification));
    let Some(verified) = verification.into_verified() else {
        if as_json {
            print(&json!({ "verdict": null, "verification": document }).to_string());
        } else {
            say(&format!(
                "{} says nothing: the report is {}, and counts as absent\n{steps}",
                policy.name(),
                conclusion.as_str()
            ));
        }
        return Ok(Exit::NotEvaluated);
    };
    let report = &verified.report().report;
    let verdict = policy.evaluate(&Input::verified(report, verified.unlisted(), request, decoded));
    if as_json {
        let mut told = verdict.to_value(verified.hash());
        told["verification"] = document;
        print(&told.to_string());
    } else {
        let judged = Judged {
            policy,
            report,
            tokens: &tokens,
            request,
            decoded,
        };
        say(&words::verdict(&verdict, &judged));
        say(&format!(
            "\nOver a report of {}/{}, not made here, which is verified:\n{steps}",
            report.source.registry, report.source.agent_id
        ));
    }
    Ok(exit(&verdict))
}
