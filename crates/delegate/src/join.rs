//! One state that covers two, and is the same each time it covers the same.

use crate::expr::{Id, Node, Store};
use crate::facts::Facts;
use crate::machine::{Answer, Found, Frame, Overlay, State};
use alloy_primitives::U256;

/// Where the words of memory and the slots of storage are among the places of a joined state.
const PLACES_OF_MEMORY: u32 = 1 << 12;
const PLACES_OF_STORAGE: u32 = 1 << 28;

/// A state that covers both; none when they are not of one form. What differs is named after the join's number and
/// its place, so that the next join at the same place gives the same names.
pub(crate) fn join(store: &mut Store, number: u32, old: &State, new: &State) -> Option<State> {
    if old.frames.len() != new.frames.len() {
        return None;
    }
    let mut facts = old.facts.common(&new.facts);
    let mut frames = Vec::with_capacity(old.frames.len());
    for (depth, (x, y)) in old.frames.iter().zip(&new.frames).enumerate() {
        let depth = u32::try_from(depth).ok()?;
        let mut joiner = Joiner {
            store,
            number,
            old: &old.facts,
            new: &new.facts,
            facts: &mut facts,
        };
        frames.push(joiner.frame(depth, x, y)?);
    }
    let mut joiner = Joiner {
        store,
        number,
        old: &old.facts,
        new: &new.facts,
        facts: &mut facts,
    };
    let storage = joiner.overlay(PLACES_OF_STORAGE, &old.storage, &new.storage);
    let transient = joiner.overlay(PLACES_OF_STORAGE * 2, &old.transient, &new.transient);
    Some(State {
        frames,
        facts,
        storage,
        transient,
        effects: Vec::new(),
        writes: Vec::new(),
        // A period that neither was in: what was read before is not what is read after.
        period: if old.period == new.period {
            old.period
        } else {
            number
        },
        called_out: old.called_out || new.called_out,
        forks: old.forks.max(new.forks),
        visits: Default::default(),
        did_before_join: old.did_before_join || new.did_before_join,
        joined: true,
    })
}

/// Whether a joined state is the one it was joined from.
pub(crate) fn same(a: &State, b: &State) -> bool {
    a.frames.len() == b.frames.len()
        && a.frames.iter().zip(&b.frames).all(|(x, y)| {
            x.stack == y.stack && x.memory == y.memory && x.input == y.input && x.answer == y.answer
        })
        && a.facts == b.facts
        && a.storage == b.storage
        && a.transient == b.transient
        && a.period == b.period
        && a.called_out == b.called_out
        && a.did_before_join == b.did_before_join
}

struct Joiner<'a> {
    store: &'a mut Store,
    number: u32,
    old: &'a Facts,
    new: &'a Facts,
    facts: &'a mut Facts,
}

impl Joiner<'_> {
    /// The name of what differs at a place, with bounds that hold for both. Bounds that grow are given up, so that
    /// joining ends.
    fn word(&mut self, place: u32, x: Id, y: Id) -> Id {
        if x == y {
            return x;
        }
        let name = self.store.intern(Node::Joined(self.number, place));
        let (x_low, x_high) = self.old.range(self.store, x);
        let (y_low, y_high) = self.new.range(self.store, y);
        let low = if x == name && y_low < x_low {
            U256::ZERO
        } else {
            x_low.min(y_low)
        };
        let high = if x == name && y_high > x_high {
            U256::MAX
        } else {
            x_high.max(y_high)
        };
        if (low, high) != (U256::ZERO, U256::MAX) {
            self.facts.bound_joined(name, low, high);
        }
        name
    }

    fn frame(&mut self, depth: u32, x: &Frame, y: &Frame) -> Option<Frame> {
        let alike = x.pc == y.pc
            && x.stack.len() == y.stack.len()
            && x.code.hash() == y.code.hash()
            && x.input == y.input
            && (x.caller, x.value, x.fixed, x.out) == (y.caller, y.value, y.fixed, y.out)
            && x.before.storage == y.before.storage
            && x.before.transient == y.before.transient;
        if !alike || depth > 7 {
            return None;
        }
        let base = depth << 29;
        let mut stack = Vec::with_capacity(x.stack.len());
        for (place, (&a, &b)) in x.stack.iter().zip(&y.stack).enumerate() {
            stack.push(self.word(base + u32::try_from(place).ok()?, a, b));
        }
        let (old, new) = (self.old, self.new);
        let mut names = Vec::new();
        let memory = x
            .memory
            .join(&y.memory, self.store, (old, new), &mut |store, place, a, b| {
                let place =
                    base + PLACES_OF_MEMORY + u32::try_from(place).unwrap_or(u32::MAX >> 4) % (1 << 27);
                let name = store.intern(Node::Joined(self.number, place));
                names.push((place, a, b));
                name
            });
        for (place, a, b) in names {
            self.word(place, a, b);
        }
        let answer = if x.answer == y.answer {
            x.answer.clone()
        } else {
            Answer::Call(self.number)
        };
        Some(Frame {
            stack,
            memory,
            answer,
            ..x.clone()
        })
    }

    fn overlay(&mut self, base: u32, x: &Overlay, y: &Overlay) -> Overlay {
        if x == y {
            return x.clone();
        }
        let mut joined = Overlay::default();
        let mut seen = Vec::new();
        for &(slot, _) in x.0.iter().chain(y.0.iter()) {
            if seen.contains(&slot) {
                continue;
            }
            seen.push(slot);
            let read = |overlay: &Overlay, store: &mut Store, facts: &Facts| match overlay
                .read(store, facts, slot)
            {
                Found::Value(value) => Some(value),
                Found::Nothing | Found::Unclear => None,
            };
            let (a, b) = (read(x, self.store, self.old), read(y, self.store, self.new));
            let place = base + slot.index() % PLACES_OF_STORAGE;
            let value = match (a, b) {
                (Some(a), Some(b)) => self.word(place, a, b),
                _ => self.store.intern(Node::Joined(self.number, place)),
            };
            joined.write(slot, value);
        }
        joined
    }
}
