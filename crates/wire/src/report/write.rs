//! A report as JSON, exactly as ERC-8481 §Report names its members.

use super::{
    AddressEntity, Approval, BlockRef, Entities, EntityRef, Finding, Outcome, Report, Source, TextEntity,
};
use crate::reading::Evidence;
use crate::request::VERSION;
use serde_json::{Map, Value, json};

pub(super) fn report(report: &Report) -> Value {
    let mut out = Object::default();
    out.set("version", VERSION);
    out.set("subjectDigest", report.subject_digest.to_string());
    out.set("contextDigest", report.context_digest.to_string());
    out.set("chainId", report.chain.to_string());
    out.set("signer", report.signer.to_string());
    out.set("source", source(&report.source));
    out.set("issuedAt", report.issued_at.to_string());
    out.set_some("expiresAt", report.expires_at.map(|time| time.to_string()));
    out.set("blocks", list(&report.blocks, block));
    out.set("entities", entities(&report.entities));
    out.set("findings", list(&report.findings, finding));
    out.set("method", report.method.as_str());
    out.set_some("detail", report.detail.as_deref());
    out.set_some("signature", report.signature.as_ref().map(ToString::to_string));
    out.end()
}

fn source(source: &Source) -> Value {
    json!({
        "registry": source.registry,
        "agentId": source.agent_id.to_string(),
        "signer": source.signer,
    })
}

fn block(block: &BlockRef) -> Value {
    json!({ "chainId": block.chain, "block": block.block.to_string(), "hash": block.hash })
}

/// `entities` alone, as `decode` prints them.
pub(super) fn entities(entities: &Entities) -> Value {
    json!({
        "tokens": entities.tokens,
        "approvals": list(&entities.approvals, approval),
        "addresses": list(&entities.addresses, address),
        "payment": entities.payment,
        "texts": list(&entities.texts, text),
    })
}

fn approval(approval: &Approval) -> Value {
    let mut out = Object::default();
    out.set("token", approval.token.to_string());
    out.set("spender", approval.spender.to_string());
    out.set("form", approval.form.as_str());
    out.set_some("callIndex", approval.call_index);
    out.end()
}

fn address(entity: &AddressEntity) -> Value {
    json!({ "address": entity.address, "role": entity.role.as_str() })
}

fn text(text: &TextEntity) -> Value {
    let mut out = Object::default();
    out.set("index", text.index);
    out.set("field", text.field.as_str());
    out.set_some("ref", text.reference.as_deref());
    out.set("digest", text.digest.to_string());
    out.end()
}

fn finding(finding: &Finding) -> Value {
    let mut out = Object::default();
    out.set("kind", finding.kind.as_str());
    out.set("entity", entity(&finding.entity));
    out.set_some("param", finding.param.clone());
    match &finding.outcome {
        Outcome::Read(value) => {
            out.set("status", "read");
            out.set("value", value.clone());
        }
        Outcome::NotRead(reason) => {
            out.set("status", "not-read");
            out.set("reason", reason.as_str());
        }
    }
    out.set_some("at", finding.at.as_ref().map(|at| json!(at)));
    out.set(
        "evidence",
        list(&finding.evidence, |entry: &Evidence| json!(entry)),
    );
    out.set_some("note", finding.note.as_deref());
    out.end()
}

pub(super) fn entity(entity: &EntityRef) -> Value {
    match entity {
        EntityRef::Token(token) => json!({ "token": token }),
        EntityRef::Approval(index) => json!({ "approval": index }),
        EntityRef::Address(entity) => address(entity),
        EntityRef::Payment => json!({ "payment": true }),
        EntityRef::Text(index) => json!({ "text": index }),
    }
}

fn list<T>(items: &[T], write: impl Fn(&T) -> Value) -> Value {
    items.iter().map(write).collect()
}

/// A JSON object whose optional members are left out, never `null`.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn set_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    fn end(self) -> Value {
        Value::Object(self.0)
    }
}
