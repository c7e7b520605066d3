//! The stateless validator: all problems of one document, without clock, chain or address book.

use super::code::Code;
use super::problem::{Problem, Problems, Validation};
use super::shapes::{CALLS, ENVELOPE, RESERVED_KINDS, SIGNATURE};
use super::words::Kind;
use super::{advice, message, rules, walk};
use crate::error::Refusal;
use crate::json::Numbers;
use crate::limits::MAX_DEPTH;
use crate::tree::{self, At, Fault, FaultCode, Rules, Tree};
use serde_json::Value;

/// Bytes of one envelope, at most.
pub const MAX_ENVELOPE_BYTES: usize = 4 * 1024 * 1024;

/// Judges a text.
///
/// # Errors
/// `too-large` for more than [`MAX_ENVELOPE_BYTES`]: such a text is not judged.
pub fn validate(bytes: &[u8]) -> Result<Validation, Refusal> {
    Ok(match read(bytes)? {
        Ok(tree) => validate_tree(&tree),
        Err(fault) => unreadable(fault),
    })
}

/// Judges a document that was read elsewhere, strictly (as [`crate::json::parse`] does).
pub fn validate_value(value: &Value) -> Validation {
    match Tree::of(value, MAX_DEPTH) {
        Ok(tree) => validate_tree(&tree),
        Err(fault) => unreadable(fault),
    }
}

/// Reads a text that need not be a valid envelope, numbers as the nearest doubles.
///
/// # Errors
/// `too-large`, and the validator's reading errors.
pub fn read_document(bytes: &[u8]) -> Result<Value, Refusal> {
    match read(bytes)? {
        Ok(tree) => Ok(tree.to_value()),
        Err(fault) => Err(refused(reading_code(fault.code), fault.pointer, fault.message)),
    }
}

/// Refuses a text of which RFC 8785 would write a number as another one: what is signed or sent would not be what is
/// given.
///
/// # Errors
/// `number-rewritten`, and as [`read_document`].
pub fn written_as_given(bytes: &[u8]) -> Result<(), Refusal> {
    read(bytes)?.map_err(|fault| refused(reading_code(fault.code), fault.pointer, fault.message))?;
    let rules = Rules {
        numbers: Numbers::AsWritten,
        max_depth: MAX_DEPTH,
    };
    match tree::read_placing(bytes, rules, None) {
        Ok(_) => Ok(()),
        Err(fault) => Err(refused(Code::NumberRewritten, fault.pointer, fault.message)),
    }
}

/// A refusal of the table of codes.
pub(crate) fn refused(code: Code, place: impl Into<String>, message: impl Into<String>) -> Refusal {
    Refusal::new(code.as_str(), place, message)
}

/// Reads a text within the bound.
pub(crate) fn read(bytes: &[u8]) -> Result<Result<Tree<'_>, Fault>, Refusal> {
    if bytes.len() > MAX_ENVELOPE_BYTES {
        let message = format!(
            "{} bytes; MAX_ENVELOPE_BYTES is {MAX_ENVELOPE_BYTES}",
            bytes.len()
        );
        return Err(refused(Code::TooLarge, "", message));
    }
    Ok(tree::read(bytes, MAX_DEPTH))
}

/// The reading error as the only result.
pub(crate) fn unreadable(fault: Fault) -> Validation {
    let problem = Problem {
        code: reading_code(fault.code),
        path: fault.pointer,
        message: fault.message.into(),
    };
    Validation {
        errors: vec![problem],
        ..Validation::default()
    }
}

/// The code of a reading error.
pub(crate) fn reading_code(code: FaultCode) -> Code {
    match code {
        FaultCode::Syntax => Code::JsonSyntax,
        FaultCode::InvalidUtf8 => Code::JsonInvalidUtf8,
        FaultCode::DuplicateKey => Code::JsonDuplicateKey,
        FaultCode::LoneSurrogate => Code::JsonLoneSurrogate,
        // The validator takes the nearest double, so no number is inexact to it.
        FaultCode::NumberRange | FaultCode::InexactNumber => Code::JsonNumberRange,
        FaultCode::TooDeep => Code::JsonTooDeep,
    }
}

/// Judges a document that was read.
pub(crate) fn validate_tree(document: &Tree<'_>) -> Validation {
    let mut problems = Problems::default();
    let kind = match document.get("kind").and_then(Tree::as_str) {
        None => None,
        Some(text) => match Kind::parse(text) {
            Some(kind) => Some(kind),
            None => return other_kind(text),
        },
    };
    if walk::object(&ENVELOPE, document, &At::Root, &mut problems).is_some() {
        content(kind, document, &mut problems);
        rules::judge(kind, document, &mut problems);
        if !problems.has_errors() {
            advice::give(kind, document, &mut problems);
        }
    }
    problems.into_validation()
}

/// §2: the kind decides first, and nothing else of such a document is judged.
fn other_kind(text: &str) -> Validation {
    let (code, message) = if RESERVED_KINDS.contains(&text) {
        (Code::ReservedKind, "reserved, not yet specified")
    } else {
        (Code::UnknownKind, "unknown kind")
    };
    let mut problems = Problems::default();
    problems.add(code, &At::Root.member("kind"), message);
    problems.into_validation()
}

fn content(kind: Option<Kind>, document: &Tree<'_>, problems: &mut Problems) {
    let (Some(kind), Some(content)) = (kind, document.get("content").filter(|c| c.as_object().is_some()))
    else {
        return;
    };
    let at = At::Root.member("content");
    if kind.has_calls() {
        walk::object(&CALLS, content, &at, problems);
    } else if let Some(members) = walk::object(&SIGNATURE, content, &at, problems) {
        message::judge(members, &at, problems);
    }
}
