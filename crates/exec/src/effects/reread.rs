//! Contracts asked again: what they say on the state before the simulation, and on the state after it.

use crate::simulate::{Bound, Change, Machine};
use alloy_primitives::{Address, Bytes, U256, keccak256};
use presight_view::node_execution::NODE_QUESTION_GAS;
use presight_view::{Block, Lookup, Unread, View};
use presight_wire::{ChainId, NotRead, Reason};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// The gas of one question.
const QUESTION_GAS: u64 = NODE_QUESTION_GAS;
/// What every transaction costs, and nobody computes.
const INTRINSIC_GAS: u64 = 21_000;
/// Questions put to contracts in one simulation, each asked before and after.
pub const MAX_REREADS: usize = 4_096;
/// What only events speak for leaves this share of all questions and their gas: events may tell of anything, at no
/// cost.
const KEPT_BACK: usize = 2;
/// The gas of all questions to one contract: that of some thousand honest answers. All contracts together have as
/// much as this many times `MAX_BURNERS`.
pub const MAX_REREAD_GAS: u64 = 1 << 24;
/// Contracts that may use up their gas.
const MAX_BURNERS: u64 = 8;
/// The gas of all questions of one simulation.
pub(super) const MAX_REREADS_GAS: u64 = MAX_REREAD_GAS * MAX_BURNERS;

/// Asks contracts before and after.
pub(super) struct Asker<'s, 'v> {
    voice: Voice<'s, 'v>,
    asked: BTreeMap<(Address, Bytes), Answers>,
    spent: BTreeMap<Address, u64>,
    /// Contracts whose answers rest on state that is not to be had, or that were not asked all because of a bound.
    pub(super) unread: BTreeMap<Address, NotRead>,
    pending: bool,
    /// Contracts that were not there before: then they held nothing and granted nothing.
    created: BTreeSet<Address>,
    /// Bounds at which questions were left out.
    pub(super) bounds: BTreeSet<Bound>,
    /// What is asked now rests on events alone.
    on_hearsay: bool,
}

/// Where contracts are asked.
enum Voice<'s, 'v> {
    /// Here.
    Here {
        view: &'v View<'v>,
        before: Box<Machine<'v>>,
        after: &'s mut Machine<'v>,
        /// The gas that is left for all questions.
        gas: &'s Cell<u64>,
    },
    /// At the node, all at once: what it was asked already, and what it has to be asked.
    Node {
        known: &'s BTreeMap<(Address, Bytes), Answers>,
        open: BTreeSet<(Address, Bytes)>,
    },
}

/// What a contract said before and after; `None` for an answer that is not to be had.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Answers {
    before: Option<Bytes>,
    after: Option<Bytes>,
    /// It was really asked: the one or the other time it reverted, or answered with less than a word.
    asked: bool,
}

impl Answers {
    /// The words at this index, when it answered both times.
    pub(super) fn words(&self, index: usize) -> Option<Change<U256>> {
        Some(Change {
            before: word(self.before.as_ref(), index)?,
            after: word(self.after.as_ref(), index)?,
        })
    }

    /// The first word before, if it answered then.
    pub(super) fn before(&self) -> Option<U256> {
        word(self.before.as_ref(), 0)
    }

    /// The first word after, if it answered then.
    pub(super) fn after(&self) -> Option<U256> {
        word(self.after.as_ref(), 0)
    }

    /// What the contract returned, where it was asked both times.
    pub(super) fn given(before: Option<Bytes>, after: Option<Bytes>) -> Self {
        Self {
            before,
            after,
            asked: true,
        }
    }

    /// Whether the contract was asked both times, whatever it did.
    pub(super) fn is_asked(&self) -> bool {
        self.asked
    }
}

/// What a contract that was not there yet held.
fn zeroes(answer: &Bytes) -> Bytes {
    vec![0; answer.len()].into()
}

fn not_asked(why: &str) -> NotRead {
    NotRead::new(Reason::Unavailable).with_note(format!("the node {why} what the contract says"))
}

fn word(answer: Option<&Bytes>, index: usize) -> Option<U256> {
    answer.and_then(|bytes| crate::answer::word(bytes, index).ok())
}

impl<'s, 'v> Asker<'s, 'v> {
    pub(super) fn new(
        view: &'v View<'v>,
        chain: &'v ChainId,
        header: &'v Block,
        after: &'s mut Machine<'v>,
        gas: &'s Cell<u64>,
        created: BTreeSet<Address>,
    ) -> Lookup<Self> {
        let before = Box::new(Machine::new(view, chain, header)?);
        let voice = Voice::Here {
            view,
            before,
            after,
            gas,
        };
        Ok(Self::at(voice, created))
    }

    /// Contracts that are asked at the node, which was asked some questions already.
    pub(super) fn at_node(
        known: &'s BTreeMap<(Address, Bytes), Answers>,
        created: BTreeSet<Address>,
    ) -> Self {
        let open = BTreeSet::new();
        Self::at(Voice::Node { known, open }, created)
    }

    fn at(voice: Voice<'s, 'v>, created: BTreeSet<Address>) -> Self {
        Self {
            voice,
            asked: BTreeMap::new(),
            spent: BTreeMap::new(),
            unread: BTreeMap::new(),
            pending: false,
            created,
            bounds: BTreeSet::new(),
            on_hearsay: false,
        }
    }

    /// Whether what is asked from here on rests on events alone: then something is kept back for the rest.
    pub(super) fn rest_on_hearsay(&mut self, on_hearsay: bool) {
        self.on_hearsay = on_hearsay;
    }

    /// A contract is not asked because of a bound: what is said of it may lack something.
    fn leave_out(&mut self, contract: Address, bound: Bound) {
        let note = format!("{bound} was hit: not all was asked of the contract");
        self.unread
            .entry(contract)
            .or_insert_with(|| NotRead::new(Reason::Incomplete).with_note(note));
        self.bounds.insert(bound);
    }

    /// Questions that the node has to be asked.
    pub(super) fn into_open(self) -> BTreeSet<(Address, Bytes)> {
        match self.voice {
            Voice::Here { .. } => BTreeSet::new(),
            Voice::Node { open, .. } => open,
        }
    }

    /// Asks a contract a function, named by its canonical signature, about words; each question once.
    pub(super) fn ask(&mut self, contract: Address, signature: &str, arguments: &[U256]) -> Answers {
        let selector = keccak256(signature);
        let words = arguments.iter().flat_map(U256::to_be_bytes::<32>);
        let data: Bytes = selector[..4].iter().copied().chain(words).collect();
        let key = (contract, data);
        if let Some(answers) = self.asked.get(&key) {
            return answers.clone();
        }
        let most = if self.on_hearsay {
            MAX_REREADS / KEPT_BACK
        } else {
            MAX_REREADS
        };
        if self.asked.len() >= most {
            self.leave_out(contract, Bound::Rereads);
            return Answers::default();
        }
        if let Voice::Node { known, open } = &mut self.voice {
            let Some(mut answers) = known.get(&key).cloned() else {
                open.insert(key);
                self.unread
                    .entry(contract)
                    .or_insert_with(|| not_asked("was not asked"));
                return Answers::default();
            };
            if !answers.asked {
                self.unread
                    .entry(contract)
                    .or_insert_with(|| not_asked("did not answer"));
            }
            if self.created.contains(&contract) {
                answers.before = answers.after.as_ref().map(zeroes);
            }
            return answers;
        }
        let after = self.question(&key.0, &key.1, true);
        let before = if self.created.contains(&contract) {
            after.as_ref().map(|answer| answer.as_ref().map(zeroes))
        } else {
            self.question(&key.0, &key.1, false)
        };
        let answers = Answers {
            asked: before.is_some() && after.is_some(),
            before: before.flatten(),
            after: after.flatten(),
        };
        self.asked.insert(key, answers.clone());
        answers
    }

    /// The outer `None`: it was not asked.
    fn question(&mut self, contract: &Address, data: &Bytes, after: bool) -> Option<Option<Bytes>> {
        let Voice::Here {
            view,
            before,
            after: changed,
            gas,
        } = &mut self.voice
        else {
            return None;
        };
        let kept_back = if self.on_hearsay {
            MAX_REREADS_GAS / KEPT_BACK as u64
        } else {
            0
        };
        let spent = self.spent.entry(*contract).or_default();
        if *spent > MAX_REREAD_GAS - QUESTION_GAS || gas.get() <= kept_back {
            self.leave_out(*contract, Bound::RereadGas);
            return None;
        }
        if let Err(Unread::NotRead(why)) = view.ensure_time() {
            self.unread.entry(*contract).or_insert(why);
            return None;
        }
        let machine = if after { &mut **changed } else { &mut **before };
        let read = machine.read(*contract, data.clone(), QUESTION_GAS);
        // What ends without an answer may have used all it had.
        let used = read
            .as_ref()
            .map_or(QUESTION_GAS, |read| read.gas.saturating_sub(INTRINSIC_GAS));
        *spent += used;
        gas.set(gas.get().saturating_sub(used));
        match read {
            Ok(read) => Some(read.returned),
            Err(Unread::Pending) => {
                self.pending = true;
                None
            }
            Err(Unread::NotRead(why)) => {
                self.unread.entry(*contract).or_insert(why);
                None
            }
        }
    }

    /// Whether every question was answered as far as it can be.
    pub(super) fn ensure_settled(&self) -> Lookup<()> {
        if self.pending {
            Err(Unread::Pending)
        } else {
            Ok(())
        }
    }
}
