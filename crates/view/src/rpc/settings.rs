//! What is chosen per chain.

use super::transport::RpcCall;
use crate::hard_fork::HardFork;
use crate::node_execution::NodeMethod;
use alloy_primitives::B256;
use presight_wire::ChainId;
use serde_json::json;

/// The block a chain is pinned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlockTag {
    /// The newest block.
    #[default]
    Latest,
    /// The newest block that is unlikely to be reorganised away.
    Safe,
    /// The newest final block.
    Finalized,
    /// The block with this number.
    Number(u64),
    /// The block with this hash.
    Hash(B256),
}

impl BlockTag {
    /// Reads `latest`, `safe`, `finalized`, a decimal or 0x number, or a block hash.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "latest" => Some(Self::Latest),
            "safe" => Some(Self::Safe),
            "finalized" => Some(Self::Finalized),
            _ if !text.bytes().all(|b| b.is_ascii_alphanumeric()) => None,
            _ => match text.strip_prefix("0x") {
                Some(_) if text.len() == 66 => text.parse().ok().map(Self::Hash),
                Some(digits) => u64::from_str_radix(digits, 16).ok().map(Self::Number),
                None => text.parse().ok().map(Self::Number),
            },
        }
    }
}

impl BlockTag {
    /// The call that finds the block.
    pub fn call(self) -> RpcCall {
        let word = match self {
            Self::Latest => "latest",
            Self::Safe => "safe",
            Self::Finalized => "finalized",
            Self::Number(number) => return RpcCall::block_by_number(number),
            Self::Hash(hash) => return RpcCall::block_by_hash(hash),
        };
        RpcCall::new("eth_getBlockByNumber", json!([word, false]))
    }
}

/// How one chain is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChainSettings {
    /// The block to pin.
    pub block: BlockTag,
    /// The rules; when not given, those of [`HardFork::scheduled`].
    pub hard_fork: Option<HardFork>,
    /// Reads state through `eth_getProof` and takes only what verifies against the pinned header.
    pub prove: bool,
    /// Refuses a pinned block whose header does not hash to its hash. Always so when proving, and on chains known
    /// to have Ethereum's header form; elsewhere such a header is only named as a problem.
    pub require_standard_header: bool,
    /// Whether the node is asked to execute what cannot be executed here.
    pub node_execution: NodeExecutionSetting,
}

/// Whether, and how, a node is asked to execute calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeExecutionSetting {
    /// It is not.
    #[default]
    Off,
    /// By `eth_simulateV1`, and by `debug_traceCall` where the node does not have that method.
    Any,
    /// By this method alone.
    By(NodeMethod),
}

impl ChainSettings {
    /// Whether the pinned header must hash to its hash.
    pub(super) fn needs_header(&self, chain: &ChainId) -> bool {
        /// Ethereum, Sepolia, Holesky, Hoodi, and local development nodes.
        const STANDARD: [u64; 6] = [1, 11_155_111, 17_000, 560_048, 1_337, 31_337];
        let known = chain.evm_id().is_some_and(|id| STANDARD.contains(&id));
        self.prove || self.require_standard_header || known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_words_numbers_and_hashes() {
        assert_eq!(BlockTag::parse("safe"), Some(BlockTag::Safe));
        assert_eq!(BlockTag::parse("17"), Some(BlockTag::Number(17)));
        assert_eq!(BlockTag::parse("0x11"), Some(BlockTag::Number(17)));
        let hash = format!("0x{}", "ab".repeat(32));
        assert_eq!(
            BlockTag::parse(&hash),
            Some(BlockTag::Hash(B256::repeat_byte(0xab)))
        );
        for bad in [
            "pending",
            "",
            "0x",
            "-1",
            "+0x1",
            "0x+1",
            "+1",
            "0xg",
            "1e3",
            "99999999999999999999",
        ] {
            assert_eq!(BlockTag::parse(bad), None, "{bad}");
        }
    }
}
