//! What transactions changed of an account.

use alloy_primitives::{Bytes, U256};
use std::collections::BTreeMap;

/// A value before the first transaction and after the last one. The two differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<T> {
    /// At the pinned block.
    pub before: T,
    /// After the transactions.
    pub after: T,
}

impl<T: PartialEq> Change<T> {
    /// The change, when there is one.
    pub fn between(before: T, after: T) -> Option<Self> {
        (before != after).then_some(Self { before, after })
    }

    /// This change, then a later one.
    pub fn then(self, later: Self) -> Option<Self> {
        Self::between(self.before, later.after)
    }
}

/// What became of one account.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountChange {
    /// Its balance in wei.
    pub balance: Option<Change<U256>>,
    /// Its nonce. That of the sender is raised by each call that is no creation.
    pub nonce: Option<Change<u64>>,
    /// Its code.
    pub code: Option<Change<Bytes>>,
    /// Its storage, slot by slot.
    pub storage: BTreeMap<U256, Change<U256>>,
    /// It destroyed itself, and with it storage that is not listed.
    pub destroyed: bool,
}

impl AccountChange {
    /// Whether it is as it was.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what became of the account later on.
    pub fn then(&mut self, later: Self) {
        then(&mut self.balance, later.balance);
        then(&mut self.nonce, later.nonce);
        then(&mut self.code, later.code);
        for (slot, change) in later.storage {
            let mut sum = self.storage.remove(&slot);
            then(&mut sum, Some(change));
            if let Some(sum) = sum {
                self.storage.insert(slot, sum);
            }
        }
        self.destroyed |= later.destroyed;
    }
}

fn then<T: PartialEq>(sum: &mut Option<Change<T>>, later: Option<Change<T>>) {
    if let Some(later) = later {
        *sum = match sum.take() {
            Some(earlier) => earlier.then(later),
            None => Some(later),
        };
    }
}
