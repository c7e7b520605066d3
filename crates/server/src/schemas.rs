//! JSON Schemas of questions and answers, for OpenAPI and MCP alike.

use crate::service::Topic;
use presight_wire::schema;
use serde_json::{Value, json};

/// The document a question is asked with.
pub(crate) fn question(topic: Topic) -> Value {
    match topic {
        Topic::Report | Topic::Simulate | Topic::Decode => request(),
        Topic::Check => json!({
            "type": "object",
            "required": ["request"],
            "additionalProperties": false,
            "properties": {
                "request": request(),
                "policy": { "type": "string", "description": "A policy's name, of those that GET /v1/policies lists." },
                "parameters": {
                    "type": "object",
                    "description": "Other values for parameters of the policy. Integers beyond 2^53 are strings.",
                    "additionalProperties": {
                        "anyOf": [scalar(), { "type": "array", "items": scalar() }],
                    },
                },
            },
        }),
        Topic::Verify => json!({
            "type": "object",
            "required": ["report", "request"],
            "additionalProperties": false,
            "properties": {
                "report": { "type": "object", "description": "The report, as received." },
                "request": request(),
                "trusted": {
                    "type": "array",
                    "maxItems": 100,
                    "items": { "type": "string" },
                    "description": "Sources that are trusted: registry/agentId, or registry/agentId=signer.",
                },
                "maxAgeBlocks": { "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991_u64 },
                "maxAgeSeconds": { "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991_u64 },
                "acceptGaps": { "type": "boolean" },
            },
        }),
    }
}

/// The document it is answered with.
pub(crate) fn answer(topic: Topic) -> Value {
    match topic {
        Topic::Report => report(),
        Topic::Check => json!({
            "type": "object",
            "required": ["verdict", "policy", "reasons", "notRead", "reportHash", "report"],
            "properties": {
                "verdict": { "type": "string" },
                "policy": {
                    "type": "object",
                    "required": ["name", "hash"],
                    "properties": { "name": { "type": "string" }, "hash": { "type": "string" } },
                },
                "reasons": { "type": "array", "items": {
                    "type": "object",
                    "required": ["code", "severity", "message", "findings"],
                    "properties": {
                        "code": { "type": "string" },
                        "severity": { "type": "string" },
                        "message": { "type": "string" },
                        "findings": { "type": "array", "items": { "type": "integer" } },
                    },
                } },
                "notRead": { "type": "array", "items": {
                    "type": "object",
                    "required": ["kind", "entity", "reason"],
                    "properties": { "kind": { "type": "string" }, "reason": { "type": "string" } },
                } },
                "reportHash": { "type": "string" },
                "report": report(),
            },
        }),
        Topic::Simulate => json!({
            "type": "object",
            "required": ["status", "logs", "effects"],
            "properties": {
                "status": { "enum": ["success", "revert", "halt", "not-read"] },
                "reason": { "type": "string" },
                "logs": { "type": "array" },
                "effects": { "type": ["object", "null"] },
            },
        }),
        Topic::Decode => json!({
            "type": "object",
            "required": ["entities", "calls", "flags"],
            "properties": {
                "entities": { "type": "object" },
                "calls": { "type": "array" },
                "flags": { "type": "array" },
                "typedData": { "type": "object" },
            },
        }),
        Topic::Verify => json!({
            "type": "object",
            "required": ["conclusion", "steps"],
            "properties": {
                "conclusion": { "enum": ["verified", "rejected", "not-verifiable"] },
                "steps": { "type": "array", "items": {
                    "type": "object",
                    "required": ["step", "status"],
                    "properties": {
                        "step": { "type": "string" },
                        "status": { "enum": ["pass", "fail", "not-read"] },
                        "detail": { "type": "string" },
                    },
                } },
            },
        }),
    }
}

fn request() -> Value {
    embedded(schema::request())
}

fn report() -> Value {
    embedded(schema::report())
}

/// A schema as part of another document: the dialect is named by that document, or is understood.
fn embedded(mut schema: Value) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.remove("$schema");
    }
    schema
}

fn scalar() -> Value {
    json!({ "type": ["string", "integer", "boolean"] })
}
