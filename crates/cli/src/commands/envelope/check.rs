//! `presight envelope check`

use super::args::{Check, Now};
use super::judged::{self, Read, conclusion, line};
use crate::exit::{Exit, Failure, print};
use crate::input;
use anyhow::{Context as _, anyhow};
use presight_engine::Door as _;
use presight_engine::words::printable;
use presight_verify::envelope::{
    CheckContext, Checked, ContactBook, DelegatecallPolicy, Facts, MAX_CONTACT_BOOK_BYTES, Moment,
    check_envelope,
};
use presight_wire::envelope::Status;
use presight_wire::json::{self, Numbers};
use presight_wire::{Refusal, Timestamp};
use serde_json::{Map, Value};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Prints what a consumer finds at the moment of use.
pub(super) fn run(args: &Check, as_json: bool) -> Result<Exit, Failure> {
    let context = context(args)?;
    let envelope = match judged::read(&args.file, as_json)? {
        Read::Envelope(envelope) => envelope,
        Read::Told(exit) => return Ok(exit),
    };
    let checked = if args.door.view.is_some() || !args.door.rpc.is_empty() {
        args.door
            .run(|view| check_envelope(&envelope, &context, Some(view)))?
            .value
    } else {
        check_envelope(&envelope, &context, None)
    };
    let checked = checked.map_err(|_| anyhow!("the view was left with open reads"))?;
    if as_json {
        print(&serde_json::to_string(&checked).context("an outcome is JSON")?);
    } else {
        tell(&checked);
    }
    Ok(exit(&checked))
}

/// What the producer's signature is worth counts; it is not the envelope's validity.
fn exit(checked: &Checked) -> Exit {
    let signature = checked.facts.as_ref().map(|facts| facts.producer.status);
    let refused = matches!(signature, Some(Status::Invalid | Status::Rejected));
    let doubted = signature.and_then(Status::warning).is_some();
    if refused || !checked.is_valid() {
        Exit::Block
    } else if doubted || !checked.warnings.is_empty() {
        Exit::Warn
    } else {
        Exit::Clean
    }
}

fn context(args: &Check) -> Result<CheckContext, Failure> {
    let book = |file: &Path| -> Result<_, Failure> {
        Ok(ContactBook::parse(&input::read(file, MAX_CONTACT_BOOK_BYTES)?)?)
    };
    let delegatecall = match args.delegatecall.as_str() {
        _ if !args.allow_delegatecall.is_empty() => {
            DelegatecallPolicy::AllowList(args.allow_delegatecall.clone())
        }
        "deny" => DelegatecallPolicy::Deny,
        "simulate" => DelegatecallPolicy::RequireSimulation,
        _ => DelegatecallPolicy::Warn,
    };
    Ok(CheckContext {
        now: args.now.map(time).transpose()?,
        long_validity: args.long_validity,
        least_time_left: args.least_time_left,
        expiry_buffer: args.expiry_buffer,
        contact_book: args.contact_book.as_deref().map(book).transpose()?,
        delegatecall,
        descriptor: args.descriptor.as_deref().map(descriptor).transpose()?,
    })
}

fn time(now: Now) -> Result<Moment, Failure> {
    if let Now::At(time) = now {
        return Ok(time);
    }
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .context("the clock is before 1970")?;
    let second = i64::try_from(since.as_secs()).context("the clock is out of range")?;
    Ok(Moment::within(Timestamp(second), since.subsec_nanos()))
}

fn descriptor(file: &Path) -> Result<Map<String, Value>, Failure> {
    match json::parse(&input::document(file)?, Numbers::Double)? {
        Value::Object(members) => Ok(members),
        _ => Err(Refusal::new("wrong-type", "", "a descriptor is an object").into()),
    }
}

/// The validator does not look at the signature (§3.3), and nobody should read on as if it had.
fn headline(checked: &Checked) -> String {
    let conclusion = conclusion(checked.is_valid());
    match &checked.facts {
        Some(facts) if facts.is_tampered() => {
            format!(
                "tampered: the producer's signature is not of this envelope, which is otherwise {conclusion}"
            )
        }
        _ => conclusion.to_owned(),
    }
}

fn tell(checked: &Checked) {
    print(&headline(checked));
    let notes = [("error", &checked.errors), ("warning", &checked.warnings)];
    for (severity, notes) in notes {
        for note in notes {
            print(&line(severity, note.code.as_str(), &note.path, &note.message));
        }
    }
    if checked.cut {
        print(judged::CUT);
    }
    if let Some(facts) = &checked.facts {
        tell_facts(facts);
    }
}

fn tell_facts(facts: &Facts) {
    let say = |what: &str, text: String| crate::exit::say(&format!("  {what:<8} {}", printable(&text)));
    let status = facts.producer.status;
    let warning = status
        .warning()
        .map_or(String::new(), |warning| format!(" ({warning})"));
    say("producer", format!("{}{warning}", status.as_str()));
    for expiry in &facts.on_chain_expiries {
        say(
            "ends",
            format!("`{}` of {} at {}", expiry.argument, expiry.path, expiry.at),
        );
    }
    say("action", facts.action.status.as_str().to_owned());
    for omitted in &facts.omitted {
        say("omits", format!("{}: {}", omitted.path, omitted.detail));
    }
    for claim in &facts.movements {
        say("claim", format!("{} {}", claim.path, claim.status.as_str()));
    }
    for label in &facts.labels {
        if let Some(name) = &label.label {
            let warning = if label.resemblance_first {
                "resembles another address: "
            } else {
                ""
            };
            say(
                "name",
                format!(
                    "{warning}{:#x} \"{}\" ({})",
                    label.address,
                    name.replace('"', "\\u{22}"),
                    label.source
                ),
            );
        }
    }
    for oddity in &facts.oddities {
        print(&line("oddity", oddity.code, &oddity.pointer, &oddity.message));
    }
    for not_checked in &facts.not_checked {
        say("skipped", format!("{}: {}", not_checked.path, not_checked.reason));
    }
}
