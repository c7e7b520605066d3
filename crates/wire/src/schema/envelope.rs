//! The envelope's schema, printed from the shapes that the validator walks along.

use super::{ADDRESS, BYTES, DECIMAL, DIALECT, WORD, definition, pattern};
use crate::envelope::{CALLS, ENVELOPE, Field, Kind, Rule, SIGNATURE, Shape};
use serde_json::{Map, Value, json};

/// D-2, without the calendar.
const TIME: &str = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)\
                    (\\.[0-9]+)?([Zz]|[+-]00:00)$";
/// D-14, without the host of a web URL.
const URL: &str = "^[A-Za-z][A-Za-z0-9+.-]*:[^\\s\\u0000-\\u001f\\u007f]+$";
/// D-5.
const CHAIN: &str = "^eip155:[1-9][0-9]{0,31}$";
/// Below 2^256, leading zeros allowed.
const QUANTITY: &str = "^0x0*[0-9a-fA-F]{1,64}$";

/// ERC-8265.
pub fn envelope() -> Value {
    let mut definitions = Map::new();
    let mut schema = shape(&ENVELOPE, &mut definitions);
    schema["$schema"] = DIALECT.into();
    schema["title"] = "Prepared Transaction Envelope (ERC-8265)".into();
    schema["properties"]["kind"] = json!({ "enum": Kind::WORDS });
    schema["properties"]["version"] = false.into();
    for content in [&CALLS, &SIGNATURE] {
        let content_schema = shape(content, &mut definitions);
        definitions.insert(content.name.to_owned(), content_schema);
    }
    add_to(&mut definitions, SIGNATURE.name, schemes());
    add_to(&mut definitions, "TokenMovement", json!([token_id()]));
    schema["allOf"] = json!([
        of_kind(
            Kind::EvmTx,
            &CALLS,
            &json!({
                "properties": {
                    "calls": { "minItems": 1, "maxItems": 1 },
                    "description": { "properties": { "action": { "not": { "const": "permit" } } } },
                },
            })
        ),
        of_kind(
            Kind::EvmBatch,
            &CALLS,
            &json!({ "properties": { "calls": { "minItems": 2 } } })
        ),
        of_kind(Kind::Signature, &SIGNATURE, &json!({})),
        no_origin_with_content_coverage(),
    ]);
    schema["$defs"] = Value::Object(definitions);
    schema
}

fn add_to(definitions: &mut Map<String, Value>, name: &str, rules: Value) {
    if let Some(definition) = definitions.get_mut(name) {
        definition["allOf"] = rules;
    }
}

/// §2: the kind selects the content.
fn of_kind(kind: Kind, content: &Shape, more: &Value) -> Value {
    json!({
        "if": { "properties": { "kind": { "const": kind.as_str() } } },
        "then": { "properties": { "content": { "allOf": [definition(content.name), more] } } },
    })
}

/// §3.2.
fn no_origin_with_content_coverage() -> Value {
    let member = |name: &str, schema: Value| json!({ "required": [name], "properties": { name: schema } });
    let coverage = member("coverage", json!({ "const": "content" }));
    json!({
        "if": member("producer", member("signature", coverage)),
        "then": { "properties": { "origin": false } },
    })
}

/// §5.6.
fn token_id() -> Value {
    json!({
        "if": { "required": ["standard"], "properties": { "standard": { "const": "erc721" } } },
        "then": { "required": ["tokenId"] },
    })
}

/// §6.2: what each scheme requires and forbids.
fn schemes() -> Value {
    let of_scheme = |scheme: &str, required: Value, properties: Value| {
        json!({
            "if": { "required": ["scheme"], "properties": { "scheme": { "const": scheme } } },
            "then": { "required": required, "properties": properties },
        })
    };
    let text = json!({
        "messageText": { "type": "string" },
        "domain": false, "types": false, "primaryType": false, "message": false,
    });
    let member = json!({
        "type": "object",
        "required": ["name", "type"],
        "properties": { "name": pattern("^[A-Za-z_$][A-Za-z0-9_$]*$"), "type": { "type": "string" } },
    });
    let typed_data = json!({
        "messageText": false,
        "domain": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": false,
            "properties": {
                "name": { "type": "string" },
                "version": { "type": "string" },
                "chainId": { "type": "integer", "minimum": 1, "maximum": crate::limits::MAX_SAFE_INTEGER },
                "verifyingContract": pattern(ADDRESS),
                "salt": pattern(WORD),
            },
        },
        "types": {
            "type": "object",
            "propertyNames": { "pattern": "^[A-Za-z_$][A-Za-z0-9_$]*$" },
            "additionalProperties": { "type": "array", "items": member },
        },
        "primaryType": { "type": "string" },
        "message": { "type": "object" },
    });
    json!([
        of_scheme(
            "eip-712",
            json!(["domain", "types", "primaryType", "message"]),
            typed_data
        ),
        of_scheme("personal-sign", json!(["messageText"]), text.clone()),
        of_scheme("siwe", json!(["messageText"]), text),
    ])
}

/// An object; the shapes it refers to are added to the definitions.
fn shape(shape: &Shape, definitions: &mut Map<String, Value>) -> Value {
    let required: Vec<_> = shape
        .fields
        .iter()
        .filter(|field| field.required.is_some())
        .map(|field| field.name)
        .collect();
    json!({ "type": "object", "required": required, "properties": properties(shape.fields, definitions) })
}

fn properties(fields: &[Field], definitions: &mut Map<String, Value>) -> Map<String, Value> {
    fields
        .iter()
        .map(|field| (field.name.to_owned(), rule(field.rule, definitions)))
        .collect()
}

fn defined(referred: &Shape, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(referred.name) {
        let schema = shape(referred, definitions);
        definitions.insert(referred.name.to_owned(), schema);
    }
    definition(referred.name)
}

fn rule(rule: Rule, definitions: &mut Map<String, Value>) -> Value {
    match rule {
        Rule::Any => true.into(),
        Rule::Text => json!({ "type": "string" }),
        Rule::NonEmpty => json!({ "type": "string", "minLength": 1 }),
        Rule::TextUpTo(max) => json!({ "type": "string", "maxLength": max }),
        Rule::Url => pattern(URL),
        Rule::Time => pattern(TIME),
        Rule::Address => pattern(ADDRESS),
        Rule::AddressOr(word) => json!({ "anyOf": [{ "const": word }, pattern(ADDRESS)] }),
        Rule::Hex => pattern("^0x[0-9a-fA-F]*$"),
        Rule::Bytes => pattern(BYTES),
        Rule::Word => pattern(WORD),
        Rule::Quantity => pattern(QUANTITY),
        Rule::Decimal => pattern(DECIMAL),
        Rule::Chain => pattern(CHAIN),
        Rule::OneOf(words) => json!({ "enum": words }),
        Rule::Boolean => json!({ "type": "boolean" }),
        Rule::Integer(min, max) => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Rule::Number(min, max) => {
            let mut schema = json!({ "type": "number" });
            for (name, bound) in [("minimum", min), ("maximum", max)] {
                if let Some(bound) = bound {
                    schema[name] = bound.into();
                }
            }
            schema
        }
        Rule::Record => json!({ "type": "object" }),
        Rule::Capabilities { shape, judged } => {
            let known: Vec<_> = shape.fields.iter().map(|field| field.name).collect();
            let mut schema = json!({
                "type": "object",
                "propertyNames": { "anyOf": [{ "enum": known }, { "pattern": "^x-[\\s\\S]" }] },
            });
            if judged {
                schema["properties"] = Value::Object(properties(shape.fields, definitions));
            }
            schema
        }
        Rule::Object(shape) => defined(shape, definitions),
        Rule::Array(shape) => json!({ "type": "array", "items": defined(shape, definitions) }),
    }
}
