//! The conformance vectors of the validator: exact codes and paths, every vector run.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use presight_wire::envelope::{Problem, Severity, Validation, validate, validate_value};
use presight_wire::json::{self, Numbers};
use serde_json::Value;
use std::collections::BTreeSet;

const FILE: &str = include_str!("vectors/envelope/vectors.json");

/// The text of a vector.
fn document(vector: &Value) -> Vec<u8> {
    if let Some(hex) = vector["rawHex"].as_str() {
        return alloy_primitives::hex::decode(hex).unwrap();
    }
    match vector["raw"].as_str() {
        Some(raw) => raw.as_bytes().to_vec(),
        None => serde_json::to_vec(&vector["envelope"]).unwrap(),
    }
}

fn found(problems: &[Problem]) -> BTreeSet<(String, String)> {
    problems
        .iter()
        .map(|p| (p.code.to_string(), p.path.clone()))
        .collect()
}

fn expected(list: &Value) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    list.as_array()
        .unwrap()
        .iter()
        .map(|p| (text(&p["code"]), text(&p["path"])))
        .collect()
}

/// The warnings that need a clock or an address book are a consumer's; the validator gives the others.
const OF_A_CONSUMER: [&str; 4] = [
    "expired",
    "not-yet-valid",
    "long-validity",
    "contact-book-unverified",
];

fn check(vector: &Value, result: &Validation) -> Result<(), String> {
    let expect = &vector["expect"];
    let mut warnings = expected(&expect["warnings"]);
    if vector.get("context").is_some() {
        warnings.retain(|(code, _)| !OF_A_CONSUMER.contains(&&**code));
    }
    let good = found(&result.errors) == expected(&expect["errors"])
        && found(&result.warnings) == warnings
        && result.is_valid() == expect["valid"].as_bool().unwrap()
        && found(&result.errors).len() == result.errors.len()
        && !result.cut;
    let severities = result.errors.iter().all(|p| p.code.severity() == Severity::Error)
        && result
            .warnings
            .iter()
            .all(|p| p.code.severity() == Severity::Warning);
    if good && severities {
        return Ok(());
    }
    Err(format!(
        "{}: expected {} {warnings:?}, found {:?} {:?}",
        vector["id"],
        expect["errors"],
        found(&result.errors),
        found(&result.warnings)
    ))
}

#[test]
fn every_vector_gives_its_result() {
    let file: Value = serde_json::from_str(FILE).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    let mut failures = Vec::new();
    for vector in vectors {
        ids.insert(vector["id"].as_str().unwrap());
        failures.extend(check(vector, &validate(&document(vector)).unwrap()).err());
    }
    assert_eq!(failures, Vec::<String>::new());
    assert_eq!(ids.len(), 582, "every vector was run once");
    assert_eq!(file["count"], 582);
}

#[test]
fn every_further_vector_gives_its_result() {
    let file: Value = serde_json::from_str(include_str!("vectors/envelope/further.json")).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    let run = |vector: &Value| check(vector, &validate(&document(vector)).unwrap()).err();
    assert_eq!(
        vectors.iter().filter_map(run).collect::<Vec<_>>(),
        Vec::<String>::new()
    );
    assert_eq!(file["count"], vectors.len());
}

/// A document read by the other strict reader is judged alike; numbers it rounded no longer show it.
#[test]
fn values_are_judged_as_texts_are() {
    let file: Value = serde_json::from_str(FILE).unwrap();
    let mut compared = 0;
    for vector in file["vectors"].as_array().unwrap() {
        let text = document(vector);
        let Ok(value) = json::parse_bounded(&text, Numbers::Double, 1 << 22, 64) else {
            continue;
        };
        let (of_text, of_value) = (validate(&text).unwrap(), validate_value(&value));
        let without_precision = |v: &Validation| {
            let mut warnings = found(&v.warnings);
            warnings.retain(|(code, _)| code != "number-precision");
            (found(&v.errors), warnings)
        };
        assert_eq!(
            without_precision(&of_value),
            without_precision(&of_text),
            "{}",
            vector["id"]
        );
        compared += 1;
    }
    assert_eq!(compared, 558);
}

/// Every error code is the expected result of some vector, and so is every warning.
#[test]
fn every_code_is_covered() {
    use presight_wire::envelope::Code;
    let file: Value = serde_json::from_str(FILE).unwrap();
    let mut seen = BTreeSet::new();
    for vector in file["vectors"].as_array().unwrap() {
        for list in ["errors", "warnings"] {
            seen.extend(
                expected(&vector["expect"][list])
                    .into_iter()
                    .map(|(code, _)| code),
            );
        }
    }
    // Refusals are of commands, not of documents.
    let judged = Code::ALL
        .iter()
        .filter(|code| code.severity() != Severity::Refusal);
    let all: BTreeSet<String> = judged.map(ToString::to_string).collect();
    assert_eq!(seen, all);
    assert_eq!(
        Code::ALL
            .iter()
            .filter(|c| c.severity() == Severity::Error)
            .count(),
        42
    );
    assert_eq!(all.len(), 73);
}
