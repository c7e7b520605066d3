//! Values for what a caller chooses, and terms evaluated with them.

use crate::explore::Engine;
use crate::expr::{Id, Node, TRANSIENT, fold};
use alloy_primitives::map::HashMap;
use alloy_primitives::{Address, B256, U256, keccak256};
use std::cell::{Cell, RefCell};

/// The longest data that is tried, in bytes.
pub(crate) const MAX_DATA: usize = 4096;
/// How deep terms are looked into.
const MAX_DEPTH: usize = 200;
/// `balanceOf(address)`
const BALANCE_OF: u32 = 0x70a0_8231;

/// A call that may take a path.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) caller: Address,
    pub(crate) origin: Address,
    pub(crate) value: U256,
    pub(crate) data: Vec<u8>,
    /// Bits of the data that are settled.
    pub(crate) settled: Vec<u8>,
    pub(crate) size: usize,
    pub(crate) size_settled: bool,
    pub(crate) caller_settled: bool,
    /// Wei that the account has.
    pub(crate) balance: U256,
    /// The token that stands for any, and how much of it the account has.
    pub(crate) token: Address,
    pub(crate) token_balance: U256,
}

impl Model {
    pub(crate) fn word(&self, at: usize) -> U256 {
        let mut word = [0; 32];
        for (index, byte) in word.iter_mut().enumerate() {
            let place = at.saturating_add(index);
            if place < self.size {
                *byte = self.data.get(place).copied().unwrap_or(0);
            }
        }
        U256::from_be_bytes(word)
    }

    /// The data as it is sent.
    pub(crate) fn sent(&self) -> Vec<u8> {
        self.data[..self.size.min(self.data.len())].to_vec()
    }

    /// The data without what nothing asked for at its end.
    pub(crate) fn short(&self) -> Vec<u8> {
        let asked = self
            .settled
            .iter()
            .rposition(|bits| *bits != 0)
            .map_or(0, |last| last + 1);
        let words = 4 + asked.saturating_sub(4).next_multiple_of(32);
        self.data[..words.min(self.size).min(self.data.len())].to_vec()
    }
}

/// The value of a term in a model; none when it is of something that a model does not say.
pub(crate) fn evaluate(engine: &Engine<'_>, model: &Model, id: Id) -> Option<U256> {
    evaluate_in(engine, model, id, &Known::default())
}

/// Values of terms that were looked at, and how deep the term is that is looked at.
#[derive(Default)]
struct Known {
    values: RefCell<HashMap<Id, Option<U256>>>,
    depth: Cell<usize>,
}

fn evaluate_in(engine: &Engine<'_>, model: &Model, id: Id, known: &Known) -> Option<U256> {
    if let Some(value) = known.values.borrow().get(&id) {
        return *value;
    }
    if known.depth.get() > MAX_DEPTH {
        return None;
    }
    engine.store.spend(1);
    known.depth.set(known.depth.get() + 1);
    let value = evaluate_node(engine, model, id, known);
    known.depth.set(known.depth.get() - 1);
    known.values.borrow_mut().insert(id, value);
    value
}

fn evaluate_node(engine: &Engine<'_>, model: &Model, id: Id, known: &Known) -> Option<U256> {
    let of = |id: Id| evaluate_in(engine, model, id, known);
    let address = |a: Address| U256::from_be_slice(a.as_slice());
    Some(match engine.store.node(id) {
        Node::Const(value) => *value,
        Node::Caller => address(model.caller),
        Node::Origin => address(model.origin),
        Node::CallValue => model.value,
        Node::CallDataSize => U256::from(model.size),
        Node::CallData(at) => match usize::try_from(of(*at)?) {
            Ok(at) => model.word(at),
            Err(_) => U256::ZERO,
        },
        Node::Balance(0) => model.balance + model.value,
        Node::Balance(_) => return None,
        Node::Env(0x42) => U256::from(engine.world.timestamp()),
        Node::Env(_) => return None,
        // Transient storage is empty when a call starts.
        Node::Later(_, period) if period & TRANSIENT != 0 => U256::ZERO,
        Node::Stored(slot) | Node::Later(slot, _) => engine.store.slot_value(of(*slot)?)?,
        Node::Success(_) => U256::ONE,
        Node::AnswerSize(_) => U256::from(32),
        Node::Answer(number, at) => {
            let asked = engine.questions.get(number).and_then(|(_, selector)| *selector);
            match asked {
                Some(BALANCE_OF) if of(*at)?.is_zero() => model.token_balance,
                _ => U256::ONE,
            }
        }
        Node::CodeOf(0x3b, of_whom) => U256::from(of(*of_whom)? == address(model.token)),
        Node::CodeOf(..) | Node::Recovered(_) | Node::Unknown(_) | Node::Joined(..) | Node::Slice(..) => {
            return None;
        }
        Node::Bytes(_) => return None,
        Node::Keccak(bytes) => hash_of(engine, model, *bytes, known)?.into(),
        Node::Not(x) => !of(*x)?,
        Node::IsZero(x) => U256::from(of(*x)?.is_zero()),
        Node::Binary(op, a, b) => fold(*op, of(*a)?, of(*b)?),
        Node::Ternary(0x08, a, b, n) => of(*a)?.add_mod(of(*b)?, of(*n)?),
        Node::Ternary(_, a, b, n) => of(*a)?.mul_mod(of(*b)?, of(*n)?),
    })
}

fn hash_of(engine: &Engine<'_>, model: &Model, bytes: Id, known: &Known) -> Option<B256> {
    let mut all = Vec::new();
    for piece in engine.store.pieces(bytes) {
        if piece.bytes == 0 {
            let Node::Slice(from, length) = *engine.store.node(piece.value) else {
                return None;
            };
            let from = usize::try_from(evaluate_in(engine, model, from, known)?).ok()?;
            let length = usize::try_from(evaluate_in(engine, model, length, known)?).ok()?;
            if length > MAX_DATA {
                return None;
            }
            for at in from..from.checked_add(length)? {
                let byte = if at < model.size { model.data.get(at) } else { None };
                all.push(byte.copied().unwrap_or(0));
            }
        } else {
            let word = evaluate_in(engine, model, piece.value, known)?.to_be_bytes::<32>();
            all.extend_from_slice(&word[32 - usize::from(piece.bytes)..]);
        }
    }
    Some(keccak256(all))
}
