//! Verification on a real node: a registry that is written to, blocks that pass and are reorganised away.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::{Address, U256, hex};
use alloy_sol_types::{SolCall, sol};
use common::{APPROVE, TOKEN, key};
use presight_decode::decode;
use presight_source::assemble;
use presight_testnode::{FUNDED, Node};
use presight_verify::{
    Conclusion, Options, ReplayConclusion, Status, Unverified, Verification, replay, verify,
};
use presight_view::rpc::{ChainSettings, Http, Rpc};
use presight_view::{Driven, Proofs, View, file, run};
use presight_wire::report::sign::{SigningKey, sign};
use presight_wire::report::{Report, Source};
use presight_wire::{AccountId, ChainId, Request, Timestamp};
use serde_json::{Value, json};
use std::time::Duration;

sol! {
    function register(string agentURI) external returns (uint256);
    function setAgentURI(uint256 id, string newURI) external;
    function transferFrom(address from, address to, uint256 id) external;
}

const NODE_CHAIN: u64 = 31337;
const FIRST_AGENT: u64 = 0;
/// anvil's first development key: the account that registers agents.
const OWNER_KEY: &[u8] = b"ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/// A node with one registered agent.
struct Chain {
    node: Node,
    registry: Address,
}

impl Chain {
    /// The agent's wallet and owner are the first funded account.
    fn start(agent_uri: &str) -> Option<Self> {
        let node = Node::start(&["--hardfork", "prague"])?;
        let artifact: Value = serde_json::from_str(include_str!("data/TestAgentRegistry.json")).unwrap();
        let deployed = mined(&node, &json!({ "from": FUNDED[0], "data": artifact["bytecode"] }));
        let registry = deployed["contractAddress"].as_str().unwrap().parse().unwrap();
        let chain = Self { node, registry };
        chain.send(&registerCall {
            agentURI: agent_uri.to_owned(),
        });
        Some(chain)
    }

    fn send(&self, call: &impl SolCall) {
        let data = hex::encode_prefixed(call.abi_encode());
        let to = format!("{:#x}", self.registry);
        mined(&self.node, &json!({ "from": FUNDED[0], "to": to, "data": data }));
    }

    fn list(&self, signers: &[Address]) {
        self.send(&setAgentURICall {
            id: U256::from(FIRST_AGENT),
            newURI: registration(signers),
        });
    }

    /// The time of the node's newest block.
    fn clock(&self) -> Timestamp {
        let head = self.node.head().unwrap();
        let time = head["timestamp"].as_str().unwrap().trim_start_matches("0x");
        Timestamp(i64::from_str_radix(time, 16).unwrap())
    }

    /// Runs the core against the node, with proofs of what it reads or without.
    fn read<T>(&self, prove: bool, core: impl Fn(&View<'_>) -> T) -> Driven<T> {
        let http = Http::new(&self.node.url(), Duration::from_secs(10)).unwrap();
        let settings = ChainSettings {
            prove,
            ..ChainSettings::default()
        };
        let mut backend = Rpc::new().with_chain(ChainId::evm(NODE_CHAIN), http, settings);
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(run(&mut backend, self.clock(), Duration::from_secs(30), core))
    }

    /// A signed report of `request`, with what it was read from.
    fn report(&self, key: &SigningKey) -> Driven<Report> {
        let account = |address| AccountId::new(ChainId::evm(NODE_CHAIN), address);
        let source = Source {
            registry: account(self.registry),
            agent_id: U256::from(FIRST_AGENT),
            signer: account(key.address()),
        };
        let request = request();
        let decoded = decode(&request).unwrap();
        let driven = self.read(true, |view| {
            assemble(
                view,
                &request,
                &decoded,
                &source,
                &presight_source::Config::default(),
            )
        });
        assert_eq!(driven.problems, []);
        let mut report = driven.value.clone().unwrap();
        sign(&mut report, key).unwrap();
        Driven {
            value: report,
            snapshot: driven.snapshot,
            used: driven.used,
            waves: driven.waves,
            calls: driven.calls,
            problems: driven.problems,
        }
    }

    fn verify(&self, report: &Report) -> Verification {
        let report = received(report);
        let (request, options) = (request(), Options::default());
        // Without proofs: anvil keeps slots that were written to zero as leaves of its storage tries.
        let driven = self.read(false, |view| verify(&report, &request, view, &options));
        assert_eq!(driven.problems, []);
        driven.value.unwrap()
    }
}

/// The receipt of a transaction that succeeded. The node may answer before it has mined it.
fn mined(node: &Node, transaction: &Value) -> Value {
    let hash = node
        .request("eth_sendTransaction", &json!([transaction]))
        .unwrap();
    for _ in 0..500 {
        let receipt = node.request("eth_getTransactionReceipt", &json!([hash])).unwrap();
        if !receipt.is_null() {
            assert_eq!(receipt["status"], "0x1", "{receipt}");
            return receipt;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the transaction was not mined within 5 s");
}

fn received(report: &Report) -> Unverified {
    Unverified::parse(report.to_value().to_string().as_bytes()).unwrap()
}

fn registration(signers: &[Address]) -> String {
    let signers: Vec<_> = signers
        .iter()
        .map(|signer| format!("eip155:{NODE_CHAIN}:{signer:#x}"))
        .collect();
    let file = json!({ "services": [{ "name": "presign-risk-report", "signers": signers }] });
    format!("data:application/json,{file}")
}

fn request() -> Request {
    Request::from_value(json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls",
            "chainId": format!("eip155:{NODE_CHAIN}"),
            "from": format!("eip155:{NODE_CHAIN}:{}", FUNDED[1]),
            "calls": [{ "to": format!("{TOKEN:#x}"), "value": "0", "data": APPROVE }],
        },
    }))
    .unwrap()
}

#[track_caller]
fn assert_only(verification: &Verification, expected: &[(&str, Status)]) {
    let found: Vec<_> = verification
        .steps()
        .iter()
        .filter(|step| step.required && step.status != Status::Pass)
        .map(|step| (step.name, step.status))
        .collect();
    assert_eq!(found, expected, "{:#?}", verification.steps());
}

#[test]
fn a_key_listed_in_signers_is_revoked_by_removing_it() {
    let key = key(7);
    let Some(chain) = Chain::start(&registration(&[key.address()])) else {
        return;
    };
    let report = chain.report(&key).value;
    assert_eq!(chain.verify(&report).conclusion(), Conclusion::Verified);
    chain.list(&[]);
    assert_only(&chain.verify(&report), &[("identity", Status::Fail)]);
    chain.list(&[Address::repeat_byte(1), key.address()]);
    assert_only(&chain.verify(&report), &[]);
}

#[test]
fn a_foreign_signer_is_nobody() {
    let Some(chain) = Chain::start(&registration(&[key(7).address()])) else {
        return;
    };
    // Neither owner nor wallet of the agent, nor listed; and a listed one whose name another key signs under.
    assert_only(
        &chain.verify(&chain.report(&key(8)).value),
        &[("identity", Status::Fail)],
    );
    let mut report = chain.report(&key(7)).value;
    report.signature = chain.report(&key(8)).value.signature;
    assert_only(&chain.verify(&report), &[("signature", Status::Fail)]);
}

#[test]
fn a_transfer_clears_the_wallet_that_vouched() {
    let Some(chain) = Chain::start("") else { return };
    let report = chain.report(&SigningKey::from_hex(OWNER_KEY).unwrap()).value;
    assert_only(&chain.verify(&report), &[]);
    chain.send(&transferFromCall {
        from: FUNDED[0].parse().unwrap(),
        to: FUNDED[1].parse().unwrap(),
        id: U256::from(FIRST_AGENT),
    });
    assert_only(&chain.verify(&report), &[("identity", Status::Fail)]);
}

#[test]
fn blocks_pass_and_are_reorganised_away() {
    let Some(chain) = Chain::start("") else { return };
    chain.node.mine(3).unwrap();
    let report = chain.report(&SigningKey::from_hex(OWNER_KEY).unwrap()).value;
    chain.node.mine(5).unwrap();
    assert_only(&chain.verify(&report), &[]);
    chain.node.reorg(6).unwrap();
    assert_only(&chain.verify(&report), &[("canonical-hash", Status::Fail)]);
    chain.node.mine(200).unwrap();
    assert_only(
        &chain.verify(&report),
        &[("freshness", Status::Fail), ("canonical-hash", Status::Fail)],
    );
}

#[test]
fn the_recorded_witness_gives_the_report_again_with_valid_proofs() {
    let Some(chain) = Chain::start("") else { return };
    let made = chain.report(&SigningKey::from_hex(OWNER_KEY).unwrap());
    let witness = file::parse(file::to_json(&made.witness()).as_bytes()).unwrap();
    let replayed = replay(
        &received(&made.value),
        &request(),
        &witness,
        &presight_source::Config::default(),
    );
    assert_eq!(replayed.differences, []);
    assert_eq!(
        (replayed.conclusion, replayed.proofs),
        (ReplayConclusion::Same, Proofs::Valid)
    );
}
