//! `presight policy`

use crate::args::Policy as Command;
use crate::exit::{Exit, Failure, print, print_bytes, say};
use crate::input;
use presight_engine::policies;
use presight_engine::words::printable;
use presight_policy::limits::MAX_POLICY_BYTES;
use presight_policy::presets::{PRESETS, preset};
use presight_policy::{CaseReport, Policy};
use presight_wire::Refusal;
use serde_json::json;
use std::path::Path;

/// Policies that `test` takes from one folder.
const MAX_POLICY_FILES: usize = 1_000;

/// Runs the command.
pub(crate) fn run(command: &Command, as_json: bool) -> Result<Exit, Failure> {
    match command {
        Command::List => list(as_json),
        Command::Show { policy } => {
            print_bytes(text(policy)?.as_bytes());
            Ok(Exit::Clean)
        }
        Command::Test { policies } => test(policies, as_json),
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
        if !as_json {
            let words: Vec<&str> = policy.verdicts().map(|(word, _)| word).collect();
            say(&format!("{:<14} {}", policy.name(), policy.description()));
            say(&format!(
                "{:<14} {}; {} rules",
                "",
                words.join(", "),
                policy.rules().len()
            ));
        }
        listed.push(policies::listed(&policy));
    }
    if as_json {
        print(&json!({ "policies": listed }).to_string());
    }
    Ok(Exit::Clean)
}

/// Runs the cases of each policy. One whose cases fail blocks; one without cases tests nothing, and is a warning.
fn test(given: &[String], as_json: bool) -> Result<Exit, Failure> {
    let mut names = Vec::new();
    for name in given {
        names.extend(policies_of(name)?);
    }
    let (mut documents, mut failing, mut untested) = (Vec::new(), false, false);
    for name in &names {
        let policy = load(name)?;
        let report = policy.run_cases();
        failing |= !report.passes();
        untested |= report.cases.is_empty();
        if as_json {
            documents.push(document(&policy, &report));
        } else {
            let heading = (names.len() > 1).then(|| format!("{}: ", printable(name)));
            tell(&policy, &report, heading.as_deref().unwrap_or_default());
        }
    }
    if as_json {
        let all = match documents.as_slice() {
            [one] => one.clone(),
            _ => json!({ "passes": !failing, "policies": documents }),
        };
        print(&all.to_string());
    }
    Ok(match (failing, untested) {
        (true, _) => Exit::Block,
        (false, true) => Exit::Warn,
        (false, false) => Exit::Clean,
    })
}

/// The policies that a name stands for: a folder's files in the order of their names, otherwise itself.
fn policies_of(name: &str) -> Result<Vec<String>, Failure> {
    let path = Path::new(name);
    if preset(name).is_some() || !path.is_dir() {
        return Ok(vec![name.to_owned()]);
    }
    let unreadable =
        |e: std::io::Error| Refusal::new("unreadable-file", "", format!("`{name}` cannot be read: {e}"));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        let is_policy = file.extension().is_some_and(|ext| ext == "toml" || ext == "json");
        if is_policy && file.is_file() {
            files.push(file.display().to_string());
        }
        if files.len() > MAX_POLICY_FILES {
            let message = format!("`{name}` holds more policies than MAX_POLICY_FILES, {MAX_POLICY_FILES}");
            return Err(Refusal::new("too-many", "", message).into());
        }
    }
    if files.is_empty() {
        let message = format!("`{name}` holds no .toml or .json file");
        return Err(Refusal::new("unknown-policy", "", message).into());
    }
    files.sort();
    Ok(files)
}

fn document(policy: &Policy, report: &CaseReport) -> serde_json::Value {
    let cases = report
        .cases
        .iter()
        .map(|case| json!({ "name": case.name, "differences": case.differences }));
    json!({
        "policy": { "name": policy.name(), "hash": policy.hash() },
        "passes": report.passes(),
        "cases": cases.collect::<Vec<_>>(),
    })
}

fn tell(policy: &Policy, report: &CaseReport, heading: &str) {
    let failed = report.cases.iter().filter(|case| !case.differences.is_empty());
    for case in failed.clone() {
        for difference in &case.differences {
            let (name, difference) = (printable(&case.name), printable(difference));
            say(&format!("FAILED  {heading}{name}: {difference}"));
        }
    }
    for (rule, [fired, quiet, _]) in policy.rules().iter().zip(&report.rules) {
        if *fired == 0 || *quiet == 0 {
            let lacks = if *fired == 0 { "fires" } else { "does not fire" };
            say(&format!(
                "warning: {heading}no case in which {} {lacks}",
                rule.code()
            ));
        }
    }
    say(&format!(
        "{heading}{} cases, {} failed",
        report.cases.len(),
        failed.count()
    ));
}
