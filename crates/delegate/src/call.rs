//! Calls: into known code they are followed, out of it they are effects.

use crate::code::Code;
use crate::effect::{Data, Effect, What};
use crate::explore::Run;
use crate::expr::{Id, Node, SIZE_BITS, low_mask};
use crate::machine::{Answer, Before, Frame, Input, Overlay, State};
use crate::memory::{Memory, Source};
use crate::step::fixed_address;
use alloy_primitives::{Address, U256};
use std::rc::Rc;

const CALL: u8 = 0xf1;
const CALLCODE: u8 = 0xf2;
const DELEGATECALL: u8 = 0xf4;
const STATICCALL: u8 = 0xfa;

/// The highest address of the precompiles that follow one another (EIP-2537), and that of P-256 (EIP-7951).
const LAST_PRECOMPILE: u64 = 0x11;
const P256: u64 = 0x100;
/// `isValidSignature` (ERC-1271), and its older form with bytes.
pub(crate) const MAGIC: [u32; 2] = [0x1626_ba7e, 0x20c1_3b0b];
/// How many words of a call's data are looked at.
const WORDS: u64 = 5;

/// A call as the stack has it.
struct Request {
    opcode: u8,
    to: Id,
    value: Id,
    input: (Id, Id),
    out: (Id, Id),
}

impl Run<'_, '_> {
    pub(crate) fn call(&mut self, state: &mut State, opcode: u8) -> Option<()> {
        let _gas = self.pop(state)?;
        let to = self.pop(state)?;
        let with_value = matches!(opcode, CALL | CALLCODE);
        let value = if with_value {
            self.pop(state)?
        } else {
            self.engine.store.small(0)
        };
        let input = (self.pop(state)?, self.pop(state)?);
        let out = (self.pop(state)?, self.pop(state)?);
        let to = self.address(to);
        let store = &mut self.engine.store;
        let to = state.facts.resolve(store, to);
        let value = state.facts.resolve(store, value);
        for size in [input.1, out.1] {
            if !state.facts.narrow(store, size, U256::ZERO, low_mask(SIZE_BITS)) {
                return self.revert(state, None);
            }
        }
        let request = Request {
            opcode,
            to,
            value,
            input,
            out,
        };
        if state.frame().fixed && opcode == CALL {
            // With value the frame reverts.
            let none = self.engine.store.is_zero(value);
            match state.facts.decide(&mut self.engine.store, none) {
                Some(true) => {}
                Some(false) => return self.revert(state, None),
                None => {
                    let mut with = state.clone();
                    let possible = with.facts.assume(&mut self.engine.store, none, false);
                    if possible && self.revert(&mut with, None).is_some() {
                        self.open.push(with);
                    }
                    if !state.facts.assume(&mut self.engine.store, none, true) {
                        return None;
                    }
                }
            }
        }
        self.dispatch(state, &request)
    }

    fn dispatch(&mut self, state: &mut State, request: &Request) -> Option<()> {
        let account = self.engine.account;
        let known = self.engine.store.value(request.to).map(fixed_address);
        let plain = request.opcode == CALL && self.engine.store.is(request.input.1, 0);
        if let Some(to) = known.filter(|to| !plain && !is_precompile(*to) && *to != account) {
            self.engine.looks_at(to);
        }
        match known {
            Some(to) if is_precompile(to) => self.precompile(state, to, request),
            Some(to) if to == account => self.call_itself(state, request),
            Some(to) if matches!(request.opcode, DELEGATECALL | CALLCODE) => match self.engine.code(to) {
                Ok(code) => self.enter(state, code, request),
                Err(unread) => {
                    self.miss(unread);
                    None
                }
            },
            None if matches!(request.opcode, DELEGATECALL | CALLCODE) => {
                let data = self.data(state, request.input);
                state.effects.push(Effect {
                    what: What::Delegate { to: request.to, data },
                    repeats: false,
                });
                // It can write everything.
                state.writes.push(crate::effect::SlotWrite {
                    slot: self.engine.store.unknown(),
                    value: self.engine.store.unknown(),
                    changed: U256::MAX,
                    transient: true,
                });
                state.writes.push(crate::effect::SlotWrite {
                    slot: self.engine.store.unknown(),
                    value: self.engine.store.unknown(),
                    changed: U256::MAX,
                    transient: false,
                });
                self.forget_storage(state);
                self.out(state, request)
            }
            _ => self.call_other(state, request),
        }
    }

    /// After code that is not known ran as the account, nothing is known of its storage.
    fn forget_storage(&mut self, state: &mut State) {
        let slot = self.engine.store.unknown();
        let value = self.engine.store.unknown();
        // A write to a slot that may be any hides everything before.
        state.storage.write(slot, value);
        state.transient.write(slot, value);
    }

    fn call_other(&mut self, state: &mut State, request: &Request) -> Option<()> {
        if request.opcode == CALL && !state.frame().fixed {
            let data = self.data(state, request.input);
            let to = request.to;
            if self.engine.store.value(to).is_none() {
                // A caller that names the account itself as the target gets in as the account.
                let account = U256::from_be_slice(self.engine.account.as_slice());
                let account = self.engine.store.word(account);
                let same = self.engine.store.eq(to, account);
                if state.facts.decide(&mut self.engine.store, same) != Some(false) {
                    state.effects.push(Effect {
                        what: What::EnterSelf(data.inner(&self.engine.store), data.whole),
                        repeats: false,
                    });
                }
            }
            state.effects.push(Effect {
                what: What::Call {
                    to,
                    value: request.value,
                    data,
                },
                repeats: false,
            });
        }
        self.out(state, request)
    }

    /// The account calls itself, or runs its own code.
    fn call_itself(&mut self, state: &mut State, request: &Request) -> Option<()> {
        let data = self.data(state, request.input);
        let fixed = data.fixed_selector(&self.engine.store).is_some();
        let shallow = state.frames.len() < self.engine.limits.depth;
        if fixed && shallow && request.opcode != CALLCODE {
            let code = Rc::clone(&self.engine.delegate);
            return self.enter(state, code, request);
        }
        if state.frame().fixed || request.opcode == STATICCALL {
            return self.out(state, request);
        }
        let what = if request.opcode == DELEGATECALL {
            What::Again
        } else {
            What::EnterSelf(data.inner(&self.engine.store), data.whole)
        };
        state.effects.push(Effect { what, repeats: false });
        self.out(state, request)
    }

    /// Others' code runs: what it answers is not known, and others may have called in between.
    fn out(&mut self, state: &mut State, request: &Request) -> Option<()> {
        let number = self.engine.store.number();
        if request.opcode == STATICCALL {
            let data = self.data(state, request.input);
            let selector = data.fixed_selector(&self.engine.store);
            self.engine.questions.insert(number, (request.to, selector));
        } else {
            self.others_ran(state, number);
        }
        let success = self.engine.store.intern(Node::Success(number));
        self.answered(state, request.out, Answer::Call(number), success)
    }

    fn others_ran(&mut self, state: &mut State, number: u32) {
        state.called_out = true;
        state.period = number;
        if self.between.is_empty() {
            return;
        }
        let slots: Vec<(Id, Id)> = state.storage.0.to_vec();
        let mut after = Overlay::default();
        for (slot, value) in slots {
            let bits = self.between.bits(&mut self.engine.store, slot);
            let store = &mut self.engine.store;
            let later = store.intern(Node::Later(slot, number));
            let (bits, kept) = (store.word(bits), store.word(!bits));
            let (later, value) = (store.and(later, bits), store.and(value, kept));
            let mixed = store.or(later, value);
            after.write(slot, mixed);
        }
        state.storage = after;
        if self.between.transient() {
            let slots: Vec<Id> = state.transient.0.iter().map(|(slot, _)| *slot).collect();
            for slot in slots {
                let later = self.engine.store.unknown();
                state.transient.write(slot, later);
            }
        }
    }

    /// The frame goes on after a call.
    fn answered(&mut self, state: &mut State, out: (Id, Id), answer: Answer, success: Id) -> Option<()> {
        let State { frames, facts, .. } = state;
        let frame = frames.last_mut()?;
        let store = &mut self.engine.store;
        let zero = store.small(0);
        match &answer {
            Answer::Call(number) => frame
                .memory
                .copy(store, facts, out, Source::Answer(*number), zero),
            Answer::Memory(memory, start, length) => match (store.value(out.1), store.value(*length)) {
                (Some(wanted), Some(given)) => {
                    let bytes = store.word(wanted.min(given));
                    let source = Source::Memory(Rc::clone(memory), *start, *length);
                    frame.memory.copy(store, facts, (out.0, bytes), source, zero);
                }
                _ => frame.memory.copy(store, facts, out, Source::Unknown, zero),
            },
            Answer::None => {}
        }
        frame.answer = answer;
        frame.stack.push(success);
        frame.pc += 1;
        Some(())
    }

    /// Runs known code as the account.
    fn enter(&mut self, state: &mut State, code: Rc<Code>, request: &Request) -> Option<()> {
        if code.bytes().is_empty() {
            let one = self.engine.store.small(1);
            return self.answered(state, request.out, Answer::None, one);
        }
        if state.frames.len() >= self.engine.limits.depth {
            self.give_up(&format!("limits.depth = {}", self.engine.limits.depth));
            return None;
        }
        self.fail_too(state, request);
        let account = U256::from_be_slice(self.engine.account.as_slice());
        let itself = self.engine.store.word(account);
        let above = state.frame();
        let (at, length) = request.input;
        let input =
            if above.input == Input::Root && above.memory.is_all_call_data(&self.engine.store, at, length) {
                Input::Root
            } else {
                Input::Memory(Rc::new(above.memory.clone()), at, length)
            };
        let (caller, value) = match request.opcode {
            DELEGATECALL => (above.caller, above.value),
            _ => (itself, request.value),
        };
        let frame = Frame {
            code,
            pc: 0,
            stack: Vec::new(),
            memory: Memory::default(),
            input,
            answer: Answer::None,
            caller,
            value,
            fixed: above.fixed || request.opcode == STATICCALL,
            out: request.out,
            before: Before {
                storage: state.storage.clone(),
                transient: state.transient.clone(),
                effects: state.effects.len(),
                writes: state.writes.len(),
            },
        };
        state.frames.push(frame);
        Some(())
    }

    /// A call into known code fails too when whoever calls leaves it too little gas, or the value is not there.
    fn fail_too(&mut self, state: &mut State, request: &Request) {
        state.forks += 1;
        self.engine.store.spend(8 + state.facts.len() as u64 / 4);
        let mut failed = state.clone();
        let zero = self.engine.store.small(0);
        if self
            .answered(&mut failed, request.out, Answer::None, zero)
            .is_some()
        {
            self.open.push(failed);
        }
    }

    /// The innermost frame ends well, with this answer in its memory.
    pub(crate) fn leave(&mut self, state: &mut State, answer: Option<(Id, Id)>) -> Option<()> {
        if state.frames.len() == 1 {
            let answer = answer.and_then(|(at, length)| self.first_word(state, at, length));
            let done = std::mem::replace(state, empty(state));
            self.finish(done, answer);
            return None;
        }
        self.back(state, answer, 1)
    }

    /// The innermost frame ends with an error, and what it did is undone.
    pub(crate) fn revert(&mut self, state: &mut State, answer: Option<(Id, Id)>) -> Option<()> {
        if state.frames.len() == 1 {
            return None;
        }
        let before = std::mem::take(&mut state.frame_mut().before);
        state.storage = before.storage;
        state.transient = before.transient;
        state.effects.truncate(before.effects);
        state.writes.truncate(before.writes);
        self.back(state, answer, 0)
    }

    fn back(&mut self, state: &mut State, answer: Option<(Id, Id)>, success: u64) -> Option<()> {
        let frame = state.frames.pop()?;
        let answer = match answer {
            Some((at, length)) => Answer::Memory(Rc::new(frame.memory), at, length),
            None => Answer::None,
        };
        let success = self.engine.store.small(success);
        self.answered(state, frame.out, answer, success)
    }

    /// The first word of an answer that a token or a contract could take for a valid signature.
    fn first_word(&mut self, state: &mut State, at: Id, length: Id) -> Option<Id> {
        let State { frames, facts, .. } = state;
        let store = &mut self.engine.store;
        if facts.value(store, length).is_some_and(|n| n < U256::from(4)) {
            return None;
        }
        let word = frames.last()?.memory.read(store, facts, at, 4);
        let word = facts.resolve(store, word);
        let magic = match store.value(word) {
            Some(word) => MAGIC.iter().any(|magic| word == U256::from(*magic)),
            None => true,
        };
        let whole = frames.last()?.memory.word(store, facts, at);
        // Zero is what a validation answers (ERC-4337).
        let whole = facts.resolve(store, whole);
        (magic || store.value(whole) != Some(U256::ONE)).then_some(whole)
    }

    /// What a call says.
    fn data(&mut self, state: &State, (at, length): (Id, Id)) -> Data {
        let store = &mut self.engine.store;
        let memory = &state.frame().memory;
        let known = state.facts.value(store, length);
        if known == Some(U256::ZERO) {
            return Data {
                selector: None,
                words: Vec::new(),
                whole: Some(store.intern(Node::Bytes(Box::default()))),
            };
        }
        let selector = memory.read(store, &state.facts, at, 4);
        let selector = state.facts.resolve(store, selector);
        let mut words = Vec::new();
        for index in 0..WORDS {
            if known.is_some_and(|n| n < U256::from(36 + 32 * index)) {
                break;
            }
            let offset = store.small(4 + 32 * index);
            let place = store.add(at, offset);
            let word = memory.word(store, &state.facts, place);
            words.push(state.facts.resolve(store, word));
        }
        let whole = memory.region(store, &state.facts, at, length);
        Data {
            selector: Some(selector),
            words,
            whole,
        }
    }

    fn precompile(&mut self, state: &mut State, to: Address, request: &Request) -> Option<()> {
        let number = fixed_number(to);
        let store = &mut self.engine.store;
        if matches!(request.opcode, CALL | CALLCODE) && !store.is(request.value, 0) {
            return self.call_other(state, request);
        }
        let length = state.facts.value(store, request.input.1);
        match number {
            1 if length.is_some_and(|n| n >= U256::from(128)) => self.recover(state, request),
            4 => {
                self.fail_too(state, request);
                let memory = Rc::new(state.frame().memory.clone());
                let one = self.engine.store.small(1);
                let answer = Answer::Memory(memory, request.input.0, request.input.1);
                self.answered(state, request.out, answer, one)
            }
            _ => {
                let number = self.engine.store.number();
                let success = self.engine.store.intern(Node::Success(number));
                self.answered(state, request.out, Answer::Call(number), success)
            }
        }
    }

    /// `ecrecover` answers with a word, or with nothing.
    fn recover(&mut self, state: &mut State, request: &Request) -> Option<()> {
        let mut inputs = [request.input.0; 4];
        for (index, input) in inputs.iter_mut().enumerate() {
            let offset = self.engine.store.small(32 * index as u64);
            let place = self.engine.store.add(request.input.0, offset);
            let memory = &state.frames.last()?.memory;
            *input = memory.word(&mut self.engine.store, &state.facts, place);
        }
        let store = &mut self.engine.store;
        let signer = store.intern(Node::Recovered(inputs));
        let (zero, one, word) = (store.small(0), store.small(1), store.small(32));
        let mut none = state.clone();
        none.forks += 1;
        state.forks += 1;
        // Nothing comes back of a signature that is none, and of a call without gas enough.
        let number = self.engine.store.number();
        let either = self.engine.store.intern(Node::Success(number));
        if self
            .answered(&mut none, request.out, Answer::None, either)
            .is_some()
        {
            self.open.push(none);
        }
        let mut memory = Memory::default();
        memory.write_word(&mut self.engine.store, &mut state.facts, zero, signer);
        self.answered(
            state,
            request.out,
            Answer::Memory(Rc::new(memory), zero, word),
            one,
        )
    }

    pub(crate) fn create(&mut self, state: &mut State, salted: bool) -> Option<()> {
        let value = self.pop(state)?;
        for _ in 0..2 + u8::from(salted) {
            self.pop(state)?;
        }
        if state.frame().fixed {
            return self.revert_within(state);
        }
        let value = state.facts.resolve(&mut self.engine.store, value);
        if !self.engine.store.is(value, 0) {
            state.effects.push(Effect {
                what: What::Create { value },
                repeats: false,
            });
        }
        let number = self.engine.store.number();
        self.others_ran(state, number);
        let created = self.engine.store.unknown();
        self.push(state, created);
        state.frame_mut().answer = Answer::Call(number);
        Some(())
    }
}

/// What is left of a state whose path has ended.
fn empty(state: &State) -> State {
    State {
        frames: Vec::new(),
        facts: Default::default(),
        storage: Overlay::default(),
        transient: Overlay::default(),
        effects: Vec::new(),
        writes: Vec::new(),
        period: state.period,
        called_out: state.called_out,
        forks: 0,
        visits: Default::default(),
        did_before_join: false,
        joined: false,
    }
}

/// Whether an address is a precompile's, which calls nobody.
pub(crate) fn is_precompile(address: Address) -> bool {
    let number = fixed_number(address);
    (1..=LAST_PRECOMPILE).contains(&number) || number == P256
}

/// A small address as a number; 0 for all others.
fn fixed_number(address: Address) -> u64 {
    u64::try_from(U256::from_be_slice(address.as_slice())).unwrap_or(0)
}
