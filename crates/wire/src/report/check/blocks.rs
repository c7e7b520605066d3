//! The blocks facts hold at (ERC-8481 §Report, `blocks` and `at`).

use super::short_name;
use crate::caip::{AccountId, ChainId};
use crate::error::Refusal;
use crate::report::{EntityRef, Finding, Outcome, Report, TextEntity};
use std::collections::{HashMap, HashSet};

pub(super) fn check(report: &Report, broken: &mut Vec<Refusal>) {
    let mut listed: HashSet<(&ChainId, u64)> = HashSet::new();
    for (i, block) in report.blocks.iter().enumerate() {
        if !listed.insert((&block.chain, block.block)) {
            broken.push(Refusal::new(
                "duplicate-block",
                format!("/blocks/{i}"),
                "it was listed before",
            ));
        }
    }
    let texts = texts(report);
    for (i, finding) in report.findings.iter().enumerate() {
        let mut refuse = |code, member: &str, message: &str| {
            broken.push(Refusal::new(code, format!("/findings/{i}{member}"), message));
        };
        match (&finding.at, placed(&texts, finding)) {
            (Some(_), Placed::Nowhere) => {
                refuse(
                    "unexpected-at",
                    "/at",
                    "a fact of the request's bytes alone holds at no block",
                );
            }
            (Some(at), _) if !listed.contains(&(&at.chain, at.block)) => {
                refuse("at-not-in-blocks", "/at", "`blocks` does not list this block");
            }
            (None, Placed::AtBlock) if matches!(finding.outcome, Outcome::Read(_)) => {
                refuse("missing-at", "", "a fact read from the chain names its block");
            }
            _ => {}
        }
    }
}

/// Where a finding holds.
#[derive(Clone, Copy)]
enum Placed {
    /// Read from chain state: at a block.
    AtBlock,
    /// Computed from the bytes of the request alone: at none.
    Nowhere,
    /// Either: it depends on how the source read it (I-35).
    Either,
}

fn placed(texts: &HashMap<usize, Placed>, finding: &Finding) -> Placed {
    match short_name(finding) {
        "token.observation"
        | "token.oracle-deviation"
        | "approval.share-of-supply"
        | "approval.current-allowance"
        | "address.code"
        | "address.delegate-single-caller"
        | "address.delegate-unbounded-outflow"
        | "address.delegate-authorizations"
        | "address.delegation"
        | "address.first-seen-block"
        | "address.prior-transfers"
        | "address.lookalike"
        | "payment.payee-binding" => Placed::AtBlock,
        "payment.match" => placed_pair(finding),
        "text.control-chars" | "text.mixed-script" | "text.addresses" | "text.pattern-match" => {
            let EntityRef::Text(index) = finding.entity else {
                return Placed::Either;
            };
            texts.get(&index).copied().unwrap_or(Placed::Either)
        }
        _ => Placed::Either,
    }
}

fn placed_pair(finding: &Finding) -> Placed {
    match finding.param.as_ref().and_then(|param| param.as_str()) {
        Some("payTo=agentWallet" | "quote.signature" | "quote.issuer=agentWallet") => Placed::AtBlock,
        Some(
            "payTo=quote.recipient" | "asset=quote.asset" | "amount=quote.amount" | "network=quote.chainId",
        ) => Placed::Nowhere,
        _ => Placed::Either,
    }
}

/// Where the facts of each text hold, by its index. A token's name and symbol are read from the chain, every other
/// text is the consumer's. A consumer may also give a text it calls `token.name` of a listed token; when there are
/// two of one name, whose is which is not known.
fn texts(report: &Report) -> HashMap<usize, Placed> {
    let tokens: HashSet<&AccountId> = report.entities.tokens.iter().collect();
    let token = |text: &TextEntity| {
        let named = matches!(&*text.field, "token.name" | "token.symbol");
        let token = AccountId::parse_any_case(text.reference.as_deref().filter(|_| named)?, "").ok()?;
        tokens.contains(&token).then_some(token)
    };
    let texts: Vec<_> = report
        .entities
        .texts
        .iter()
        .map(|text| (text, token(text)))
        .collect();
    let mut counts: HashMap<(&str, &AccountId), usize> = HashMap::new();
    for (text, token) in &texts {
        if let Some(token) = token {
            *counts.entry((&text.field, token)).or_default() += 1;
        }
    }
    let placed = |text: &TextEntity, token: &Option<AccountId>| match token {
        None => Placed::Nowhere,
        Some(token) if counts.get(&(&text.field, token)) == Some(&1) => Placed::AtBlock,
        Some(_) => Placed::Either,
    };
    texts
        .iter()
        .map(|(text, token)| (text.index, placed(text, token)))
        .collect()
}
