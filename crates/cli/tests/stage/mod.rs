//! A chain with something on it: a token, a spender, a registry with this source's identity.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test file uses its part"
)]

use alloy_dyn_abi::DynSolValue;
use alloy_primitives::{Address, U256, hex, keccak256};
use presight_testnode::{FUNDED, Node};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A key everyone knows; never use it for anything but tests and the demo.
pub const KEY: &str = "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356";
/// The account of [`KEY`].
pub const SIGNER: &str = "0x14dc79964da2c08b23698b3d3cc7ca32193d9955";

/// The chain and what was put on it.
pub struct Stage {
    pub node: Node,
    pub registry: String,
    pub agent_id: u64,
}

impl Stage {
    /// Starts a node and registers an agent whose registration file lists [`SIGNER`]; none without anvil.
    pub fn set() -> Option<Self> {
        // A fixed genesis time, so that what is recorded does not depend on the day.
        let node = Node::start(&["--hardfork", "prague", "--timestamp", "1795000000"])?;
        let registry = node
            .deploy(&payments_contract("TestAgentRegistry"))
            .expect("the registry deploys");
        let file = json!({
            "type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
            "name": "Presight example",
            "services": [{
                "name": "presign-risk-report", "endpoint": "https://example.com/api/presign",
                "version": "erc-presign/1", "signers": [format!("eip155:31337:{SIGNER}")],
            }],
        });
        let uri = format!("data:application/json,{}", percent_encode(&file.to_string()));
        let receipt = node
            .call_in_transaction(&registry, &call("register(string)", &[DynSolValue::String(uri)]))
            .expect("the agent registers");
        // Transfer(0, owner, agentId): the registry numbers its agents.
        let agent_id = receipt["logs"]
            .as_array()
            .unwrap_or_else(|| panic!("no logs: {receipt}"))
            .iter()
            .find_map(|log| {
                log["topics"]
                    .as_array()
                    .filter(|t| t.len() == 4)
                    .map(|t| t[3].clone())
            })
            .and_then(|topic| topic.as_str().map(|t| t.parse::<U256>().expect("a word")))
            .expect("an ERC-721 transfer");
        let agent_id = agent_id.to::<u64>();
        Some(Self {
            node,
            registry,
            agent_id,
        })
    }

    /// Deploys one of our test contracts.
    pub fn deploy(&self, contract: &str, arguments: &[DynSolValue]) -> String {
        let creation = test_contract(contract);
        let arguments = DynSolValue::Tuple(arguments.to_vec()).abi_encode_params();
        let address = self.node.deploy(&format!("{creation}{}", hex::encode(arguments)));
        address.unwrap_or_else(|e| panic!("{contract} does not deploy: {e}"))
    }

    /// A plain ERC-20 whose whole supply the first funded account holds.
    pub fn token(&self, name: &str, symbol: &str, decimals: u8, supply: U256) -> String {
        self.deploy(
            "Token",
            &[text(name), text(symbol), uint(U256::from(decimals)), uint(supply)],
        )
    }

    /// `--registry` and `--agent-id` of this source.
    pub fn identity(&self) -> [String; 4] {
        [
            "--registry".to_owned(),
            format!("eip155:31337:{}", self.registry),
            "--agent-id".to_owned(),
            self.agent_id.to_string(),
        ]
    }

    /// `--rpc` of this chain.
    pub fn rpc(&self) -> [String; 2] {
        ["--rpc".to_owned(), format!("eip155:31337={}", self.node.url())]
    }
}

/// A request of calls by the first funded account.
pub fn request(calls: &[Value]) -> Value {
    json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:31337", "from": format!("eip155:31337:{}", FUNDED[0]), "calls": calls,
        },
    })
}

/// One call of a request.
pub fn request_call(to: &str, data: &str) -> Value {
    json!({ "to": to, "value": "0", "data": data })
}

/// Calldata of a function by its signature.
pub fn call(signature: &str, arguments: &[DynSolValue]) -> String {
    let selector = &keccak256(signature.as_bytes())[..4];
    format!(
        "0x{}{}",
        hex::encode(selector),
        hex::encode(DynSolValue::Tuple(arguments.to_vec()).abi_encode_params())
    )
}

/// `approve(spender, amount)`.
pub fn approve(spender: &str, amount: U256) -> String {
    call("approve(address,uint256)", &[address(spender), uint(amount)])
}

pub fn address(text: &str) -> DynSolValue {
    DynSolValue::Address(text.parse::<Address>().expect("an address"))
}

pub fn uint(value: U256) -> DynSolValue {
    DynSolValue::Uint(value, 256)
}

pub fn text(text: &str) -> DynSolValue {
    DynSolValue::String(text.to_owned())
}

/// The workspace's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn json_file(path: &str) -> Value {
    let bytes = std::fs::read(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn test_contract(name: &str) -> String {
    let artifacts = json_file("contracts/test/artifacts.json");
    artifacts["contracts"][name]["creation"]
        .as_str()
        .unwrap_or_else(|| panic!("no contract {name}"))
        .to_owned()
}

pub fn payments_contract(name: &str) -> String {
    let folder = if name == "TestUSD" {
        "crates/source/tests/payments/contracts"
    } else {
        "crates/verify/tests/data"
    };
    let artifact = json_file(&format!("{folder}/{name}.json"));
    artifact["bytecode"]
        .as_str()
        .unwrap_or_else(|| panic!("no bytecode of {name}"))
        .to_owned()
}

fn percent_encode(text: &str) -> String {
    text.bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect()
}
