//! Rules on every value of the document: no member that says whether the request should be signed (ERC-8481 §Report,
//! I-17), and no number that strict reading would refuse, so that what is signed can be read.

use crate::error::{Refusal, push_segment};
use crate::limits::MAX_SAFE_INTEGER;
use serde_json::{Number, Value};
use std::fmt::Write as _;

const NAMES: [&str; 5] = ["score", "verdict", "severity", "action", "recommendation"];

/// Walks the whole document, values of extension kinds included. Letter case does not hide a name.
pub(super) fn walk(value: &Value, pointer: &mut String, broken: &mut Vec<Refusal>) {
    let length = pointer.len();
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                write!(pointer, "/{i}").expect("a string takes any text");
                walk(item, pointer, broken);
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
                walk(member, pointer, broken);
                pointer.truncate(length);
            }
        }
        Value::Number(number) if !is_exact(number) => {
            let message = "integers beyond 2^53 - 1 are written as strings";
            broken.push(Refusal::new("json-inexact-number", pointer.clone(), message));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_exact(number: &Number) -> bool {
    match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => integer.unsigned_abs() <= MAX_SAFE_INTEGER,
        (None, Some(double)) => double.abs() < 9_007_199_254_740_992.0,
        (None, None) => false,
    }
}
