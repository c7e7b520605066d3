//! The findings that follow from the request's bytes alone, recomputed (ERC-8481 §Approvals, §Texts): no view can make
//! them come out otherwise, so a report that says otherwise is wrong.
//!
//! Unicode's categories and scripts are those of this build (I-32).

use super::{Outcome, name_some, refused};
use alloy_primitives::{B256, keccak256};
use presight_decode::{Amount, Decoded, Expiry, Grant};
use presight_source::findings::text::{addresses, control_chars, mixed_script};
use presight_wire::report::{self, Approval, EntityRef, Form, Report};
use presight_wire::{Refusal, Request};
use serde_json::Value;
use std::collections::HashMap;

/// No finding denies what the request's bytes say. What the report does not read denies nothing.
pub(crate) fn request_facts(report: &Report, request: &Request, own: &Result<Decoded, Refusal>) -> Outcome {
    let mut denials = texts(report, request);
    if let Ok(decoded) = own {
        denials.extend(approvals(report, decoded));
    }
    denials.sort_unstable();
    if !denials.is_empty() {
        let words: Vec<String> = denials.into_iter().map(|(_, words)| words).collect();
        return Outcome::fail(name_some(&words));
    }
    match own {
        Ok(_) => Outcome::pass(None),
        Err(refusal) => Outcome::not_read(refused(refusal)),
    }
}

const AMOUNT: &str = "erc.presign.approval.amount";
const UNLIMITED: &str = "erc.presign.approval.unlimited";
const EXPIRY: &str = "erc.presign.approval.expiry";
const APPROVAL_KINDS: [&str; 3] = [AMOUNT, UNLIMITED, EXPIRY];

/// Characters of our own value that a detail shows.
const MAX_SHOWN: usize = 80;

/// A value that was read, and the position of its finding.
struct Reading<'a> {
    position: usize,
    kind: &'a str,
    entity: &'a EntityRef,
    has_param: bool,
    value: &'a Value,
}

impl<'a> Reading<'a> {
    fn all(report: &'a Report) -> impl Iterator<Item = Self> {
        let findings = report.findings.iter().enumerate();
        findings.filter_map(|(position, finding)| match &finding.outcome {
            report::Outcome::Read(value) => Some(Self {
                position,
                kind: &finding.kind,
                entity: &finding.entity,
                has_param: finding.param.is_some(),
                value,
            }),
            report::Outcome::NotRead(_) => None,
        })
    }

    /// A denial, when the value is not what the bytes give.
    fn expect(&self, own: &Value) -> Option<Denial> {
        (self.value != own).then(|| self.denies(&own.to_string()))
    }

    fn denies(&self, own: &str) -> Denial {
        let shown: String = own.chars().take(MAX_SHOWN).collect();
        let cut = if shown.len() < own.len() { "…" } else { "" };
        let kind = self.kind.escape_debug();
        let words = format!(
            "findings/{} ({kind}): the request's bytes give {shown}{cut}",
            self.position
        );
        (self.position, words)
    }
}

/// The position of a finding, and what the bytes give instead.
type Denial = (usize, String);

/// Approvals that are equal as entities, such as two amounts to one spender in one outer call.
#[derive(Default)]
struct Alike<'a> {
    reported: Vec<usize>,
    own: Vec<&'a Grant>,
}

fn approvals(report: &Report, decoded: &Decoded) -> Vec<Denial> {
    // That a kind is told once of an approval, if with a `null` for its param, is the structure's rule.
    let mut readings: HashMap<usize, HashMap<(&str, bool), Reading<'_>>> = HashMap::new();
    for reading in Reading::all(report).filter(|reading| APPROVAL_KINDS.contains(&reading.kind)) {
        if let EntityRef::Approval(index) = reading.entity {
            let told = (reading.kind, reading.has_param);
            readings.entry(*index).or_default().entry(told).or_insert(reading);
        }
    }
    let mut alike: HashMap<&Approval, Alike<'_>> = HashMap::new();
    for (index, approval) in report.entities.approvals.iter().enumerate() {
        alike.entry(approval).or_default().reported.push(index);
    }
    for (approval, grant) in decoded.entities.approvals.iter().zip(&decoded.grants) {
        alike.entry(approval).or_default().own.push(grant);
    }
    let denials = |index: usize, grant: &Grant| -> Vec<Denial> {
        let about = readings.get(&index).into_iter().flat_map(HashMap::values);
        about
            .filter_map(|reading| denied_by_grant(reading, grant))
            .collect()
    };
    alike
        .values()
        .filter(|alike| !alike.agree(|index, grant| denials(index, grant).is_empty()))
        .flat_map(|alike| alike.reported.iter().zip(&alike.own))
        .flat_map(|(index, grant)| denials(*index, grant))
        .collect()
}

impl Alike<'_> {
    /// Both sides list in the order of the request, and either may leave some out or decode further ones: the shorter
    /// one is the longer one with items left out.
    fn agree(&self, fits: impl Fn(usize, &Grant) -> bool) -> bool {
        if self.reported.len() <= self.own.len() {
            let mut own = self.own.iter();
            self.reported
                .iter()
                .all(|index| own.any(|grant| fits(*index, grant)))
        } else {
            let mut reported = self.reported.iter();
            self.own
                .iter()
                .all(|grant| reported.any(|index| fits(*index, grant)))
        }
    }
}

/// What the bytes give, when the reading denies it.
fn denied_by_grant(reading: &Reading<'_>, grant: &Grant) -> Option<Denial> {
    match reading.kind {
        AMOUNT => reading.expect(&amount(grant)),
        UNLIMITED => {
            let unlimited = is_unlimited(grant);
            // An item of an ERC-721 is no unlimited amount, whatever its number (I-36).
            let may_be_item = unlimited && grant.form == Form::Erc20Approve && *reading.value == false;
            if may_be_item {
                None
            } else {
                reading.expect(&unlimited.into())
            }
        }
        EXPIRY => match grant.expiry {
            Expiry::Never => reading.expect(&"none".into()),
            Expiry::At(seconds) => reading.expect(&seconds.into()),
            // The block's own timestamp (I-26).
            Expiry::SameBlock if reading.value.is_number() => None,
            Expiry::SameBlock => Some(reading.denies("the timestamp of the block")),
        },
        _ => None,
    }
}

fn amount(grant: &Grant) -> Value {
    match grant.amount {
        Amount::All => "all".into(),
        Amount::Units { value, .. } => value.to_string().into(),
    }
}

fn is_unlimited(grant: &Grant) -> bool {
    match grant.amount {
        Amount::All => true,
        Amount::Units { value, max } => value == max,
    }
}

/// What a text holds. Every text is looked through once, however many findings are about it.
struct TextFacts {
    control_chars: Value,
    mixed_script: Value,
    addresses: Value,
}

impl TextFacts {
    fn of(text: &str) -> Self {
        Self {
            control_chars: control_chars::count(text).into(),
            mixed_script: mixed_script::is_mixed(text).into(),
            addresses: addresses::find(text).into(),
        }
    }
}

/// A text is known by its digest, wherever the report lists it.
fn texts(report: &Report, request: &Request) -> Vec<Denial> {
    let texts = report.entities.texts.iter();
    let digests: HashMap<usize, B256> = texts.map(|text| (text.index, text.digest)).collect();
    let given = request.context.iter().flat_map(|context| &context.texts);
    let facts: HashMap<B256, TextFacts> = given
        .map(|text| (keccak256(text.text.as_bytes()), TextFacts::of(&text.text)))
        .collect();
    Reading::all(report)
        .filter_map(|reading| {
            let EntityRef::Text(index) = reading.entity else {
                return None;
            };
            let digest = digests.get(index)?;
            if digest.is_zero() {
                // Of a name that was not read (I-33).
                return Some(reading.denies("no text for a digest of zeros, so nothing to read"));
            }
            denied_by_text(&reading, facts.get(digest)?)
        })
        .collect()
}

fn denied_by_text(reading: &Reading<'_>, facts: &TextFacts) -> Option<Denial> {
    match reading.kind {
        "erc.presign.text.control-chars" => reading.expect(&facts.control_chars),
        "erc.presign.text.mixed-script" => reading.expect(&facts.mixed_script),
        "erc.presign.text.addresses" => reading.expect(&facts.addresses),
        _ => None,
    }
}
