//! What a reader of chain data found wrong with it, for people to see.

use alloy_primitives::Address;
use presight_wire::ChainId;
use std::fmt;

/// Something wrong with the data of a chain. It never changes a value: what it concerns is already not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable, kebab-case.
    pub code: &'static str,
    /// The chain concerned.
    pub chain: ChainId,
    /// The account concerned, if it is one.
    pub address: Option<Address>,
    /// Lower case, no final period.
    pub message: String,
}

impl Problem {
    /// A problem of a whole chain.
    pub fn of_chain(code: &'static str, chain: &ChainId, message: impl Into<String>) -> Self {
        Self {
            code,
            chain: chain.clone(),
            address: None,
            message: message.into(),
        }
    }

    /// A problem of one account.
    pub fn of_account(
        code: &'static str,
        chain: &ChainId,
        address: Address,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            chain: chain.clone(),
            address: Some(address),
            message: message.into(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(address) => write!(
                f,
                "{} on {}:{address:#x}: {}",
                self.code, self.chain, self.message
            ),
            None => write!(f, "{} on {}: {}", self.code, self.chain, self.message),
        }
    }
}
