//! Figures of cold reports over a node on this machine: printed, and judged by nobody.

#[path = "../tests/requests/mod.rs"]
mod requests;
#[path = "../tests/stage/mod.rs"]
mod stage;

use alloy_primitives::U256;
use presight_view::drive;
use presight_view::rpc::{ChainSettings, Http, RetrySettings, Retrying, Rpc};
use presight_wire::report::Source;
use presight_wire::{AccountId, ChainId, Request, Timestamp};
use stage::{SIGNER, Stage};
use std::time::{Duration, Instant};

const CLOCK: Timestamp = Timestamp(1_795_000_100);
/// Reports on each request.
const REPORTS: usize = 20;

fn main() {
    let Some(stage) = Stage::set() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let account =
        |address: &str| AccountId::parse(&format!("eip155:31337:{address}"), "").expect("an account");
    let source = Source {
        registry: account(&stage.registry),
        agent_id: U256::from(stage.agent_id),
        signer: account(SIGNER),
    };
    let http = Http::new(&stage.node.url(), Duration::from_secs(10)).expect("a URL");
    let mut times = Vec::new();
    for (name, document) in requests::all(&stage) {
        let request = Request::from_value(document).unwrap_or_else(|e| panic!("{name}: {e}"));
        for _ in 0..REPORTS {
            let started = Instant::now();
            let decoded = presight_decode::decode(&request).expect("decodes");
            let transport = Retrying::new(http.clone(), RetrySettings::default());
            let mut rpc = Rpc::new().with_chain(ChainId::evm(31337), transport, ChainSettings::default());
            let config = presight_source::Config::default();
            let driven = runtime.block_on(drive::run(&mut rpc, CLOCK, Duration::from_secs(30), |view| {
                presight_source::assemble(view, &request, &decoded, &source, &config)
            }));
            times.push(started.elapsed());
            assert!(driven.value.is_ok(), "{name}: something is left to read");
        }
    }
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    println!("{} cold reports: p50 {:?}, p99 {:?}", times.len(), at(50), at(99));
    println!("memory of all of them in one process: {}", peak_memory());
}

/// The most memory this process has held, as Linux tells it.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.unwrap_or("VmHWM is not told here").to_owned()
}
