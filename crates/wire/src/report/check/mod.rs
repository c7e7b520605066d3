//! The structural rules of ERC-8481 §Report, as one checker used before signing and by the consumer.
//!
//! | code | rule |
//! | --- | --- |
//! | any code of [`super::ReceivedReport::from_value`] | the report has its shape: `value` xor `reason`, closed sets of words, hex |
//! | `forbidden-member` | no score, verdict, severity, action, recommendation or the like, anywhere (I-17) |
//! | `json-inexact-number` | no number beyond 2^53 - 1, which a consumer would refuse to read |
//! | `mixed-chains` | the signer is on the request's chain |
//! | `expires-before-issued` | `expiresAt` is not before `issuedAt` |
//! | `duplicate-block`, `duplicate-entity`, `duplicate-finding` | nothing is listed twice |
//! | `unknown-entity`, `wrong-entity` | a finding is about a listed entity, a core kind about one of its group |
//! | `missing-core-kind` | every core kind that applies is there for every listed entity |
//! | `at-not-in-blocks`, `missing-at`, `unexpected-at` | facts of the chain name a listed block, facts of the request none |
//! | `bad-value`, `bad-param` | values and params of core kinds have the types of §Core findings (I-11) |
//! | `inapplicable-kind`, `contradictory-values` | facts about one entity do not deny each other |
//! | `missing-evidence`, `evidence-differs` | the evidence a kind demands is there and shows the value |
//! | `note-not-one-line` | `note` is one line |
//!
//! [`MISSING_CORE_KIND`] alone does not make a report void: a consumer treats the kind as not read.

mod agree;
mod blocks;
mod complete;
mod document;
mod evidence;
mod index;
mod params;
mod values;

#[cfg(test)]
mod tests;

use self::index::Index;
use super::{EntityRef, Finding, Report, read};
use crate::error::Refusal;
use crate::jcs;
use crate::kinds::{CORE, Group};
use serde_json::Value;
use std::collections::HashSet;

/// The code of a core kind that is missing for a listed entity.
pub const MISSING_CORE_KIND: &str = "missing-core-kind";

/// Every rule the report breaks, with its place. `kinds` are those of the request; `None` means every core kind.
/// Whether the report is signed, and by whom, is not looked at.
///
/// When the report cannot be read at all, the answer is where reading stopped, and every forbidden member.
pub fn check(value: &Value, kinds: Option<&[String]>) -> Vec<Refusal> {
    let mut broken = Vec::new();
    document::walk(value, &mut String::new(), &mut broken);
    match read::report(value) {
        Err(refusal) => broken.push(refusal),
        Ok(report) => {
            let index = Index::of(&report);
            header(&report, &mut broken);
            entities(&report, &mut broken);
            blocks::check(&report, &mut broken);
            findings(&report, &index, &mut broken);
            agree::check(&report, &index, &mut broken);
            complete::check(&report, &index, kinds, &mut broken);
        }
    }
    broken
}

fn header(report: &Report, broken: &mut Vec<Refusal>) {
    if report.signer.chain != report.chain {
        let message = format!(
            "the signer is on {}, the request on {}",
            report.signer.chain, report.chain
        );
        broken.push(Refusal::new("mixed-chains", "/signer", message));
    }
    if report.expires_at.is_some_and(|expiry| expiry < report.issued_at) {
        broken.push(Refusal::new(
            "expires-before-issued",
            "/expiresAt",
            "it is before issuedAt",
        ));
    }
}

/// Approvals may be equal: a batch can grant the same twice.
fn entities(report: &Report, broken: &mut Vec<Refusal>) {
    let entities = &report.entities;
    duplicates("tokens", entities.tokens.iter(), broken);
    duplicates("addresses", entities.addresses.iter(), broken);
    duplicates("texts", entities.texts.iter().map(|text| text.index), broken);
}

fn duplicates<T: Eq + std::hash::Hash>(
    list: &str,
    items: impl Iterator<Item = T>,
    broken: &mut Vec<Refusal>,
) {
    let mut seen = HashSet::new();
    for (i, item) in items.enumerate() {
        if !seen.insert(item) {
            let pointer = format!("/entities/{list}/{i}");
            broken.push(Refusal::new("duplicate-entity", pointer, "it was listed before"));
        }
    }
}

fn findings(report: &Report, index: &Index<'_>, broken: &mut Vec<Refusal>) {
    let listed: HashSet<EntityRef> = references(report).map(|(entity, _)| entity).collect();
    let mut seen = HashSet::new();
    for (i, finding) in report.findings.iter().enumerate() {
        let mut refuse = |code, member: &str, message: String| {
            broken.push(Refusal::new(code, format!("/findings/{i}{member}"), message));
        };
        // An absent param and `null` say the same.
        let param = jcs::canonical(finding.param.as_ref().unwrap_or(&Value::Null));
        if !seen.insert((&finding.kind, &finding.entity, param)) {
            let message = "an earlier finding has the same kind, entity and param";
            refuse("duplicate-finding", "", message.into());
        }
        if !listed.contains(&finding.entity) {
            refuse(
                "unknown-entity",
                "/entity",
                "the report does not list this entity".into(),
            );
        }
        if finding
            .note
            .as_deref()
            .is_some_and(|note| note.contains(breaks_line))
        {
            refuse(
                "note-not-one-line",
                "/note",
                "a line break or control character is in it".into(),
            );
        }
        if let Some(core) = CORE.iter().find(|core| core.name == finding.kind) {
            if core.group != group(&finding.entity) {
                refuse(
                    "wrong-entity",
                    "/entity",
                    format!("{} is about another group of entities", core.name),
                );
                continue;
            }
            params::check(finding, &mut refuse);
            values::check(report, finding, &mut refuse);
            evidence::check(index, finding, &mut refuse);
        }
    }
}

/// Notes where a rule is broken within one finding: code, pointer below the finding, message.
type Refuse<'a> = dyn FnMut(&'static str, &str, String) + 'a;

fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn group(entity: &EntityRef) -> Group {
    match entity {
        EntityRef::Token(_) => Group::Token,
        EntityRef::Approval(_) => Group::Approval,
        EntityRef::Address(_) => Group::Address,
        EntityRef::Payment => Group::Payment,
        EntityRef::Text(_) => Group::Text,
    }
}

/// Every listed entity as findings refer to it, with the pointer to where it is listed.
fn references(report: &Report) -> impl Iterator<Item = (EntityRef, String)> {
    let entities = &report.entities;
    let place = |list: &str, i: usize| format!("/entities/{list}/{i}");
    let tokens = entities.tokens.iter().enumerate();
    let approvals = 0..entities.approvals.len();
    let addresses = entities.addresses.iter().enumerate();
    let payment = entities
        .payment
        .then(|| (EntityRef::Payment, "/entities/payment".to_owned()));
    let texts = entities.texts.iter().enumerate();
    tokens
        .map(move |(i, token)| (EntityRef::Token(token.clone()), place("tokens", i)))
        .chain(approvals.map(move |i| (EntityRef::Approval(i), place("approvals", i))))
        .chain(addresses.map(move |(i, entity)| (EntityRef::Address(entity.clone()), place("addresses", i))))
        .chain(payment)
        .chain(texts.map(move |(i, text)| (EntityRef::Text(text.index), place("texts", i))))
}

/// The kind's name without the ERC's prefix; empty for a kind of another prefix.
fn short_name(finding: &Finding) -> &str {
    finding.kind.strip_prefix("erc.presign.").unwrap_or_default()
}
