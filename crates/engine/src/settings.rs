//! Settings of chains as people write them, on the command line and in the configuration.

use presight_view::rpc::{BlockTag, NodeExecutionSetting};
use presight_view::{HardFork, NodeMethod};
use presight_wire::{ChainId, Refusal};

/// A CAIP-2 chain, or the number of an EVM chain.
///
/// # Errors
/// Those of [`ChainId::parse`].
pub fn chain(text: &str) -> Result<ChainId, Refusal> {
    if text.contains(':') {
        ChainId::parse(text, "")
    } else {
        ChainId::parse(&format!("eip155:{text}"), "")
    }
}

/// The block to pin.
///
/// # Errors
/// `bad-block-tag`.
pub fn block(text: &str) -> Result<BlockTag, Refusal> {
    let message = "latest, safe, finalized, a number or a block hash expected";
    BlockTag::parse(text).ok_or_else(|| Refusal::new("bad-block-tag", "", message))
}

/// The rules a chain runs under.
///
/// # Errors
/// `bad-spec`.
pub fn hard_fork(name: &str) -> Result<HardFork, Refusal> {
    HardFork::parse(name).ok_or_else(|| {
        let message = format!(
            "`{}` is no hard fork of Ethereum, such as cancun, prague or osaka",
            name.escape_debug()
        );
        Refusal::new("bad-spec", "", message)
    })
}

/// The method by which a node executes calls.
///
/// # Errors
/// `bad-node-execution`.
pub fn node_method(name: &str) -> Result<NodeExecutionSetting, Refusal> {
    let message = "no such method; known: eth_simulateV1, debug_traceCall";
    NodeMethod::parse(name)
        .map(NodeExecutionSetting::By)
        .ok_or_else(|| Refusal::new("bad-node-execution", "", message))
}
