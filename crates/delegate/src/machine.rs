//! The state of a path: frames, storage as far as it was written, and what was done.

use crate::code::Code;
use crate::effect::{Effect, SlotWrite};
use crate::expr::{Binary, Id, Node, Store};
use crate::facts::Facts;
use crate::memory::Memory;
use alloy_primitives::U256;
use alloy_primitives::map::HashMap;
use std::rc::Rc;

/// The data a frame was called with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    /// The call's own.
    Root,
    /// From a memory as it was: start and length.
    Memory(Rc<Memory>, Id, Id),
}

/// The answer of the last call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    None,
    /// Of the n-th call out.
    Call(u32),
    /// From a memory: start and length.
    Memory(Rc<Memory>, Id, Id),
}

/// Code that runs as the account.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) code: Rc<Code>,
    pub(crate) pc: usize,
    pub(crate) stack: Vec<Id>,
    pub(crate) memory: Memory,
    pub(crate) input: Input,
    pub(crate) answer: Answer,
    pub(crate) caller: Id,
    pub(crate) value: Id,
    /// Nothing may be changed.
    pub(crate) fixed: bool,
    /// Where the frame above wants the answer.
    pub(crate) out: (Id, Id),
    /// What comes back when the frame reverts.
    pub(crate) before: Before,
}

/// What a frame that reverts leaves as it was.
#[derive(Debug, Clone, Default)]
pub(crate) struct Before {
    pub(crate) storage: Overlay,
    pub(crate) transient: Overlay,
    pub(crate) effects: usize,
    pub(crate) writes: usize,
}

/// What a path wrote to storage, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Overlay(pub(crate) Rc<Vec<(Id, Id)>>);

impl Overlay {
    pub(crate) fn write(&mut self, slot: Id, value: Id) {
        let log = Rc::make_mut(&mut self.0);
        if let Some(last) = log.last_mut()
            && last.0 == slot
        {
            last.1 = value;
            return;
        }
        log.push((slot, value));
    }

    /// The last value written to a slot: known, none, or not to be told.
    pub(crate) fn read(&self, store: &mut Store, facts: &Facts, slot: Id) -> Found {
        for &(written, value) in self.0.iter().rev() {
            match same_slot(store, facts, written, slot) {
                Some(true) => return Found::Value(value),
                Some(false) => {}
                None => return Found::Unclear,
            }
        }
        Found::Nothing
    }
}

/// What a read of an overlay gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Value(Id),
    Nothing,
    Unclear,
}

/// Whether two slots are one. Different bytes have different hashes, and hashes are far from each other and from
/// what is no hash.
pub(crate) fn same_slot(store: &mut Store, facts: &Facts, a: Id, b: Id) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    if store.value(a).is_some() && store.value(b).is_some() {
        return Some(false);
    }
    let ((a_base, a_offset), (b_base, b_offset)) = (store.split(a), store.split(b));
    let small = |x: U256| x >> 64 == U256::ZERO;
    let hash = |store: &Store, whole: Id, base: Option<Id>, offset: U256| {
        store
            .preimage(whole)
            .map(|bytes| (bytes, U256::ZERO))
            .or_else(|| {
                base.filter(|_| small(offset))
                    .and_then(|base| Some((store.preimage(base)?, offset)))
            })
    };
    let hashes = (hash(store, a, a_base, a_offset), hash(store, b, b_base, b_offset));
    match hashes {
        (Some((x, x_offset)), Some((y, y_offset))) => {
            let shape = |store: &Store, id| -> Option<Vec<u8>> {
                let pieces = store.pieces(id);
                (!pieces.is_empty() && pieces.iter().all(|p| p.bytes != 0))
                    .then(|| pieces.iter().map(|p| p.bytes).collect())
            };
            if let (Some(p), Some(q)) = (shape(store, x), shape(store, y)) {
                let bytes = |shape: &[u8]| shape.iter().map(|b| u32::from(*b)).sum::<u32>();
                if bytes(&p) != bytes(&q) || x_offset != y_offset {
                    return Some(false);
                }
                if p == q {
                    let (p, q) = (store.pieces(x).to_vec(), store.pieces(y).to_vec());
                    for (p, q) in p.iter().zip(&q) {
                        let same = store.eq(p.value, q.value);
                        if facts.decide(store, same) == Some(false) {
                            return Some(false);
                        }
                    }
                }
            }
        }
        // A small number is no hash; a large one may have been hashed by the compiler.
        (Some(_), None) if store.value(b).is_some_and(small) => return Some(false),
        (None, Some(_)) if store.value(a).is_some_and(small) => return Some(false),
        _ => {}
    }
    let same = store.eq(a, b);
    facts.decide(store, same)
}

/// A path.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) frames: Vec<Frame>,
    pub(crate) facts: Facts,
    pub(crate) storage: Overlay,
    pub(crate) transient: Overlay,
    pub(crate) effects: Vec<Effect>,
    pub(crate) writes: Vec<SlotWrite>,
    /// The time between two calls out.
    pub(crate) period: u32,
    /// Others' code ran.
    pub(crate) called_out: bool,
    /// Undecided branches so far.
    pub(crate) forks: u32,
    /// How often a place was come back to, and the forks until then.
    pub(crate) visits: HashMap<u64, (u32, u32)>,
    /// Something was done before the path was joined with others.
    pub(crate) did_before_join: bool,
    /// The path was joined with others: it stands for more than one.
    pub(crate) joined: bool,
}

impl State {
    pub(crate) fn frame(&self) -> &Frame {
        // A path without a frame has ended and is not stepped.
        self.frames.last().expect("a path that runs has a frame")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a path that runs has a frame")
    }
}

/// The bits of a slot that a written value may change, given what the slot held.
pub(crate) fn changed_bits(store: &mut Store, old: Id, new: Id) -> U256 {
    // Bits that are taken over: `old & mask` is a part of `new`.
    fn kept(store: &Store, old: Id, new: Id, depth: u32) -> U256 {
        if old == new {
            return U256::MAX;
        }
        if depth == 0 {
            return U256::ZERO;
        }
        match *store.node(new) {
            Node::Binary(Binary::And, a, b) => match store.value(b) {
                Some(mask) => kept(store, old, a, depth - 1) & mask | same_constants(store, old, new),
                None => U256::ZERO,
            },
            Node::Binary(Binary::Or, a, b) => {
                let (ka, kb) = (kept(store, old, a, depth - 1), kept(store, old, b, depth - 1));
                (ka & store.zeros(b)) | (kb & store.zeros(a)) | same_constants(store, old, new)
            }
            _ => same_constants(store, old, new),
        }
    }
    !kept(store, old, new, 10)
}

/// Bits that are known and equal in both.
fn same_constants(store: &Store, a: Id, b: Id) -> U256 {
    match (store.value(a), store.value(b)) {
        (Some(x), Some(y)) => !(x ^ y),
        _ => store.zeros(a) & store.zeros(b),
    }
}
