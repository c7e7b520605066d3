//! One instruction on a path.

use crate::effect::{Effect, SlotWrite, What};
use crate::explore::Run;
use crate::expr::{Binary, Id, Node, TRANSIENT, low_mask};
use crate::machine::{Answer, Found, Input, State, changed_bits};
use crate::memory::{Source, read_inner};
use alloy_primitives::{Address, U256};

/// The most words a stack holds.
const STACK: usize = 1024;

impl Run<'_, '_> {
    /// Executes one instruction. None when the path has ended.
    pub(crate) fn step(&mut self, state: &mut State) -> Option<()> {
        let frame = state.frame();
        let opcode = frame.code.opcode(frame.pc);
        if frame.stack.len() > STACK {
            return self.revert(state, None);
        }
        match opcode {
            0x00 => return self.leave(state, None),
            0x01..=0x07 | 0x0a..=0x0b | 0x10..=0x14 | 0x16..=0x18 | 0x1b..=0x1d => {
                self.operation(state, opcode)?;
            }
            0x08 | 0x09 => self.ternary(state, opcode)?,
            0x15 => {
                let x = self.pop(state)?;
                let result = self.engine.store.is_zero(x);
                self.push(state, result);
            }
            0x19 => {
                let x = self.pop(state)?;
                let result = self.engine.store.not(x);
                self.push(state, result);
            }
            0x1a => {
                let (index, x) = (self.pop(state)?, self.pop(state)?);
                let result = self.engine.store.byte(index, x);
                self.push(state, result);
            }
            // CLZ
            0x1e => {
                let x = self.pop(state)?;
                let result = match self.engine.store.value(x) {
                    Some(value) => self.engine.store.small(value.leading_zeros() as u64),
                    None => self.engine.store.unknown(),
                };
                self.push(state, result);
            }
            0x20 => self.hash(state)?,
            0x30..=0x4a => self.environment(state, opcode)?,
            0x50 => {
                self.pop(state)?;
            }
            0x51..=0x53 | 0x5e => self.memory(state, opcode)?,
            0x54 | 0x5c => self.load(state, opcode == 0x5c)?,
            0x55 | 0x5d => self.save(state, opcode == 0x5d)?,
            0x56 => {
                let to = self.pop(state)?;
                return self.jump(state, to);
            }
            0x57 => return self.branch(state),
            0x58 => {
                let pc = state.frame().pc as u64;
                let pc = self.engine.store.small(pc);
                self.push(state, pc);
            }
            // MSIZE
            0x59 => {
                let size = self.engine.store.unknown();
                self.push(state, size);
            }
            0x5a => {
                let gas = self.engine.store.unknown();
                self.push(state, gas);
            }
            0x5b => {}
            0x5f..=0x7f => {
                let count = usize::from(opcode - 0x5f);
                let frame = state.frame_mut();
                let value = frame.code.operand(frame.pc, count);
                frame.pc += count;
                let value = self.engine.store.word(value);
                self.push(state, value);
            }
            0x80..=0x8f => {
                let depth = usize::from(opcode - 0x7f);
                let stack = &mut state.frame_mut().stack;
                match stack.len().checked_sub(depth).and_then(|at| stack.get(at)) {
                    Some(&value) => stack.push(value),
                    None => return self.revert(state, None),
                }
            }
            0x90..=0x9f => {
                let depth = usize::from(opcode - 0x8e);
                let stack = &mut state.frame_mut().stack;
                let top = stack.len().wrapping_sub(1);
                match stack.len().checked_sub(depth) {
                    Some(at) => stack.swap(at, top),
                    None => return self.revert(state, None),
                }
            }
            0xa0..=0xa4 => {
                for _ in 0..2 + (opcode - 0xa0) {
                    self.pop(state)?;
                }
                if state.frame().fixed {
                    return self.revert(state, None);
                }
            }
            0xf0 | 0xf5 => self.create(state, opcode == 0xf5)?,
            0xf1 | 0xf2 | 0xf4 | 0xfa => return self.call(state, opcode),
            0xf3 => {
                let (at, length) = (self.pop(state)?, self.pop(state)?);
                return self.leave(state, Some((at, length)));
            }
            0xfd => {
                let (at, length) = (self.pop(state)?, self.pop(state)?);
                return self.revert(state, Some((at, length)));
            }
            0xff => {
                let to = self.pop(state)?;
                if state.frame().fixed {
                    return self.revert(state, None);
                }
                let to = self.address(to);
                state.effects.push(Effect {
                    what: What::SelfDestruct { to },
                    repeats: false,
                });
                return self.leave(state, None);
            }
            // An opcode that is none ends the frame with an error, and so does INVALID.
            _ => return self.revert(state, None),
        }
        state.frame_mut().pc += 1;
        Some(())
    }

    /// The top of the stack; the path ends where there is none, as the frame does.
    pub(crate) fn pop(&mut self, state: &mut State) -> Option<Id> {
        match state.frame_mut().stack.pop() {
            Some(value) => Some(value),
            None if state.frames.len() == 1 => None,
            None => {
                // A frame that fails below another one: the one above goes on with a zero. Compilers never do this.
                self.give_up("a stack underflow in a call within the call");
                None
            }
        }
    }

    pub(crate) fn push(&mut self, state: &mut State, value: Id) {
        state.frame_mut().stack.push(value);
    }

    /// The low 160 bits of a word.
    pub(crate) fn address(&mut self, word: Id) -> Id {
        let mask = self.engine.store.word(low_mask(160));
        self.engine.store.and(word, mask)
    }

    fn operation(&mut self, state: &mut State, opcode: u8) -> Option<()> {
        let (a, b) = (self.pop(state)?, self.pop(state)?);
        let store = &mut self.engine.store;
        let (op, a, b) = match opcode {
            0x01 => (Binary::Add, a, b),
            0x02 => (Binary::Mul, a, b),
            0x03 => (Binary::Sub, a, b),
            0x04 => (Binary::Div, a, b),
            0x05 => (Binary::SDiv, a, b),
            0x06 => (Binary::Mod, a, b),
            0x07 => (Binary::SMod, a, b),
            0x0a => (Binary::Exp, a, b),
            0x0b => (Binary::SignExtend, a, b),
            0x10 => (Binary::Lt, a, b),
            0x11 => (Binary::Lt, b, a),
            0x12 => (Binary::SLt, a, b),
            0x13 => (Binary::SLt, b, a),
            0x14 => (Binary::Eq, a, b),
            0x16 => (Binary::And, a, b),
            0x17 => (Binary::Or, a, b),
            0x18 => (Binary::Xor, a, b),
            0x1b => (Binary::Shl, a, b),
            0x1c => (Binary::Shr, a, b),
            _ => (Binary::Sar, a, b),
        };
        let result = store.binary(op, a, b);
        self.push(state, result);
        Some(())
    }

    fn ternary(&mut self, state: &mut State, opcode: u8) -> Option<()> {
        let (a, b, n) = (self.pop(state)?, self.pop(state)?, self.pop(state)?);
        let store = &mut self.engine.store;
        let result = match (store.value(a), store.value(b), store.value(n)) {
            (Some(a), Some(b), Some(n)) if opcode == 0x08 => store.word(a.add_mod(b, n)),
            (Some(a), Some(b), Some(n)) => store.word(a.mul_mod(b, n)),
            _ => store.intern(Node::Ternary(opcode, a, b, n)),
        };
        self.push(state, result);
        Some(())
    }

    fn hash(&mut self, state: &mut State) -> Option<()> {
        let (at, length) = (self.pop(state)?, self.pop(state)?);
        let State { frames, facts, .. } = state;
        let memory = &frames.last()?.memory;
        let store = &mut self.engine.store;
        let hash = match memory.region(store, facts, at, length) {
            Some(bytes) => store.keccak(bytes),
            None => store.unknown(),
        };
        self.push(state, hash);
        Some(())
    }

    fn environment(&mut self, state: &mut State, opcode: u8) -> Option<()> {
        let account = U256::from_be_slice(self.engine.account.as_slice());
        let value = match opcode {
            0x30 => self.engine.store.word(account),
            0x31 => {
                let of = self.pop(state)?;
                let of = self.address(of);
                match self.engine.store.value(of) {
                    Some(address) if address == account => {
                        self.engine.store.intern(Node::Balance(state.period))
                    }
                    named => {
                        // What another account has is not known, and no call that looks at it is executed.
                        self.engine.not_known.extend(named.map(fixed_address));
                        self.engine.store.unknown()
                    }
                }
            }
            0x32 => self.engine.store.intern(Node::Origin),
            0x33 => state.frame().caller,
            0x34 => state.frame().value,
            0x35 => {
                let at = self.pop(state)?;
                self.input_word(state, at)
            }
            0x36 => match state.frame().input {
                Input::Root => self.engine.store.intern(Node::CallDataSize),
                Input::Memory(_, _, length) => length,
            },
            0x37 | 0x39 | 0x3c | 0x3e => return self.copy(state, opcode),
            0x38 => {
                let size = state.frame().code.bytes().len() as u64;
                self.engine.store.small(size)
            }
            0x3b | 0x3f => {
                let of = self.pop(state)?;
                self.code_of(state, opcode, of)
            }
            0x3d => match &state.frame().answer {
                Answer::None => self.engine.store.small(0),
                Answer::Call(number) => {
                    let number = *number;
                    self.engine.store.intern(Node::AnswerSize(number))
                }
                Answer::Memory(_, _, length) => *length,
            },
            0x40 | 0x49 => {
                self.pop(state)?;
                self.engine.store.unknown()
            }
            0x46 => {
                let chain = self.engine.world.chain_id();
                self.engine.store.small(chain)
            }
            0x47 => self.engine.store.intern(Node::Balance(state.period)),
            _ => self.engine.store.intern(Node::Env(opcode)),
        };
        self.push(state, value);
        Some(())
    }

    fn input_word(&mut self, state: &mut State, at: Id) -> Id {
        let State { frames, facts, .. } = state;
        let store = &mut self.engine.store;
        let at = facts.resolve(store, at);
        match frames.last().map(|frame| &frame.input) {
            Some(Input::Memory(memory, start, length)) => {
                let word = read_inner(store, facts, memory, (*start, *length), at, 32);
                word.unwrap_or_else(|| store.unknown())
            }
            _ => store.intern(Node::CallData(at)),
        }
    }

    fn code_of(&mut self, _state: &mut State, opcode: u8, of: Id) -> Id {
        let of = self.address(of);
        let account = U256::from_be_slice(self.engine.account.as_slice());
        match self.engine.store.value(of) {
            // The account's code is the designator, of 23 bytes.
            Some(address) if address == account && opcode == 0x3b => self.engine.store.small(23),
            fixed => {
                if let Some(fixed) = fixed {
                    self.engine.looks_at(fixed_address(fixed));
                }
                self.engine.store.intern(Node::CodeOf(opcode, of))
            }
        }
    }

    fn copy(&mut self, state: &mut State, opcode: u8) -> Option<()> {
        if opcode == 0x3c {
            self.pop(state)?;
        }
        let (to, from, length) = (self.pop(state)?, self.pop(state)?, self.pop(state)?);
        let State { frames, facts, .. } = state;
        let frame = frames.last_mut()?;
        let source = match (opcode, &frame.input, &frame.answer) {
            (0x37, Input::Root, _) => Source::CallData,
            (0x37, Input::Memory(memory, start, n), _) => Source::Memory(memory.clone(), *start, *n),
            (0x39, ..) => Source::Code(frame.code.clone()),
            (0x3e, _, Answer::None) => Source::Nothing,
            (0x3e, _, Answer::Call(number)) => Source::Answer(*number),
            (0x3e, _, Answer::Memory(memory, start, n)) => Source::Memory(memory.clone(), *start, *n),
            _ => Source::Unknown,
        };
        let store = &mut self.engine.store;
        if !facts.narrow(store, length, U256::ZERO, low_mask(crate::expr::SIZE_BITS)) {
            return self.revert_within(state);
        }
        frame.memory.copy(store, facts, (to, length), source, from);
        Some(())
    }

    fn memory(&mut self, state: &mut State, opcode: u8) -> Option<()> {
        let at = self.pop(state)?;
        let value = match opcode {
            0x51 => None,
            _ => Some(self.pop(state)?),
        };
        let length = match opcode {
            0x5e => Some(self.pop(state)?),
            _ => None,
        };
        let State { frames, facts, .. } = state;
        let frame = frames.last_mut()?;
        let store = &mut self.engine.store;
        match (opcode, value, length) {
            (0x51, ..) => {
                let word = frame.memory.word(store, facts, at);
                frame.stack.push(word);
            }
            (0x52, Some(value), _) => frame.memory.write_word(store, facts, at, value),
            (0x53, Some(value), _) => frame.memory.write_byte(store, facts, at, value),
            (_, Some(from), Some(length)) => {
                let before = std::rc::Rc::new(frame.memory.clone());
                let zero = store.small(0);
                let all = store.word(low_mask(crate::expr::SIZE_BITS));
                frame.memory.copy(
                    store,
                    facts,
                    (at, length),
                    Source::Memory(before, zero, all),
                    from,
                );
            }
            _ => {}
        }
        Some(())
    }

    fn load(&mut self, state: &mut State, transient: bool) -> Option<()> {
        let slot = self.pop(state)?;
        let slot = state.facts.resolve(&mut self.engine.store, slot);
        let value = self.slot(state, slot, transient);
        self.push(state, value);
        Some(())
    }

    /// What a slot holds now.
    pub(crate) fn slot(&mut self, state: &State, slot: Id, transient: bool) -> Id {
        let overlay = if transient {
            &state.transient
        } else {
            &state.storage
        };
        match overlay.read(&mut self.engine.store, &state.facts, slot) {
            Found::Value(value) => value,
            Found::Unclear => self.engine.store.unknown(),
            Found::Nothing => self.slot_before(state.period, slot, transient),
        }
    }

    /// What a slot holds when the path did not write it.
    fn slot_before(&mut self, period: u32, slot: Id, transient: bool) -> Id {
        let written = if period == 0 { self.before } else { self.between };
        if transient {
            let zero = self.engine.store.small(0);
            return if written.transient() {
                self.engine.store.intern(Node::Later(slot, period | TRANSIENT))
            } else {
                zero
            };
        }
        if let Some(fixed) = self.engine.store.value(slot)
            && let known = self.engine.store.stored(slot)
            && self.engine.store.value(known).is_none()
        {
            match self.engine.world.slot(fixed) {
                Ok(value) => self.engine.store.learn_slot(fixed, value),
                Err(presight_view::Unread::Pending) => self.pending = true,
                Err(presight_view::Unread::NotRead(_)) => {}
            }
        }
        let bits = written.bits(&mut self.engine.store, slot);
        let store = &mut self.engine.store;
        let before = store.stored(slot);
        if bits.is_zero() {
            return before;
        }
        let later = store.intern(Node::Later(slot, period));
        let (bits, kept) = (store.word(bits), store.word(!bits));
        let (later, before) = (store.and(later, bits), store.and(before, kept));
        store.or(later, before)
    }

    fn save(&mut self, state: &mut State, transient: bool) -> Option<()> {
        let (slot, value) = (self.pop(state)?, self.pop(state)?);
        if state.frame().fixed {
            return self.revert_within(state);
        }
        let slot = state.facts.resolve(&mut self.engine.store, slot);
        let old = self.slot(state, slot, transient);
        let store = &mut self.engine.store;
        let was = state.facts.resolve(store, old);
        let now = state.facts.resolve(store, value);
        let changed = changed_bits(store, old, value) & changed_bits(store, was, now);
        state.writes.push(SlotWrite {
            slot,
            value,
            changed,
            transient,
        });
        let overlay = if transient {
            &mut state.transient
        } else {
            &mut state.storage
        };
        overlay.write(slot, value);
        Some(())
    }

    /// A revert where one place is still to be added to the counter.
    pub(crate) fn revert_within(&mut self, state: &mut State) -> Option<()> {
        self.revert(state, None)?;
        let frame = state.frame_mut();
        frame.pc = frame.pc.saturating_sub(1);
        Some(())
    }

    fn jump(&mut self, state: &mut State, to: Id) -> Option<()> {
        let to = state.facts.resolve(&mut self.engine.store, to);
        let Some(value) = self.engine.store.value(to) else {
            let pc = state.frame().pc;
            self.give_up(&format!("the jump at {pc:#x} goes to a place that is not fixed"));
            return None;
        };
        self.go(state, value)
    }

    /// Goes to a place in the code.
    fn go(&mut self, state: &mut State, to: U256) -> Option<()> {
        let frame = state.frame_mut();
        let Some(place) = frame.code.destination(to) else {
            return self.revert(state, None);
        };
        let back = place <= frame.pc;
        frame.pc = place;
        self.arrive(state, back)
    }

    fn branch(&mut self, state: &mut State) -> Option<()> {
        let (to, condition) = (self.pop(state)?, self.pop(state)?);
        let decided = state.facts.decide(&mut self.engine.store, condition);
        match decided {
            Some(true) => self.jump(state, to),
            Some(false) => {
                state.frame_mut().pc += 1;
                Some(())
            }
            None => {
                if !self.fork(state, condition, |no| no.frame_mut().pc += 1) {
                    return None;
                }
                self.jump(state, to)
            }
        }
    }
}

/// The address that a word is, when it is known.
pub(crate) fn fixed_address(value: U256) -> Address {
    Address::from_word(value.into())
}
