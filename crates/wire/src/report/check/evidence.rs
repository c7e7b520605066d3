//! The evidence some kinds demand (ERC-8481 §Core findings).

use super::index::Index;
use super::{Refuse, short_name};
use crate::reading::Evidence;
use crate::report::{EntityRef, Finding, Outcome};
use serde_json::Value;

pub(super) fn check(index: &Index<'_>, finding: &Finding, refuse: &mut Refuse<'_>) {
    let Outcome::Read(value) = &finding.outcome else {
        return;
    };
    let evidence = finding.evidence.as_slice();
    match short_name(finding) {
        "token.observation" if !evidence.iter().any(|e| matches!(e, Evidence::Observation { .. })) => {
            refuse(
                "missing-evidence",
                "/evidence",
                "an `observation` entry is missing".into(),
            );
        }
        "token.issuer-listing" if !evidence.iter().any(|e| matches!(e, Evidence::Document { .. })) => {
            refuse(
                "missing-evidence",
                "/evidence",
                "the issuer's list with its hash is missing".into(),
            );
        }
        "address.code" => code(index, finding, value, refuse),
        _ => {}
    }
}

/// `delegated` shows the code, and code that is shown is what the value says. The code of an authority may be
/// another after the request's authorization list than the one its node returns.
fn code(index: &Index<'_>, finding: &Finding, value: &Value, refuse: &mut Refuse<'_>) {
    let EntityRef::Address(entity) = &finding.entity else {
        return;
    };
    let shown: Vec<&[u8]> = finding
        .evidence
        .iter()
        .filter_map(|evidence| match evidence {
            Evidence::Call { to, data, result, .. } if *to == entity.address && data.is_empty() => {
                Some(result.as_ref())
            }
            _ => None,
        })
        .collect();
    if value == "delegated" && shown.is_empty() {
        refuse(
            "missing-evidence",
            "/evidence",
            "the account's code is missing".into(),
        );
    }
    if !index.is_authority(&entity.address) && shown.iter().any(|code| value != word_of(code)) {
        refuse(
            "evidence-differs",
            "/evidence",
            "the code shown is another than the value says".into(),
        );
    }
}

/// The word for these bytes of code (EIP-7702: `0xef0100` and an address is a delegation).
fn word_of(code: &[u8]) -> &'static str {
    match code {
        [] => "none",
        [0xef, 0x01, 0x00, delegate @ ..] if delegate.len() == 20 => "delegated",
        _ => "contract",
    }
}
