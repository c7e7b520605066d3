//! What has been read so far.

use crate::hard_fork::HardFork;
use crate::history::{History, Verification};
use crate::node_execution::{NodeExecution, NodeRequest};
use crate::proof::AccountProof;
use crate::want::Want;
use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, U256};
use presight_wire::{ChainId, Reason, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The outcome of one read at the rim. Absent from the snapshot means: not asked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T> {
    /// Read.
    Known(T),
    /// Asked, and not to be had.
    Failed(Reason),
}

impl<T> Answer<T> {
    /// The value, when it was read.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Failed(_) => None,
        }
    }

    /// What follows from the value alone.
    pub fn map<U>(&self, f: impl FnOnce(&T) -> U) -> Answer<U> {
        match self {
            Self::Known(value) => Answer::Known(f(value)),
            Self::Failed(reason) => Answer::Failed(*reason),
        }
    }
}

/// Everything read so far, one pinned block per chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The time the report is made at; the core has no other clock.
    pub clock: Timestamp,
    /// Per chain.
    pub chains: BTreeMap<ChainId, ChainSnapshot>,
    /// Documents by URL.
    pub documents: BTreeMap<String, Answer<Document>>,
    /// When set, a read that is not held is not read with this reason, instead of being asked for.
    pub closed: Option<Reason>,
}

impl Snapshot {
    /// A snapshot that holds nothing yet and asks for everything.
    pub fn new(clock: Timestamp) -> Self {
        Self {
            clock,
            chains: BTreeMap::new(),
            documents: BTreeMap::new(),
            closed: None,
        }
    }
}

/// Everything read of one chain at its pinned block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainSnapshot {
    /// The pinned block. When it failed, nothing of the chain is read, for the same reason.
    pub block: Answer<Block>,
    /// The pinned block's whole header, when every member its hash is made of is known.
    pub header: Option<Header>,
    /// The rules the chain runs under at the block.
    pub hard_fork: HardFork,
    /// What is not listed is empty (a devnet dump), rather than unknown.
    pub complete: bool,
    /// Accounts.
    pub accounts: BTreeMap<Address, AccountSnapshot>,
    /// Canonical hashes of other blocks, by number.
    pub block_hashes: BTreeMap<u64, Answer<B256>>,
    /// Other canonical blocks, by number.
    pub headers: BTreeMap<u64, Answer<Block>>,
    /// Merkle proofs of accounts against the pinned block's state root.
    pub proofs: BTreeMap<Address, AccountProof>,
    /// What the node said that calls do. `None`: it is not to be asked.
    pub node_executions: Option<BTreeMap<Arc<NodeRequest>, Answer<NodeExecution>>>,
    /// Transfers and EIP-7702 authorizations. No node is asked for them: `None` is not read.
    pub history: Option<Answer<Arc<History>>>,
    /// By verifier, what it says of contracts. No node is asked for it.
    pub source_verification: Option<BTreeMap<String, BTreeMap<Address, Verification>>>,
}

impl ChainSnapshot {
    /// A chain of which only the pinned block is known.
    pub fn new(block: Answer<Block>, hard_fork: HardFork) -> Self {
        Self {
            block,
            header: None,
            hard_fork,
            complete: false,
            accounts: BTreeMap::new(),
            block_hashes: BTreeMap::new(),
            headers: BTreeMap::new(),
            proofs: BTreeMap::new(),
            node_executions: None,
            history: None,
            source_verification: None,
        }
    }

    /// Whether the header is held in full and hashes to the pinned hash, so that its state root can be trusted as
    /// far as the hash is.
    pub fn header_is_verified(&self) -> bool {
        match (&self.header, &self.block) {
            (Some(header), Answer::Known(block)) => header.hash_slow() == block.hash,
            _ => false,
        }
    }

    /// Whether a read of this chain was answered, with a value or a failure.
    pub(crate) fn holds(&self, want: &Want) -> bool {
        let account = |address| self.accounts.get(address);
        match want {
            Want::Block(_) => true,
            Want::BlockHash(_, number) => self.block_hashes.contains_key(number),
            Want::Header(_, number) => self.headers.contains_key(number),
            Want::Balance(_, address) => account(address).is_some_and(|held| held.balance.is_some()),
            Want::Nonce(_, address) => account(address).is_some_and(|held| held.nonce.is_some()),
            Want::Code(_, address) => account(address).is_some_and(|held| held.code.is_some()),
            Want::Storage(_, address, slot) => {
                account(address).is_some_and(|held| held.storage.contains_key(slot))
            }
            Want::NodeExecution(_, request) => self
                .node_executions
                .as_ref()
                .is_none_or(|held| held.contains_key(request)),
            Want::History(..) | Want::Authorizations(..) => self.history.is_some(),
            Want::SourceVerification(..) => self.source_verification.is_some(),
            Want::Document(_) | Want::Answer(_) | Want::CallHint(..) => false,
        }
    }

    /// Records that a read of this chain is not to be had.
    pub(crate) fn fail(&mut self, want: &Want, reason: Reason) {
        let accounts = &mut self.accounts;
        match want {
            Want::Block(_) => self.block = Answer::Failed(reason),
            Want::BlockHash(_, number) => {
                self.block_hashes.insert(*number, Answer::Failed(reason));
            }
            Want::Header(_, number) => {
                self.headers.insert(*number, Answer::Failed(reason));
            }
            Want::Balance(_, address) => {
                accounts.entry(*address).or_default().balance = Some(Answer::Failed(reason));
            }
            Want::Nonce(_, address) => {
                accounts.entry(*address).or_default().nonce = Some(Answer::Failed(reason));
            }
            Want::Code(_, address) => {
                accounts.entry(*address).or_default().code = Some(Answer::Failed(reason));
            }
            Want::Storage(_, address, slot) => {
                accounts
                    .entry(*address)
                    .or_default()
                    .storage
                    .insert(*slot, Answer::Failed(reason));
            }
            Want::NodeExecution(_, request) => {
                if let Some(held) = &mut self.node_executions {
                    held.insert(request.clone(), Answer::Failed(reason));
                }
            }
            Want::History(..) | Want::Authorizations(..) => {
                self.history = Some(Answer::Failed(reason));
            }
            Want::SourceVerification(..) | Want::Document(_) | Want::Answer(_) | Want::CallHint(..) => {}
        }
    }
}

/// What is known of one account at the pinned block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountSnapshot {
    /// Balance in wei.
    pub balance: Option<Answer<U256>>,
    /// Nonce.
    pub nonce: Option<Answer<u64>>,
    /// Code; empty for an account without code.
    pub code: Option<Answer<Bytes>>,
    /// Storage slots.
    pub storage: BTreeMap<U256, Answer<U256>>,
}

/// A block header: what the recorded view or the node gave. `None` is unknown, never zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// Number, the chain's own.
    pub number: u64,
    /// Hash.
    pub hash: B256,
    /// Unix seconds.
    pub timestamp: u64,
    /// Wei per gas (EIP-1559).
    pub base_fee_per_gas: Option<u64>,
    /// Gas limit.
    pub gas_limit: Option<u64>,
    /// Coinbase.
    pub miner: Option<Address>,
    /// Difficulty; zero after the merge.
    pub difficulty: Option<U256>,
    /// `prevRandao` after the merge.
    pub mix_hash: Option<B256>,
    /// Parent's hash.
    pub parent_hash: Option<B256>,
    /// State root.
    pub state_root: Option<B256>,
    /// Excess blob gas (EIP-4844).
    pub excess_blob_gas: Option<u64>,
}

/// A document as fetched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// Its media type, when given.
    pub content_type: Option<String>,
    /// Its bytes.
    pub bytes: Bytes,
}
