//! `presight policy`

use crate::args::Policy as Command;
use crate::exit::{Exit, Failure, print, print_bytes, say};
use crate::input;
use crate::words::printable;
use presight_policy::limits::MAX_POLICY_BYTES;
use presight_policy::presets::{PRESETS, preset};
use presight_policy::{Policy, Rule};
use presight_wire::Refusal;
use serde_json::json;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(command: &Command, as_json: bool) -> Result<Exit, Failure> {
    match command {
        Command::List => list(as_json),
        Command::Show { policy } => {
            print_bytes(text(policy)?.as_bytes());
            Ok(Exit::Clean)
        }
        Command::Test { policy } => test(policy, as_json),
    }
}

/// A policy by a preset's name or a file's.
pub(crate) fn load(name: &str) -> Result<Policy, Failure> {
    Policy::load(&text(name)?)
        .map_err(|error| Refusal::new(error.code, "", format!("policy `{name}`, {error}")).into())
}

/// The text of a policy's file.
fn text(name: &str) -> Result<String, Failure> {
    if let Some(preset) = preset(name) {
        return Ok(preset.text.to_owned());
    }
    let path = Path::new(name);
    if !path.exists() {
        let known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let message = format!("`{name}` is no file, and no preset: {}", known.join(", "));
        return Err(Refusal::new("unknown-policy", "", message).into());
    }
    String::from_utf8(input::read(path, MAX_POLICY_BYTES)?)
        .map_err(|_| Refusal::new("bad-policy", "", format!("`{name}` is not UTF-8")).into())
}

fn list(as_json: bool) -> Result<Exit, Failure> {
    let mut listed = Vec::new();
    for preset in PRESETS {
        let policy = load(preset.name)?;
        let words: Vec<&str> = policy.verdicts().map(|(word, _)| word).collect();
        if !as_json {
            say(&format!("{:<14} {}", policy.name(), policy.description()));
            say(&format!(
                "{:<14} {}; {} rules",
                "",
                words.join(", "),
                policy.rules().len()
            ));
        }
        listed.push(json!({
            "name": policy.name(),
            "hash": policy.hash(),
            "description": policy.description(),
            "verdicts": words,
            "rules": policy.rules().iter().map(Rule::code).collect::<Vec<_>>(),
        }));
    }
    if as_json {
        print(&json!({ "policies": listed }).to_string());
    }
    Ok(Exit::Clean)
}

fn test(name: &str, as_json: bool) -> Result<Exit, Failure> {
    let policy = load(name)?;
    let report = policy.run_cases();
    let failed = report.cases.iter().filter(|case| !case.differences.is_empty());
    if as_json {
        let cases = report
            .cases
            .iter()
            .map(|case| json!({ "name": case.name, "differences": case.differences }));
        let document = json!({
            "policy": { "name": policy.name(), "hash": policy.hash() },
            "passes": report.passes(),
            "cases": cases.collect::<Vec<_>>(),
        });
        print(&document.to_string());
    } else {
        for case in failed.clone() {
            for difference in &case.differences {
                say(&format!(
                    "FAILED  {}: {}",
                    printable(&case.name),
                    printable(difference)
                ));
            }
        }
        for (rule, [fired, quiet, _]) in policy.rules().iter().zip(&report.rules) {
            if *fired == 0 || *quiet == 0 {
                let lacks = if *fired == 0 { "fires" } else { "does not fire" };
                say(&format!("warning: no case in which {} {lacks}", rule.code()));
            }
        }
        say(&format!(
            "{} cases, {} failed",
            report.cases.len(),
            failed.count()
        ));
    }
    Ok(match report.cases.is_empty() {
        true => Exit::Warn, // Nothing was tested.
        false if report.passes() => Exit::Clean,
        false => Exit::Block,
    })
}
