//! What the core asks the rim for.

use crate::node_execution::NodeRequest;
use alloy_primitives::{Address, Bytes, U256};
use presight_wire::ChainId;
use std::sync::Arc;

/// One read that a snapshot does not hold yet. Ordered, so that waves are deterministic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Want {
    /// The pinned block of a chain.
    Block(ChainId),
    /// The hash of the canonical block with this number.
    BlockHash(ChainId, u64),
    /// The canonical block with this number, at or before the pinned one.
    Header(ChainId, u64),
    /// An account's balance in wei.
    Balance(ChainId, Address),
    /// An account's nonce.
    Nonce(ChainId, Address),
    /// An account's code.
    Code(ChainId, Address),
    /// One storage slot.
    Storage(ChainId, Address, U256),
    /// What a node says that calls do.
    NodeExecution(ChainId, Arc<NodeRequest>),
    /// The transfers of an address up to the pinned block.
    History(ChainId, Address),
    /// The EIP-7702 authorizations for a delegate up to the pinned block.
    Authorizations(ChainId, Address),
    /// What verifiers of source code say of a contract.
    SourceVerification(ChainId, Address),
    /// A document by its URL.
    Document(String),
    /// The document with which an interface answers at a URL: what it does not have it answers with "not found", and that is
    /// an answer too.
    Answer(String),
    /// Not a read: a contract call the core is about to execute, so that a backend may prefetch what it touches.
    CallHint(ChainId, CallHint),
}

/// A contract call that is about to be executed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallHint {
    /// Who makes it.
    pub from: Address,
    /// The account called.
    pub to: Address,
    /// Wei sent along.
    pub value: U256,
    /// The calldata.
    pub data: Bytes,
}

impl Want {
    /// Whether this only announces reads.
    pub fn is_hint(&self) -> bool {
        matches!(self, Self::CallHint(..))
    }

    /// The chain it concerns, if any.
    pub fn chain(&self) -> Option<&ChainId> {
        match self {
            Self::Block(chain)
            | Self::BlockHash(chain, _)
            | Self::Header(chain, _)
            | Self::Balance(chain, _)
            | Self::Nonce(chain, _)
            | Self::Code(chain, _)
            | Self::Storage(chain, ..)
            | Self::NodeExecution(chain, _)
            | Self::History(chain, _)
            | Self::Authorizations(chain, _)
            | Self::SourceVerification(chain, _)
            | Self::CallHint(chain, ..) => Some(chain),
            Self::Document(_) | Self::Answer(_) => None,
        }
    }
}
