//! What the core asks the rim for.

use alloy_primitives::{Address, Bytes, U256};
use presight_wire::ChainId;

/// One read that a snapshot does not hold yet. Ordered, so that waves are deterministic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Want {
    /// The pinned block of a chain.
    Block(ChainId),
    /// The hash of the canonical block with this number.
    BlockHash(ChainId, u64),
    /// An account's balance in wei.
    Balance(ChainId, Address),
    /// An account's nonce.
    Nonce(ChainId, Address),
    /// An account's code.
    Code(ChainId, Address),
    /// One storage slot.
    Storage(ChainId, Address, U256),
    /// A document by its URL.
    Document(String),
    /// Not a read: a contract call the core is about to execute, so that a backend may prefetch what it touches.
    CallHint(ChainId, Address, Bytes),
}
