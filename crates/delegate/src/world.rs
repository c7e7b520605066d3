//! What is outside the delegate's code.

use alloy_primitives::{Address, Bytes, U256};
use presight_view::Lookup;
use std::collections::BTreeMap;

/// The chain at the block, as the analysis reads it.
pub trait World {
    /// The delegated account.
    fn account(&self) -> Address;

    /// The code of an account; empty for one without.
    ///
    /// # Errors
    /// It is not held.
    fn code(&self, address: Address) -> Lookup<Bytes>;

    /// Whether an account has code, so that it may act for others.
    ///
    /// # Errors
    /// It is not known.
    fn has_code(&self, address: Address) -> Lookup<bool> {
        Ok(!self.code(address)?.is_empty())
    }

    /// A slot of the account.
    ///
    /// # Errors
    /// It is not held.
    fn slot(&self, slot: U256) -> Lookup<U256>;

    /// All slots of the account that are not zero, when it is known that these are all.
    fn all_slots(&self) -> Option<BTreeMap<U256, U256>>;

    /// The chain's number (EIP-155).
    fn chain_id(&self) -> u64;

    /// The block's number; none where it is not known.
    fn number(&self) -> Option<u64> {
        None
    }

    /// The block's time, in Unix seconds.
    fn timestamp(&self) -> u64;
}
