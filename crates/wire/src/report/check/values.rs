//! The JSON type of each core kind's value (ERC-8481 §Core findings, I-11).

use super::{Refuse, short_name};
use crate::caip::AccountId;
use crate::hex;
use crate::kinds::words;
use crate::limits::MAX_SAFE_INTEGER;
use crate::report::{EntityRef, Finding, Form, Outcome, Report};
use alloy_primitives::U256;
use serde_json::Value;

pub(super) fn check(report: &Report, finding: &Finding, refuse: &mut Refuse<'_>) {
    let Outcome::Read(value) = &finding.outcome else {
        return;
    };
    let for_all = match finding.entity {
        EntityRef::Approval(i) => report
            .entities
            .approvals
            .get(i)
            .is_some_and(|approval| approval.form == Form::ApprovalForAll),
        _ => false,
    };
    if let Some(expected) = fault(short_name(finding), value, for_all) {
        refuse("bad-value", "/value", format!("{expected} expected"));
    }
}

/// What was expected, when `value` is not the value of a kind.
fn fault(kind: &str, value: &Value, for_all: bool) -> Option<&'static str> {
    let (fits, expected) = match kind {
        "token.observation" => (is_observation(value), "an observation"),
        "token.issuer-listing" => (
            is_word(value, &words::ISSUER_LISTINGS),
            "listed, issuer-unlisted, copy or none",
        ),
        "token.oracle-deviation" => (is_deviation(value), "a deviation"),
        "approval.amount" if for_all => (value == "all", "`all`"),
        "approval.amount" => (is_decimal(value), "a decimal string"),
        "approval.unlimited" => (value.is_boolean(), "true or false"),
        "approval.share-of-supply" => (
            value.as_u64().is_some_and(|share| share <= 10_000),
            "an integer from 0 to 10000",
        ),
        "approval.expiry" => (is_count(value) || value == "none", "Unix seconds or `none`"),
        "approval.current-allowance" => (
            is_decimal(value) || (for_all && value == "all"),
            "a decimal string, or `all` of an approval for all",
        ),
        "address.code" => (is_word(value, &words::CODES), "none, contract or delegated"),
        "address.delegate-single-caller" | "address.delegate-unbounded-outflow" => {
            (value.is_boolean(), "true or false")
        }
        "address.delegate-authorizations" => (is_authorization_count(value), "counts of authorizations"),
        "address.delegation" => {
            let fits = |name| value.get(name).is_some_and(|v| v.is_null() || is_address(v));
            (
                fits("before") && fits("after"),
                "`before` and `after`, each an address or null",
            )
        }
        "address.first-seen-block" | "address.prior-transfers" => (is_decimal(value), "a decimal string"),
        "address.source-verified" => (is_word(value, &words::SOURCE_MATCHES), "exact, partial or none"),
        "address.lookalike" => (is_list_of(value, is_address), "a list of addresses"),
        "address.on-list" => (value.is_boolean(), "true or false"),
        "payment.match" => {
            let equal = value.get("equal").is_some_and(Value::is_boolean);
            let sides = value.get("left").is_some() && value.get("right").is_some();
            (equal && sides, "`equal` with `left` and `right`")
        }
        "payment.payee-binding" => (
            is_word(value, &words::PAYEE_BINDINGS),
            "an outcome of x402 Payee Verification",
        ),
        "text.control-chars" => (is_count(value), "a count"),
        "text.mixed-script" => (value.is_boolean(), "true or false"),
        "text.addresses" | "text.pattern-match" => (is_list_of(value, is_text), "a list of strings"),
        _ => return None,
    };
    (!fits).then_some(expected)
}

/// The registry's own not read value, 2^256 - 1, is no value here (§Tokens).
fn is_observation(value: &Value) -> bool {
    let decimals = ["value", "observationId", "observedBlock", "recordedAt"];
    decimals
        .iter()
        .all(|name| value.get(name).is_some_and(is_decimal))
        && value.get("detector").is_some_and(is_account)
        && value["value"] != U256::MAX.to_string()
}

fn is_deviation(value: &Value) -> bool {
    let texts = ["pool", "price", "oraclePrice"];
    let basis_points = |v: &Value| v.as_i64().is_some_and(|n| n.unsigned_abs() <= MAX_SAFE_INTEGER);
    texts.iter().all(|name| value.get(name).is_some_and(is_text))
        && value
            .get("oracleAge")
            .is_some_and(|age| is_count(age) || is_decimal(age))
        && value.get("deviationBps").is_some_and(basis_points)
}

fn is_authorization_count(value: &Value) -> bool {
    let count = |name| value.get(name).filter(|v| is_count(v)).and_then(Value::as_u64);
    let (Some(all), Some(same), Some(distinct)) =
        (count("count"), count("sameSender"), count("distinctAuthorities"))
    else {
        return false;
    };
    let only = value.get("senderIsOnlyCaller");
    same <= all && distinct <= all && only.is_some_and(|only| only.is_boolean() || only.is_null())
}

fn is_word(value: &Value, words: &[&str]) -> bool {
    value.as_str().is_some_and(|text| words.contains(&text))
}

fn is_list_of(value: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(fits))
}

/// An address on the finding's chain, or a CAIP-10 account (I-8).
fn is_address(value: &Value) -> bool {
    let plain = value
        .as_str()
        .is_some_and(|text| hex::address_any_case(text, "").is_ok());
    plain || is_account(value)
}

pub(super) fn is_account(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| AccountId::parse_any_case(text, "").is_ok())
}

pub(super) fn is_b256(value: &Value) -> bool {
    value.as_str().is_some_and(|text| hex::b256(text, "").is_ok())
}

pub(super) fn is_decimal(value: &Value) -> bool {
    value.as_str().is_some_and(|text| hex::decimal(text, "").is_ok())
}

pub(super) fn is_count(value: &Value) -> bool {
    value.as_u64().is_some_and(|n| n <= MAX_SAFE_INTEGER)
}

pub(super) fn is_text(value: &Value) -> bool {
    value.is_string()
}
