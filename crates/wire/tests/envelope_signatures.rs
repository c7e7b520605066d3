//! The producer-signature vectors: pre-image, digest, status, warning, attested part and reason of each.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use presight_wire::envelope::{
    Coverage, OFFLINE, ProducerKey, PublicKey, Scheme, preimage, scheme_digest, verify,
};
use presight_wire::json::{self, Numbers};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const FILE: &str = include_str!("vectors/envelope/signatures.json");

fn file() -> Value {
    serde_json::from_str(FILE).unwrap()
}

#[test]
fn every_vector_gives_its_result() {
    let file = file();
    let vectors = file["vectors"].as_array().unwrap();
    let mut failures = Vec::new();
    let mut ids = BTreeSet::new();
    for vector in vectors {
        let found = verify(vector["raw"].as_str().unwrap().as_bytes(), OFFLINE).unwrap();
        let found = json!({
            "status": found.status.as_str(),
            "warning": found.status.warning(),
            "attested": found.attested.map_or("none", Coverage::as_str),
            "reason": found.reason.map(presight_wire::envelope::Reason::as_str),
        });
        if found != vector["expect"] {
            failures.push(format!(
                "{}: expected {}, found {found}",
                vector["id"], vector["expect"]
            ));
        }
        ids.insert(vector["id"].as_str().unwrap());
    }
    assert_eq!(failures, Vec::<String>::new());
    assert_eq!(ids.len(), 207, "every vector was run once");
    assert_eq!(file["count"], 207);
}

/// The pre-image and what the scheme signs of it, of every document that can be read.
#[test]
fn every_pre_image_and_digest() {
    let (mut preimages, mut digests) = (0, 0);
    for vector in file()["vectors"].as_array().unwrap() {
        let text = vector["raw"].as_str().unwrap();
        let (Some(expected), Ok(document)) = (
            vector["preimageHex"].as_str(),
            json::parse(text.as_bytes(), Numbers::Double),
        ) else {
            continue;
        };
        let coverage = Coverage::parse(vector["coverage"].as_str().unwrap()).unwrap();
        let bytes = preimage(&document, coverage).unwrap();
        assert_eq!(
            alloy_primitives::hex::encode(&bytes),
            expected,
            "{}",
            vector["id"]
        );
        preimages += 1;
        let digest = vector["digestHex"].as_str();
        let scheme = Scheme::parse(vector["scheme"].as_str().unwrap());
        if let (Some(digest), Some(scheme)) = (digest, scheme) {
            let found = scheme_digest(scheme, &bytes).unwrap();
            assert_eq!(alloy_primitives::hex::encode(found), digest, "{}", vector["id"]);
            digests += 1;
        }
    }
    assert_eq!((preimages, digests), (202, 139));
}

#[test]
fn keys_in_all_their_forms() {
    for (name, key) in file()["keys"].as_object().unwrap() {
        let text = |field: &str| key[field].as_str();
        let scheme = Scheme::parse(text("scheme").unwrap()).unwrap();
        let secret = ProducerKey::from_hex(scheme, text("privateKey").unwrap().as_bytes()).unwrap();
        let public = secret.public_key();
        assert_eq!(Some(&*public.to_string()), text("publicKey"), "{name}");
        assert_eq!(public.to_did().as_deref(), text("didKey"), "{name}");
        for field in ["publicKey", "publicKeyUncompressed", "didKey"] {
            if let Some(text) = text(field) {
                assert_eq!(PublicKey::parse(text, scheme).unwrap(), public, "{name} {field}");
            }
        }
        let address = text("address").map(|a| a.parse().unwrap());
        assert_eq!(secret.address(), address, "{name}");
        assert!(!format!("{secret:?}").contains(&text("privateKey").unwrap()[2..]));
    }
}

/// Deterministic signatures are those of the vectors' own maker, where it signed a document as the profile says.
#[test]
fn signs_as_the_vectors_were_signed() {
    let file = file();
    let mut same = BTreeSet::new();
    for vector in file["vectors"].as_array().unwrap() {
        if vector["expect"]["status"] != "verified" {
            continue;
        }
        let scheme = Scheme::parse(vector["scheme"].as_str().unwrap()).unwrap();
        let key = &file["keys"][format!("{}-one", scheme.as_str())]["privateKey"];
        let key = ProducerKey::from_hex(scheme, key.as_str().unwrap().as_bytes()).unwrap();
        let bytes = alloy_primitives::hex::decode(vector["preimageHex"].as_str().unwrap()).unwrap();
        if key.sign(&bytes).unwrap().to_string() == vector["signatureHex"].as_str().unwrap() {
            same.insert(vector["id"].as_str().unwrap());
        }
    }
    for scheme in ["secp256k1", "ed25519", "p256"] {
        for coverage in ["envelope", "content"] {
            assert!(
                same.contains(&*format!("{scheme}-{coverage}-ok")),
                "{scheme} {coverage}"
            );
        }
    }
}
