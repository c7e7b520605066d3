//! Why a tuple is passed over.

use alloy_primitives::U256;
use presight_wire::request::Authorization;
use std::fmt;

/// Half the order of secp256k1; a signature's s may be at most this (EIP-2).
const HALF_ORDER: U256 = U256::from_limbs([
    0xdfe9_2f46_681b_20a0,
    0x5d57_6e73_57a4_501d,
    0xffff_ffff_ffff_ffff,
    0x7fff_ffff_ffff_ffff,
]);

/// Why EIP-7702 passes over a tuple; the first reason in the order of its checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// It is for another chain.
    Chain(U256),
    /// Its nonce is 2^64 - 1.
    NonceLimit,
    /// The s of its signature is in the upper half.
    HighS,
    /// Its signature is no valid one.
    InvalidSignature,
    /// Its authority has code that is no delegation.
    AuthorityHasCode,
    /// Its nonce is not its authority's.
    Nonce {
        /// The tuple's.
        tuple: u64,
        /// The authority's, when the tuple's turn comes.
        account: u64,
    },
}

impl Skip {
    /// Why a tuple is passed over whatever its authority's state is.
    pub(super) fn by_itself(tuple: &Authorization, chain_id: u64) -> Option<Self> {
        if !tuple.chain_id.is_zero() && tuple.chain_id != U256::from(chain_id) {
            Some(Self::Chain(tuple.chain_id))
        } else if tuple.nonce == u64::MAX {
            Some(Self::NonceLimit)
        } else if tuple.s > HALF_ORDER {
            Some(Self::HighS)
        } else if tuple.y_parity > 1 {
            Some(Self::InvalidSignature)
        } else {
            None
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain(id) => write!(f, "it is for chain {id}"),
            Self::NonceLimit => write!(f, "its nonce is 2^64 - 1"),
            Self::HighS => write!(f, "the s of its signature is in the upper half"),
            Self::InvalidSignature => write!(f, "its signature is not valid"),
            Self::AuthorityHasCode => write!(f, "its authority is a contract"),
            Self::Nonce { tuple, account } => write!(f, "its nonce is {tuple}, its authority's {account}"),
        }
    }
}
