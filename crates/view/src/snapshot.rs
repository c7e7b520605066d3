//! What has been read so far.

use alloy_primitives::{Address, B256, Bytes, U256};
use presight_wire::{ChainId, Reason, Timestamp};
use std::collections::BTreeMap;

/// The outcome of one read at the rim. Absent from the snapshot means: not asked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T> {
    /// Read.
    Known(T),
    /// Asked, and not to be had.
    Failed(Reason),
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

/// Everything read of one chain at its pinned block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainSnapshot {
    /// The pinned block.
    pub block: Answer<Block>,
    /// The rules the chain runs under at the block.
    pub hard_fork: HardFork,
    /// What is not listed is empty (a devnet dump), rather than unknown.
    pub complete: bool,
    /// Accounts.
    pub accounts: BTreeMap<Address, AccountSnapshot>,
    /// Canonical hashes of other blocks, by number.
    pub block_hashes: BTreeMap<u64, Answer<B256>>,
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
    /// `prevRandao` after the merge.
    pub mix_hash: Option<B256>,
    /// Parent's hash.
    pub parent_hash: Option<B256>,
    /// State root.
    pub state_root: Option<B256>,
    /// Excess blob gas (EIP-4844).
    pub excess_blob_gas: Option<u64>,
}

/// The rules a chain runs under; the word of the view file's `spec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum HardFork {
    /// London.
    London,
    /// Paris.
    Paris,
    /// Shanghai.
    Shanghai,
    /// Cancun.
    Cancun,
    /// Prague.
    #[default]
    Prague,
    /// Osaka.
    Osaka,
}

/// A document as fetched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// Its media type, when given.
    pub content_type: Option<String>,
    /// Its bytes.
    pub bytes: Bytes,
}
