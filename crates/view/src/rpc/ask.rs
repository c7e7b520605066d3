//! What is asked of a node for the reads of a wave, and how its plain answers are taken.

use super::transport::RpcCall;
use crate::block;
use crate::snapshot::{Answer, Block, ChainSnapshot};
use crate::want::{CallHint, Want};
use alloy_primitives::{Address, B256, Bytes, U256};
use presight_wire::ChainId;
use presight_wire::hex;
use presight_wire::node::Node;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Reads taken over from one access list.
const MAX_HINTED: usize = 512;
/// Blocks between the pinned one and one whose hash is linked to it; `BLOCKHASH` reaches as far.
pub(super) const MAX_LINKED: u64 = 256;

/// One call to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ask {
    /// `eth_getBalance`.
    Balance(Address),
    /// `eth_getTransactionCount`.
    Nonce(Address),
    /// `eth_getCode`.
    Code(Address),
    /// `eth_getStorageAt`.
    Storage(Address, U256),
    /// `eth_getProof`.
    Proof(Address, Vec<U256>),
    /// `eth_getBlockByNumber`, for the block's hash.
    Header(u64),
    /// `eth_getBlockByNumber`, for the block.
    Block(u64),
    /// `eth_createAccessList`, for what a call touches.
    AccessList(CallHint),
    /// `debug_traceCall` with the `prestateTracer`, for the same: it also tells of a call that reverts.
    Prestate(CallHint),
}

impl Ask {
    /// One call per read.
    pub(super) fn plain(held: &ChainSnapshot, reads: &BTreeSet<&Want>) -> Vec<Self> {
        let unheld = reads.iter().filter(|want| !held.holds(want));
        unheld
            .filter_map(|want| match want {
                Want::Balance(_, address) => Some(Self::Balance(*address)),
                Want::Nonce(_, address) => Some(Self::Nonce(*address)),
                Want::Code(_, address) => Some(Self::Code(*address)),
                Want::Storage(_, address, slot) => Some(Self::Storage(*address, *slot)),
                Want::BlockHash(_, number) => Some(Self::Header(*number)),
                Want::Header(_, number) => Some(Self::Block(*number)),
                Want::Block(_)
                | Want::Document(_)
                | Want::Answer(_)
                | Want::NodeExecution(..)
                | Want::History(..)
                | Want::Authorizations(..)
                | Want::SourceVerification(..)
                | Want::CallHint(..) => None,
            })
            .collect()
    }

    /// One proof per account with all its slots, the code beside it, and the headers that link an older block to the
    /// pinned one.
    pub(super) fn proving(held: &ChainSnapshot, reads: &BTreeSet<&Want>, pin: &Block) -> Vec<Self> {
        let mut slots: BTreeMap<Address, Vec<U256>> = BTreeMap::new();
        let mut codes = Vec::new();
        let mut blocks = Vec::new();
        let mut oldest = pin.number;
        for want in reads.iter().filter(|want| !held.holds(want)) {
            match want {
                Want::Balance(_, address) | Want::Nonce(_, address) => {
                    slots.entry(*address).or_default();
                }
                Want::Code(_, address) => {
                    codes.push(Self::Code(*address));
                    slots.entry(*address).or_default();
                }
                Want::Storage(_, address, slot) => slots.entry(*address).or_default().push(*slot),
                Want::BlockHash(_, number) if number.saturating_add(MAX_LINKED) >= pin.number => {
                    oldest = oldest.min(*number);
                }
                Want::Header(_, number) => blocks.push(Self::Block(*number)),
                Want::BlockHash(..)
                | Want::Block(_)
                | Want::Document(_)
                | Want::Answer(_)
                | Want::NodeExecution(..)
                | Want::History(..)
                | Want::Authorizations(..)
                | Want::SourceVerification(..)
                | Want::CallHint(..) => {}
            }
        }
        let unproved = slots
            .into_iter()
            .filter(|(address, slots)| !slots.is_empty() || !held.proofs.contains_key(address))
            .map(|(address, slots)| Self::Proof(address, slots));
        unproved
            .chain(codes)
            .chain((oldest..pin.number).map(Self::Header))
            .chain(blocks)
            .collect()
    }

    /// The call, at the pinned block.
    pub(super) fn call(&self, pin: B256) -> RpcCall {
        let at = json!({ "blockHash": pin, "requireCanonical": true });
        match self {
            Self::Balance(address) => RpcCall::new("eth_getBalance", json!([address, at])),
            Self::Nonce(address) => RpcCall::new("eth_getTransactionCount", json!([address, at])),
            Self::Code(address) => RpcCall::new("eth_getCode", json!([address, at])),
            Self::Storage(address, slot) => {
                RpcCall::new("eth_getStorageAt", json!([address, B256::from(*slot), at]))
            }
            Self::Proof(address, slots) => {
                let slots: Vec<B256> = slots.iter().map(|slot| B256::from(*slot)).collect();
                RpcCall::new("eth_getProof", json!([address, slots, at]))
            }
            Self::Header(number) | Self::Block(number) => RpcCall::block_by_number(*number),
            Self::AccessList(hint) => access_list(hint, &at),
            Self::Prestate(hint) => {
                let tracer = json!({ "tracer": "prestateTracer" });
                RpcCall::new("debug_traceCall", json!([transaction(hint), at, tracer]))
            }
        }
    }

    /// Whether it reads state at the pinned hash, so that "no such block" means that the pin is lost.
    pub(super) fn is_pinned(&self) -> bool {
        !matches!(
            self,
            Self::Header(_) | Self::Block(_) | Self::AccessList(_) | Self::Prestate(_)
        )
    }

    /// The read it answers by itself.
    pub(super) fn want(&self, chain: &ChainId) -> Option<Want> {
        let chain = chain.clone();
        match self {
            Self::Balance(address) => Some(Want::Balance(chain, *address)),
            Self::Nonce(address) => Some(Want::Nonce(chain, *address)),
            Self::Code(address) => Some(Want::Code(chain, *address)),
            Self::Storage(address, slot) => Some(Want::Storage(chain, *address, *slot)),
            Self::Header(number) => Some(Want::BlockHash(chain, *number)),
            Self::Block(number) => Some(Want::Header(chain, *number)),
            Self::Proof(..) | Self::AccessList(_) | Self::Prestate(_) => None,
        }
    }

    /// For people.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Balance(address) => format!("balance of {address:#x}"),
            Self::Nonce(address) => format!("nonce of {address:#x}"),
            Self::Code(address) => format!("code of {address:#x}"),
            Self::Storage(address, slot) => format!("slot {slot:#x} of {address:#x}"),
            Self::Proof(address, _) => format!("proof of {address:#x}"),
            Self::Header(number) => format!("hash of block {number}"),
            Self::Block(number) => format!("block {number}"),
            Self::AccessList(hint) => format!("access list of a call to {:#x}", hint.to),
            Self::Prestate(hint) => format!("trace of a call to {:#x}", hint.to),
        }
    }

    /// Takes a plain answer into the snapshot; when it is not of the right form, says why.
    pub(super) fn take(
        &self,
        held: &mut ChainSnapshot,
        pin: &Block,
        answer: &Value,
        standard_header: bool,
    ) -> Result<(), String> {
        let node = Node::root(answer);
        let taken = match self {
            Self::Balance(address) => block::quantity(&node).map(|balance| {
                held.accounts.entry(*address).or_default().balance = Some(Answer::Known(balance));
            }),
            Self::Nonce(address) => block::quantity_u64(&node).map(|nonce| {
                held.accounts.entry(*address).or_default().nonce = Some(Answer::Known(nonce));
            }),
            Self::Code(address) => code(&node).map(|code| {
                held.accounts.entry(*address).or_default().code = Some(Answer::Known(code));
            }),
            Self::Storage(address, slot) => block::hash(&node).map(|value| {
                let value = Answer::Known(value.into());
                held.accounts
                    .entry(*address)
                    .or_default()
                    .storage
                    .insert(*slot, value);
            }),
            Self::Header(number) => {
                let block = block_of(*number, pin, &node, standard_header)?;
                held.block_hashes.insert(*number, Answer::Known(block.hash));
                return Ok(());
            }
            Self::Block(number) => {
                let block = block_of(*number, pin, &node, standard_header)?;
                held.headers.insert(*number, Answer::Known(block));
                return Ok(());
            }
            Self::Proof(..) | Self::AccessList(_) | Self::Prestate(_) => return Ok(()),
        };
        taken.map_err(|refusal| refusal.to_string())
    }
}

/// What a call touches, at a block that need not be the pinned one: it is a hint.
pub(super) fn access_list(hint: &CallHint, at: &Value) -> RpcCall {
    RpcCall::new("eth_createAccessList", json!([transaction(hint), at]))
}

fn transaction(hint: &CallHint) -> Value {
    let CallHint {
        from,
        to,
        value,
        data,
    } = hint;
    json!({ "from": from, "to": to, "value": value, "data": data })
}

/// Code as `eth_getCode` gives it.
pub(super) fn code(node: &Node<'_>) -> Result<Bytes, presight_wire::Refusal> {
    hex::data(node.string()?, &node.pointer)
}

fn block_of(number: u64, pin: &Block, node: &Node<'_>, standard_header: bool) -> Result<Block, String> {
    if node.value.is_null() {
        return Err("the node has no such block".into());
    }
    let (found, header) = block::from_json(node).map_err(|refusal| refusal.to_string())?;
    if found.number != number {
        return Err(format!("block {} was given instead", found.number));
    }
    if standard_header && header.is_none_or(|header| header.hash_slow() != found.hash) {
        return Err("the block's header is not one that hashes to its hash".into());
    }
    if number.checked_add(1) == Some(pin.number) && pin.parent_hash.is_some_and(|parent| parent != found.hash)
    {
        return Err("it is not the parent of the pinned block".into());
    }
    Ok(found)
}

/// What a call touches, by the answer to either question, and the called account, which may be left out. A call from an
/// account that is someone's may move ether, so balances and nonces are named too. What cannot be understood, and what
/// is beyond [`MAX_HINTED`], is left out.
pub(super) fn hinted_reads(chain: &ChainId, hint: &CallHint, answer: &Value) -> BTreeSet<Want> {
    let mut reads = BTreeSet::new();
    let listed = answer.get("accessList").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(|entry| {
        let keys = entry.get("storageKeys").and_then(Value::as_array);
        let keys: Vec<&str> = keys.into_iter().flatten().filter_map(Value::as_str).collect();
        Some((entry.get("address")?.as_str()?, keys))
    });
    let traced = answer.as_object().into_iter().flatten().map(|(address, state)| {
        let slots = state.get("storage").and_then(Value::as_object);
        (
            address.as_str(),
            slots
                .into_iter()
                .flat_map(|slots| slots.keys().map(String::as_str))
                .collect(),
        )
    });
    let touched = listed
        .chain(traced)
        .filter_map(|(address, keys)| Some((address.parse().ok()?, keys)));
    for (address, keys) in std::iter::once((hint.to, Vec::new())).chain(touched) {
        reads.insert(Want::Code(chain.clone(), address));
        if !hint.from.is_zero() {
            reads.insert(Want::Balance(chain.clone(), address));
            reads.insert(Want::Nonce(chain.clone(), address));
        }
        let slots = keys.into_iter().filter_map(|key| hex::quantity(key, "").ok());
        reads.extend(slots.map(|slot| Want::Storage(chain.clone(), address, slot)));
        if reads.len() > MAX_HINTED {
            break;
        }
    }
    reads.into_iter().take(MAX_HINTED).collect()
}
