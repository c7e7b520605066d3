//! The request's schema (ERC-8481 §Request, I-3 to I-6).

use super::{ACCOUNT, ADDRESS, BYTES, CHAIN, DECIMAL, DIALECT, list, object, pattern};
use crate::limits::{MAX_AUTHORIZATIONS, MAX_CALLS, MAX_CONTEXT_TOKENS, MAX_KINDS, MAX_TEXTS};
use crate::request::VERSION;
use serde_json::{Value, json};

const EVM_CHAIN: &str = "^eip155:(0|[1-9][0-9]{0,19})$";
/// Up to 32 bytes, leading zeros allowed.
const QUANTITY: &str = "^0x[0-9a-fA-F]{1,64}$";

/// ERC-8481 `PresignRequest`. Members beyond these are errors, except inside opaque objects.
pub fn request() -> Value {
    let mut schema = object(
        false,
        [
            ("version", json!({ "const": VERSION })),
            (
                "subject",
                json!({ "oneOf": [envelope_subject(), calls_subject()] }),
            ),
            ("context?", context()),
            (
                "kinds?",
                json!({ "type": "array", "minItems": 1, "maxItems": MAX_KINDS, "items": { "type": "string" } }),
            ),
        ],
    );
    schema["$schema"] = DIALECT.into();
    schema["title"] = "PresignRequest (ERC-8481)".into();
    schema
}

/// Bare, or on the request's chain.
fn address() -> Value {
    json!({ "anyOf": [pattern(ADDRESS), pattern(ACCOUNT)] })
}

/// What a request needs of an envelope, which has to be valid by its own schema.
fn envelope_subject() -> Value {
    let content = object(true, [("chain", pattern(EVM_CHAIN)), ("from", pattern(ADDRESS))]);
    object(
        false,
        [
            ("type", json!({ "const": "erc8265-envelope" })),
            ("envelope", object(true, [("content", content)])),
        ],
    )
}

fn calls_subject() -> Value {
    let call = object(
        false,
        [
            ("to", address()),
            ("value", json!({ "anyOf": [pattern(DECIMAL), pattern(QUANTITY)] })),
            ("data", pattern(BYTES)),
        ],
    );
    let authorization = object(
        false,
        [
            ("chainId", pattern(DECIMAL)),
            ("address", pattern(ADDRESS)),
            ("nonce", pattern(DECIMAL)),
            (
                "yParity",
                json!({ "type": "integer", "minimum": 0, "maximum": 255 }),
            ),
            ("r", pattern(QUANTITY)),
            ("s", pattern(QUANTITY)),
        ],
    );
    let mut authorizations = list(MAX_AUTHORIZATIONS, &authorization);
    authorizations["minItems"] = 1.into();
    let mut subject = object(
        false,
        [
            ("type", json!({ "const": "calls" })),
            ("chainId", pattern(EVM_CHAIN)),
            ("from", pattern(ACCOUNT)),
            ("calls", list(MAX_CALLS, &call)),
            ("typedData?", json!({ "type": "object" })),
            ("authorizationList?", authorizations),
        ],
    );
    subject["anyOf"] = json!([
        { "properties": { "calls": { "minItems": 1 } } },
        { "required": ["typedData"] },
        { "required": ["authorizationList"] },
    ]);
    subject
}

fn context() -> Value {
    let text = || json!({ "type": "string" });
    let payee = object(
        false,
        [("registry", pattern(ACCOUNT)), ("agentId", pattern(DECIMAL))],
    );
    let quote = object(
        false,
        [
            ("quote", json!({ "type": "object" })),
            ("signature", pattern(BYTES)),
            ("chainId", json!({ "anyOf": [pattern(CHAIN), pattern(DECIMAL)] })),
        ],
    );
    let payment = object(
        false,
        [
            ("requirements", json!({ "type": "object" })),
            ("resource?", text()),
            ("payee?", payee),
            ("quote?", quote),
        ],
    );
    let entry = object(false, [("field", text()), ("ref?", text()), ("text", text())]);
    object(
        false,
        [
            ("payment?", payment),
            ("texts?", list(MAX_TEXTS, &entry)),
            ("tokens?", list(MAX_CONTEXT_TOKENS, &pattern(ACCOUNT))),
        ],
    )
}
