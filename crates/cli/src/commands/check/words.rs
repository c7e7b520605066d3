//! A verdict in words: what leaves and to whom, what is granted and until when, what is unusual, what could not be read.

use super::effects::{Effects, OfToken, address};
use super::leaves::{Movements, not_understood};
use alloy_primitives::U256;
use presight_decode::{Amount, Decoded, Expiry};
use presight_engine::words::{Tokens, entity, line, printable, token_name, units};
use presight_policy::{About, Effect, Policy, Verdict};
use presight_wire::report::{EntityRef, Outcome, Report};
use presight_wire::{Request, Timestamp};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Findings shown under one reason; the JSON names every one.
const MAX_SHOWN_FINDINGS: usize = 6;

/// What a verdict was given over.
pub(super) struct Judged<'a> {
    pub(super) policy: &'a Policy,
    pub(super) report: &'a Report,
    pub(super) tokens: &'a Tokens,
    pub(super) request: &'a Request,
    pub(super) decoded: &'a Decoded,
}

/// The whole answer. A line is one line whatever is in it.
pub(super) fn verdict(verdict: &Verdict, judged: &Judged<'_>) -> String {
    let Judged {
        policy,
        report,
        tokens,
        request,
        decoded,
    } = *judged;
    let mut lines = vec![format!(
        "{} says {}, before {} signs on {}",
        policy.name(),
        verdict.word(),
        request.signer().address.to_checksum(None),
        request.chain()
    )];
    let movements = Movements::new(report, tokens, request, decoded).lines();
    section(&mut lines, "What leaves, and to whom", movements);
    let grants = granted(report, tokens, decoded);
    section(&mut lines, "What is granted, to whom, until when", grants);
    section(&mut lines, "What is unusual", reasons(verdict, report, tokens));
    section(
        &mut lines,
        "What could not be read",
        not_read(verdict, report, tokens),
    );
    let lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    lines.join("\n")
}

fn section(lines: &mut Vec<String>, title: &str, content: Vec<String>) {
    lines.push(String::new());
    lines.push(format!("{title}:"));
    if content.is_empty() {
        lines.push("  nothing was found".to_owned());
    }
    lines.extend(content.into_iter().map(|line| format!("  {line}")));
}

/// What the bytes grant, with what the calls make of it, and what no byte shows.
fn granted(report: &Report, tokens: &Tokens, decoded: &Decoded) -> Vec<String> {
    let effects = Effects { report };
    let approvals = decoded.entities.approvals.iter().zip(&decoded.grants);
    let mut lines: Vec<String> = approvals
        .map(|(approval, grant)| {
            let amount = match grant.amount {
                Amount::All => format!("everything of {}", token_name(&approval.token, tokens)),
                Amount::Units { value, max } if value == max => {
                    format!("any amount of {}", token_name(&approval.token, tokens))
                }
                Amount::Units { value, .. } => units(value, &approval.token, tokens),
            };
            let until = match grant.expiry {
                Expiry::Never => "until revoked".to_owned(),
                Expiry::SameBlock => "within its block".to_owned(),
                Expiry::At(seconds) => i64::try_from(seconds).map_or_else(
                    |_| format!("until {seconds}"),
                    |s| format!("until {}", Timestamp(s)),
                ),
            };
            let spender = approval.spender.address.to_checksum(None);
            let listed = report
                .entities
                .approvals
                .iter()
                .position(|other| other == approval);
            let after = listed.and_then(|index| effects.allowance_after(index));
            let left = after.map_or(String::new(), |after| left(after, grant.amount));
            format!("{amount} to {spender}, {until}{left}")
        })
        .collect();
    lines.extend(effects.hidden_approvals().map(|OfToken { token, item }| {
        let token = token_name(token, tokens);
        match (address(item, "owner"), address(item, "spender")) {
            (Some(owner), Some(spender)) => format!(
                "{token} of {} to {}, which no byte of the request shows{}",
                owner.to_checksum(None),
                spender.to_checksum(None),
                hidden_amount(report, item)
            ),
            _ => format!("{} of {token}", not_understood(item)),
        }
    }));
    let unread: BTreeSet<String> = effects
        .unread_approvals()
        .map(|(of, reason)| {
            let of = entity(of, report, tokens);
            format!("not read ({reason}): what the bytes do not show of {of}")
        })
        .collect();
    lines.extend(unread);
    lines
}

/// What the calls leave of an allowance, where that is not what the bytes grant.
fn left(after: &Value, granted: Amount) -> String {
    if after == "unchanged" {
        return " [does not happen when the calls are run]".to_owned();
    }
    let granted = match granted {
        Amount::All => "all".to_owned(),
        Amount::Units { value, .. } => value.to_string(),
    };
    match after.get("after").and_then(Value::as_str) {
        Some(left) if left == granted => String::new(),
        Some(left) => format!(" [the calls leave {left}]"),
        None => format!(" [{}]", not_understood(after)),
    }
}

fn hidden_amount(report: &Report, item: &Value) -> String {
    let index = item.get("approval").and_then(Value::as_u64);
    let about = index
        .and_then(|index| usize::try_from(index).ok())
        .map(EntityRef::Approval);
    let mut findings = report.findings.iter();
    let amount = findings.find(|finding| {
        finding.kind == "erc.presign.approval.amount" && about.as_ref() == Some(&finding.entity)
    });
    match amount.map(|finding| &finding.outcome) {
        Some(Outcome::Read(Value::String(amount))) if *amount == U256::MAX.to_string() => {
            ": any amount".to_owned()
        }
        Some(Outcome::Read(Value::String(amount))) => format!(": {amount}"),
        _ => ": an amount that was not read".to_owned(),
    }
}

/// Each reason with the findings it rests on.
fn reasons(verdict: &Verdict, report: &Report, tokens: &Tokens) -> Vec<String> {
    let mut lines = Vec::new();
    for reason in verdict.reasons() {
        // Told under what could not be read. Only the policy's own reasons begin so and have such a code.
        if reason.message.starts_with(&format!("not read: {}", reason.code)) {
            continue;
        }
        let about = match &reason.about {
            About::Call(index) => format!(" (call {index})"),
            About::Request | About::Entity(_) | About::Transfer(_) => String::new(),
        };
        lines.push(format!(
            "{}  {}: {}{about}",
            reason.severity, reason.code, reason.message
        ));
        for position in reason.findings.iter().take(MAX_SHOWN_FINDINGS) {
            if let Some(finding) = report.findings.get(*position) {
                lines.push(format!("    {}", line(finding, report, tokens)));
            }
        }
        if reason.findings.len() > MAX_SHOWN_FINDINGS {
            lines.push(format!(
                "    and {} more findings",
                reason.findings.len() - MAX_SHOWN_FINDINGS
            ));
        }
    }
    lines
}

/// What the policy needed, by kind and reason; what it accepts or did not need, in a line each.
fn not_read(verdict: &Verdict, report: &Report, tokens: &Tokens) -> Vec<String> {
    let mut needed: BTreeMap<(&str, &str, &str), Vec<&EntityRef>> = BTreeMap::new();
    let mut accepted: BTreeMap<&str, usize> = BTreeMap::new();
    let mut others = 0;
    for fact in verdict.not_read() {
        match (fact.effect, verdict.effect_word(fact)) {
            (Some(Effect::Accept), _) => *accepted.entry(&fact.kind).or_default() += 1,
            (Some(_), Some(word)) => {
                let entities = needed.entry((word, &fact.kind, fact.reason)).or_default();
                entities.push(&fact.entity);
            }
            _ => others += 1,
        }
    }
    let mut lines: Vec<String> = needed
        .into_iter()
        .map(|((word, kind, reason), entities)| {
            let about = match entities.as_slice() {
                [one] => entity(one, report, tokens),
                many => format!("{} entities", many.len()),
            };
            format!("{word}  {}: {about} ({reason})", printable(kind))
        })
        .collect();
    if !accepted.is_empty() {
        let kinds: Vec<String> = accepted.keys().map(|kind| printable(kind)).collect();
        lines.push(format!("accepted by the policy: {}", kinds.join(", ")));
    }
    if others > 0 {
        lines.push(format!("not needed by the policy: {others} facts"));
    }
    lines
}
