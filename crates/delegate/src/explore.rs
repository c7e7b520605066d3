//! Every path through the code, as far as its ends matter.
//!
//! Paths that come back to a place, and places that many paths reach, are joined into one state that covers them
//! all ([`crate::join`]); so exploration ends, and what it says holds for every path.

use crate::bounds::Moves;
use crate::code::Code;
use crate::effect::{Effect, Inner, SlotWrite};
use crate::expr::{Id, Node, Store};
use crate::facts::Facts;
use crate::join;
use crate::limits::Limits;
use crate::machine::{Answer, Before, Frame, Input, Overlay, State};
use crate::memory::Memory;
use crate::world::World;
use crate::written::Written;
use alloy_primitives::map::HashMap;
use alloy_primitives::{Address, B256, U256};
use presight_view::{Lookup, Unread};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::rc::Rc;

/// After so many arrivals at a place, paths are joined there.
const HOT: u32 = 24;
/// After so many returns to a place with decisions between, a path is joined with itself.
const UNROLLED: u32 = 2;
/// After so many returns to a place without a decision between, a path is joined with itself.
const UNROLLED_FIXED: u32 = 300;
/// How long after the block a call may come, in seconds.
pub(crate) const HORIZON: u64 = 3600;

/// Who enters the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Somebody else than the account, and not the zero address, which nobody controls.
    Outside,
    /// The account itself, with data that others chose.
    Itself(Inner),
}

/// A path that did or wrote something, or answered, or a part of one that was joined with others.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) facts: Rc<Facts>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) writes: Vec<SlotWrite>,
    /// The first word of the answer.
    pub(crate) answer: Option<Id>,
    /// It stands for one path, from its start to its end.
    pub(crate) whole: bool,
    pub(crate) called_out: bool,
}

/// Why an exploration is not complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stop {
    /// State is missing that will be asked for.
    Pending,
    /// What stopped it.
    At(String),
}

impl From<Unread> for Stop {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Pending => Self::Pending,
            Unread::NotRead(why) => Self::At(why.note.unwrap_or_else(|| why.reason.as_str().to_owned())),
        }
    }
}

/// The paths of an exploration.
#[derive(Debug, Default)]
pub(crate) struct Exploration {
    pub(crate) paths: Vec<Path>,
    /// What kept it from being complete.
    pub(crate) stop: Option<Stop>,
    /// Ends of paths, those that count for nothing included.
    pub(crate) ends: usize,
    /// Whether something moves, on these paths or on those they lead to.
    pub(crate) moves: Moves,
}

/// What all explorations of an analysis share.
pub(crate) struct Engine<'w> {
    pub(crate) store: Store,
    pub(crate) world: &'w dyn World,
    pub(crate) account: Address,
    pub(crate) delegate: Rc<Code>,
    pub(crate) limits: Limits,
    pub(crate) steps: u64,
    /// Static calls out: where, selector and first word.
    pub(crate) questions: HashMap<u32, (Id, Option<u32>)>,
    /// Accounts whose code is looked at and not known.
    pub(crate) not_known: BTreeSet<Address>,
    codes: HashMap<Address, Rc<Code>>,
    pub(crate) code_hashes: BTreeMap<Address, B256>,
}

impl<'w> Engine<'w> {
    pub(crate) fn new(world: &'w dyn World, delegate: Rc<Code>, limits: Limits) -> Self {
        let mut store = Store::new();
        if let Some(slots) = world.all_slots() {
            for (slot, value) in slots {
                store.learn_slot(slot, value);
            }
            store.learn_others_are_zero();
        }
        Self {
            store,
            world,
            account: world.account(),
            delegate,
            limits,
            steps: 0,
            questions: HashMap::default(),
            not_known: BTreeSet::new(),
            codes: HashMap::default(),
            code_hashes: BTreeMap::new(),
        }
    }

    /// Notes an account whose code is looked at, when it is not known: then no call that looks at it is executed.
    pub(crate) fn looks_at(&mut self, address: Address) {
        if matches!(self.world.code(address), Err(Unread::NotRead(_))) {
            self.not_known.insert(address);
        }
    }

    /// The code of an account, with a delegation followed once.
    pub(crate) fn code(&mut self, address: Address) -> Lookup<Rc<Code>> {
        if let Some(code) = self.codes.get(&address) {
            return Ok(Rc::clone(code));
        }
        let mut bytes = self.world.code(address)?;
        if let [0xef, 0x01, 0x00, target @ ..] = bytes.as_ref()
            && target.len() == 20
        {
            bytes = self.world.code(Address::from_slice(target))?;
        }
        let code = Rc::new(Code::new(bytes));
        self.code_hashes.insert(address, code.hash());
        self.codes.insert(address, Rc::clone(&code));
        Ok(code)
    }

    /// Explores the delegate's code. `before` may have been written before the call, `between` during a call out.
    pub(crate) fn explore(&mut self, entry: Entry, before: &Written, between: &Written) -> Exploration {
        let mut run = Run {
            engine: self,
            entry,
            before,
            between,
            found: Exploration::default(),
            open: Vec::new(),
            arrivals: HashMap::default(),
            joined: HashMap::default(),
            pending: false,
        };
        run.start();
        run.run();
        let pending = run.pending;
        let mut found = run.found;
        if pending {
            found.stop = Some(Stop::Pending);
        }
        found
    }
}

/// One exploration.
pub(crate) struct Run<'e, 'w> {
    pub(crate) engine: &'e mut Engine<'w>,
    pub(crate) entry: Entry,
    pub(crate) before: &'e Written,
    pub(crate) between: &'e Written,
    pub(crate) found: Exploration,
    pub(crate) open: Vec<State>,
    arrivals: HashMap<u64, u32>,
    joined: HashMap<u64, (u32, State)>,
    /// State was missing that will be asked for.
    pub(crate) pending: bool,
}

impl Run<'_, '_> {
    fn start(&mut self) {
        let account = U256::from_be_slice(self.engine.account.as_slice());
        let store = &mut self.engine.store;
        let caller = store.intern(Node::Caller);
        let zero = store.small(0);
        let itself = store.word(account);
        let mut facts = Facts::default();
        let mut fine = true;
        for nobody in [itself, zero] {
            let same = store.eq(caller, nobody);
            fine &= facts.assume(store, same, false);
        }
        let time = store.intern(Node::Env(0x42));
        let now = U256::from(self.engine.world.timestamp());
        fine &= facts.narrow(store, time, now, now.saturating_add(U256::from(HORIZON)));
        match self.entry {
            Entry::Itself(Inner::Empty) => {
                let size = store.intern(Node::CallDataSize);
                let none = store.is_zero(size);
                fine &= facts.assume(store, none, true);
            }
            Entry::Itself(Inner::Function(selector)) => {
                let (zero, by) = (store.small(0), store.small(224));
                let word = store.intern(Node::CallData(zero));
                let (asked, selector) = (store.shr(by, word), store.small(u64::from(selector)));
                let same = store.eq(asked, selector);
                fine &= facts.assume(store, same, true);
            }
            Entry::Itself(Inner::Any) | Entry::Outside => {}
        }
        if !fine {
            self.give_up("the block's time is out of range");
            return;
        }
        let value = store.intern(Node::CallValue);
        let caller = match self.entry {
            Entry::Outside => caller,
            Entry::Itself(_) => itself,
        };
        let frame = Frame {
            code: Rc::clone(&self.engine.delegate),
            pc: 0,
            stack: Vec::new(),
            memory: Memory::default(),
            input: Input::Root,
            answer: Answer::None,
            caller,
            value,
            fixed: false,
            out: (zero, zero),
            before: Before::default(),
        };
        self.open.push(State {
            frames: vec![frame],
            facts,
            storage: Overlay::default(),
            transient: Overlay::default(),
            effects: Vec::new(),
            writes: Vec::new(),
            period: 0,
            called_out: false,
            forks: 0,
            visits: HashMap::default(),
            did_before_join: false,
            joined: false,
        });
    }

    fn run(&mut self) {
        while let Some(mut state) = self.open.pop() {
            while self.found.stop.is_none() && self.within_limits() {
                if self.step(&mut state).is_none() {
                    self.found.ends += 1;
                    break;
                }
            }
            if self.found.stop.is_some() {
                return;
            }
        }
    }

    fn within_limits(&mut self) -> bool {
        self.engine.steps += 1;
        let limits = self.engine.limits;
        let reached = if self.engine.steps > limits.steps {
            format!("limits.steps = {}", limits.steps)
        } else if self.engine.store.work() > limits.work {
            format!("limits.work = {}", limits.work)
        } else if self.found.ends > limits.paths {
            format!("limits.paths = {}", limits.paths)
        } else if self.engine.store.len() > limits.terms {
            format!("limits.terms = {}", limits.terms)
        } else {
            return true;
        };
        self.give_up(&reached);
        false
    }

    /// The exploration is not complete; the paths found so far stay.
    pub(crate) fn give_up(&mut self, why: &str) {
        self.found.stop.get_or_insert_with(|| Stop::At(why.to_owned()));
    }

    /// State is missing: asked for next time, or the exploration is not complete.
    pub(crate) fn miss(&mut self, unread: Unread) {
        match unread {
            Unread::Pending => self.pending = true,
            unread @ Unread::NotRead(_) => {
                if let Stop::At(why) = Stop::from(unread) {
                    self.give_up(&why);
                }
            }
        }
    }

    /// Follows both sides of a condition; `other` is what else happens to the state where it does not hold.
    pub(crate) fn fork(&mut self, state: &mut State, condition: Id, other: impl FnOnce(&mut State)) -> bool {
        state.forks += 1;
        // A copy of what the path knows.
        self.engine.store.spend(8 + state.facts.len() as u64 / 4);
        let mut no = state.clone();
        if no.facts.assume(&mut self.engine.store, condition, false) {
            other(&mut no);
            self.open.push(no);
        }
        state.facts.assume(&mut self.engine.store, condition, true)
    }

    /// The end of a path that stands.
    pub(crate) fn finish(&mut self, state: State, answer: Option<Id>) {
        if state.effects.is_empty() && state.writes.is_empty() && answer.is_none() {
            return;
        }
        let repeats = state.did_before_join;
        self.found.paths.push(Path {
            effects: repeated(state.effects, repeats),
            whole: !state.joined,
            facts: Rc::new(state.facts),
            writes: state.writes,
            answer,
            called_out: state.called_out,
        });
    }

    /// Joins a path at a place that it came back to, or that many paths reach. None when what follows was explored.
    pub(crate) fn arrive(&mut self, state: &mut State, back: bool) -> Option<()> {
        let key = key(state, &self.engine.store);
        let arrivals = self.arrivals.entry(key).or_default();
        *arrivals += 1;
        let mut due = *arrivals > HOT;
        if back {
            let forks = state.forks;
            let (visits, at) = state.visits.entry(key).or_insert((0, forks));
            let decided = *at != forks;
            *visits += 1;
            *at = forks;
            // Returns without a decision between come to an end by themselves, unless there are very many.
            due |= decided && *visits > UNROLLED || *visits > UNROLLED_FIXED;
            if !decided && *visits <= UNROLLED_FIXED && *visits > UNROLLED {
                due = false;
            }
        }
        if !due {
            return Some(());
        }
        self.join(state, key)
    }

    fn join(&mut self, state: &mut State, key: u64) -> Option<()> {
        self.flush(state);
        let Some((number, known)) = self.joined.remove(&key) else {
            let number = self.engine.store.number();
            self.joined.insert(key, (number, state.clone()));
            return Some(());
        };
        let facts = state.facts.len() + known.facts.len();
        self.engine.store.spend(40 + facts as u64);
        match join::join(&mut self.engine.store, number, &known, state) {
            None => {
                // Not of one form: what follows is explored for itself.
                self.joined.insert(key, (number, known));
                Some(())
            }
            Some(covers) if join::same(&covers, &known) => {
                self.joined.insert(key, (number, known));
                None
            }
            Some(covers) => {
                let visits = std::mem::take(&mut state.visits);
                *state = covers;
                state.visits = visits;
                self.joined.insert(key, (number, state.clone()));
                Some(())
            }
        }
    }

    /// What a path did so far counts as if it ended well here: joined with others, it can not be told apart.
    fn flush(&mut self, state: &mut State) {
        state.joined = true;
        let effects = std::mem::take(&mut state.effects);
        let writes = std::mem::take(&mut state.writes);
        for frame in &mut state.frames {
            (frame.before.effects, frame.before.writes) = (0, 0);
        }
        if effects.is_empty() && writes.is_empty() {
            return;
        }
        state.did_before_join |= !effects.is_empty();
        self.found.paths.push(Path {
            facts: Rc::new(state.facts.clone()),
            effects: repeated(effects, true),
            writes,
            answer: None,
            whole: false,
            called_out: state.called_out,
        });
    }
}

fn repeated(mut effects: Vec<Effect>, repeats: bool) -> Vec<Effect> {
    for effect in &mut effects {
        effect.repeats |= repeats;
    }
    effects
}

/// Names a place: code, counter, height and return addresses of every frame, and who may be the caller.
fn key(state: &State, store: &Store) -> u64 {
    let mut hasher = KeyHasher(state.facts.gates());
    for frame in &state.frames {
        hasher.write(&frame.code.hash()[..8]);
        hasher.write_u64(frame.pc as u64);
        hasher.write_u64(frame.stack.len() as u64);
        hasher.write_u64(u64::from(frame.fixed));
        for &entry in &frame.stack {
            if let Some(place) = store.value(entry).and_then(|value| frame.code.destination(value)) {
                hasher.write_u64(place as u64);
            }
        }
    }
    hasher.finish()
}

/// A small hash that is the same in every run.
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(5) ^ x).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}
