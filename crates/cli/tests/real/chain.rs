//! A node with real contracts on it, and names for what lies there.

use crate::stage::root;
use alloy_dyn_abi::{DynSolType, DynSolValue};
use alloy_primitives::{Address, U256, hex, keccak256};
use presight_testnode::{FUNDED, Node};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;

/// Who signs the requests.
pub const SIGNER: &str = FUNDED[0];
/// Someone else with ether and tokens.
pub const FRIEND: &str = FUNDED[1];
/// Someone to whom things are granted.
pub const SPENDER: &str = "0x00000000000000000000000000000000005be4de";
/// The largest amount.
pub const MAX: U256 = U256::MAX;
/// A deadline that does not pass.
pub const FOREVER: u64 = 4_000_000_000;
/// The time of every block of the chain.
const TIME: &str = "1795000000";

/// The chain.
pub struct Chain {
    pub node: Node,
    names: BTreeMap<String, String>,
    artifacts: [Value; 2],
}

/// A request, and what it is called.
pub struct Case {
    pub name: String,
    pub from: String,
    pub calls: Vec<Value>,
}

impl Case {
    /// A request of the signer.
    pub fn new(name: impl Into<String>, calls: &[Value]) -> Self {
        Self {
            name: name.into(),
            from: SIGNER.to_owned(),
            calls: calls.to_vec(),
        }
    }

    /// The same of someone else.
    pub fn from(self, from: &str) -> Self {
        Self {
            from: from.to_owned(),
            ..self
        }
    }

    /// The request as a document.
    pub fn request(&self) -> Value {
        json!({
            "version": "erc-presign/1",
            "subject": {
                "type": "calls", "chainId": "eip155:31337", "from": format!("eip155:31337:{}", self.from),
                "calls": self.calls,
            },
        })
    }
}

impl Chain {
    /// Starts a node whose blocks all have one time and one base fee; none without anvil.
    pub fn start() -> Option<Self> {
        let node = Node::start(&[
            "--hardfork",
            "prague",
            "--timestamp",
            TIME,
            "--block-base-fee-per-gas",
            "1000000000",
        ])?;
        node.request("anvil_setBlockTimestampInterval", &json!([0]))
            .expect("an interval");
        let names = [
            (SIGNER, "signer"),
            (FRIEND, "friend"),
            (SPENDER, "spender"),
            (&zero(), "nobody"),
        ];
        Some(Self {
            node,
            names: names
                .map(|(address, name)| (address.to_owned(), name.to_owned()))
                .into(),
            artifacts: ["test", "real"].map(|folder| {
                json_at(&root().join(format!("contracts/{folder}/artifacts.json")))
                    .expect("compiled contracts")
            }),
        })
    }

    /// Gives an address a name.
    pub fn name(&mut self, address: &str, name: &str) {
        self.names.insert(address.to_lowercase(), name.to_owned());
    }

    /// The name of an address, or the address.
    pub fn name_of(&self, address: &str) -> String {
        self.names
            .get(&address.to_lowercase())
            .cloned()
            .unwrap_or_else(|| address.to_owned())
    }

    /// Deploys a contract that is compiled here.
    pub fn deploy(&mut self, name: &str, contract: &str, types: &str, arguments: &[&dyn Display]) -> String {
        let found = self
            .artifacts
            .iter()
            .find_map(|file| file["contracts"][contract]["creation"].as_str());
        let creation = found
            .unwrap_or_else(|| panic!("no contract {contract}"))
            .to_owned();
        self.create(name, &creation, types, arguments)
    }

    /// Deploys a contract by its creation code.
    pub fn create(&mut self, name: &str, creation: &str, types: &str, arguments: &[&dyn Display]) -> String {
        let creation = creation.trim_start_matches("0x");
        let data = format!("0x{creation}{}", hex::encode(encode(types, arguments)));
        let address = self
            .node
            .deploy(&data)
            .unwrap_or_else(|e| panic!("{name} does not deploy: {e}"));
        self.name(&address, name);
        address
    }

    /// Calls a contract from the signer; it must succeed.
    pub fn send(&self, call: &Value) -> Value {
        self.send_from(SIGNER, call)
    }

    /// Calls a contract from someone; it must succeed.
    pub fn send_from(&self, from: &str, call: &Value) -> Value {
        let receipt = self.node.send(&transaction(from, call)).expect("it is mined");
        assert_eq!(receipt["status"], "0x1", "{call}");
        receipt
    }

    /// What a function gives.
    pub fn read(&self, to: &str, signature: &str, arguments: &[&dyn Display]) -> U256 {
        let call = json!({ "to": to, "data": calldata(signature, arguments) });
        let answer = self
            .node
            .request("eth_call", &json!([call, "latest"]))
            .expect("an answer");
        let answer = hex::decode(answer.as_str().expect("hex")).expect("hex");
        U256::from_be_slice(answer.get(..32).expect("a word"))
    }

    /// The address that a function gives.
    pub fn read_address(&self, to: &str, signature: &str, arguments: &[&dyn Display]) -> String {
        lower(Address::from_word(self.read(to, signature, arguments).into()))
    }

    /// Signs typed data by an account of the node: r, s and v.
    pub fn sign(&self, signer: &str, typed_data: &Value) -> String {
        let signature = self
            .node
            .request("eth_signTypedData_v4", &json!([signer, typed_data]))
            .expect("a signature");
        signature.as_str().expect("hex").to_owned()
    }
}

/// One call of a request.
pub fn call(to: &str, signature: &str, arguments: &[&dyn Display]) -> Value {
    paying(to, "0", signature, arguments)
}

/// One call of a request that sends wei.
pub fn paying(to: &str, value: &str, signature: &str, arguments: &[&dyn Display]) -> Value {
    json!({ "to": to, "value": value, "data": calldata(signature, arguments) })
}

/// Calldata by a function's signature; nothing for the empty one.
pub fn calldata(signature: &str, arguments: &[&dyn Display]) -> String {
    let Some(at) = signature.find('(') else {
        return "0x".to_owned();
    };
    let types = signature[at + 1..].strip_suffix(')').expect("a signature");
    let selector = &keccak256(signature)[..4];
    format!(
        "0x{}{}",
        hex::encode(selector),
        hex::encode(encode(types, arguments))
    )
}

/// Arguments encoded, each given as text.
pub fn encode(types: &str, arguments: &[&dyn Display]) -> Vec<u8> {
    if types.is_empty() {
        return Vec::new();
    }
    let form: DynSolType = format!("({types})").parse().expect("types");
    let DynSolType::Tuple(forms) = &form else {
        panic!("{types}")
    };
    assert_eq!(forms.len(), arguments.len(), "{types}");
    let values = forms.iter().zip(arguments).map(|(form, argument)| {
        let text = argument.to_string();
        form.coerce_str(&text)
            .unwrap_or_else(|e| panic!("{text} is no {form}: {e}"))
    });
    DynSolValue::Tuple(values.collect()).abi_encode_params()
}

/// A call as a transaction with a priority fee of nothing.
pub fn transaction(from: &str, call: &Value) -> Value {
    let value: U256 = call["value"]
        .as_str()
        .expect("a value")
        .parse()
        .expect("a number");
    json!({
        "from": from, "to": call["to"], "data": call["data"], "value": format!("{value:#x}"),
        "gas": format!("{:#x}", 1 << 24), "maxFeePerGas": "0x174876e800", "maxPriorityFeePerGas": "0x0",
    })
}

/// Elements as the text of an array.
pub fn list<T: Display>(elements: &[T]) -> String {
    let elements: Vec<String> = elements.iter().map(ToString::to_string).collect();
    format!("[{}]", elements.join(","))
}

/// Members as the text of a tuple.
pub fn tuple(members: &[&dyn Display]) -> String {
    let members: Vec<String> = members.iter().map(ToString::to_string).collect();
    format!("({})", members.join(","))
}

/// The zero address.
pub fn zero() -> String {
    lower(Address::ZERO)
}

/// An address as the node writes it.
pub fn lower(address: Address) -> String {
    format!("{address:#x}")
}

/// Creation code from an npm package; without the package, prints `skipped: …` and gives none.
pub fn installed(package: &str, path: &str) -> Option<String> {
    let Some(artifact) = json_at(&root().join("node_modules").join(package).join(path)) else {
        println!("skipped: {package} absent (npm ci)");
        return None;
    };
    Some(artifact["bytecode"].as_str().expect("bytecode").to_owned())
}

/// Code as it is on a chain, from the shared data; without it, prints `skipped: …` and gives none.
pub fn on_chain(file: &str) -> Option<Value> {
    let found = json_at(&root().join("../shared/corpus/bytecode").join(file));
    if found.is_none() {
        println!("skipped: corpus absent ({file})");
    }
    found
}

fn json_at(path: &PathBuf) -> Option<Value> {
    let bytes = std::fs::read(path).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}
