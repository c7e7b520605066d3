//! The published JSON Schemas (draft 2020-12), printed from the descriptions that the readers go by.
//!
//! A schema says what a JSON Schema can say: members, types, forms and lists. What it cannot — equal times, the calendar,
//! EIP-712, ERC-4361, numbers beyond a double, names twice — only the validators judge.

mod envelope;
mod report;
mod request;

pub use envelope::envelope;
pub use report::report;
pub use request::request;

use serde_json::{Map, Value, json};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// 20 bytes in hex.
const ADDRESS: &str = "^0x[0-9a-fA-F]{40}$";
/// 32 bytes in hex.
const WORD: &str = "^0x[0-9a-fA-F]{64}$";
/// Whole bytes in hex.
const BYTES: &str = "^0x([0-9a-fA-F]{2})*$";
/// An unsigned integer without leading zeros.
const DECIMAL: &str = "^(0|[1-9][0-9]*)$";
/// A CAIP-10 account of an EVM chain.
const ACCOUNT: &str = "^eip155:(0|[1-9][0-9]{0,19}):0x[0-9a-fA-F]{40}$";
/// A CAIP-2 chain.
const CHAIN: &str = "^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$";

/// Each file under `schemas/` with its content.
pub fn files() -> [(&'static str, Value); 3] {
    [
        ("envelope.json", envelope()),
        ("request.json", request()),
        ("report.json", report()),
    ]
}

/// Text of a pattern.
fn pattern(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

/// An object: a name that ends in `?` may be left out. Other members are let pass when `open`.
fn object<const N: usize>(open: bool, members: [(&str, Value); N]) -> Value {
    let required: Vec<_> = members
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !name.ends_with('?'))
        .collect();
    let required = json!(required);
    let properties: Map<_, _> = members
        .into_iter()
        .map(|(name, schema)| (name.trim_end_matches('?').to_owned(), schema))
        .collect();
    let mut schema = json!({ "type": "object", "required": required, "properties": properties });
    if !open {
        schema["additionalProperties"] = false.into();
    }
    schema
}

/// A list of at most so many.
fn list(max: usize, items: &Value) -> Value {
    json!({ "type": "array", "maxItems": max, "items": items })
}

/// A reference to a definition.
fn definition(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}
