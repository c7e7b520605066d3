//! The test double of an ERC-8004 identity registry: its real runtime code, its storage written slot by slot in
//! the layout of its source (`holder` 1, `uri` 5, `data` 6).

use super::with_code;
use alloy_primitives::{Address, B256, Bytes, U256, hex, keccak256};
use presight_view::{AccountSnapshot, Answer};

pub struct Registry(AccountSnapshot);

impl Registry {
    pub fn deployed() -> Self {
        let artifact: serde_json::Value =
            serde_json::from_str(include_str!("../data/TestAgentRegistry.json")).unwrap();
        Self(with_code(
            &hex::decode(artifact["deployedBytecode"].as_str().unwrap()).unwrap(),
        ))
    }

    pub fn owner(mut self, agent: u64, owner: Address) -> Self {
        self.set(mapping(agent, 1), U256::from_be_bytes(owner.into_word().0));
        self
    }

    /// `None` is what a transfer leaves.
    pub fn wallet(mut self, agent: u64, wallet: Option<Address>) -> Self {
        let outer = B256::from(mapping(agent, 6));
        let slot = keccak256([b"agentWallet".as_slice(), outer.as_slice()].concat());
        self.set_bytes(slot.into(), wallet.as_ref().map_or(&[], |w| w.as_slice()));
        self
    }

    pub fn uri(mut self, agent: u64, uri: &str) -> Self {
        self.set_bytes(mapping(agent, 5), uri.as_bytes());
        self
    }

    /// A registration file, in a `data:` URI, that lists these signers.
    pub fn listing(self, agent: u64, signers: &[&str]) -> Self {
        let file = serde_json::json!({
            "type": "https://eips.ethereum.org/EIPS/eip-8004#registration-v1",
            "name": "a risk source",
            "services": [{
                "name": "presign-risk-report",
                "endpoint": "https://example.com/api/presign",
                "version": "erc-presign/1",
                "signers": signers,
            }],
        });
        self.uri(agent, &format!("data:application/json,{file}"))
    }

    pub fn into_account(self) -> AccountSnapshot {
        self.0
    }

    fn set(&mut self, slot: U256, value: U256) {
        self.0.storage.insert(slot, Answer::Known(value));
    }

    /// Solidity's layout of `bytes` and `string`.
    fn set_bytes(&mut self, slot: U256, bytes: &[u8]) {
        if bytes.len() < 32 {
            let mut word = [0; 32];
            word[..bytes.len()].copy_from_slice(bytes);
            word[31] = u8::try_from(bytes.len() * 2).unwrap();
            return self.set(slot, U256::from_be_bytes(word));
        }
        self.set(slot, U256::from(bytes.len() * 2 + 1));
        let first = U256::from_be_bytes(keccak256(B256::from(slot)).0);
        for (i, chunk) in bytes.chunks(32).enumerate() {
            let mut word = [0; 32];
            word[..chunk.len()].copy_from_slice(chunk);
            self.set(first + U256::from(i), U256::from_be_bytes(word));
        }
    }
}

fn mapping(agent: u64, position: u64) -> U256 {
    let key = [B256::from(U256::from(agent)), B256::from(U256::from(position))].concat();
    U256::from_be_bytes(keccak256(key).0)
}

/// A wallet contract that accepts, under ERC-1271, the one hash in its slot 0 and reverts on any other.
pub fn wallet_accepting(hash: B256) -> AccountSnapshot {
    let mut account = with_code(&ACCEPTS_ONE_HASH);
    account.storage.insert(U256::ZERO, Answer::Known(hash.into()));
    account
}

/// `calldata[4..36] == sload(0) ? return 0x1626ba7e : revert`.
pub const ACCEPTS_ONE_HASH: Bytes = Bytes::from_static(&hex!(
    "60005460043514600f5760006000fd5b631626ba7e60e01b60005260206000f3"
));
