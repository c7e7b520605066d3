//! Errors and warnings, told alike by `validate`, `check` and the commands that need a valid envelope.

use super::document;
use crate::exit::{Exit, Failure, print};
use presight_engine::words::printable;
use presight_wire::envelope::{Code, Envelope, NotAnEnvelope, Problem, Validation, written_as_given};
use serde_json::json;
use std::path::Path;

/// An envelope, or what was told of it instead.
pub(super) enum Read {
    /// A valid one.
    Envelope(Box<Envelope>),
    /// An invalid one: its errors are printed.
    Told(Exit),
}

/// Reads a file that has to hold a valid envelope.
pub(super) fn read(file: &Path, as_json: bool) -> Result<Read, Failure> {
    judge(&document(file)?, as_json)
}

/// As [`read`], of an envelope that is to be signed or sent: every number has to stay the one given.
pub(super) fn read_as_given(file: &Path, as_json: bool) -> Result<Read, Failure> {
    let document = document(file)?;
    let read = judge(&document, as_json)?;
    if matches!(read, Read::Envelope(_)) {
        written_as_given(&document)?;
    }
    Ok(read)
}

fn judge(document: &[u8], as_json: bool) -> Result<Read, Failure> {
    match Envelope::parse(document) {
        Ok(envelope) => Ok(Read::Envelope(Box::new(envelope))),
        Err(NotAnEnvelope::Refused(refusal)) => Err(refusal.into()),
        Err(NotAnEnvelope::Invalid(validation)) => Ok(Read::Told(tell(&validation, as_json))),
    }
}

/// Said where the validator found more than it lists.
pub(super) const CUT: &str = "  and more, which are not listed";

/// Prints what the validator found.
pub(super) fn tell(validation: &Validation, as_json: bool) -> Exit {
    let Validation {
        errors,
        warnings,
        cut,
    } = validation;
    if as_json {
        let mut document = json!({ "valid": validation.is_valid(), "errors": errors, "warnings": warnings });
        if *cut {
            document["cut"] = json!(true);
        }
        print(&document.to_string());
    } else {
        print(conclusion(validation.is_valid()));
        tell_problems("error", errors);
        tell_problems("warning", warnings);
        if *cut {
            print(CUT);
        }
    }
    exit(errors.first().map(|problem| problem.code))
}

/// One word for the whole.
pub(super) fn conclusion(valid: bool) -> &'static str {
    if valid { "valid" } else { "invalid" }
}

fn tell_problems(severity: &str, problems: &[Problem]) {
    for problem in problems {
        print(&line(
            severity,
            problem.code.as_str(),
            &problem.path,
            &problem.message,
        ));
    }
}

/// One problem on one line.
pub(super) fn line(severity: &str, code: &str, path: &str, message: &str) -> String {
    let place = if path.is_empty() { "the document" } else { path };
    format!(
        "  {severity:<8} {code:<28} {}: {}",
        printable(place),
        printable(message)
    )
}

/// The exit of a first error: what is not JSON at all is bad input, everything else an invalid envelope.
pub(super) fn exit(first: Option<Code>) -> Exit {
    match first {
        None => Exit::Clean,
        Some(Code::JsonSyntax | Code::JsonInvalidUtf8) => Exit::BadInput,
        Some(_) => Exit::Block,
    }
}
