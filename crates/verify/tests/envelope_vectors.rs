//! The conformance vectors that have a consumer's context: exact codes and paths, every one run.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use presight_verify::envelope::{CheckCode, CheckContext, Checked, ContactBook, Note, check};
use presight_wire::Timestamp;
use serde_json::Value;
use std::collections::BTreeSet;

const FILE: &str = include_str!("../../wire/tests/vectors/envelope/vectors.json");

fn vectors() -> Vec<Value> {
    let mut file: Value = serde_json::from_str(FILE).unwrap();
    let Value::Array(vectors) = file["vectors"].take() else {
        panic!("an array of vectors");
    };
    vectors
}

fn document(vector: &Value) -> Vec<u8> {
    if let Some(hex) = vector["rawHex"].as_str() {
        return alloy_primitives::hex::decode(hex).unwrap();
    }
    match vector["raw"].as_str() {
        Some(raw) => raw.as_bytes().to_vec(),
        None => serde_json::to_vec(&vector["envelope"]).unwrap(),
    }
}

fn context(given: &Value) -> CheckContext {
    let known = ["now", "longValiditySeconds", "contactBook"];
    assert!(
        given
            .as_object()
            .unwrap()
            .keys()
            .all(|name| known.contains(&&**name)),
        "{given}"
    );
    let book = |book: &Value| ContactBook::parse(&serde_json::to_vec(book).unwrap()).unwrap();
    CheckContext {
        now: given.get("now").map(|now| Timestamp(now.as_i64().unwrap())),
        long_validity: given
            .get("longValiditySeconds")
            .map(|seconds| seconds.as_u64().unwrap()),
        contact_book: given.get("contactBook").map(book),
        ..CheckContext::default()
    }
}

type Found = BTreeSet<(String, String)>;

fn found(notes: &[Note]) -> Found {
    notes
        .iter()
        .map(|n| (n.code.to_string(), n.path.clone()))
        .collect()
}

fn expected(list: &Value) -> Found {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = list.as_array().unwrap().iter();
    list.map(|p| (text(&p["code"]), text(&p["path"]))).collect()
}

fn run(vector: &Value, context: &CheckContext) -> Checked {
    check(&document(vector), context, None).unwrap()
}

#[test]
fn every_vector_with_a_context_gives_its_result() {
    let mut ids = BTreeSet::new();
    for vector in vectors().iter().filter(|vector| vector.get("context").is_some()) {
        let checked = run(vector, &context(&vector["context"]));
        let (id, expect) = (vector["id"].as_str().unwrap().to_owned(), &vector["expect"]);
        assert_eq!(found(&checked.errors), expected(&expect["errors"]), "{id}");
        assert_eq!(found(&checked.warnings), expected(&expect["warnings"]), "{id}");
        assert_eq!(checked.is_valid(), expect["valid"].as_bool().unwrap(), "{id}");
        ids.insert(id);
    }
    assert_eq!(ids.len(), 9, "every vector was run once");
}

/// Without a context the check is the validator and what the bytes say; it takes nothing back.
#[test]
fn vectors_without_a_context_keep_the_validators_result() {
    let mut runs = 0;
    for vector in vectors().iter().filter(|vector| vector.get("context").is_none()) {
        let checked = run(vector, &CheckContext::default());
        let expect = &vector["expect"];
        let of_validator = |notes: &[Note]| {
            let notes = notes
                .iter()
                .filter(|note| matches!(note.code, CheckCode::Validator(_)));
            found(&notes.cloned().collect::<Vec<_>>())
        };
        let id = &vector["id"];
        for note in checked.errors.iter().chain(&checked.warnings) {
            if matches!(note.code, CheckCode::Consumer(_)) {
                eprintln!("{id} {} {} {}", note.code, note.path, note.message);
            }
        }
        assert!(
            of_validator(&checked.errors).is_superset(&expected(&expect["errors"])),
            "{id}"
        );
        if checked.errors.is_empty() {
            assert!(
                of_validator(&checked.warnings).is_superset(&expected(&expect["warnings"])),
                "{id}"
            );
        }
        runs += 1;
    }
    assert_eq!(runs, 573);
}
