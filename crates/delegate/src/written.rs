//! The slots that outsiders can write, in whatever order they call.

use crate::effect::SlotWrite;
use crate::expr::{Id, Node, Store};
use crate::facts::Facts;
use crate::machine::same_slot;
use alloy_primitives::U256;
use std::collections::BTreeMap;

/// Slots and the bits of them that may change between calls. It only grows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Written {
    bits: BTreeMap<U256, U256>,
    /// Slots that are hashes of what is not all known.
    hashes: Vec<Id>,
    /// Any slot.
    any: bool,
    /// Transient storage.
    transient: bool,
}

impl Written {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether transient storage is written.
    pub(crate) fn transient(&self) -> bool {
        self.transient
    }

    /// Whether everything may be written.
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// Takes in a write.
    pub(crate) fn add(&mut self, store: &Store, write: &SlotWrite) {
        if write.transient {
            self.transient = true;
            return;
        }
        match store.value(write.slot) {
            Some(slot) => {
                let bits = self.bits.entry(slot).or_default();
                *bits |= write.changed;
                if bits.is_zero() {
                    self.bits.remove(&slot);
                }
            }
            None if write.changed.is_zero() => {}
            None if store.is_hash_like(write.slot) => {
                if !self.hashes.contains(&write.slot) {
                    self.hashes.push(write.slot);
                }
            }
            None => self.any = true,
        }
    }

    /// More hashed slots than are looked at one by one.
    pub(crate) fn bound(&mut self, most: usize) {
        if self.hashes.len() > most {
            self.any = true;
        }
    }

    /// The bits of a slot that may have been written.
    pub(crate) fn bits(&self, store: &mut Store, slot: Id) -> U256 {
        if self.any {
            return U256::MAX;
        }
        let mut bits = match store.value(slot) {
            Some(slot) => self.bits.get(&slot).copied().unwrap_or_default(),
            // A hash, or a word that could be any slot.
            None => {
                let facts = Facts::default();
                let slots: Vec<(U256, U256)> = self.bits.iter().map(|(s, b)| (*s, *b)).collect();
                let mut bits = U256::ZERO;
                for (written, changed) in slots {
                    let written = store.word(written);
                    if same_slot(store, &facts, written, slot) != Some(false) {
                        bits |= changed;
                    }
                }
                bits
            }
        };
        for index in 0..self.hashes.len() {
            let pattern = self.generic(store, self.hashes[index], index);
            if same_slot(store, &Facts::default(), pattern, slot) != Some(false) {
                bits = U256::MAX;
            }
        }
        bits
    }

    /// The slot that was written, as it would be in another call: what differs from call to call may be anything.
    fn generic(&self, store: &mut Store, slot: Id, index: usize) -> Id {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let mut count = 0;
        self.generalise(store, slot, index, &mut count)
    }

    fn generalise(&self, store: &mut Store, id: Id, index: u32, count: &mut u32) -> Id {
        let node = store.node(id).clone();
        match node {
            Node::Const(_) => id,
            // Deep sums are of anything.
            _ if *count > 64 => store.intern(Node::Joined(u32::MAX - index, 0)),
            Node::Keccak(_) | Node::Bytes(_) | Node::Binary(crate::expr::Binary::Add, ..) => {
                crate::facts::rebuild(store, id, &node, &mut |store, child| {
                    self.generalise(store, child, index, count)
                })
            }
            _ => {
                store.spend(1);
                *count += 1;
                store.intern(Node::Joined(u32::MAX - index, *count))
            }
        }
    }
}
