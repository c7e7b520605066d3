//! A full report for one approve on a recorded view: request bytes to signed report bytes.

use divan::Bencher;
use presight_view::{Snapshot, View, file};
use presight_wire::report::Source;
use presight_wire::report::sign::SigningKey;
use presight_wire::{AccountId, Request};
use std::path::Path;

fn main() {
    divan::main();
}

struct Example {
    request: Vec<u8>,
    snapshot: Snapshot,
    source: Source,
    key: SigningKey,
}

fn example() -> Example {
    let read = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples/approve")
            .join(name);
        std::fs::read(path).expect("the example is whole")
    };
    let key = SigningKey::from_hex(&[b'7'; 64]).expect("a key");
    let registry =
        AccountId::parse("eip155:31337:0x5fbdb2315678afecb367f032d93f642f64180aa3", "").expect("an account");
    let signer = AccountId::new(registry.chain.clone(), key.address());
    Example {
        request: read("request.json"),
        snapshot: file::parse(&read("view.json")).expect("a view").snapshot,
        source: Source {
            registry,
            agent_id: alloy_primitives::U256::ZERO,
            signer,
        },
        key,
    }
}

fn report(example: &Example) -> Vec<u8> {
    let request = Request::parse(&example.request).expect("a request");
    let decoded = presight_decode::decode(&request).expect("decodes");
    let view = View::new(&example.snapshot);
    let mut report = presight_source::assemble(
        &view,
        &request,
        &decoded,
        &example.source,
        &presight_source::Config::default(),
    )
    .expect("a closed view leaves nothing pending");
    presight_source::sign(&mut report, &request, &example.key).expect("signs");
    report.to_value().to_string().into_bytes()
}

#[divan::bench]
fn approve_request_to_signed_report(bencher: Bencher<'_, '_>) {
    let example = example();
    bencher.bench_local(|| report(divan::black_box(&example)));
}

/// The share of canonical bytes and digests in a report of about 200 findings: a batch of approvals to many spenders.
fn batch(example: &Example) -> Vec<u8> {
    let mut document: serde_json::Value = serde_json::from_slice(&example.request).expect("JSON");
    let call = document["subject"]["calls"][0].clone();
    let data = call["data"].as_str().expect("data").to_owned();
    let calls = (0..9u8).map(|i| {
        let mut call = call.clone();
        call["data"] = format!("{}{i:02x}{}", &data[..72], &data[74..]).into();
        call
    });
    document["subject"]["calls"] = calls.collect();
    document.to_string().into_bytes()
}

#[divan::bench]
fn batch_request_to_signed_report(bencher: Bencher<'_, '_>) {
    let mut example = example();
    example.request = batch(&example);
    let made: serde_json::Value = serde_json::from_slice(&report(&example)).expect("a report");
    let findings = made["findings"].as_array().expect("findings").len();
    assert!((180..260).contains(&findings), "{findings} findings");
    bencher.bench_local(|| report(divan::black_box(&example)));
}

#[divan::bench]
fn batch_canonical_bytes_and_digest(bencher: Bencher<'_, '_>) {
    let mut example = example();
    example.request = batch(&example);
    let made: serde_json::Value = serde_json::from_slice(&report(&example)).expect("a report");
    bencher.bench_local(|| presight_wire::report::hash_of(divan::black_box(&made)));
}

#[divan::bench]
fn approve_assemble_only(bencher: Bencher<'_, '_>) {
    let example = example();
    let request = Request::parse(&example.request).expect("a request");
    let decoded = presight_decode::decode(&request).expect("decodes");
    bencher.bench_local(|| {
        let view = View::new(divan::black_box(&example.snapshot));
        presight_source::assemble(
            &view,
            &request,
            &decoded,
            &example.source,
            &presight_source::Config::default(),
        )
    });
}
