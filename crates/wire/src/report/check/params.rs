//! The `param` of each core kind (ERC-8481 §Core findings). Members beyond the defined ones are refused: they would
//! let one fact be told twice with two values.

use super::values::{is_account, is_b256, is_count, is_decimal, is_text};
use super::{Refuse, short_name};
use crate::kinds::words::PAYMENT_PAIRS;
use crate::report::{Finding, Outcome};
use serde_json::Value;

/// Kinds without a `param` never carry one. Of the others it is looked at when the finding was read: where nothing
/// is configured, a kind is not read and without `param` (I-14).
pub(super) fn check(finding: &Finding, refuse: &mut Refuse<'_>) {
    let param = finding.param.as_ref().unwrap_or(&Value::Null);
    let read = matches!(finding.outcome, Outcome::Read(_));
    let fault = match short_name(finding) {
        "token.observation" => {
            read && !has_exactly(
                param,
                &[("registry", is_account), ("kind", is_b256), ("param", is_decimal)],
            )
        }
        "token.issuer-listing" => read && !has_exactly(param, &[("issuer", is_text), ("list", is_text)]),
        "token.oracle-deviation" => read && !has_exactly(param, &[("feed", is_account)]),
        "address.delegate-authorizations" => read && !has_exactly(param, &[("blocks", is_count)]),
        "address.source-verified" => read && !is_text(param),
        "address.lookalike" => {
            read && !has_exactly(param, &[("prefix", is_digit_count), ("suffix", is_digit_count)])
        }
        "address.on-list" | "text.pattern-match" => {
            read && !has_exactly(param, &[("uri", is_text), ("hash", is_b256)])
        }
        "payment.match" => read && !param.as_str().is_some_and(|pair| PAYMENT_PAIRS.contains(&pair)),
        _ => !param.is_null(),
    };
    if fault {
        refuse(
            "bad-param",
            "/param",
            format!("it is not the param of {}", finding.kind),
        );
    }
}

type Shape = fn(&Value) -> bool;

fn has_exactly(value: &Value, members: &[(&str, Shape)]) -> bool {
    value.as_object().is_some_and(|object| {
        object.len() == members.len()
            && members
                .iter()
                .all(|(name, fits)| object.get(*name).is_some_and(fits))
    })
}

/// A number of hex digits of an address.
fn is_digit_count(value: &Value) -> bool {
    value.as_u64().is_some_and(|digits| digits <= 40)
}
