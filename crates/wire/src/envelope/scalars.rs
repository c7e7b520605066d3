//! Chains and amounts, which may be larger than their usual types hold.

use super::walk::{chain_reference, is_decimal};
use alloy_primitives::U256;
use std::fmt;

/// An `eip155` chain (§5.2); its id may be larger than 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chain(u128);

impl Chain {
    /// The chain of an EIP-155 id from 1 to 10^32 - 1.
    pub fn new(id: u128) -> Option<Self> {
        (1..10_u128.pow(32)).contains(&id).then_some(Self(id))
    }

    /// Reads a CAIP-2 identifier (D-5).
    pub fn parse(text: &str) -> Option<Self> {
        chain_reference(text)?.parse().ok().and_then(Self::new)
    }

    /// The EIP-155 chain id.
    pub fn id(self) -> u128 {
        self.0
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "eip155:{}", self.0)
    }
}

/// An unsigned decimal integer of any size (D-7).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal(String);

impl Decimal {
    /// Reads digits without leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        is_decimal(text).then(|| Self(text.to_owned()))
    }

    /// Its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number, when it is below 2^256.
    pub fn to_u256(&self) -> Option<U256> {
        (self.0.len() <= 78).then(|| U256::from_str_radix(&self.0, 10).ok())?
    }
}

impl From<U256> for Decimal {
    fn from(number: U256) -> Self {
        Self(number.to_string())
    }
}
