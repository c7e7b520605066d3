//! Records the state that `presight demo` runs on: `cargo run -p presight --example record_demo`.
//!
//! Deploys the example's contracts on a local node, reads the example request and the source's identity over
//! JSON-RPC, and writes `examples/approve/`.

#[path = "../tests/stage/mod.rs"]
mod stage;

use alloy_primitives::U256;
use presight_verify::{Options, Unverified};
use presight_view::drive;
use presight_view::file;
use presight_view::rpc::{ChainSettings, Http, RetrySettings, Retrying, Rpc};
use presight_wire::report::sign::SigningKey;
use presight_wire::report::{ReceivedReport, Source};
use presight_wire::{AccountId, ChainId, Request, Timestamp};
use serde_json::json;
use stage::{KEY, SIGNER, Stage};
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let stage = Stage::set().expect("anvil is installed: npm ci");
    let supply = U256::from(250_000_000u64) * U256::from(1_000_000u64);
    let token = stage.token("Example Dollar", "EXD", 6, supply);
    stage.node.mine(40).expect("blocks");
    // A contract nobody has dealt with yet.
    let spender = stage.deploy("Silent", &[]);
    let data = stage::approve(&spender, U256::MAX);
    let document = stage::request(&[stage::request_call(&token, &data)]);
    let request = Request::from_value(document.clone()).expect("a request");
    let decoded = presight_decode::decode(&request).expect("decodes");
    let registry = AccountId::parse(&format!("eip155:31337:{}", stage.registry), "").expect("an account");
    let key = SigningKey::from_hex(KEY.as_bytes()).expect("a key");
    let signer = AccountId::parse(&format!("eip155:31337:{SIGNER}"), "").expect("an account");
    let source = Source {
        registry: registry.clone(),
        agent_id: U256::from(stage.agent_id),
        signer,
    };

    let chain = ChainId::evm(31337);
    let http = Http::new(&stage.node.url(), Duration::from_secs(5)).expect("a URL");
    let settings = ChainSettings {
        prove: true,
        ..ChainSettings::default()
    };
    let mut rpc = Rpc::new().with_chain(chain, Retrying::new(http, RetrySettings::default()), settings);
    let driven = drive::run(
        &mut rpc,
        Timestamp(1_795_000_100),
        Duration::from_secs(30),
        |view| {
            let report = presight_source::assemble(
                view,
                &request,
                &decoded,
                &source,
                &presight_source::Config::default(),
            );
            for token in &decoded.entities.tokens {
                // Read for the demo's words; a want that is not held yet is fetched.
                let _ = presight_exec::reads::decimals(view, &token.chain, token.address);
            }
            let mut report = report.ok()?;
            presight_source::sign(&mut report, &request, &key).expect("signs");
            let unverified =
                Unverified::from(ReceivedReport::from_value(report.to_value()).expect("reads back"));
            presight_verify::verify(&unverified, &request, view, &Options::default()).ok()
        },
    )
    .await;
    let verification = driven.value.as_ref().expect("nothing is left to read");
    assert_eq!(
        verification.conclusion().as_str(),
        "verified",
        "{:?}",
        verification.steps()
    );

    let folder = stage::root().join("examples/approve");
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).expect("writes");
    let pretty = |value| serde_json::to_string_pretty(value).expect("JSON") + "\n";
    write("request.json", pretty(&document));
    write("view.json", file::to_json(&driven.witness()) + "\n");
    write(
        "source.json",
        pretty(&json!({ "registry": registry, "agentId": stage.agent_id.to_string(), "key": KEY })),
    );
    println!("{} waves, {} calls", driven.waves, driven.calls);
}
