//! What transactions changed in the state: first values against last ones, over all of them.

use alloy_primitives::{Address, Bytes, U256};
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
    fn then(self, later: Self) -> Option<Self> {
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
    fn is_none(&self) -> bool {
        *self == Self::default()
    }

    fn then(&mut self, later: Self) {
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

/// What became of the state: accounts that changed, by address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes(BTreeMap<Address, AccountChange>);

impl Changes {
    /// Adds what became of an account later on.
    pub(crate) fn add(&mut self, address: Address, later: AccountChange) {
        let mut sum = self.0.remove(&address).unwrap_or_default();
        sum.then(later);
        if !sum.is_none() {
            self.0.insert(address, sum);
        }
    }

    /// Adds what later transactions changed.
    pub(crate) fn then(&mut self, later: Self) {
        for (address, change) in later.0 {
            self.add(address, change);
        }
    }

    /// The accounts that changed, by address.
    pub fn iter(&self) -> impl Iterator<Item = (Address, &AccountChange)> {
        self.0.iter().map(|(address, change)| (*address, change))
    }

    /// What became of one account; nothing, when it is as it was.
    pub fn of(&self, address: Address) -> Option<&AccountChange> {
        self.0.get(&address)
    }

    /// The slots that changed: contract, slot, change.
    pub fn slots(&self) -> impl Iterator<Item = (Address, U256, &Change<U256>)> {
        self.iter().flat_map(|(address, account)| {
            account
                .storage
                .iter()
                .map(move |(slot, change)| (address, *slot, change))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(before: u64, after: u64) -> AccountChange {
        let change = Change::between(U256::from(before), U256::from(after));
        AccountChange {
            storage: change.map(|c| (U256::ONE, c)).into_iter().collect(),
            ..AccountChange::default()
        }
    }

    #[test]
    fn the_first_value_counts_and_the_last() {
        let mut changes = Changes::default();
        changes.add(Address::ZERO, slot(0, 500));
        changes.add(Address::ZERO, slot(500, 100));
        let all: Vec<_> = changes.slots().collect();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].2.before, all[0].2.after), (U256::ZERO, U256::from(100)));

        changes.add(Address::ZERO, slot(100, 0));
        assert_eq!(changes, Changes::default());
    }

    #[test]
    fn a_slot_that_went_to_zero_is_a_change() {
        let mut changes = Changes::default();
        changes.add(Address::ZERO, slot(7, 0));
        assert_eq!(changes.slots().count(), 1);
    }
}
