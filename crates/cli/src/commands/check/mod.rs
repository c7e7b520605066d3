//! `presight check`

mod effects;
mod leaves;
mod received;
mod words;

#[cfg(test)]
mod tests;

use super::{policy, report};
use crate::args::Check;
use crate::exit::{Exit, Failure, print, say};
use crate::input;
use anyhow::Context as _;
use presight_engine::Checked;
use presight_policy::{Exit as VerdictExit, Policy, Rule, Verdict};
use presight_wire::request::Subject;
use presight_wire::{Refusal, Request};
use serde_json::{Value, json};
use words::Judged;

/// Makes the report, or verifies a received one, evaluates the policy over it and says what comes of it.
pub(crate) fn run(args: &Check, as_json: bool) -> Result<Exit, Failure> {
    let policy = with_parameters(policy::load(&args.policy)?, &args.param)?;
    if let Some(code) = &args.explain {
        return explain(&policy, code, as_json);
    }
    let path = args.request.as_deref().context("clap asks for a request")?;
    let request = Request::parse(&input::document(path)?)?;
    let decoded = presight_decode::decode(&request)?;
    if let Some(path) = &args.from_report {
        return received::run(args, path, &policy, &request, &decoded, as_json);
    }
    let identity = report::identity(&args.source, &args.sources)?;
    let checked = presight_engine::check(&args.door, &request, &decoded, &identity, &policy)?;
    let Checked { verdict, reported } = &checked;
    report::warn_out_of_reach(reported, &request);
    if let Some(path) = &args.witness {
        report::write_witness(path, &reported.witness)?;
    }
    let told = &reported.told;
    if let Some(path) = &args.report {
        let document = serde_json::to_string_pretty(&told.report.to_value()).context("a report is JSON")?;
        std::fs::write(path, document + "\n").map_err(|e| {
            let message = format!("`{}` cannot be written: {e}", path.display());
            Refusal::new("unwritable-file", "", message)
        })?;
    }
    if as_json {
        print(&checked.to_value().to_string());
    } else {
        let judged = Judged {
            policy: &policy,
            report: &told.report,
            tokens: &told.tokens,
            request: &request,
            decoded: &decoded,
        };
        say(&words::verdict(verdict, &judged));
        let attached = attached(&request);
        if attached > 0 {
            say(&format!(
                "\nThe envelope came with {attached} reports, which were not used: `presight verify --envelope` verifies them."
            ));
        }
    }
    Ok(exit(verdict))
}

/// Reports that came inside the request's envelope. Whoever attached them chose their sources.
fn attached(request: &Request) -> usize {
    let Subject::Envelope(subject) = &request.subject else {
        return 0;
    };
    let reports = subject.envelope.value().pointer("/risk/reports");
    reports.and_then(Value::as_array).map_or(0, Vec::len)
}

fn exit(verdict: &Verdict) -> Exit {
    match verdict.exit() {
        VerdictExit::Clean => Exit::Clean,
        VerdictExit::Warn => Exit::Warn,
        VerdictExit::Block => Exit::Block,
        VerdictExit::NotEvaluated => Exit::NotEvaluated,
    }
}

fn with_parameters(mut policy: Policy, parameters: &[String]) -> Result<Policy, Failure> {
    for parameter in parameters {
        let (name, value) = parameter
            .split_once('=')
            .ok_or_else(|| Refusal::new("bad-parameter", "", "--param takes NAME=VALUE"))?;
        policy
            .set(name, value)
            .map_err(|message| Refusal::new("bad-parameter", "", message))?;
    }
    Ok(policy)
}

fn explain(policy: &Policy, code: &str, as_json: bool) -> Result<Exit, Failure> {
    let rules: Vec<_> = policy.rules().iter().filter(|rule| rule.code() == code).collect();
    if rules.is_empty() {
        let mut codes: Vec<&str> = policy.rules().iter().map(Rule::code).collect();
        codes.dedup();
        let message = format!(
            "policy `{}` has no rule `{}`; it has: {}",
            policy.name(),
            code.escape_debug(),
            codes.join(", ")
        );
        return Err(Refusal::new("unknown-code", "", message).into());
    }
    let used = |condition: &str| -> Vec<_> {
        let named = |name: &str| condition.contains(&format!("params.{name}"));
        policy.parameters().iter().filter(|p| named(p.name())).collect()
    };
    if as_json {
        let rules = rules.iter().map(|rule| {
            let parameters = used(rule.condition());
            json!({
                "severity": rule.severity(),
                "subject": rule.subject().as_str(),
                "when": rule.condition(),
                "why": rule.why(),
                "parameters": parameters.iter().map(|p| json!({
                    "name": p.name(), "type": p.type_name(), "value": p.value(), "about": p.about(),
                })).collect::<Vec<_>>(),
            })
        });
        let document = json!({ "code": code, "policy": policy.name(), "rules": rules.collect::<Vec<_>>() });
        print(&document.to_string());
        return Ok(Exit::Clean);
    }
    for rule in rules {
        say(&format!(
            "{code}: {} in {}, for each {}",
            rule.severity(),
            policy.name(),
            rule.subject().as_str()
        ));
        say(&format!("  {}", rule.why()));
        say("  when");
        for line in rule.condition().lines() {
            say(&format!("    {}", line.trim()));
        }
        for parameter in used(rule.condition()) {
            say(&format!(
                "  {} = {}  ({}) {}",
                parameter.name(),
                parameter.value(),
                parameter.type_name(),
                parameter.about()
            ));
        }
    }
    Ok(Exit::Clean)
}
