//! The report's schema (ERC-8481 §Report).

use super::{ACCOUNT, ADDRESS, BYTES, CHAIN, DECIMAL, DIALECT, WORD, list, object, pattern};
use crate::limits::MAX_SAFE_INTEGER;
use crate::limits::{MAX_REPORT_BLOCKS, MAX_REPORT_ENTITIES, MAX_REPORT_EVIDENCE, MAX_REPORT_FINDINGS};
use crate::reading::Reason;
use crate::report::{Form, Role};
use crate::request::VERSION;
use serde_json::{Value, json};

const TIME: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?Z$";

/// ERC-8481 `PresignReport`. Members beyond these are let pass: `reportHash` covers them.
pub fn report() -> Value {
    let mut schema = object(
        true,
        [
            ("version", json!({ "const": VERSION })),
            ("subjectDigest", pattern(WORD)),
            ("contextDigest", pattern(WORD)),
            ("chainId", pattern(CHAIN)),
            ("signer", pattern(ACCOUNT)),
            ("source", source()),
            ("issuedAt", pattern(TIME)),
            ("expiresAt?", pattern(TIME)),
            (
                "blocks",
                list(MAX_REPORT_BLOCKS, &block([("hash", pattern(WORD))])),
            ),
            ("entities", entities()),
            ("findings", list(MAX_REPORT_FINDINGS, &finding())),
            ("method", text()),
            ("detail?", text()),
            ("signature?", pattern(BYTES)),
        ],
    );
    schema["$schema"] = DIALECT.into();
    schema["title"] = "PresignReport (ERC-8481)".into();
    schema
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn index() -> Value {
    json!({ "type": "integer", "minimum": 0, "maximum": MAX_SAFE_INTEGER })
}

fn source() -> Value {
    object(
        true,
        [
            ("registry", pattern(ACCOUNT)),
            ("agentId", pattern(DECIMAL)),
            ("signer", pattern(ACCOUNT)),
        ],
    )
}

/// A chain and a block with further members.
fn block<const N: usize>(more: [(&str, Value); N]) -> Value {
    let place = object(true, [("chainId", pattern(CHAIN)), ("block", pattern(DECIMAL))]);
    if N == 0 {
        return place;
    }
    json!({ "allOf": [place, object(true, more)] })
}

fn role() -> Value {
    let words: Vec<_> = Role::ALL.iter().map(|role| role.as_str()).collect();
    json!({ "enum": words })
}

fn entities() -> Value {
    let forms: Vec<_> = Form::ALL.iter().map(|form| form.as_str()).collect();
    let approval = object(
        true,
        [
            ("token", pattern(ACCOUNT)),
            ("spender", pattern(ACCOUNT)),
            ("form", json!({ "enum": forms })),
            ("callIndex?", index()),
        ],
    );
    let address = object(true, [("address", pattern(ACCOUNT)), ("role", role())]);
    let entry = object(
        true,
        [
            ("index", index()),
            ("field", text()),
            ("ref?", text()),
            ("digest", pattern(WORD)),
        ],
    );
    object(
        true,
        [
            ("tokens", list(MAX_REPORT_ENTITIES, &pattern(ACCOUNT))),
            ("approvals", list(MAX_REPORT_ENTITIES, &approval)),
            ("addresses", list(MAX_REPORT_ENTITIES, &address)),
            ("payment", json!({ "type": "boolean" })),
            ("texts", list(MAX_REPORT_ENTITIES, &entry)),
        ],
    )
}

fn finding() -> Value {
    let mut finding = object(
        true,
        [
            ("kind", text()),
            ("entity", entity()),
            ("status", json!({ "enum": ["read", "not-read"] })),
            ("reason?", json!({ "enum": Reason::ALL.map(Reason::as_str) })),
            ("at?", block([])),
            ("evidence", list(MAX_REPORT_EVIDENCE, &evidence())),
            ("note?", text()),
        ],
    );
    finding["oneOf"] = json!([
        { "properties": { "status": { "const": "read" }, "reason": false }, "required": ["value"] },
        { "properties": { "status": { "const": "not-read" }, "value": false }, "required": ["reason"] },
    ]);
    finding
}

/// Exactly one of five members names the entity; an address comes with its role.
fn entity() -> Value {
    json!({
        "type": "object",
        "oneOf": [
            object(true, [("token", pattern(ACCOUNT))]),
            object(true, [("approval", index())]),
            object(true, [("address", pattern(ACCOUNT)), ("role", role())]),
            object(true, [("payment", json!({ "const": true }))]),
            object(true, [("text", index())]),
        ],
    })
}

fn evidence() -> Value {
    let of = |kind: &str| ("type", json!({ "const": kind }));
    let target = json!({ "anyOf": [pattern(ACCOUNT), pattern(ADDRESS)] });
    json!({
        "oneOf": [
            object(true, [of("tx"), ("chainId", pattern(CHAIN)), ("hash", pattern(WORD))]),
            object(
                true,
                [of("log"), ("chainId", pattern(CHAIN)), ("tx", pattern(WORD)), ("logIndex", index())],
            ),
            block([of("call"), ("to", target), ("data", pattern(BYTES)), ("result", pattern(BYTES))]),
            object(true, [of("observation"), ("registry", pattern(ACCOUNT)), ("observationId", pattern(DECIMAL))]),
            object(true, [of("document"), ("uri", text()), ("hash", pattern(WORD))]),
        ],
    })
}
