//! The slots that changed, and what is known of where they are: the keys that were hashed on the way to them.

use super::layout::{Hashes, Place};
use crate::simulate::{Change, Outcome};
use alloy_primitives::{Address, U256};
use std::collections::BTreeSet;
use std::ops::Bound;

/// A slot that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSlot {
    /// The contract.
    pub contract: Address,
    /// The slot.
    pub slot: U256,
    /// Its values.
    pub change: Change<U256>,
    /// The keys of the mappings it lies in, outermost first, where their pre-images were seen.
    pub keys: Vec<U256>,
    /// The slot of the outermost mapping, where it was seen.
    pub base: Option<U256>,
}

/// Whether these are its keys, in whatever order its layout has them.
fn are_keys(keys: &[U256], of: &[U256]) -> bool {
    keys.len() == of.len() && of.iter().all(|key| keys.contains(key))
}

/// The slots that changed, as long as their meaning is not known, and all that was written on the way.
pub(super) struct Slots<'o> {
    open: Vec<ChangedSlot>,
    hashes: Hashes<'o>,
    /// Contract, value, slot; `None` where a node executed the calls, which does not tell.
    written: Option<BTreeSet<(Address, U256, U256)>>,
}

impl<'o> Slots<'o> {
    pub(super) fn of(outcome: &'o Outcome) -> Self {
        let hashes = Hashes::of(&outcome.preimages);
        let changed = outcome.changes.slots().map(|(contract, slot, change)| {
            let Place { keys, base } = hashes.place(slot).unwrap_or_default();
            ChangedSlot {
                contract,
                slot,
                change: change.clone(),
                keys,
                base,
            }
        });
        let open = changed.collect();
        Self {
            open,
            hashes,
            written: outcome.standing_writes(),
        }
    }

    /// Slots whose meaning is not known yet.
    pub(super) fn open(&self) -> &[ChangedSlot] {
        &self.open
    }

    /// Whether a slot of the contract under these keys changed.
    pub(super) fn has(&self, contract: Address, keys: &[U256]) -> bool {
        let mut open = self.open.iter();
        open.any(|open| open.contract == contract && are_keys(&open.keys, keys))
    }

    /// The change of a contract's slot that lies under these keys and holds this value now.
    pub(super) fn under(&self, contract: Address, keys: &[U256], after: U256) -> Option<Change<U256>> {
        let found = self.open.iter().find(|open| {
            open.contract == contract && are_keys(&open.keys, keys) && open.change.after == after
        });
        found.map(|open| open.change.clone())
    }

    /// Whether a slot of the contract under these keys held this value at some time, in its low bits; `None` where it
    /// is not known.
    pub(super) fn was_written(
        &self,
        contract: Address,
        keys: &[U256],
        value: U256,
        bits: usize,
    ) -> Option<bool> {
        let from = Bound::Included((contract, U256::ZERO, U256::ZERO));
        let to = Bound::Included((contract, U256::MAX, U256::MAX));
        let low = low_bits(bits);
        let mut written = self.written.as_ref()?.range((from, to));
        Some(written.any(|(_, word, slot)| {
            word & low == value
                && self
                    .hashes
                    .place(*slot)
                    .is_some_and(|place| are_keys(&place.keys, keys))
        }))
    }

    /// What is left in the end.
    pub(super) fn into_open(self) -> Vec<ChangedSlot> {
        self.open
    }

    /// The meaning of one slot is known.
    pub(super) fn settle(&mut self, contract: Address, slot: U256) {
        self.open
            .retain(|open| open.contract != contract || open.slot != slot);
    }

    /// A value that a contract tells of changed, and lies under these keys: in a slot of its own that holds this value,
    /// alone or among others. A slot of another contract is never taken for it: any contract can answer with the
    /// values that another one keeps.
    pub(super) fn settle_value(&mut self, contract: Address, keys: &[U256], value: &Change<U256>) {
        let own = |open: &&ChangedSlot| open.contract == contract && are_keys(&open.keys, keys);
        let alone = self.open.iter().filter(own).find(|open| open.change == *value);
        let among = || {
            self.open
                .iter()
                .filter(own)
                .find(|open| holds(&open.change, value))
        };
        if let Some(slot) = alone.or_else(among).map(|open| open.slot) {
            self.settle(contract, slot);
        }
    }
}

/// Whether a slot holds a value among others: at some byte, in as many bytes as it takes.
fn holds(slot: &Change<U256>, value: &Change<U256>) -> bool {
    let width = value
        .before
        .bit_len()
        .max(value.after.bit_len())
        .div_ceil(8)
        .max(1);
    let low = low_bits(8 * width);
    (0..=32 - width).any(|byte| {
        let at = |word: U256| (word >> (8 * byte)) & low;
        at(slot.before) == value.before && at(slot.after) == value.after
    })
}

fn low_bits(bits: usize) -> U256 {
    U256::MAX >> (256 - bits.min(256))
}

/// Whether a word may be an address.
pub(super) fn is_address(word: U256) -> bool {
    !word.is_zero() && word.bit_len() <= 160
}

/// The address a word holds.
pub(super) fn to_address(word: U256) -> Address {
    Address::from_word(word.into())
}

/// An address as a word.
pub(super) fn to_word(address: Address) -> U256 {
    address.into_word().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_among_others() {
        let change = |before: u64, after: u64| Change {
            before: U256::from(before),
            after: U256::from(after),
        };
        assert!(holds(&change(0x0001_aaaa, 0x0001_bbbb), &change(0xaaaa, 0xbbbb)));
        assert!(holds(&change(0x00aa_aa01, 0x00bb_bb00), &change(0xaaaa, 0xbbbb)));
        assert!(!holds(&change(0xaaaa, 0xbbbb), &change(0xaaaa, 0xcccc)));
        let all = Change {
            before: U256::ZERO,
            after: U256::MAX,
        };
        assert!(holds(&all, &all));
    }
}
