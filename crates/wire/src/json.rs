//! Strict I-JSON (RFC 7493) reading: the reader of [`crate::tree`], whose faults become refusals.

use crate::error::Refusal;
use crate::limits::{MAX_DEPTH, MAX_DOCUMENT_BYTES};
use crate::tree::{Fault, FaultCode, Part, Rules, read_placing};
use serde_json::Value;

/// How numbers outside ±(2^53 - 1) are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Refused with `json-inexact-number` (I-2): requests, reports, typed data.
    Exact,
    /// Refused with `json-inexact-number` where a plain integer is none of the doubles: an envelope in a request, of
    /// which its validator warns (`number-precision`).
    Unrounded,
    /// Refused with `json-inexact-number` where RFC 8785 would write another number: what is to be signed as given.
    AsWritten,
    /// Taken as the nearest IEEE double, as RFC 8785 does: `presight jcs`.
    Double,
}

/// Reads one JSON document within the limits of a request: [`MAX_DOCUMENT_BYTES`] and [`MAX_DEPTH`].
///
/// # Errors
/// As [`parse_bounded`].
pub fn parse(bytes: &[u8], numbers: Numbers) -> Result<Value, Refusal> {
    bounded(bytes)?;
    parse_bounded(bytes, numbers, MAX_DOCUMENT_BYTES, MAX_DEPTH)
}

fn bounded(bytes: &[u8]) -> Result<(), Refusal> {
    if bytes.len() <= MAX_DOCUMENT_BYTES {
        return Ok(());
    }
    let message = format!(
        "{} bytes of JSON; MAX_DOCUMENT_BYTES is {MAX_DOCUMENT_BYTES}",
        bytes.len()
    );
    Err(Refusal::new("too-large", "", message))
}

/// Reads one JSON document of at most `max_bytes` bytes, whose arrays and objects are nested at most `max_depth`
/// deep. Time and memory are linear in the document; reading recurses, so `max_depth` stays in the hundreds.
///
/// An integer written as a double (`1.0`, `1e3`, `-0`) becomes that integer: RFC 8785 writes both alike.
///
/// # Errors
/// `too-large`, `too-deep`, `json-syntax` (invalid UTF-8 and a byte order mark included), `json-number-range` (a
/// number no finite double is near), `json-inexact-number` (see [`Numbers`]; also a fraction that would round to an
/// integer), `json-lone-surrogate` and `json-duplicate-key` (compared after unescaping).
pub fn parse_bounded(
    bytes: &[u8],
    numbers: Numbers,
    max_bytes: usize,
    max_depth: usize,
) -> Result<Value, Refusal> {
    if bytes.len() > max_bytes {
        return Err(too_large(bytes.len(), max_bytes));
    }
    let rules = Rules { numbers, max_depth };
    match read_placing(bytes, rules, None) {
        Ok(tree) => Ok(tree.to_value()),
        Err(fault) => Err(refusal(fault)),
    }
}

/// Reads a request: as [`parse`] with exact numbers, but for an envelope, which is read as its validator reads it: as
/// deep, and with any double (I-2).
pub(crate) fn parse_request(bytes: &[u8]) -> Result<Value, Refusal> {
    bounded(bytes)?;
    with_envelope_at(bytes, &["subject", "envelope"])
}

/// Reads a document of at most `max_bytes` bytes whose member `request` is a request, read as [`crate::Request::parse`]
/// reads it.
///
/// # Errors
/// As [`parse_bounded`].
pub fn parse_holding_request(bytes: &[u8], max_bytes: usize) -> Result<Value, Refusal> {
    if bytes.len() > max_bytes {
        return Err(too_large(bytes.len(), max_bytes));
    }
    with_envelope_at(bytes, &["request", "subject", "envelope"])
}

fn with_envelope_at(bytes: &[u8], path: &'static [&'static str]) -> Result<Value, Refusal> {
    let rules = Rules {
        numbers: Numbers::Exact,
        max_depth: MAX_DEPTH,
    };
    let envelope = Part {
        path,
        rules: Rules {
            numbers: Numbers::Unrounded,
            max_depth: MAX_DEPTH + path.len(),
        },
    };
    match read_placing(bytes, rules, Some(envelope)) {
        Ok(tree) => Ok(tree.to_value()),
        Err(fault) => Err(refusal(fault)),
    }
}

fn too_large(bytes: usize, max_bytes: usize) -> Refusal {
    let message = format!("{bytes} bytes of JSON; at most {max_bytes} are read here");
    Refusal::new("too-large", "", message)
}

fn refusal(fault: Fault) -> Refusal {
    let code = match fault.code {
        FaultCode::Syntax | FaultCode::InvalidUtf8 => "json-syntax",
        FaultCode::DuplicateKey => "json-duplicate-key",
        FaultCode::LoneSurrogate => "json-lone-surrogate",
        FaultCode::NumberRange => "json-number-range",
        FaultCode::InexactNumber => "json-inexact-number",
        FaultCode::TooDeep => "too-deep",
    };
    Refusal::new(code, fault.pointer, fault.message)
}

#[cfg(test)]
mod tests;
