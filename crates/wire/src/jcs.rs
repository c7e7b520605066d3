//! RFC 8785 canonical bytes and the ERC's `digest`.

use alloy_primitives::{B256, keccak256};
use serde_json::Value;

/// Canonical bytes (RFC 8785) of a JSON value.
pub fn canonical(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).expect("a JSON value serialises")
}

/// `keccak256` of the canonical bytes (ERC-8481 §Terms).
pub fn digest(value: &Value) -> B256 {
    keccak256(canonical(value))
}
