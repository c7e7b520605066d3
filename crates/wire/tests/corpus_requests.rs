//! Public requests of the third-party corpus: those marked acceptable are read, those that no later stage would
//! refuse are refused here.

use presight_wire::Request;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Refusals that are the typed data's business: the request around it is well formed.
const OF_TYPED_DATA: [&str; 3] = [
    "dapp-malformed-invalid-primary-type",
    "dapp-malformed-no-primary-type",
    "dapp-malformed-invalid-contract-type",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/requests")
}

#[test]
fn corpus() {
    let Ok(index) = std::fs::read(folder().join("index.json")) else {
        println!("skipped: corpus absent");
        return;
    };
    let index: Value = serde_json::from_slice(&index).unwrap();
    let cases = index["cases"].as_array().unwrap();
    let mut wrong = Vec::new();
    for case in cases {
        let word = |name: &str| case[name].as_str().unwrap();
        let bytes = std::fs::read(folder().join(word("file"))).unwrap();
        let (id, expected) = (word("id"), &case["expected"]);
        match (expected["outcome"].as_str().unwrap(), Request::parse(&bytes)) {
            ("refuse", Ok(_)) if !OF_TYPED_DATA.contains(&id) => wrong.push(format!("{id}: accepted")),
            ("accept", Err(refusal)) => wrong.push(format!("{id}: {refusal}")),
            ("accept", Ok(request)) => {
                let signer = format!("{:#x}", request.signer().address);
                if expected["signer"] != signer || expected["chainId"] != request.chain().to_string() {
                    wrong.push(format!("{id}: signer {signer} on {}", request.chain()));
                }
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(index["count"], cases.len());
    println!("{} requests", cases.len());
}
