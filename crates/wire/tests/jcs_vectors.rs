//! RFC 8785 vectors: every one is read strictly and written canonically, or refused with its code.

use presight_wire::jcs;
use presight_wire::json::{Numbers, parse};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn file() -> Value {
    serde_json::from_str(include_str!("vectors/jcs.json")).expect("the vector file is JSON")
}

fn text<'a>(vector: &'a Value, name: &str) -> &'a str {
    vector[name]
        .as_str()
        .unwrap_or_else(|| panic!("{vector} has no text `{name}`"))
}

#[test]
fn every_vector() {
    let file = file();
    let vectors = file["vectors"].as_array().unwrap();
    for vector in vectors {
        let id = text(vector, "id");
        match (
            parse(text(vector, "input").as_bytes(), Numbers::Double),
            vector.get("error"),
        ) {
            (Ok(value), None) => {
                assert_eq!(
                    alloy_primitives::hex::encode(jcs::canonical(&value)),
                    text(vector, "expectHex"),
                    "{id}"
                );
            }
            (Err(refusal), Some(code)) => assert_eq!(refusal.code, code.as_str().unwrap(), "{id}"),
            (Ok(value), Some(code)) => panic!("{id}: read as {value}, {code} expected"),
            (Err(refusal), None) => panic!("{id}: {refusal}"),
        }
        if let Some(bits) = vector.get("ieee754") {
            let double = f64::from_bits(u64::from_str_radix(bits.as_str().unwrap(), 16).unwrap());
            assert_eq!(
                jcs::canonical(&json!([double])),
                text(vector, "expect").as_bytes(),
                "{id}"
            );
        }
    }
    assert_eq!(vectors.len(), 165, "a vector was not run");
    assert_eq!(file["count"], 165);
}

fn bulk(id: &str) -> Value {
    let file = file();
    let sets = file["bulk"].as_array().expect("the vector file lists bulk sets");
    assert_eq!(sets.len(), 2, "a bulk set was not run");
    sets.iter()
        .find(|set| set["id"] == id)
        .expect("the set is in the file")
        .clone()
}

fn assert_bulk(id: &str, lines: u64, all: Sha256) {
    let set = bulk(id);
    assert_eq!(set["lines"], lines);
    assert_eq!(
        text(&set, "sha256"),
        alloy_primitives::hex::encode(all.finalize())
    );
}

#[test]
fn bulk_random_doubles() {
    let mut all = Sha256::new();
    let mut lines = 0;
    for i in 0..100_000 {
        let hash = Sha256::digest(format!("jcs-number-{i}"));
        let bits = u64::from_be_bytes(hash[..8].try_into().unwrap());
        let double = f64::from_bits(bits);
        if double.is_finite() {
            let canonical = String::from_utf8(jcs::canonical(&json!(double))).unwrap();
            all.update(format!("{bits:016x},{canonical}\n"));
            lines += 1;
        }
    }
    assert_bulk("bulk-random-doubles", lines, all);
}

#[test]
fn bulk_decimal_literals() {
    let mut all = Sha256::new();
    for i in 0..100_000 {
        let d = Sha256::digest(format!("jcs-decimal-{i}"));
        let mut number = [0; 8];
        number[2..].copy_from_slice(&d[..6]);
        let k = u64::from_be_bytes(number) % 10_u64.pow(1 + u32::from(d[6]) % 15);
        let e = i32::from(d[7] % 45) - 22;
        let literal = format!("{k}e{e}");
        let value = parse(literal.as_bytes(), Numbers::Double).unwrap();
        all.update(format!(
            "{literal},{}\n",
            String::from_utf8(jcs::canonical(&value)).unwrap()
        ));
    }
    assert_bulk("bulk-decimal-literals", 100_000, all);
}
