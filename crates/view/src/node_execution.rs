//! What a node says that calls do, where they cannot be executed here: its word, which no proof can show.

use crate::change::AccountChange;
use crate::trace::{Frame, Log};
use alloy_primitives::{Address, Bytes, U256};
use std::collections::BTreeMap;

/// Calls of one request to a node.
pub const MAX_NODE_CALLS: usize = 1_024;
/// Questions of one request to a node.
pub const MAX_NODE_QUESTIONS: usize = 256;
/// Frames of one call that are taken from a node.
pub const MAX_NODE_FRAMES: usize = 10_000;
/// Logs of one call that are taken from a node.
pub const MAX_NODE_LOGS: usize = 10_000;
/// Accounts and slots of one call's state changes that are taken from a node.
pub const MAX_NODE_CHANGES: usize = 50_000;
/// The gas of one call: the cap of a transaction since Osaka (EIP-7825), or the block's limit when that is lower.
pub const NODE_CALL_GAS: u64 = 1 << 24;
/// The gas of one question to a contract.
pub const NODE_QUESTION_GAS: u64 = 1 << 20;

/// The method by which a node executes calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeMethod {
    /// `eth_simulateV1`: the calls in a block on top of the pinned one, with native transfers and without state
    /// changes.
    SimulateV1,
    /// `debug_traceCall` with the call tracer and the prestate tracer: each call on the pinned block, with what the
    /// earlier ones changed put in its way.
    TraceCall,
}

impl NodeMethod {
    /// The method's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SimulateV1 => "eth_simulateV1",
            Self::TraceCall => "debug_traceCall",
        }
    }

    /// The method with this name.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::SimulateV1, Self::TraceCall]
            .into_iter()
            .find(|method| method.as_str() == word)
    }
}

/// What a node is asked to execute: calls in order, each on what the earlier ones left, then questions on what all
/// of them left.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeRequest {
    /// Who sends the calls.
    pub sender: Address,
    /// The calls.
    pub calls: Vec<NodeCall>,
    /// Contract reads after the calls, by the zero address.
    pub questions: Vec<NodeQuestion>,
}

/// A call that a node is asked to execute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeCall {
    /// Its receiver.
    pub to: Address,
    /// Wei sent along.
    pub value: U256,
    /// Its calldata.
    pub data: Bytes,
}

/// A contract read that a node is asked to execute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeQuestion {
    /// The contract.
    pub to: Address,
    /// Its calldata.
    pub data: Bytes,
}

/// What a node says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeExecution {
    /// How it was asked.
    pub method: NodeMethod,
    /// What became of each call.
    pub calls: Vec<NodeCallEnd>,
    /// What each question was answered with; `None` where the contract did not return.
    pub answers: Vec<Option<Bytes>>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeCallEnd {
    /// How it ended.
    pub end: NodeEnd,
    /// The gas it used.
    pub gas_used: u64,
    /// What it returned, or reverted with.
    pub output: Bytes,
    /// Events that stand.
    pub logs: Vec<Log>,
    /// What else the method tells.
    pub detail: NodeDetail,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeEnd {
    /// It succeeded.
    Success,
    /// It reverted.
    Reverted,
    /// It stopped without a revert, in the node's words.
    Failed(String),
}

/// What a method tells besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeDetail {
    /// Native transfers that stand, in order.
    Transfers(Vec<NativeTransfer>),
    /// The call tree and the state changes.
    Trace {
        /// Frames in order of entry.
        frames: Vec<Frame>,
        /// Accounts that changed.
        changes: BTreeMap<Address, AccountChange>,
    },
}

/// Wei that moved with a call, a creation or a self-destruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeTransfer {
    /// Who gives.
    pub from: Address,
    /// Who takes.
    pub to: Address,
    /// In wei.
    pub value: U256,
}
