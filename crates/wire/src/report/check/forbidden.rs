//! No member that says whether the request should be signed (ERC-8481 §Report, I-17).

use crate::error::{Refusal, push_segment};
use serde_json::Value;
use std::fmt::Write as _;

const NAMES: [&str; 5] = ["score", "verdict", "severity", "action", "recommendation"];

/// Walks the whole document, values of extension kinds included. Letter case does not hide a name.
pub(super) fn members(value: &Value, pointer: &mut String, broken: &mut Vec<Refusal>) {
    let length = pointer.len();
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                write!(pointer, "/{i}").expect("a string takes any text");
                members(item, pointer, broken);
                pointer.truncate(length);
            }
        }
        Value::Object(object) => {
            for (name, member) in object {
                push_segment(pointer, name);
                if NAMES.iter().any(|forbidden| name.eq_ignore_ascii_case(forbidden)) {
                    let message = "a report carries facts, no verdict";
                    broken.push(Refusal::new("forbidden-member", pointer.clone(), message));
                }
                members(member, pointer, broken);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
