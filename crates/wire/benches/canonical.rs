//! Canonical bytes and their digest: ours beside two public implementations, on the same values.

use alloy_primitives::keccak256;
use divan::{Bencher, counter::BytesCount};
use presight_wire::jcs;
use serde_json::{Value, json};

fn main() {
    divan::main();
}

/// A report of `findings` findings in the shape the source writes them.
fn report(findings: usize) -> Value {
    let address = |i: usize| format!("eip155:1:0x{i:040x}");
    let hash = |i: usize| format!("0x{i:064x}");
    let finding = |i: usize| {
        json!({
            "kind": "erc.presign.approval.current-allowance",
            "entity": { "address": address(i), "role": "spender" },
            "param": { "prefix": 4, "suffix": 4 },
            "status": "read",
            "value": format!("{i}000000000000000000"),
            "at": { "chainId": "eip155:1", "block": "26300754" },
            "evidence": [{
                "type": "call", "chainId": "eip155:1", "block": "26300754", "to": address(i + 1),
                "data": format!("0xdd62ed3e{}{}", &hash(i)[2..], &hash(i + 1)[2..]), "result": hash(i),
            }],
            "note": "allowance(owner, spender) at the block, on the state before the authorization list",
        })
    };
    json!({
        "version": "erc-presign/1", "subjectDigest": hash(1), "contextDigest": hash(2), "chainId": "eip155:1",
        "signer": address(3), "issuedAt": "2026-11-30T12:00:00Z", "method": "presight/1",
        "blocks": [{ "chainId": "eip155:1", "block": "26300754", "hash": hash(4) }],
        "findings": (0..findings).map(finding).collect::<Vec<_>>(),
    })
}

fn request() -> Value {
    json!({
        "chainId": "eip155:1",
        "from": "eip155:1:0x4ddad24756816b972899a5eda789e0343e014db9",
        "calls": [{
            "to": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "value": "0",
            "data": format!("0x095ea7b3{:064x}{}", 0x1111, "f".repeat(64)),
        }],
    })
}

const INPUTS: [&str; 2] = ["report of 200 findings", "request of one approve"];

fn input(name: &str) -> Value {
    if name == INPUTS[0] { report(200) } else { request() }
}

fn measure(bencher: Bencher<'_, '_>, name: &str, canonical: impl Fn(&Value) -> Vec<u8> + Sync) {
    let value = input(name);
    let bytes = BytesCount::new(jcs::canonical(&value).len());
    bencher
        .counter(bytes)
        .bench(|| keccak256(canonical(divan::black_box(&value))));
}

#[divan::bench(args = INPUTS)]
fn presight(bencher: Bencher<'_, '_>, name: &str) {
    measure(bencher, name, jcs::canonical);
}

#[divan::bench(args = INPUTS)]
fn serde_json_canonicalizer(bencher: Bencher<'_, '_>, name: &str) {
    measure(bencher, name, |value| {
        serde_json_canonicalizer::to_vec(value).expect("a JSON value")
    });
}

#[divan::bench(args = INPUTS)]
fn serde_jcs(bencher: Bencher<'_, '_>, name: &str) {
    measure(bencher, name, |value| {
        serde_jcs::to_vec(value).expect("a JSON value")
    });
}

/// What of the above is hashing.
#[divan::bench(args = INPUTS)]
fn keccak_alone(bencher: Bencher<'_, '_>, name: &str) {
    let bytes = jcs::canonical(&input(name));
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| keccak256(divan::black_box(&bytes)));
}
