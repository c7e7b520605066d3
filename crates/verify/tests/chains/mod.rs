//! Two real chains: one the request executes on and reports are anchored on, one of the identity registry. Their
//! clocks are set by the test, in seconds after [`START`].
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use crate::common::{APPROVE, TOKEN};
use alloy_primitives::{Address, B256, U256, address, hex};
use alloy_sol_types::{SolCall, sol};
use presight_decode::decode;
use presight_source::assemble;
use presight_testnode::{FUNDED, Node};
use presight_verify::anchoring::{Attribution, Located, attribute, locate};
use presight_verify::{Options, Unverified, Verification, verify};
use presight_view::fault::{FaultPlan, Faulty};
use presight_view::rpc::{BlockTag, ChainSettings, Http, Rpc};
use presight_view::{View, run};
use presight_wire::report::Source;
use presight_wire::report::sign::{SigningKey, signing_hash};
use presight_wire::{AccountId, ChainId, Request, Timestamp};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Duration;

sol! {
    function register(string agentURI) external returns (uint256);
    function setAgentURI(uint256 id, string newURI) external;
    function transferFrom(address from, address to, uint256 id) external;
    function anchor(bytes32 subjectDigest, bytes32 reportHash, string reportURI) external;
    function rotate(address next) external;
}

pub const ANCHOR_CHAIN: u64 = 31_337;
pub const REGISTRY_CHAIN: u64 = 4_663;
/// The first funded account: owner of the agent.
pub const OWNER: Address = address!("f39fd6e51aad88f6f4ce6ab8827279cfffb92266");
const START: u64 = 1_795_000_000;
const AGENT: u64 = 0;

/// A time of the chains.
pub fn time(seconds: u64) -> u64 {
    START + seconds
}

pub struct Chains {
    pub anchor_node: Node,
    pub registry_node: Node,
    anchor: Address,
    registry: Address,
}

impl Chains {
    /// Both chains, with an agent whose wallet and owner are [`OWNER`], registered at 100 seconds.
    pub fn start(agent_uri: &str) -> Option<Self> {
        let node = |chain: u64, start: u64| {
            let (chain, start) = (chain.to_string(), start.to_string());
            Node::start(&[
                "--hardfork",
                "prague",
                "--chain-id",
                &chain,
                "--timestamp",
                &start,
            ])
        };
        let (anchor_node, registry_node) = (node(ANCHOR_CHAIN, START)?, node(REGISTRY_CHAIN, time(100))?);
        let anchor = anchor_node.deploy(&anchor_contract()).unwrap();
        let artifact: Value = serde_json::from_str(include_str!("../data/TestAgentRegistry.json")).unwrap();
        let registry = registry_node
            .deploy(artifact["bytecode"].as_str().unwrap())
            .unwrap();
        let chains = Self {
            anchor_node,
            registry_node,
            anchor: anchor.parse().unwrap(),
            registry: registry.parse().unwrap(),
        };
        let register = registerCall {
            agentURI: agent_uri.to_owned(),
        };
        send(&chains.registry_node, OWNER, chains.registry, &register);
        Some(chains)
    }

    pub fn set_agent_uri(&self, uri: &str, seconds: u64) {
        set_time(&self.registry_node, seconds);
        let call = setAgentURICall {
            id: U256::from(AGENT),
            newURI: uri.to_owned(),
        };
        send(&self.registry_node, OWNER, self.registry, &call);
    }

    pub fn transfer_agent(&self, to: Address, seconds: u64) {
        set_time(&self.registry_node, seconds);
        let call = transferFromCall {
            from: OWNER,
            to,
            id: U256::from(AGENT),
        };
        send(&self.registry_node, OWNER, self.registry, &call);
    }

    /// A wallet contract on the registry's chain.
    pub fn deploy_wallet(&self, key: Address) -> Address {
        let code = format!("{}{:0>64}", test_contract("KeyWallet"), format!("{key:x}"));
        self.registry_node.deploy(&code).unwrap().parse().unwrap()
    }

    pub fn rotate(&self, wallet: Address, next: Address, seconds: u64) {
        set_time(&self.registry_node, seconds);
        send(&self.registry_node, OWNER, wallet, &rotateCall { next });
    }

    /// Anchors a report as this account.
    pub fn anchor(&self, report: &Unverified, source: Address, seconds: u64) {
        set_time(&self.anchor_node, seconds);
        let call = anchorCall {
            subjectDigest: B256::repeat_byte(1),
            reportHash: report.report_hash(),
            reportURI: String::new(),
        };
        send(&self.anchor_node, source, self.anchor, &call);
    }

    /// Both chains come to this time.
    pub fn pass(&self, seconds: u64) {
        for node in [&self.anchor_node, &self.registry_node] {
            set_time(node, seconds);
            node.mine(1).unwrap();
        }
    }

    /// A report of this key, signed by it; `salt` tells reports apart.
    pub fn report(&self, key: &SigningKey, salt: i64) -> Unverified {
        self.report_of_wallet(key.address(), key, salt)
    }

    /// A report of this signer, signed with this key.
    pub fn report_of_wallet(&self, signer: Address, key: &SigningKey, salt: i64) -> Unverified {
        let account = |address| AccountId::new(ChainId::evm(REGISTRY_CHAIN), address);
        let source = Source {
            registry: account(self.registry),
            agent_id: U256::from(AGENT),
            signer: account(signer),
        };
        let request = request();
        let decoded = decode(&request).unwrap();
        let mut report = self
            .read(None, &self.registry_node.url(), |view| {
                assemble(
                    view,
                    &request,
                    &decoded,
                    &source,
                    &presight_source::Config::default(),
                )
            })
            .unwrap();
        report.expires_at = Some(Timestamp(report.issued_at.0 + 1_000_000 + salt));
        let hash = signing_hash(
            REGISTRY_CHAIN,
            report.subject_digest,
            report.context_digest,
            report.hash(),
        );
        report.signature = Some(key.sign(hash));
        Unverified::parse(report.to_value().to_string().as_bytes()).unwrap()
    }

    /// What a consumer who is about to sign concludes.
    pub fn verify_now(&self, report: &Unverified) -> Verification {
        let options = Options {
            max_age_blocks: 1_000,
            ..Options::default()
        };
        let url = self.registry_node.url();
        self.read(None, &url, |view| verify(report, &request(), view, &options))
            .unwrap()
    }

    pub fn locate(&self, report: &Unverified) -> Located {
        let contract = AccountId::new(ChainId::evm(ANCHOR_CHAIN), self.anchor);
        self.read(None, &self.registry_node.url(), |view| {
            locate(report, &contract, view)
        })
        .unwrap()
    }

    /// Whether the report counts against its source.
    pub fn attribute(&self, report: &Unverified) -> Attribution {
        self.attribute_over(report, &self.locate(report), &self.registry_node.url(), None)
    }

    /// The same over this node of the registry's chain, pinned to the block of the anchoring or to another one.
    pub fn attribute_over(
        &self,
        report: &Unverified,
        located: &Located,
        registry_url: &str,
        block: Option<BlockTag>,
    ) -> Attribution {
        let then = located.past_block().map(|past| BlockTag::Hash(past.block.hash));
        self.read(block.or(then), registry_url, |view| {
            attribute(report, &request(), located, view, &Options::default())
        })
        .unwrap()
    }

    /// Whether the report counts, with one fault of the registry's node while the block is looked for (`at_present`), or
    /// while it is read; and the calls made then.
    pub fn attribute_with(
        &self,
        report: &Unverified,
        at_present: bool,
        plan: Option<FaultPlan>,
    ) -> (Attribution, usize) {
        let url = self.registry_node.url();
        let contract = AccountId::new(ChainId::evm(ANCHOR_CHAIN), self.anchor);
        let (present, past) = if at_present { (plan, None) } else { (None, plan) };
        let (located, calls_then) =
            self.read_with(None, &url, present, |view| locate(report, &contract, view));
        let located = located.unwrap();
        let block = located.past_block().map(|past| BlockTag::Hash(past.block.hash));
        let (attribution, calls) = self.read_with(block, &url, past, |view| {
            attribute(report, &request(), &located, view, &Options::default())
        });
        (attribution.unwrap(), if at_present { calls_then } else { calls })
    }

    /// Runs the core on both chains, the registry's pinned to this block.
    fn read<T>(
        &self,
        registry_block: Option<BlockTag>,
        registry_url: &str,
        core: impl Fn(&View<'_>) -> T,
    ) -> T {
        self.read_with(registry_block, registry_url, None, core).0
    }

    /// The same with a fault of the registry's node; and the calls made to it.
    fn read_with<T>(
        &self,
        registry_block: Option<BlockTag>,
        registry_url: &str,
        plan: Option<FaultPlan>,
        core: impl Fn(&View<'_>) -> T,
    ) -> (T, usize) {
        let http = |url: &str| Http::new(url, Duration::from_secs(10)).unwrap();
        let settings = ChainSettings {
            block: registry_block.unwrap_or_default(),
            ..ChainSettings::default()
        };
        let registry = Faulty::new(http(registry_url), plan);
        let counter = registry.counter();
        let anchor = Faulty::new(http(&self.anchor_node.url()), None);
        let mut backend = Rpc::new()
            .with_chain(ChainId::evm(ANCHOR_CHAIN), anchor, ChainSettings::default())
            .with_chain(ChainId::evm(REGISTRY_CHAIN), registry, settings);
        let clock = Timestamp(i64::try_from(self.head_time()).unwrap());
        let driven = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(run(&mut backend, clock, Duration::from_secs(30), core));
        (driven.value, counter.load(Ordering::SeqCst))
    }

    fn head_time(&self) -> u64 {
        let head = self.anchor_node.head().unwrap();
        let time = head["timestamp"].as_str().unwrap().trim_start_matches("0x");
        u64::from_str_radix(time, 16).unwrap()
    }
}

/// A registration file, in a `data:` URI, that lists these signers.
pub fn listing(signers: &[Address]) -> String {
    let signers: Vec<_> = signers
        .iter()
        .map(|signer| format!("eip155:{REGISTRY_CHAIN}:{signer:#x}"))
        .collect();
    let file = json!({ "services": [{ "name": "presign-risk-report", "signers": signers }] });
    format!("data:application/json,{file}")
}

/// The request that the reports are about.
pub fn request() -> Request {
    Request::from_value(json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls",
            "chainId": format!("eip155:{ANCHOR_CHAIN}"),
            "from": format!("eip155:{ANCHOR_CHAIN}:{}", FUNDED[1]),
            "calls": [{ "to": format!("{TOKEN:#x}"), "value": "0", "data": APPROVE }],
        },
    }))
    .unwrap()
}

/// Sends a call as any account.
fn send(node: &Node, from: Address, to: Address, call: &impl SolCall) {
    let from = format!("{from:#x}");
    node.request("anvil_impersonateAccount", &json!([from])).unwrap();
    node.request("anvil_setBalance", &json!([from, "0xde0b6b3a7640000"]))
        .unwrap();
    let data = hex::encode_prefixed(call.abi_encode());
    let receipt = node
        .send(&json!({ "from": from, "to": format!("{to:#x}"), "data": data }))
        .unwrap();
    assert_eq!(receipt["status"], "0x1", "{receipt}");
}

/// The next block's time.
fn set_time(node: &Node, seconds: u64) {
    node.request("evm_setNextBlockTimestamp", &json!([time(seconds)]))
        .unwrap();
}

fn test_contract(name: &str) -> String {
    creation(include_str!("../../../../contracts/test/artifacts.json"), name)
}

fn anchor_contract() -> String {
    creation(
        include_str!("../../../../contracts/anchor/artifacts.json"),
        "PresignReportAnchor",
    )
}

fn creation(artifacts: &str, name: &str) -> String {
    let artifacts: Value = serde_json::from_str(artifacts).unwrap();
    artifacts["contracts"][name]["creation"]
        .as_str()
        .unwrap()
        .to_owned()
}
