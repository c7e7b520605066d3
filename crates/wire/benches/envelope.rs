//! Envelopes per second on one core: judged from the text, and verified; beside reading alone and a JSON Schema.
#![allow(missing_docs, reason = "a bench has no users")]

use divan::{Bencher, black_box, counter::ItemsCount};
use presight_wire::envelope::{Envelope, OFFLINE, validate, verify, verify_value};
use presight_wire::tree;
use serde_json::{Value, json};

fn main() {
    divan::main();
}

fn vectors(file: &str, id: &str) -> Value {
    let file: Value = serde_json::from_str(file).expect("the vectors are JSON");
    let vectors = file["vectors"].as_array().expect("they are a list");
    let found = vectors.iter().find(|vector| vector["id"] == id);
    found.expect("the vector is there").clone()
}

/// A batch of an approval and a swap, signed, about 1.5 KB.
fn typical() -> Vec<u8> {
    let mut document = vectors(
        include_str!("../tests/vectors/envelope/vectors.json"),
        "batch-plain",
    )["envelope"]
        .clone();
    let signed = vectors(
        include_str!("../tests/vectors/envelope/vectors.json"),
        "tx-signed-and-verified-origin",
    );
    for name in ["producer", "origin"] {
        document[name] = signed["envelope"][name].clone();
    }
    document["id"] = "0f8fad5b-d9cb-469f-a165-70867728950e".into();
    document["capabilities"] = json!({ "atomicRequired": true });
    serde_json::to_vec(&document).expect("JSON is written")
}

fn signed() -> Vec<u8> {
    let vector = vectors(
        include_str!("../tests/vectors/envelope/signatures.json"),
        "secp256k1-envelope-ok",
    );
    vector["raw"]
        .as_str()
        .expect("the vector is a text")
        .as_bytes()
        .to_vec()
}

/// The target: at least 200,000 a second.
#[divan::bench]
fn parse_and_validate(bencher: Bencher<'_, '_>) {
    let text = typical();
    eprintln!("{} bytes", text.len());
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| validate(black_box(&text)));
}

/// What of it is reading.
#[divan::bench]
fn parse_alone(bencher: Bencher<'_, '_>) {
    let text = typical();
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| tree::read(black_box(&text), 64).is_ok());
}

/// `serde_json` into a `Value`, which judges nothing.
#[divan::bench]
fn parse_with_serde_json(bencher: Bencher<'_, '_>) {
    let text = typical();
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| serde_json::from_slice::<Value>(black_box(&text)));
}

/// The baseline: the published JSON Schema, which judges less, over what `serde_json` read.
#[divan::bench]
fn parse_and_json_schema(bencher: Bencher<'_, '_>) {
    let text = typical();
    let validator =
        jsonschema::draft202012::new(&presight_wire::schema::envelope()).expect("the schema is one");
    bencher.counter(ItemsCount::new(1_usize)).bench(|| {
        serde_json::from_slice::<Value>(black_box(&text)).is_ok_and(|document| validator.is_valid(&document))
    });
}

/// With the typed form and the document kept.
#[divan::bench]
fn parse_to_envelope(bencher: Bencher<'_, '_>) {
    let text = typical();
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| Envelope::parse(black_box(&text)).is_ok());
}

/// Canonical bytes, digest and recovery of one secp256k1 signature, from the text.
#[divan::bench]
fn verify_secp256k1(bencher: Bencher<'_, '_>) {
    let text = signed();
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| verify(black_box(&text), OFFLINE));
}

/// The same of a document that was read.
#[divan::bench]
fn verify_secp256k1_of_value(bencher: Bencher<'_, '_>) {
    let document: Value = serde_json::from_slice(&signed()).expect("the vector is JSON");
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| verify_value(black_box(&document), OFFLINE));
}
