//! The report's entities against our own decoding of the request (ERC-8481 §Consuming a report, 3).
//!
//! What the report leaves out is not read. What it lists beyond ours is allowed: a source may simulate, or decode
//! more nested formats. An approval beyond ours has to be one that the report's own simulation findings tell of; one that
//! nothing tells of is not read, since it may be made up. What it lists *differently* is a failure, since findings
//! refer to entities by position.

use super::{Outcome, name_some, refused};
use crate::options::Options;
use alloy_primitives::B256;
use presight_decode::Decoded;
use presight_wire::report::{self, Approval, Entities, EntityRef, Report, TextEntity};
use presight_wire::{AccountId, Refusal};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The texts a source reads of each token (ERC-8481 §Entities).
const TOKEN_TEXTS: [&str; 2] = ["token.name", "token.symbol"];

/// What tells of approvals that the request's bytes do not show.
const HIDDEN_APPROVALS: &str = "presight.effects.hidden-approvals";

/// The step, and what the report leaves out.
pub(crate) fn entities(
    own: &Result<Decoded, Refusal>,
    report: &Report,
    options: &Options,
) -> (Outcome, Entities) {
    let reported = &report.entities;
    let own = match own {
        Ok(decoded) => &decoded.entities,
        Err(refusal) => return (Outcome::not_read(refused(refusal)), Entities::default()),
    };
    let differences = differences(own, reported);
    let unlisted = unlisted(own, reported);
    let missing = names(&unlisted);
    let untold = untold(own, report);
    let outcome = if !differences.is_empty() {
        Outcome::fail(name_some(&differences))
    } else if !missing.is_empty() {
        Outcome::not_read(format!("not listed: {}", name_some(&missing))).optional_if(options.accept_gaps)
    } else if !untold.is_empty() {
        let untold = name_some(&untold);
        Outcome::not_read(format!(
            "neither in our own decoding nor in a simulation finding: {untold}"
        ))
    } else {
        Outcome::pass(beyond(own, reported))
    };
    (outcome, unlisted)
}

/// Our entities that the report does not list.
fn unlisted(own: &Entities, reported: &Entities) -> Entities {
    Entities {
        tokens: left_over(&own.tokens, &reported.tokens),
        approvals: left_over(&own.approvals, &reported.approvals),
        addresses: left_over(&own.addresses, &reported.addresses),
        payment: own.payment && !reported.payment,
        texts: unlisted_texts(own, reported),
    }
}

/// The items of `own` that remain when each item of `reported` takes away one equal item.
fn left_over<T: Clone + Eq + Hash>(own: &[T], reported: &[T]) -> Vec<T> {
    let mut listed: HashMap<&T, usize> = HashMap::new();
    for item in reported {
        *listed.entry(item).or_default() += 1;
    }
    own.iter()
        .filter(|item| match listed.get_mut(item) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .cloned()
        .collect()
}

/// Texts of the context by content; names of tokens by presence, since what they say is read from the chain.
fn unlisted_texts(own: &Entities, reported: &Entities) -> Vec<TextEntity> {
    let missing = left_over(&text_keys(&own.texts), &text_keys(&reported.texts));
    let mut texts: Vec<TextEntity> = own
        .texts
        .iter()
        .filter(|text| missing.contains(&TextKey::of(text)))
        .cloned()
        .collect();
    // A text of the context does not stand for a name that was to be read from the chain.
    let named: HashSet<(&str, String)> = left_over(&text_keys(&reported.texts), &text_keys(&own.texts))
        .iter()
        .filter_map(|text| Some((text.field, text.reference?.to_ascii_lowercase())))
        .collect();
    for token in &own.tokens {
        for field in TOKEN_TEXTS {
            if !named.contains(&(field, token.to_string())) {
                texts.push(TextEntity {
                    index: own.texts.len() + texts.len(),
                    field: field.to_owned(),
                    reference: Some(token.to_string()),
                    digest: B256::ZERO,
                });
            }
        }
    }
    texts
}

/// A text without its position.
#[derive(Clone, PartialEq, Eq, Hash)]
struct TextKey<'a> {
    field: &'a str,
    reference: Option<&'a str>,
    digest: B256,
}

impl<'a> TextKey<'a> {
    fn of(text: &'a TextEntity) -> Self {
        Self {
            field: &text.field,
            reference: text.reference.as_deref(),
            digest: text.digest,
        }
    }
}

fn text_keys(texts: &[TextEntity]) -> Vec<TextKey<'_>> {
    texts.iter().map(TextKey::of).collect()
}

/// What the report says otherwise than we do, rather than not at all.
fn differences(own: &Entities, reported: &Entities) -> Vec<String> {
    let mut found = Vec::new();
    if reported.payment && !own.payment {
        found.push("the report lists a payment, the request carries none".to_owned());
    }
    let missing = left_over(&own.approvals, &reported.approvals);
    let beyond = left_over(&reported.approvals, &own.approvals);
    let listed: HashMap<_, &Approval> = beyond.iter().map(|theirs| (grant(theirs), theirs)).collect();
    for ours in &missing {
        if let Some(theirs) = listed.get(&grant(ours)) {
            found.push(format!(
                "{} is listed as {}",
                approval_name(ours),
                approval_name(theirs)
            ));
        }
    }
    let common = left_over(&reported.approvals, &beyond);
    if !is_subsequence(&common, &own.approvals) {
        found.push("the approvals are listed in another order".to_owned());
    }
    let texts: HashMap<usize, &TextEntity> = reported.texts.iter().map(|text| (text.index, text)).collect();
    for ours in &own.texts {
        let Some(theirs) = texts.get(&ours.index) else {
            continue;
        };
        let same_text = theirs.field == ours.field && theirs.reference == ours.reference;
        if same_text && theirs.digest != ours.digest {
            found.push(format!("text {} has another digest", ours.index));
        }
    }
    found
}

/// Who may spend what, however it is granted.
fn grant(approval: &Approval) -> (&AccountId, &AccountId) {
    (&approval.token, &approval.spender)
}

/// Whether `part` is `whole` with items left out.
fn is_subsequence(part: &[Approval], whole: &[Approval]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|item| whole.any(|other| other == item))
}

/// Approvals beyond ours that no finding of the report's simulation tells of.
fn untold(own: &Entities, report: &Report) -> Vec<String> {
    let mut ours: HashMap<&Approval, usize> = HashMap::new();
    for approval in &own.approvals {
        *ours.entry(approval).or_default() += 1;
    }
    let reported = report.entities.approvals.iter().enumerate();
    reported
        .filter(|(index, approval)| match ours.get_mut(approval) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => !is_told(*index, approval, report),
        })
        .map(|(_, approval)| approval_name(approval))
        .collect()
}

/// Whether a finding of the simulation names the approval, its spender and its form.
fn is_told(index: usize, approval: &Approval, report: &Report) -> bool {
    let tells = |item: &Value| {
        let spender = item.get("spender").and_then(Value::as_str);
        item.get("approval").and_then(Value::as_u64) == u64::try_from(index).ok()
            && spender == Some(format!("{:#x}", approval.spender.address).as_str())
            && item.get("form").and_then(Value::as_str) == Some(approval.form.as_str())
    };
    report.findings.iter().any(|finding| {
        let EntityRef::Token(token) = &finding.entity else {
            return false;
        };
        let report::Outcome::Read(value) = &finding.outcome else {
            return false;
        };
        finding.kind == HIDDEN_APPROVALS
            && *token == approval.token
            && value.as_array().is_some_and(|items| items.iter().any(tells))
    })
}

/// What the report lists and we do not, in one line.
fn beyond(own: &Entities, reported: &Entities) -> Option<String> {
    let beyond = Entities {
        tokens: left_over(&reported.tokens, &own.tokens),
        approvals: left_over(&reported.approvals, &own.approvals),
        addresses: left_over(&reported.addresses, &own.addresses),
        payment: false,
        texts: Vec::new(),
    };
    let names = names(&beyond);
    (!names.is_empty()).then(|| format!("listed beyond our own decoding: {}", name_some(&names)))
}

/// Entities for people. Texts go by their field, never by what they say.
fn names(entities: &Entities) -> Vec<String> {
    let tokens = entities.tokens.iter().map(|token| format!("token {token}"));
    let approvals = entities.approvals.iter().map(approval_name);
    let addresses = entities
        .addresses
        .iter()
        .map(|a| format!("{} {}", a.role.as_str(), a.address));
    let payment = entities.payment.then(|| "the payment".to_owned());
    let texts = entities.texts.iter().map(|text| match &text.reference {
        Some(reference) => format!(
            "text {} of {}",
            text.field.escape_debug(),
            reference.escape_debug()
        ),
        None => format!("text {}", text.field.escape_debug()),
    });
    tokens
        .chain(approvals)
        .chain(addresses)
        .chain(payment)
        .chain(texts)
        .collect()
}

fn approval_name(approval: &Approval) -> String {
    let Approval {
        token,
        spender,
        form,
        call_index,
    } = approval;
    match call_index {
        Some(index) => format!(
            "approval {} of {token} to {spender} in call {index}",
            form.as_str()
        ),
        None => format!("approval {} of {token} to {spender}", form.as_str()),
    }
}
