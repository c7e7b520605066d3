//! What is printed from the code and checked in is current: the table of codes and the JSON Schemas; and the schemas
//! agree with the readers on everything a JSON Schema can say.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use jsonschema::Validator;
use presight_wire::envelope::page;
use presight_wire::json::{self, Numbers};
use presight_wire::report::ReceivedReport;
use presight_wire::{Request, schema};
use serde_json::{Value, json};
use std::path::Path;

/// Compares a file of the repository with its content; with `UPDATE_PAGES=1` writes it.
fn check(file: &str, content: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, content).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == content,
        "{file} is not current: run the test with UPDATE_PAGES=1"
    );
}

#[test]
fn the_table_of_codes_is_current() {
    check("docs/envelope-codes.md", &page());
}

#[test]
fn the_schemas_are_current() {
    for (file, schema) in schema::files() {
        let text = serde_json::to_string_pretty(&schema).unwrap();
        check(&format!("schemas/{file}"), &format!("{text}\n"));
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::meta::validate(schema).unwrap();
    jsonschema::draft202012::new(schema).unwrap()
}

fn vectors(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(file);
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    match file {
        Value::Array(vectors) => vectors,
        file => file["vectors"].as_array().unwrap().clone(),
    }
}

/// Errors that no JSON Schema can say, or that the published one leaves to the validator.
const UNSAYABLE: [&str; 9] = [
    "expires-mismatch",
    "siwe-grammar",
    "eip712-primary-type",
    "eip712-unknown-type",
    "eip712-duplicate-field",
    "eip712-missing-value",
    "eip712-extra-value",
    "eip712-value",
    // A struct may be declared under the name of a built-in type, and a domain type other than the domain.
    "eip712-type-name",
];

/// Vectors of which the schema says a part only: the calendar, the host of a URL, a declared domain type.
const IN_PART: [&str; 8] = [
    "issuedat-bad-feb-30",
    "issuedat-bad-feb-29-common-year",
    "issuedat-bad-leap-second-midday",
    "issuedat-bad-leap-second-midmonth",
    "expires-impossible-date",
    "origin-url-no-host",
    "712-domain-type-lacks-field",
    "712-domain-type-wrong-type",
];

#[test]
fn the_envelope_schema_agrees_with_the_validator() {
    let validator = validator(&schema::envelope());
    let (mut agreed, mut left, mut wrong) = (0, Vec::new(), Vec::new());
    for vector in vectors("envelope/vectors.json") {
        let text = match (vector["raw"].as_str(), vector.get("envelope")) {
            (Some(raw), _) => raw.to_owned(),
            (None, Some(document)) => document.to_string(),
            _ => continue,
        };
        let Ok(document) = json::parse_bounded(text.as_bytes(), Numbers::Double, 1 << 22, 64) else {
            continue;
        };
        let valid = vector["expect"]["valid"] == true;
        let id = vector["id"].as_str().unwrap();
        if validator.is_valid(&document) == valid {
            agreed += 1;
            continue;
        }
        let errors = vector["expect"]["errors"].as_array().unwrap();
        let sayable = errors
            .iter()
            .any(|e| !UNSAYABLE.contains(&e["code"].as_str().unwrap()));
        if valid || (sayable && !IN_PART.contains(&id)) {
            wrong.push(format!("{id}: {errors:?}"));
        }
        left.push(id.to_owned());
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!((agreed, left.len()), (480, 78), "{left:?}");
}

/// Refusals of requests that no JSON Schema can say: of the text, of checksums, of agreement between members, of sizes.
const OF_REQUESTS: [&str; 9] = [
    "too-large",
    "too-deep",
    "bad-checksum",
    "mixed-chains",
    "json-syntax",
    "json-duplicate-key",
    "json-lone-surrogate",
    "json-inexact-number",
    // The envelope in a request has its own schema.
    "reserved-kind",
];

/// Ranges of decimal numbers, of which the schema says the digits only.
const RANGES: [&str; 3] = ["chainId beyond 2^64", "value 2^256", "tuple nonce 2^64"];

#[test]
fn the_request_schema_agrees_with_the_reader() {
    let validator = validator(&schema::request());
    let mut wrong = Vec::new();
    let mut compared = 0;
    for case in vectors("malformed.json") {
        let text = match case["input"].as_str() {
            Some(input) => input.to_owned(),
            None => case["request"].to_string(),
        };
        let Ok(document) = json::parse(text.as_bytes(), Numbers::Exact) else {
            continue;
        };
        compared += 1;
        let word = |name: &str| case[name].as_str().unwrap();
        let sayable = !OF_REQUESTS.contains(&word("code")) && !RANGES.contains(&word("name"));
        if sayable && validator.is_valid(&document) {
            wrong.push(format!("{} {}", case["code"], case["name"]));
        }
    }
    for request in good_requests() {
        assert!(Request::from_value(request.clone()).is_ok());
        compared += 1;
        if let Err(error) = validator.validate(&request) {
            wrong.push(format!("{request}: {error}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(compared > 60, "{compared}");
}

fn good_requests() -> Vec<Value> {
    let account = "eip155:1:0x4ddad24756816b972899a5eda789e0343e014db9";
    let envelope = |vector: &Value| {
        vector["expect"]["valid"] == true && vector["envelope"]["content"]["from"].is_string()
    };
    let mut requests: Vec<_> = vectors("envelope/vectors.json")
        .into_iter()
        .filter(envelope)
        .map(|vector| json!({ "version": "erc-presign/1", "subject": { "type": "erc8265-envelope", "envelope": vector["envelope"] } }))
        .filter(|request| Request::from_value(request.clone()).is_ok())
        .collect();
    assert!(requests.len() > 100);
    requests.push(json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:1", "from": account,
            "calls": [{ "to": account, "value": "0x0", "data": "0x00" }],
            "typedData": { "a": 1 },
            "authorizationList": [{ "chainId": "1", "address": "0x4ddad24756816b972899a5eda789e0343e014db9", "nonce": "0", "yParity": 1, "r": "0x1", "s": "0x01" }],
        },
        "context": {
            "payment": {
                "requirements": {}, "resource": "r", "payee": { "registry": account, "agentId": "7" },
                "quote": { "quote": {}, "signature": "0x", "chainId": "eip155:1" },
            },
            "texts": [{ "field": "f", "ref": "r", "text": "t" }],
            "tokens": [account],
        },
        "kinds": ["erc.presign.address.code"],
    }));
    requests
}

/// A report with one entry of everything; each of its members is taken away and replaced in turn.
#[test]
fn the_report_schema_agrees_with_the_reader() {
    let validator = validator(&schema::report());
    let report = report();
    validator.validate(&report).unwrap();
    ReceivedReport::from_value(report.clone()).unwrap();
    let mut places = Vec::new();
    pointers(&report, "", &mut places);
    let mut compared = 0;
    for place in &places {
        for value in [
            None,
            Some(Value::Null),
            Some(json!("x")),
            Some(json!(-1)),
            Some(json!({})),
            Some(json!(true)),
        ] {
            let changed = changed(&report, place, value.clone());
            let (read, valid) = (
                ReceivedReport::from_value(changed.clone()).is_ok(),
                validator.is_valid(&changed),
            );
            assert_eq!(valid, read, "{place} as {value:?}");
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

fn pointers(value: &Value, at: &str, places: &mut Vec<String>) {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, v)| (name.clone(), v)).collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, v)| (i.to_string(), v))
            .collect(),
        _ => vec![],
    };
    for (name, value) in members {
        let place = format!("{at}/{name}");
        pointers(value, &place, places);
        places.push(place);
    }
}

fn changed(document: &Value, place: &str, value: Option<Value>) -> Value {
    let mut document = document.clone();
    let (parent, name) = place.rsplit_once('/').unwrap();
    match (document.pointer_mut(parent).unwrap(), value) {
        (Value::Object(members), None) => drop(members.remove(name)),
        (Value::Array(items), None) => drop(items.remove(name.parse().unwrap())),
        (parent, Some(value)) => *parent.pointer_mut(&format!("/{name}")).unwrap() = value,
        _ => {}
    }
    document
}

fn report() -> Value {
    let account = "eip155:1:0x4ddad24756816b972899a5eda789e0343e014db9";
    let word = format!("0x{}", "1".repeat(64));
    let finding = |entity: Value, evidence: Value| {
        json!({
            "kind": "presight.x", "entity": entity, "param": 1, "status": "read", "value": null,
            "at": { "chainId": "eip155:1", "block": "7" }, "evidence": [evidence], "note": "n",
        })
    };
    let mut unread = finding(
        json!({ "text": 0 }),
        json!({ "type": "document", "uri": "u", "hash": word }),
    );
    let members = unread.as_object_mut().unwrap();
    members.remove("value");
    members.insert("status".into(), "not-read".into());
    members.insert("reason".into(), "timeout".into());
    json!({
        "version": "erc-presign/1", "subjectDigest": word, "contextDigest": word, "chainId": "eip155:1",
        "signer": account, "source": { "registry": account, "agentId": "7", "signer": account },
        "issuedAt": "2026-11-30T12:00:00Z", "expiresAt": "2026-11-30T12:00:00Z",
        "blocks": [{ "chainId": "eip155:1", "block": "7", "hash": word }],
        "entities": {
            "tokens": [account],
            "approvals": [{ "token": account, "spender": account, "form": "erc20-approve", "callIndex": 0 }],
            "addresses": [{ "address": account, "role": "target" }],
            "payment": true,
            "texts": [{ "index": 0, "field": "f", "ref": "r", "digest": word }],
        },
        "findings": [
            finding(json!({ "token": account }), json!({ "type": "tx", "chainId": "eip155:1", "hash": word })),
            finding(json!({ "approval": 0 }), json!({ "type": "log", "chainId": "eip155:1", "tx": word, "logIndex": 0 })),
            finding(
                json!({ "address": account, "role": "target" }),
                json!({ "type": "call", "chainId": "eip155:1", "block": "7", "to": account, "data": "0x", "result": "0x" }),
            ),
            finding(json!({ "payment": true }), json!({ "type": "observation", "registry": account, "observationId": "1" })),
            unread,
        ],
        "method": "presight/1", "detail": "d", "signature": "0x",
    })
}
