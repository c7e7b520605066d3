//! What transactions changed in the state: first values against last ones, over all of them.

use alloy_primitives::{Address, U256};
pub use presight_view::{AccountChange, Change};
use std::collections::BTreeMap;

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
