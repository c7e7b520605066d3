//! A request, its decoding and a view become an unsigned report.

use crate::config::Config;
use crate::context::Context;
use crate::entities::Listed;
use crate::kind::{Approved, Entity, Fact};
use crate::registry::KINDS;
use alloy_primitives::{B256, keccak256};
use presight_decode::Decoded;
use presight_exec::reads;
use presight_view::{Lookup, Unread, View};
use presight_wire::limits::MAX_EVIDENCE_BYTES;
use presight_wire::report::{BlockRef, Entities, Finding, Outcome, Report, Source, TextEntity};
use presight_wire::{Evidence, Read, Reason, Request};
use std::collections::BTreeSet;

/// Reads of the view are missing: they were noted as wants, and the assembler is to be run again with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending;

/// Assembles the report, unsigned. Same request, view, source and configuration give the same report (I-9).
pub fn assemble(
    view: &View<'_>,
    request: &Request,
    decoded: &Decoded,
    source: &Source,
    config: &Config,
) -> Result<Report, Pending> {
    let context = Context::new(view, request, decoded, config);
    let texts = texts(&context);
    let entities = Entities {
        texts: texts.iter().map(|t| t.entity.clone()).collect(),
        ..context.listed.entities.clone()
    };

    // Every reader runs before any pending read stops the run, so that one wave fetches what all of them miss.
    let mut findings = Vec::new();
    let mut evidence = EvidenceBudget::default();
    let mut pending = texts.iter().any(|t| matches!(t.text, Err(Unread::Pending)));
    pending |= matches!(context.simulation, Some(Err(Unread::Pending)));
    for entity in entity_order(&entities, &context.listed, &texts) {
        for kind in KINDS
            .iter()
            .filter(|k| k.group() == entity.group() && asked_for(request, k.name()))
        {
            let mut facts = kind.read(&context, &entity);
            facts.sort_by_cached_key(|fact| fact.param.as_ref().map(presight_wire::jcs::canonical));
            for fact in facts {
                match finding(kind.name(), &entity, fact) {
                    Ok(finding) => findings.push(evidence.bounded(finding)),
                    Err(Pending) => pending = true,
                }
            }
        }
    }
    if pending {
        return Err(Pending);
    }

    Ok(Report {
        subject_digest: request.subject_digest(),
        context_digest: request.context_digest(),
        chain: request.chain().clone(),
        signer: request.signer().clone(),
        source: source.clone(),
        issued_at: view.clock(),
        expires_at: None,
        blocks: blocks(view, &findings)?,
        entities,
        findings,
        method: crate::method(config),
        detail: None,
        signature: None,
    })
}

/// A text entity and the text, where it was read.
struct TextOf {
    entity: TextEntity,
    text: Lookup<Read<String>>,
}

/// `context.texts`, then `name()` and `symbol()` of each token, in token order (I-9). A name that was not read is
/// listed all the same (I-33).
fn texts(context: &Context<'_>) -> Vec<TextOf> {
    let given = context.request.context.iter().flat_map(|c| &c.texts);
    let mut texts: Vec<TextOf> = context
        .decoded
        .entities
        .texts
        .iter()
        .zip(given)
        .map(|(entity, given)| TextOf {
            entity: entity.clone(),
            text: Ok(Read::from_request(given.text.clone())),
        })
        .collect();
    for token in &context.listed.entities.tokens {
        let name = reads::name(context.view, &token.chain, token.address);
        let symbol = reads::symbol(context.view, &token.chain, token.address);
        for (field, text) in [("token.name", name), ("token.symbol", symbol)] {
            let digest = text
                .as_ref()
                .map_or(B256::ZERO, |read| keccak256(read.value().as_bytes()));
            let reference = Some(token.to_string());
            let entity = TextEntity {
                index: texts.len(),
                field: field.to_owned(),
                reference,
                digest,
            };
            texts.push(TextOf { entity, text });
        }
    }
    texts
}

/// The entities in the order findings are listed (I-9).
fn entity_order<'a>(entities: &'a Entities, listed: &'a Listed, texts: &'a [TextOf]) -> Vec<Entity<'a>> {
    let tokens = entities.tokens.iter().map(Entity::Token);
    let approvals =
        entities
            .approvals
            .iter()
            .zip(&listed.grants)
            .enumerate()
            .map(|(index, (approval, grant))| {
                Entity::Approval(Approved {
                    index,
                    approval,
                    grant,
                    simulated: index >= listed.first_simulated,
                })
            });
    let addresses = entities.addresses.iter().map(Entity::Address);
    let payment = entities.payment.then_some(Entity::Payment);
    let texts = texts.iter().map(|t| Entity::Text {
        entity: &t.entity,
        text: &t.text,
    });
    tokens
        .chain(approvals)
        .chain(addresses)
        .chain(payment)
        .chain(texts)
        .collect()
}

/// Listed kinds only, when the request lists kinds (I-12).
fn asked_for(request: &Request, kind: &str) -> bool {
    request
        .kinds
        .as_ref()
        .is_none_or(|kinds| kinds.iter().any(|k| k == kind))
}

fn finding(kind: &str, entity: &Entity<'_>, fact: Fact) -> Result<Finding, Pending> {
    let (outcome, at, evidence, note) = match fact.reading {
        Ok(read) => {
            let (at, evidence) = (read.at().cloned(), read.evidence().to_vec());
            let note = read.note().map(str::to_owned);
            (Outcome::Read(read.into_value()), at, evidence, note)
        }
        Err(Unread::NotRead(why)) => (Outcome::NotRead(why.reason), why.at, why.evidence, why.note),
        Err(Unread::Pending) => return Err(Pending),
    };
    Ok(Finding {
        kind: kind.to_owned(),
        entity: entity.reference(),
        param: fact.param,
        outcome,
        at,
        evidence,
        note,
    })
}

/// Keeps a report as small as its consumers take it: what a contract's author makes long must not make the report unreadable.
#[derive(Debug, Default)]
struct EvidenceBudget {
    used: usize,
}

impl EvidenceBudget {
    /// The finding, when its evidence fits beside that of the findings before it. Otherwise code is named by its hash instead of
    /// shown, and a finding that rests on a call that does not fit is not read.
    fn bounded(&mut self, mut finding: Finding) -> Finding {
        if self.fits(&finding.evidence) {
            return finding;
        }
        finding.evidence = finding.evidence.into_iter().map(code_by_hash).collect();
        if self.fits(&finding.evidence) {
            return finding;
        }
        let note =
            format!("its evidence does not fit the report: MAX_EVIDENCE_BYTES is {MAX_EVIDENCE_BYTES}");
        let outcome = match finding.outcome {
            Outcome::Read(_) => Outcome::NotRead(Reason::Unavailable),
            unread @ Outcome::NotRead(_) => unread,
        };
        Finding {
            outcome,
            evidence: Vec::new(),
            note: Some(note),
            ..finding
        }
    }

    fn fits(&mut self, evidence: &[Evidence]) -> bool {
        let used = evidence
            .iter()
            .map(evidence_bytes)
            .fold(self.used, usize::saturating_add);
        let fits = used <= MAX_EVIDENCE_BYTES;
        if fits {
            self.used = used;
        }
        fits
    }
}

/// An account's code (I-16) as a document: the account and the hash of the code.
fn code_by_hash(evidence: Evidence) -> Evidence {
    match evidence {
        Evidence::Call { to, data, result, .. } if data.is_empty() => Evidence::Document {
            uri: to.to_string(),
            hash: keccak256(result),
        },
        other => other,
    }
}

fn evidence_bytes(evidence: &Evidence) -> usize {
    match evidence {
        Evidence::Call { data, result, .. } => data.len() + result.len(),
        Evidence::Document { .. }
        | Evidence::Tx { .. }
        | Evidence::Log { .. }
        | Evidence::Observation { .. } => 0,
    }
}

/// The pinned block of every chain a finding holds at.
fn blocks(view: &View<'_>, findings: &[Finding]) -> Result<Vec<BlockRef>, Pending> {
    let chains: BTreeSet<_> = findings
        .iter()
        .filter_map(|f| f.at.as_ref())
        .map(|at| &at.chain)
        .collect();
    let mut blocks = Vec::new();
    for chain in chains {
        // A finding can hold only at a block the view has.
        let block = view.block(chain).map_err(|_| Pending)?;
        blocks.push(BlockRef {
            chain: chain.clone(),
            block: block.number,
            hash: block.hash,
        });
    }
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use presight_wire::report::{AddressEntity, EntityRef, Role};
    use presight_wire::{AccountId, At, ChainId};

    #[test]
    fn evidence_beyond_the_bound_is_named_by_its_hash_or_not_read() {
        let account = AccountId::new(ChainId::evm(1), Default::default());
        let at = At {
            chain: ChainId::evm(1),
            block: 1,
        };
        let with = |data: &'static [u8], bytes: usize| Finding {
            kind: "erc.presign.address.code".to_owned(),
            entity: EntityRef::Address(AddressEntity {
                address: account.clone(),
                role: Role::Target,
            }),
            param: None,
            outcome: Outcome::Read("contract".into()),
            at: Some(at.clone()),
            evidence: vec![Evidence::Call {
                at: at.clone(),
                to: account.clone(),
                data: data.into(),
                result: vec![1; bytes].into(),
            }],
            note: None,
        };
        let mut budget = EvidenceBudget::default();
        let most = with(&[], MAX_EVIDENCE_BYTES);
        assert_eq!(budget.bounded(most.clone()), most);
        let code = budget.bounded(with(&[], 1));
        assert_eq!(code.outcome, Outcome::Read("contract".into()));
        assert_eq!(
            code.evidence,
            [Evidence::Document {
                uri: account.to_string(),
                hash: keccak256([1])
            }]
        );
        let call = budget.bounded(with(&[7], 0));
        assert_eq!(call.outcome, Outcome::NotRead(Reason::Unavailable));
        assert!(
            call.evidence.is_empty() && call.note.is_some_and(|note| note.contains("MAX_EVIDENCE_BYTES"))
        );
    }
}
