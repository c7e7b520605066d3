//! A verdict in words: what leaves and to whom, what is granted and until when, what is unusual, what could not be read.

use crate::reports::Told;
use crate::words::{entity, line, printable, token_name, units};
use presight_decode::{Amount, Decoded, Expiry};
use presight_policy::{About, Effect, Policy, Verdict};
use presight_wire::report::{EntityRef, Report};
use presight_wire::{AccountId, Request, Timestamp};
use std::collections::BTreeMap;

/// Findings shown under one reason; the JSON names every one.
const MAX_SHOWN_FINDINGS: usize = 6;

/// The whole answer.
pub(super) fn verdict(
    verdict: &Verdict,
    policy: &Policy,
    told: &Told,
    request: &Request,
    decoded: &Decoded,
) -> String {
    let mut lines = vec![format!(
        "{} says {}, before {} signs on {}",
        policy.name(),
        verdict.word(),
        request.signer().address.to_checksum(None),
        request.chain()
    )];
    section(
        &mut lines,
        "What leaves, and to whom",
        leaves(told, request, decoded),
    );
    section(
        &mut lines,
        "What is granted, to whom, until when",
        granted(told, decoded),
    );
    section(&mut lines, "What is unusual", reasons(verdict, told));
    section(
        &mut lines,
        "What could not be read",
        not_read(verdict, &told.report, told),
    );
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

/// By the request's bytes.
fn leaves(told: &Told, request: &Request, decoded: &Decoded) -> Vec<String> {
    let chain = request.chain();
    let transfers = decoded.transfers.iter().map(|transfer| {
        let what = match transfer.token {
            None => format!("{} wei", transfer.amount),
            Some(token) => units(
                transfer.amount,
                &AccountId::new(chain.clone(), token),
                &told.tokens,
            ),
        };
        let from = if transfer.from == request.signer().address {
            String::new()
        } else {
            format!(" from {}", transfer.from.to_checksum(None))
        };
        format!("{what}{from} to {}", transfer.to.to_checksum(None))
    });
    let permits = decoded.transfer_permits.iter().map(|permit| {
        let token = AccountId::new(permit.chain.clone(), permit.token);
        let spender = permit.spender.to_checksum(None);
        format!(
            "up to {}, once, by {spender}",
            units(permit.amount, &token, &told.tokens)
        )
    });
    transfers.chain(permits).collect()
}

fn granted(told: &Told, decoded: &Decoded) -> Vec<String> {
    let approvals = decoded.entities.approvals.iter().zip(&decoded.grants);
    approvals
        .map(|(approval, grant)| {
            let amount = match grant.amount {
                Amount::All => format!("everything of {}", token_name(&approval.token, &told.tokens)),
                Amount::Units { value, max } if value == max => {
                    format!("any amount of {}", token_name(&approval.token, &told.tokens))
                }
                Amount::Units { value, .. } => units(value, &approval.token, &told.tokens),
            };
            let until = match grant.expiry {
                Expiry::Never => "until revoked".to_owned(),
                Expiry::SameBlock => "within its block".to_owned(),
                Expiry::At(seconds) => i64::try_from(seconds).map_or_else(
                    |_| format!("until {seconds}"),
                    |s| format!("until {}", Timestamp(s)),
                ),
            };
            format!(
                "{amount} to {}, {until}",
                approval.spender.address.to_checksum(None)
            )
        })
        .collect()
}

/// Each reason with the findings it rests on.
fn reasons(verdict: &Verdict, told: &Told) -> Vec<String> {
    let mut lines = Vec::new();
    for reason in verdict.reasons() {
        if reason.message.starts_with("not read: ") {
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
            if let Some(finding) = told.report.findings.get(*position) {
                lines.push(format!("    {}", line(finding, &told.report, &told.tokens)));
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
fn not_read(verdict: &Verdict, report: &Report, told: &Told) -> Vec<String> {
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
                [one] => entity(one, report, &told.tokens),
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
