//! Blocks in `eth_getBlockByNumber`'s names and encodings.

use crate::snapshot::Block;
use alloy_consensus::Header;
use alloy_primitives::U256;
use presight_wire::error::Refusal;
use presight_wire::hex;
use presight_wire::node::Node;
use serde_json::{Map, Value};

/// Reads a block, and its whole header when every member of a standard header is there. Other members are not
/// looked at, so that a node's answer can be taken as it is. An optional member that is `null` counts as absent.
pub(crate) fn from_json(node: &Node<'_>) -> Result<(Block, Option<Header>), Refusal> {
    let block = Block {
        number: quantity_u64(&node.required("number")?)?,
        hash: hash(&node.required("hash")?)?,
        timestamp: quantity_u64(&node.required("timestamp")?)?,
        base_fee_per_gas: given(node, "baseFeePerGas", quantity_u64)?,
        gas_limit: given(node, "gasLimit", quantity_u64)?,
        miner: given(node, "miner", |n| hex::address_any_case(n.string()?, &n.pointer))?,
        difficulty: given(node, "difficulty", quantity)?,
        mix_hash: given(node, "mixHash", hash)?,
        parent_hash: given(node, "parentHash", hash)?,
        state_root: given(node, "stateRoot", hash)?,
        excess_blob_gas: given(node, "excessBlobGas", quantity_u64)?,
    };
    let header = serde_json::from_value(node.value.clone()).ok();
    Ok((block, header))
}

/// The block, with the rest of its header when that is known.
pub(crate) fn to_json(block: &Block, header: Option<&Header>) -> Value {
    let mut members = match header.map(serde_json::to_value) {
        Some(Ok(Value::Object(members))) => members,
        _ => Map::new(),
    };
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            members.insert(name.into(), value.into());
        }
    };
    let quantity = |n: u64| format!("{n:#x}");
    set("number", Some(quantity(block.number)));
    set("hash", Some(block.hash.to_string()));
    set("timestamp", Some(quantity(block.timestamp)));
    set("baseFeePerGas", block.base_fee_per_gas.map(quantity));
    set("gasLimit", block.gas_limit.map(quantity));
    set("miner", block.miner.map(|a| format!("{a:#x}")));
    set("difficulty", block.difficulty.map(|d| format!("{d:#x}")));
    set("mixHash", block.mix_hash.map(|h| h.to_string()));
    set("parentHash", block.parent_hash.map(|h| h.to_string()));
    set("stateRoot", block.state_root.map(|h| h.to_string()));
    set("excessBlobGas", block.excess_blob_gas.map(quantity));
    Value::Object(members)
}

fn given<T>(
    node: &Node<'_>,
    name: &str,
    read: impl Fn(&Node<'_>) -> Result<T, Refusal>,
) -> Result<Option<T>, Refusal> {
    match node.optional(name)? {
        Some(member) if !member.value.is_null() => read(&member).map(Some),
        _ => Ok(None),
    }
}

/// A 32-byte word as 64 hex digits.
pub(crate) fn hash(node: &Node<'_>) -> Result<alloy_primitives::B256, Refusal> {
    hex::b256(node.string()?, &node.pointer)
}

/// A `0x` quantity below 2^256.
pub(crate) fn quantity(node: &Node<'_>) -> Result<U256, Refusal> {
    hex::quantity(node.string()?, &node.pointer)
}

/// A `0x` quantity below 2^64.
pub(crate) fn quantity_u64(node: &Node<'_>) -> Result<u64, Refusal> {
    u64::try_from(quantity(node)?).map_err(|_| node.refuse("bad-integer", "not below 2^64"))
}
