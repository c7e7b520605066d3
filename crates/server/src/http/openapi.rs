//! The OpenAPI 3.1 document.

use crate::schemas;
use crate::service::Topic;
use serde_json::{Map, Value, json};

/// The document, as `GET /openapi.json` gives it and `schemas/openapi.json` holds it.
pub fn document() -> Value {
    let mut components = Map::new();
    let mut paths = Map::new();
    for topic in Topic::ALL {
        let of = Asked::of(topic);
        components.insert(of.question.to_owned(), schemas::question(topic));
        components.insert(of.answer.to_owned(), schemas::answer(topic));
        paths.insert(of.path.to_owned(), json!({ "post": question(&of) }));
    }
    components.insert("Problem".to_owned(), problem());
    for (path, summary, statuses) in [
        ("/v1/policies", "The policies that are offered.", &[200][..]),
        ("/health", "What can be read now, and what is blind.", &[200, 503]),
        ("/openapi.json", "This document.", &[200]),
        (
            "/.well-known/agent-registration.json",
            "The part of the registration file about this service.",
            &[200, 404],
        ),
    ] {
        paths.insert(path.to_owned(), json!({ "get": plain(path, summary, statuses) }));
    }
    let text =
        json!({ "description": "Text.", "content": { "text/plain": { "schema": { "type": "string" } } } });
    paths.insert(
        "/metrics".to_owned(),
        json!({ "get": {
            "operationId": "metrics", "summary": "Counters for Prometheus.", "responses": { "200": text },
        } }),
    );
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Presight",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "What a transaction, a batch or a typed-data signature touches, before it is signed.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": { "schemas": components },
    })
}

struct Asked {
    path: &'static str,
    operation: &'static str,
    summary: &'static str,
    question: &'static str,
    answer: &'static str,
}

impl Asked {
    fn of(topic: Topic) -> Self {
        let (path, operation, summary, question, answer) = match topic {
            Topic::Report => (
                "/api/presign",
                "presign",
                "The report of a request (ERC-8481).",
                "PresignRequest",
                "PresignReport",
            ),
            Topic::Check => (
                "/v1/check",
                "check",
                "A policy's verdict over the report, and the report.",
                "CheckQuestion",
                "Verdict",
            ),
            Topic::Simulate => (
                "/v1/simulate",
                "simulate",
                "What the calls do on the pinned state.",
                "SimulateQuestion",
                "Simulation",
            ),
            Topic::Decode => (
                "/v1/decode",
                "decode",
                "Entities and the call tree, from the bytes alone.",
                "DecodeQuestion",
                "Decoding",
            ),
            Topic::Verify => (
                "/v1/verify",
                "verify",
                "A report checked as its consumer.",
                "VerifyQuestion",
                "Verification",
            ),
        };
        Self {
            path,
            operation,
            summary,
            question,
            answer,
        }
    }
}

fn question(of: &Asked) -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let mut responses = Map::new();
    let headers = json!({
        "Age": { "description": "Seconds since the answer was made.", "schema": { "type": "integer" } },
        "X-Request-Id": { "schema": { "type": "string" } },
    });
    responses.insert(
        "200".to_owned(),
        json!({
            "description": "The answer.",
            "headers": headers,
            "content": { "application/json": { "schema": reference(of.answer) } },
        }),
    );
    for status in [400, 408, 413, 415, 422, 429, 500, 503] {
        responses.insert(status.to_string(), problem_response(status));
    }
    json!({
        "operationId": of.operation,
        "summary": of.summary,
        "parameters": [
            { "name": "Prefer", "in": "header", "schema": { "type": "string" },
              "description": "wait=N: seconds to wait; what was not read by then is said to be `timeout`." },
            { "name": "X-Request-Id", "in": "header", "schema": { "type": "string" } },
        ],
        "requestBody": {
            "required": true,
            "content": { "application/json": { "schema": reference(of.question) } },
        },
        "responses": responses,
    })
}

fn plain(path: &str, summary: &str, statuses: &[u16]) -> Value {
    let mut responses = Map::new();
    for &status in statuses {
        let response = match status {
            404 => problem_response(status),
            _ => json!({
                "description": "A document.",
                "content": { "application/json": { "schema": { "type": "object" } } },
            }),
        };
        responses.insert(status.to_string(), response);
    }
    responses.insert("429".to_owned(), problem_response(429));
    if !responses.contains_key("503") {
        responses.insert("503".to_owned(), problem_response(503));
    }
    let operation = path.trim_start_matches('/').replace(['/', '.', '-'], "_");
    json!({ "operationId": operation, "summary": summary, "responses": responses })
}

fn problem_response(status: u16) -> Value {
    let mut response = json!({
        "description": match status {
            400 => "The body is no JSON that can be read.",
            404 => "There is none.",
            408 => "The body came too slowly.",
            413 => "The body is too large.",
            415 => "The body is of another type.",
            422 => "The document is not what is asked for; `pointer` says where.",
            429 => "More requests of this client than it may make.",
            503 => "More is asked of the service than it takes, or it stops.",
            _ => "A fault of the service.",
        },
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    });
    if matches!(status, 429 | 503) {
        response["headers"] = json!({
            "Retry-After": { "description": "Seconds to wait.", "schema": { "type": "integer" } },
        });
    }
    response
}

fn problem() -> Value {
    json!({
        "type": "object",
        "required": ["type", "title", "status", "code", "detail", "requestId"],
        "properties": {
            "type": { "type": "string" },
            "title": { "type": "string" },
            "status": { "type": "integer" },
            "code": { "type": "string", "description": "Stable." },
            "detail": { "type": "string" },
            "pointer": { "type": "string", "description": "RFC 6901, into the request's body." },
            "requestId": { "type": "string" },
        },
    })
}
