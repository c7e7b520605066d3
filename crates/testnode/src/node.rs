//! The node's process and what tests do with it.

use crate::http::{RequestError, request};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Accounts the node holds the keys of, funded with 10,000 ether each: `eth_sendTransaction` from them works.
pub const FUNDED: [&str; 4] = [
    "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
    "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
];

/// How often a receipt is asked for.
const RECEIPT_ATTEMPTS: usize = 500;

/// A running node. Stopped when dropped.
#[derive(Debug)]
pub struct Node {
    child: Child,
    address: SocketAddr,
}

impl Node {
    /// Starts a node on a free port, with more arguments for anvil (such as `--hardfork prague`). Without the
    /// binary, prints `skipped: anvil absent (npm ci)` and gives none.
    ///
    /// # Panics
    /// When the binary is there and does not start.
    pub fn start(arguments: &[&str]) -> Option<Self> {
        let Some(binary) = binary() else {
            println!("skipped: anvil absent (npm ci)");
            return None;
        };
        let mut child = Command::new(binary)
            .args(["--host", "127.0.0.1", "--port", "0"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("anvil is executable");
        let mut output = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let Some(address) = listening_on(&mut output) else {
            let _ = child.kill();
            let _ = child.wait();
            panic!("anvil ended without listening");
        };
        // The node writes on: an unread pipe would block it, a closed one would end it.
        std::thread::spawn(move || output.read_to_end(&mut Vec::new()));
        Some(Self { child, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its JSON-RPC URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Any JSON-RPC method.
    ///
    /// # Errors
    /// When the node does not answer, or refuses.
    pub fn request(&self, method: &str, params: &Value) -> Result<Value, RequestError> {
        request(self.address, method, params)
    }

    /// Sends a transaction from a funded account and gives its receipt; anvil mines it at once.
    ///
    /// # Errors
    /// As [`request`](Self::request), and when no receipt appears.
    pub fn send(&self, transaction: &Value) -> Result<Value, RequestError> {
        let hash = self.request("eth_sendTransaction", &json!([transaction]))?;
        // The transaction is mined at once, its receipt can be had a moment later.
        for _ in 0..RECEIPT_ATTEMPTS {
            let receipt = self.request("eth_getTransactionReceipt", &json!([hash]))?;
            if !receipt.is_null() {
                return Ok(receipt);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(RequestError::Malformed(format!("no receipt of {hash}")))
    }

    /// Sends `data` to a contract from the first funded account and gives the receipt.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn call_in_transaction(&self, to: &str, data: &str) -> Result<Value, RequestError> {
        self.send(&json!({ "from": FUNDED[0], "to": to, "data": data }))
    }

    /// Deploys a contract by its creation bytecode from the first funded account and gives its address.
    ///
    /// # Errors
    /// As [`request`](Self::request), and when the creation fails.
    pub fn deploy(&self, creation_code: &str) -> Result<String, RequestError> {
        let receipt = self.send(&json!({ "from": FUNDED[0], "data": creation_code }))?;
        match (receipt["status"].as_str(), receipt["contractAddress"].as_str()) {
            (Some("0x1"), Some(address)) => Ok(address.to_owned()),
            _ => Err(RequestError::Refused(receipt)),
        }
    }

    /// Puts code at an address.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn set_code(&self, address: &str, code: &str) -> Result<(), RequestError> {
        self.request("anvil_setCode", &json!([address, code])).map(drop)
    }

    /// Puts a 32-byte value in a slot.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn set_storage(&self, address: &str, slot: &str, value: &str) -> Result<(), RequestError> {
        self.request("anvil_setStorageAt", &json!([address, slot, value]))
            .map(drop)
    }

    /// The code at an address in the newest block.
    ///
    /// # Errors
    /// As [`request`](Self::request), and when the answer is no text.
    pub fn code(&self, address: &str) -> Result<String, RequestError> {
        match self.request("eth_getCode", &json!([address, "latest"]))? {
            Value::String(code) => Ok(code),
            other => Err(RequestError::Malformed(other.to_string())),
        }
    }

    /// Mines empty blocks.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn mine(&self, blocks: u64) -> Result<(), RequestError> {
        self.request("anvil_mine", &json!([format!("{blocks:#x}")]))
            .map(drop)
    }

    /// Replaces the newest `depth` blocks by as many other, empty ones.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn reorg(&self, depth: u64) -> Result<(), RequestError> {
        self.request("anvil_reorg", &json!([depth, []])).map(drop)
    }

    /// The newest block, as `eth_getBlockByNumber` gives it.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn head(&self) -> Result<Value, RequestError> {
        self.request("eth_getBlockByNumber", &json!(["latest", false]))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The port anvil picked, from the line it announces it in.
fn listening_on(output: &mut impl BufRead) -> Option<SocketAddr> {
    let mut line = String::new();
    while output.read_line(&mut line).ok()? > 0 {
        if let Some(address) = line.trim().strip_prefix("Listening on ") {
            return address.parse().ok();
        }
        line.clear();
    }
    None
}

/// The binary that npm installed, for this machine.
fn binary() -> Option<PathBuf> {
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux-amd64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-amd64",
        ("macos", "aarch64") => "darwin-arm64",
        _ => return None,
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let binary = PathBuf::from(format!(
        "{root}/node_modules/@foundry-rs/anvil-{platform}/bin/anvil"
    ));
    binary.is_file().then_some(binary)
}
