//! A consumer's whole verification of the shipped example: report bytes to conclusion, every step, on a recorded view.
//! Divan's throughput is verifications per second on one core.

use divan::Bencher;
use divan::counter::ItemsCount;
use presight_verify::{Conclusion, Options, Unverified, verify};
use presight_view::{Snapshot, View, file};
use presight_wire::report::Source;
use presight_wire::report::sign::SigningKey;
use presight_wire::{AccountId, Request};
use std::path::Path;

fn main() {
    divan::main();
}

/// A key everyone knows; the example's registration file lists its account.
const KEY: &[u8] = b"0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356";

struct Example {
    request: Request,
    snapshot: Snapshot,
    report: Vec<u8>,
}

fn example() -> Example {
    let read = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/approve");
        std::fs::read(folder.join(name)).expect("the example is whole")
    };
    let key = SigningKey::from_hex(KEY).expect("a key");
    let named: serde_json::Value = serde_json::from_slice(&read("source.json")).expect("JSON");
    let registry = named["registry"].as_str().expect("a registry");
    let registry = AccountId::parse(registry, "").expect("an account");
    let source = Source {
        signer: AccountId::new(registry.chain.clone(), key.address()),
        registry,
        agent_id: named["agentId"]
            .as_str()
            .expect("an id")
            .parse()
            .expect("a number"),
    };
    let request = Request::parse(&read("request.json")).expect("a request");
    let snapshot = file::parse(&read("view.json")).expect("a view").snapshot;
    let decoded = presight_decode::decode(&request).expect("decodes");
    let mut report = presight_source::assemble(
        &View::new(&snapshot),
        &request,
        &decoded,
        &source,
        &presight_source::Config::default(),
    )
    .expect("a closed view leaves nothing pending");
    presight_source::sign(&mut report, &request, &key).expect("signs");
    Example {
        report: report.to_value().to_string().into_bytes(),
        request,
        snapshot,
    }
}

fn conclusion(example: &Example) -> Conclusion {
    let report = Unverified::parse(&example.report).expect("JSON");
    let view = View::new(&example.snapshot);
    verify(&report, &example.request, &view, &Options::default())
        .expect("a closed view leaves nothing pending")
        .conclusion()
}

#[divan::bench]
fn report_to_conclusion(bencher: Bencher<'_, '_>) {
    let example = example();
    assert_eq!(conclusion(&example), Conclusion::Verified);
    bencher
        .counter(ItemsCount::new(1_u32))
        .bench_local(|| conclusion(divan::black_box(&example)));
}
