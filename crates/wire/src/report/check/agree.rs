//! Facts about one entity do not deny each other.

use super::index::Index;
use super::short_name;
use crate::error::Refusal;
use crate::report::{EntityRef, Finding, Form, Outcome, Report};
use alloy_primitives::{U160, U256};
use serde_json::Value;

pub(super) fn check(report: &Report, index: &Index<'_>, broken: &mut Vec<Refusal>) {
    for (i, finding) in report.findings.iter().enumerate() {
        let Outcome::Read(value) = &finding.outcome else {
            continue;
        };
        let refusal = match short_name(finding) {
            "approval.unlimited" => unlimited(report, index, finding, value),
            "approval.share-of-supply" => share(report, finding),
            "address.delegate-single-caller"
            | "address.delegate-unbounded-outflow"
            | "address.delegate-authorizations" => delegate(index, finding),
            _ => None,
        };
        if let Some((code, message)) = refusal {
            broken.push(Refusal::new(code, format!("/findings/{i}"), message));
        }
    }
}

type Denial = Option<(&'static str, &'static str)>;

/// `unlimited` is `true` exactly for the maximum of the type and for an approval for all (§Approvals).
fn unlimited(report: &Report, index: &Index<'_>, finding: &Finding, value: &Value) -> Denial {
    let form = form(report, finding)?;
    let amount = index.get("erc.presign.approval.amount", &finding.entity)?;
    let Outcome::Read(Value::String(amount)) = &amount.outcome else {
        return None;
    };
    let is_maximum = match form {
        Form::ApprovalForAll => true,
        Form::Permit2Approve | Form::Permit2Permit => *amount == U160::MAX.to_string(),
        Form::Erc20Approve | Form::Erc20Increase | Form::Erc2612Permit => *amount == U256::MAX.to_string(),
    };
    (value.as_bool()? != is_maximum).then_some(("contradictory-values", "it denies approval.amount"))
}

fn share(report: &Report, finding: &Finding) -> Denial {
    let for_all = form(report, finding)? == Form::ApprovalForAll;
    for_all.then_some((
        "inapplicable-kind",
        "an approval for all is no share of the supply",
    ))
}

fn delegate(index: &Index<'_>, finding: &Finding) -> Denial {
    let code = &index.get("erc.presign.address.code", &finding.entity)?.outcome;
    let other = !code.is_unread() && !code.is_word("delegated");
    other.then_some((
        "inapplicable-kind",
        "the address is not delegated by address.code",
    ))
}

fn form(report: &Report, finding: &Finding) -> Option<Form> {
    let EntityRef::Approval(i) = finding.entity else {
        return None;
    };
    Some(report.entities.approvals.get(i)?.form)
}
