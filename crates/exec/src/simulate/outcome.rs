//! What a simulation gives.

use super::changes::Changes;
use super::record::{MAX_PREIMAGES, MAX_WRITES, Recorder, Surrounding, Write};
use super::revert::Revert;
use super::trace::{Frame, Log, MAX_FRAMES, standing};
use crate::effects::{MAX_REREAD_GAS, MAX_REREADS};
use crate::evm::MAX_CALL_GAS;
use alloy_primitives::{Address, Bytes, U256};
use presight_view::NodeMethod;
use presight_view::node_execution::MAX_NODE_QUESTIONS;
use presight_wire::At;
use revm::context::result::{ExecutionResult, HaltReason, Output};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Logs kept of one simulation.
pub const MAX_LOGS: usize = 10_000;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It succeeded.
    Success,
    /// It reverted.
    Revert,
    /// It stopped: out of gas, an invalid opcode; or it was never run, because no block would take it.
    Halt,
}

impl Status {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Revert => "revert",
            Self::Halt => "halt",
        }
    }
}

/// One call, executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEnd {
    /// How it ended.
    pub status: Status,
    /// The gas it used, what every transaction costs included; 0 for one that was never run.
    pub gas_used: u64,
    /// Why it did not succeed.
    pub reason: Option<String>,
    /// What it returned, or reverted with; nothing for one that halted, and for a creation.
    pub output: Bytes,
    /// What it reverted with, decoded.
    pub revert: Option<Revert>,
    /// The contract that it created, for a creating transaction.
    pub created: Option<Address>,
}

/// A check that a block makes of the sender and the simulation did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caveat {
    /// The sender cannot pay, or it is not known whether it can.
    BalanceCheckOff {
        /// Why.
        because: String,
    },
    /// The sender is a contract, which sends no transactions (EIP-3607).
    SenderIsContract,
    /// Whether the sender is a contract was not read.
    SenderCodeNotRead,
    /// The block's producer was not read, and its address is cheaper to look at (EIP-3651).
    CoinbaseNotRead,
    /// The chain may count gas otherwise, or take more fees than for gas.
    GasOfEthereum,
    /// It was not executed here but by the node.
    NodesWord(NodeMethod),
}

impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BalanceCheckOff { because } => write!(f, "balance_check: off, because {because}"),
            Self::SenderIsContract => write!(f, "sender_check: off, because the sender is a contract"),
            Self::CoinbaseNotRead => write!(
                f,
                "gas: 2,500 less where a call touches the block's producer, which was not read"
            ),
            Self::GasOfEthereum => {
                write!(
                    f,
                    "gas: counted as on Ethereum, without what this chain adds or takes besides"
                )
            }
            Self::NodesWord(method) => {
                let otherwise = match method {
                    NodeMethod::SimulateV1 => {
                        "in a block on top of the pinned one, with gas for nothing; state changes are not told"
                    }
                    NodeMethod::TraceCall => "with gas for nothing",
                };
                write!(
                    f,
                    "executed_by: the node ({}), {otherwise}; its word, which no proof can show",
                    method.as_str()
                )
            }
            Self::SenderCodeNotRead => {
                write!(f, "sender_check: off, because the sender's code was not read")
            }
        }
    }
}

/// A bound of ours that was hit. What lies beyond is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// Frames of the call tree are missing.
    Frames,
    /// Pre-images are missing, and with them the meaning of slots.
    Preimages,
    /// Writes to storage are missing, and with them what was granted and used again.
    Writes,
    /// Logs are missing.
    Logs,
    /// Contracts were not asked again, because too much was to be asked.
    Rereads,
    /// A contract was not asked again, because it used too much gas.
    RereadGas,
    /// Contracts were not asked at the node, because too much was to be asked.
    NodeQuestions,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Frames => write!(f, "MAX_FRAMES = {MAX_FRAMES}"),
            Self::Preimages => write!(f, "MAX_PREIMAGES = {MAX_PREIMAGES}"),
            Self::Writes => write!(f, "MAX_WRITES = {MAX_WRITES}"),
            Self::Logs => write!(f, "MAX_LOGS = {MAX_LOGS}"),
            Self::Rereads => write!(f, "MAX_REREADS = {MAX_REREADS}"),
            Self::RereadGas => write!(f, "MAX_REREAD_GAS = {MAX_REREAD_GAS}"),
            Self::NodeQuestions => write!(f, "MAX_NODE_QUESTIONS = {MAX_NODE_QUESTIONS}"),
        }
    }
}

/// What a simulation gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The pinned block.
    pub at: At,
    /// The method by which a node executed it, when it was not executed here.
    pub node: Option<NodeMethod>,
    /// How it ended as a whole: as the first call that did not succeed.
    pub status: Status,
    /// The gas of all calls.
    pub gas_used: u64,
    /// Why it did not succeed, with the index of the call.
    pub reason: Option<String>,
    /// Each call.
    pub calls: Vec<CallEnd>,
    /// Events, in order.
    pub logs: Vec<Log>,
    /// The call tree, in order of entry.
    pub frames: Vec<Frame>,
    /// What changed in the state over all calls.
    pub changes: Changes,
    /// What the code looked at that a block may have otherwise.
    pub looked_at: BTreeSet<Surrounding>,
    /// Checks that were not made.
    pub caveats: Vec<Caveat>,
    /// Bounds that were hit.
    pub bounds: BTreeSet<Bound>,
    /// Pre-images of hashes that were computed, by hash.
    pub(crate) preimages: BTreeMap<U256, Bytes>,
    /// Writes to storage, in order.
    writes: Vec<Write>,
}

impl Outcome {
    /// The frames whose work stands: they succeeded, and so did every frame around them.
    pub fn standing_frames(&self) -> impl Iterator<Item = &Frame> {
        let stands = standing(&self.frames);
        let frames = self.frames.iter().zip(stands);
        frames.filter_map(|(frame, stands)| stands.then_some(frame))
    }

    pub(super) fn new(at: At) -> Self {
        Self {
            at,
            node: None,
            status: Status::Success,
            gas_used: 0,
            reason: None,
            calls: Vec::new(),
            logs: Vec::new(),
            frames: Vec::new(),
            changes: Changes::default(),
            looked_at: BTreeSet::new(),
            caveats: Vec::new(),
            bounds: BTreeSet::new(),
            preimages: BTreeMap::new(),
            writes: Vec::new(),
        }
    }

    /// Adds a call that was never run.
    pub(super) fn refuse(&mut self, why: &str) {
        self.end(CallEnd {
            status: Status::Halt,
            gas_used: 0,
            reason: Some(format!("not run: {why}")),
            output: Bytes::new(),
            revert: None,
            created: None,
        });
    }

    /// Adds a call that ran with this much gas.
    pub(super) fn add(&mut self, index: usize, result: ExecutionResult, changes: Changes, gas: u64) {
        self.changes.then(changes);
        let gas_used = result.tx_gas_used();
        let end = CallEnd {
            status: Status::Success,
            gas_used,
            reason: None,
            output: Bytes::new(),
            revert: None,
            created: None,
        };
        let end = match result {
            ExecutionResult::Success { logs, output, .. } => {
                self.take_logs(index, logs);
                let (output, created) = match output {
                    Output::Create(_, created) => (Bytes::new(), created),
                    Output::Call(output) => (output, None),
                };
                CallEnd {
                    output,
                    created,
                    ..end
                }
            }
            ExecutionResult::Revert { output, .. } => {
                let revert = Revert::decode(&output);
                CallEnd {
                    status: Status::Revert,
                    reason: Some(revert.to_string()),
                    revert: Some(revert),
                    output,
                    ..end
                }
            }
            ExecutionResult::Halt { reason, .. } => CallEnd {
                status: Status::Halt,
                reason: Some(halt_in_words(&reason, gas)),
                ..end
            },
        };
        self.end(end);
    }

    pub(super) fn end(&mut self, end: CallEnd) {
        self.gas_used = self.gas_used.saturating_add(end.gas_used);
        if self.status == Status::Success && end.status != Status::Success {
            self.status = end.status;
            let index = self.calls.len();
            self.reason = end.reason.as_ref().map(|reason| format!("call {index} {reason}"));
        }
        self.calls.push(end);
    }

    fn take_logs(&mut self, call: usize, logs: Vec<revm::primitives::Log>) {
        let room = MAX_LOGS.saturating_sub(self.logs.len());
        if logs.len() > room {
            self.bounds.insert(Bound::Logs);
        }
        self.logs.extend(logs.into_iter().take(room).map(|log| {
            let (topics, data) = log.data.split();
            Log {
                call,
                address: log.address,
                topics,
                data,
            }
        }));
    }

    /// What was written to storage and not undone: contract, value and slot. `None` where a node executed the calls,
    /// which does not tell.
    pub(crate) fn standing_writes(&self) -> Option<BTreeSet<(Address, U256, U256)>> {
        if self.node.is_some() {
            return None;
        }
        let stands = standing(&self.frames);
        let writes = self.writes.iter();
        let standing = writes
            .filter(|write| stands.get(write.frame) == Some(&true))
            .map(|write| (write.account, write.value, write.slot));
        Some(standing.collect())
    }

    /// Whether the same happened as there, whatever gas it took.
    pub(crate) fn did_as(&self, other: &Self) -> bool {
        let statuses = |outcome: &Self| outcome.calls.iter().map(|call| call.status).collect::<Vec<_>>();
        statuses(self) == statuses(other)
            && self.changes == other.changes
            && self.logs == other.logs
            && self.frames == other.frames
            && self.writes == other.writes
            && self
                .preimages
                .iter()
                .all(|(hash, preimage)| other.preimages.get(hash) == Some(preimage))
            && self.bounds.is_subset(&other.bounds)
    }

    /// Takes over what was written down.
    pub(super) fn take_record(&mut self, recorder: &mut Recorder) {
        let record = std::mem::take(recorder);
        if record.frames_left_out {
            self.bounds.insert(Bound::Frames);
        }
        if record.preimages_left_out {
            self.bounds.insert(Bound::Preimages);
        }
        self.frames = record.frames;
        if record.writes_left_out {
            self.bounds.insert(Bound::Writes);
        }
        self.preimages = record.preimages;
        self.writes = record.writes;
        self.looked_at = record.looked_at;
    }
}

fn halt_in_words(reason: &HaltReason, gas: u64) -> String {
    match reason {
        HaltReason::OutOfGas(_) if gas == MAX_CALL_GAS => {
            format!("halted: out of gas at MAX_CALL_GAS = {MAX_CALL_GAS}")
        }
        HaltReason::OutOfGas(_) => format!("halted: out of gas at its limit of {gas}"),
        other => format!("halted: {other:?}"),
    }
}
