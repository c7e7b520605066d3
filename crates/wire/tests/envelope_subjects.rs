//! An envelope that its validator accepts is accepted as the subject of a request, with the same canonical bytes; where a
//! rule of requests stands against it, the refusal names the rule.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use alloy_primitives::keccak256;
use presight_wire::envelope::{Coverage, preimage, read_document, validate};
use presight_wire::{Refusal, Request};
use serde_json::Value;

/// A request whose subject is the text of an envelope.
fn request(envelope: &str) -> Result<Request, Refusal> {
    let text = format!(
        r#"{{"version":"erc-presign/1","subject":{{"type":"erc8265-envelope","envelope":{envelope}}},"context":{{}}}}"#
    );
    Request::parse(text.as_bytes())
}

fn assert_same_bytes(envelope: &str, request: &Request) {
    let document = read_document(envelope.as_bytes()).unwrap();
    let bytes = preimage(&document, Coverage::Envelope).unwrap();
    assert_eq!(request.subject_digest(), keccak256(bytes), "{envelope}");
}

fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for file in [
        include_str!("vectors/envelope/vectors.json"),
        include_str!("vectors/envelope/further.json"),
    ] {
        let file: Value = serde_json::from_str(file).unwrap();
        for vector in file["vectors"].as_array().unwrap() {
            let text = match (vector["raw"].as_str(), vector.get("envelope")) {
                (Some(raw), _) => raw.to_owned(),
                (None, Some(document)) => document.to_string(),
                (None, None) => continue,
            };
            texts.push((vector["id"].to_string(), text));
        }
    }
    texts
}

#[test]
fn every_vector_is_judged_alike() {
    let (mut accepted, mut refused) = (0, 0);
    for (id, text) in texts() {
        let validation = validate(text.as_bytes()).unwrap();
        match (validation.errors.first(), request(&text)) {
            (None, Ok(request)) => {
                assert_same_bytes(&text, &request);
                accepted += 1;
            }
            (None, Err(refusal)) => {
                let warned = || {
                    validation.warnings.iter().any(|warning| {
                        warning.code.as_str() == "number-precision"
                            && refusal.pointer == format!("/subject/envelope{}", warning.path)
                    })
                };
                match refusal.code {
                    "json-inexact-number" => assert!(warned(), "{id}: {refusal}"),
                    "signer-unknown" => {
                        let document = read_document(text.as_bytes()).unwrap();
                        assert_eq!(document["content"].get("from"), None, "{id}");
                    }
                    "bad-chain-id" => assert!(id.contains("chain-ok"), "{id}"),
                    _ => panic!("{id}: {refusal}"),
                }
                refused += 1;
            }
            (Some(error), Err(refusal)) => {
                assert!(
                    refusal.pointer.starts_with("/subject") || refusal.code.starts_with("json-"),
                    "{id}"
                );
                // The text is read before it is judged.
                if !error.code.as_str().starts_with("json-") && refusal.code != "json-inexact-number" {
                    assert_eq!(refusal.code, error.code.as_str(), "{id}");
                    assert_eq!(
                        refusal.pointer,
                        format!("/subject/envelope{}", error.path),
                        "{id}"
                    );
                }
            }
            (Some(error), Ok(_)) => panic!("{id}: accepted with {}", error.code),
        }
    }
    assert_eq!((accepted, refused), (196, 7));
}

/// An `evm-tx` with these members put into its call, and this `meta`.
fn envelope(to: &str, call: &str, meta: &str) -> String {
    format!(
        r#"{{"$schema":"a:b","kind":"evm-tx","issuedAt":"2026-11-30T12:00:00Z","meta":{meta},"content":{{"chain":"eip155:1","from":"{to}","calls":[{{"to":"{to}","operation":"call"{call}}}],"validity":{{"notAfter":1796040000}},"description":{{"short":"a","action":"claim"}},"metadata":{{"protocol":"p","tokenMovements":[],"counterparties":[]}}}}}}"#
    )
}

const ADDRESS: &str = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

#[test]
fn what_the_validator_takes_is_taken() {
    let odd = ADDRESS.replace("a0b", "A0B");
    let deep = format!("{{\"k\":{}{}}}", "[".repeat(62), "]".repeat(62));
    let numbers = r#"{"k":[9007199254740992,-9007199254740992,1e-400,1.00000000000000000001,1e300,0.1,-0,1e20,295147905179352825856]}"#;
    for text in [
        envelope(&odd, "", "{}"),
        envelope(ADDRESS, r#","gas":"0x1""#, "{}"),
        envelope(ADDRESS, &format!(",\"value\":\"0x{:0100}\"", 1), "{}"),
        envelope(ADDRESS, "", &deep),
        envelope(ADDRESS, "", numbers),
    ] {
        assert!(validate(text.as_bytes()).unwrap().is_valid(), "{text}");
        assert_same_bytes(&text, &request(&text).unwrap());
    }
}

#[test]
fn what_it_does_not_take_is_not() {
    let refusal = |text: &str| request(text).map(|_| ()).unwrap_err();
    let deep = format!("{{\"k\":{}{}}}", "[".repeat(63), "]".repeat(63));
    assert_eq!(refusal(&envelope(ADDRESS, "", &deep)).code, "too-deep");
    let rounded = envelope(ADDRESS, "", r#"{"k":[9007199254740993]}"#);
    let refusal = refusal(&rounded);
    assert_eq!(
        (refusal.code, &*refusal.pointer),
        ("json-inexact-number", "/subject/envelope/meta/k/0")
    );
    let warnings = validate(rounded.as_bytes()).unwrap().warnings;
    assert!(
        warnings
            .iter()
            .any(|w| w.code.as_str() == "number-precision" && w.path == "/meta/k/0")
    );
    // Only what is inside the envelope is read by its rules.
    let large = r#"{"version":"erc-presign/1","subject":{"type":"erc8265-envelope","envelope":{}},"context":{"envelope":9007199254740992}}"#;
    let refusal = Request::parse(large.as_bytes()).unwrap_err();
    assert_eq!(
        (refusal.code, &*refusal.pointer),
        ("json-inexact-number", "/context/envelope")
    );
}
