//! Rules on every value of the document: no member that says whether the request should be signed (ERC-8481 §Report,
//! I-17), and no number that strict reading would refuse, so that what is signed can be read.

use crate::error::{Refusal, push_segment};
use crate::hex;
use crate::limits::MAX_SAFE_INTEGER;
use serde_json::{Number, Value};
use std::fmt::Write as _;

/// Words of the text and their like. A name that has one of them in it judges: `riskScore`, `verdict_v2`.
const JUDGING: [&str; 4] = ["score", "verdict", "severity", "recommend"];

/// Names that judge as a whole. Parts of other names they are not: `transaction`.
const VERDICTS: [&str; 14] = [
    "action",
    "actions",
    "suggestedaction",
    "requiredaction",
    "advice",
    "decision",
    "rating",
    "dangerous",
    "isdangerous",
    "malicious",
    "ismalicious",
    "shouldsign",
    "shouldnotsign",
    "trustworthy",
];

/// Names that judge unless they name an account: a `safe` with an address is a Safe.
const SAFE: [&str; 5] = ["safe", "issafe", "unsafe", "isunsafe", "safetosign"];

/// Whether a member's purpose is to say if the request should be signed, by its name. Letter case, `_`, zero-width
/// characters and the like do not hide a name; what else is outside ASCII is no such name to any program that looks for one.
fn judges(name: &str, value: &Value) -> bool {
    let name: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    name.starts_with("risk")
        || JUDGING.iter().any(|word| name.contains(word))
        || VERDICTS.contains(&name.as_str())
        || (SAFE.contains(&name.as_str()) && !names_account(value))
}

fn names_account(value: &Value) -> bool {
    value
        .as_str()
        .and_then(|text| text.rsplit(':').next())
        .is_some_and(|address| hex::address_any_case(address, "").is_ok())
}

/// Walks the whole document, values of extension kinds included.
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
                if judges(name, member) {
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

#[cfg(test)]
mod tests {
    use super::judges;
    use serde_json::json;

    #[test]
    fn names_that_judge_are_known_however_they_are_written() {
        for name in [
            "score",
            "SCORE",
            "Score",
            "s_core",
            "riskScore",
            "risk",
            "risk_level",
            "verdict",
            "Verdict-2",
            "severity",
            "action",
            "Action",
            "recommendedAction",
            "recommendation",
            "rating",
            "sc\u{200b}ore",
        ] {
            assert!(judges(name, &json!("0")), "{name:?}");
        }
        for value in [json!(true), json!("yes"), json!(1)] {
            assert!(judges("safe", &value));
        }
    }

    #[test]
    fn names_of_facts_do_not_judge() {
        for name in [
            "transaction",
            "operating",
            "asterisk",
            "block",
            "allowed",
            "approved",
            "blocks",
            "reason",
            "status",
            "before",
            "isUnlimited",
            "größe",
            "\u{20ac}",
            "",
        ] {
            assert!(!judges(name, &json!(true)), "{name:?}");
        }
        for account in [
            "0x00000000000000000000000000000000000000aa",
            "eip155:1:0x00000000000000000000000000000000000000aa",
        ] {
            assert!(!judges("safe", &json!(account)));
        }
    }
}
