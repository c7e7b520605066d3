//! A call that takes a path, guessed: what it claims is worth nothing until it has been executed.

use crate::explore::Engine;
use crate::expr::{Binary, Id, Node, low_mask};
use crate::facts::Facts;
use crate::model::{MAX_DATA, Model, evaluate};
use alloy_primitives::map::HashSet;
use alloy_primitives::{Address, U256};

/// How often the conditions are gone through.
const ROUNDS: usize = 12;
/// Where arrays and bytes are put, and how far apart.
const FIRST_TAIL: u64 = 0x160;
const TAIL: u64 = 0x100;
/// Bytes of data that are sent when nothing says otherwise.
const DATA: usize = 0xc00;

/// What a caller wants of a path.
#[derive(Debug, Clone)]
pub(crate) enum Goal {
    /// A term has a value.
    Equal(Id, U256),
    /// Bytes of the call's data, from an offset and with a length.
    Bytes(Id, Id, Vec<u8>),
}

impl Model {
    /// A call by this caller, of which nothing else is chosen.
    pub(crate) fn by(caller: Address, balance: U256, token: Address, token_balance: U256) -> Self {
        Self {
            caller,
            origin: caller,
            value: U256::ZERO,
            data: vec![0; MAX_DATA],
            settled: vec![0; MAX_DATA],
            size: DATA,
            size_settled: false,
            caller_settled: false,
            balance,
            token,
            token_balance,
        }
    }
}

/// A model in which the path's conditions and the goals hold, as far as that could be brought about.
pub(crate) fn solve(engine: &mut Engine<'_>, facts: &Facts, goals: &[Goal], mut model: Model) -> Model {
    let atoms = facts.atoms().to_vec();
    place_tails(engine, &atoms, goals, &mut model);
    for goal in goals {
        reach(engine, &mut model, goal);
    }
    for _ in 0..ROUNDS {
        let mut quiet = true;
        for &(condition, holds) in &atoms {
            let Some(value) = evaluate(engine, &model, condition) else {
                continue;
            };
            if value.is_zero() == holds {
                quiet = false;
                force_condition(engine, &mut model, condition, holds);
            }
        }
        for goal in goals {
            quiet &= reach(engine, &mut model, goal);
        }
        if quiet {
            break;
        }
    }
    model
}

/// Whether a goal is as it should be; otherwise it is brought about.
fn reach(engine: &mut Engine<'_>, model: &mut Model, goal: &Goal) -> bool {
    match goal {
        Goal::Equal(id, value) => {
            evaluate(engine, model, *id) == Some(*value) || {
                force(engine, model, *id, *value, U256::MAX);
                false
            }
        }
        Goal::Bytes(from, length, bytes) => {
            let size = U256::from(bytes.len());
            let mut done = evaluate(engine, model, *length) == Some(size);
            if !done {
                force(engine, model, *length, size, U256::MAX);
            }
            let Some(from) = evaluate(engine, model, *from).and_then(|from| usize::try_from(from).ok())
            else {
                return false;
            };
            for (index, byte) in bytes.iter().enumerate() {
                let at = from.saturating_add(index);
                done &= model.data.get(at) == Some(byte);
                set_byte(model, at, *byte, 0xff);
            }
            done
        }
    }
}

/// Words that say where something is get places of their own.
fn place_tails(engine: &mut Engine<'_>, atoms: &[(Id, bool)], goals: &[Goal], model: &mut Model) {
    let mut seen = HashSet::<Id>::default();
    let mut open: Vec<Id> = atoms.iter().map(|(condition, _)| *condition).collect();
    for goal in goals {
        match goal {
            Goal::Equal(id, _) => open.push(*id),
            Goal::Bytes(from, length, _) => {
                open.extend([*from, *length]);
                offsets(engine, *from, &mut seen, model);
            }
        }
    }
    let mut visited = HashSet::<Id>::default();
    let mut places = Vec::new();
    while let Some(id) = open.pop() {
        if !visited.insert(id) {
            continue;
        }
        match *engine.store.node(id) {
            Node::CallData(at) | Node::Slice(at, _) => places.push(at),
            _ => {}
        }
        open.extend(engine.store.children(id));
    }
    // Outer places first: terms are numbered in the order in which they were built.
    places.sort_unstable();
    for place in places {
        offsets(engine, place, &mut seen, model);
    }
}

/// The words of data that are added up in an offset.
fn offsets(engine: &mut Engine<'_>, place: Id, seen: &mut HashSet<Id>, model: &mut Model) {
    let mut open = vec![place];
    let mut visited = HashSet::<Id>::default();
    while let Some(id) = open.pop() {
        if !visited.insert(id) {
            continue;
        }
        match *engine.store.node(id) {
            Node::Binary(Binary::Add, a, b) => open.extend([b, a]),
            Node::CallData(at) if seen.insert(id) => {
                offsets(engine, at, seen, model);
                let value = FIRST_TAIL + TAIL * (seen.len() as u64 - 1);
                force(engine, model, id, U256::from(value), U256::MAX);
            }
            _ => {}
        }
    }
}

fn set_byte(model: &mut Model, at: usize, byte: u8, mask: u8) -> bool {
    let (Some(old), Some(settled)) = (model.data.get_mut(at), model.settled.get_mut(at)) else {
        return false;
    };
    if (*old ^ byte) & mask & *settled != 0 {
        return false;
    }
    *old = (*old & !mask) | (byte & mask);
    *settled |= mask;
    if !model.size_settled && at >= model.size {
        model.size = at + 1;
    }
    true
}

fn force_condition(engine: &mut Engine<'_>, model: &mut Model, condition: Id, holds: bool) -> bool {
    let value = |model: &Model, engine: &Engine<'_>, id| evaluate(engine, model, id);
    match *engine.store.node(condition) {
        Node::IsZero(x) if engine.store.is_bool(x) => force_condition(engine, model, x, !holds),
        Node::IsZero(x) => {
            let wanted = if holds { U256::ZERO } else { U256::ONE };
            force(engine, model, x, wanted, U256::MAX)
        }
        Node::Binary(Binary::Eq, x, y) => {
            let (Some(a), Some(b)) = (value(model, engine, x), value(model, engine, y)) else {
                return false;
            };
            let (a, b) = if holds {
                (a, b)
            } else {
                (a.wrapping_add(U256::ONE), b.wrapping_add(U256::ONE))
            };
            force(engine, model, x, b, U256::MAX) || force(engine, model, y, a, U256::MAX)
        }
        Node::Binary(Binary::Lt, x, y) => {
            let (Some(a), Some(b)) = (value(model, engine, x), value(model, engine, y)) else {
                return false;
            };
            if holds {
                force(engine, model, y, a.saturating_add(U256::ONE), U256::MAX)
                    || force(engine, model, x, b.saturating_sub(U256::ONE), U256::MAX)
            } else {
                force(engine, model, x, b, U256::MAX) || force(engine, model, y, a, U256::MAX)
            }
        }
        Node::Binary(Binary::SLt, x, y) => {
            let (Some(a), Some(b)) = (value(model, engine, x), value(model, engine, y)) else {
                return false;
            };
            if holds {
                force(engine, model, y, a.wrapping_add(U256::ONE), U256::MAX)
            } else {
                force(engine, model, x, b, U256::MAX) || force(engine, model, y, a, U256::MAX)
            }
        }
        Node::Binary(Binary::And, x, y) if engine.store.is_bool(x) && engine.store.is_bool(y) => {
            let first = force_condition(engine, model, x, holds);
            // Both for true, one is enough for false.
            if holds || !first {
                force_condition(engine, model, y, holds)
            } else {
                first
            }
        }
        Node::Binary(Binary::Or, x, y) if engine.store.is_bool(x) && engine.store.is_bool(y) => {
            let first = force_condition(engine, model, x, holds);
            if !holds || !first {
                force_condition(engine, model, y, holds)
            } else {
                first
            }
        }
        _ => {
            let wanted = if holds { U256::ONE } else { U256::ZERO };
            force(engine, model, condition, wanted, U256::MAX)
        }
    }
}

/// Chooses what is below a term so that the bits of `mask` are as in `value`.
fn force(engine: &mut Engine<'_>, model: &mut Model, id: Id, value: U256, mask: U256) -> bool {
    let whole = mask == U256::MAX;
    let shift = |engine: &Engine<'_>, by: Id| {
        engine
            .store
            .value(by)
            .and_then(|by| usize::try_from(by).ok())
            .filter(|by| *by < 256)
    };
    match *engine.store.node(id) {
        Node::Const(known) => (known ^ value) & mask == U256::ZERO,
        Node::Caller if !model.caller_settled => {
            let caller = Address::from_word((value & low_mask(160)).into());
            if model.origin == model.caller {
                model.origin = caller;
            }
            model.caller = caller;
            model.caller_settled = true;
            true
        }
        Node::Origin => {
            model.origin = Address::from_word((value & low_mask(160)).into());
            true
        }
        Node::CallValue => {
            model.value = value;
            true
        }
        Node::CallDataSize => match usize::try_from(value) {
            Ok(size) if size <= MAX_DATA && !model.size_settled => {
                model.size = size;
                model.size_settled = true;
                true
            }
            _ => false,
        },
        Node::CallData(at) => {
            let Some(at) = evaluate(engine, model, at).and_then(|at| usize::try_from(at).ok()) else {
                return false;
            };
            let (bytes, masks) = (value.to_be_bytes::<32>(), mask.to_be_bytes::<32>());
            let free = (0..32).all(|i| {
                let place = at.saturating_add(i);
                match (model.data.get(place), model.settled.get(place)) {
                    (Some(old), Some(settled)) => (*old ^ bytes[i]) & masks[i] & *settled == 0,
                    _ => masks[i] == 0,
                }
            });
            free && (0..32)
                .all(|i| masks[i] == 0 || set_byte(model, at.saturating_add(i), bytes[i], masks[i]))
        }
        Node::Binary(Binary::And, x, bits) if engine.store.value(bits).is_some() => {
            let bits = engine.store.value(bits).unwrap_or(U256::MAX);
            value & mask & !bits == U256::ZERO && force(engine, model, x, value, mask & bits)
        }
        Node::Binary(Binary::Or, a, b) => {
            let (za, zb) = (engine.store.zeros(a), engine.store.zeros(b));
            force(engine, model, a, value, mask & !za) && force(engine, model, b, value, mask & !zb & za)
        }
        Node::Binary(Binary::Shl, by, x) => match shift(engine, by) {
            Some(by) => force(engine, model, x, value >> by, mask >> by),
            None => false,
        },
        Node::Binary(Binary::Shr, by, x) => match shift(engine, by) {
            Some(by) => force(engine, model, x, value << by, mask << by),
            None => false,
        },
        Node::Binary(op @ (Binary::Add | Binary::Sub | Binary::Xor), x, y) if whole => {
            let (a, b) = (evaluate(engine, model, x), evaluate(engine, model, y));
            let (for_x, for_y) = match op {
                Binary::Add => (b.map(|b| value.wrapping_sub(b)), a.map(|a| value.wrapping_sub(a))),
                Binary::Sub => (b.map(|b| value.wrapping_add(b)), a.map(|a| a.wrapping_sub(value))),
                _ => (b.map(|b| value ^ b), a.map(|a| value ^ a)),
            };
            for_x.is_some_and(|v| force(engine, model, x, v, mask))
                || for_y.is_some_and(|v| force(engine, model, y, v, mask))
        }
        Node::Binary(Binary::Mul, x, y) if whole => [(x, y), (y, x)].into_iter().any(|(x, y)| {
            let Some(factor) = evaluate(engine, model, y).filter(|factor| !factor.is_zero()) else {
                return false;
            };
            value % factor == U256::ZERO && force(engine, model, x, value / factor, mask)
        }),
        Node::Binary(Binary::Div, x, y) if whole => evaluate(engine, model, y)
            .and_then(|by| value.checked_mul(by))
            .is_some_and(|value| force(engine, model, x, value, mask)),
        Node::Binary(Binary::Mod, x, _) if whole => force(engine, model, x, value, mask),
        Node::Not(x) => force(engine, model, x, !value, mask),
        Node::IsZero(_) | Node::Binary(Binary::Eq | Binary::Lt | Binary::SLt, ..) => {
            force_condition(engine, model, id, !value.is_zero())
        }
        _ => false,
    }
}
