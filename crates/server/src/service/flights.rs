//! Equal questions are worked on once: those under way are joined, and answers are kept while their blocks stand.

use super::answer::Answer;
use super::problem::Problem;
use alloy_primitives::B256;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

type Outcome = Result<Arc<Answer>, Problem>;

/// Questions under way, and answers that are kept.
#[derive(Debug)]
pub(crate) struct Flights {
    state: Mutex<State>,
    max_age: Duration,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    under_way: HashMap<Key, watch::Receiver<Option<Outcome>>>,
    kept: HashMap<B256, Kept>,
    /// Kept answers, oldest first.
    order: BTreeMap<u64, B256>,
    bytes: usize,
    next: u64,
}

#[derive(Debug)]
struct Kept {
    answer: Arc<Answer>,
    order: u64,
}

/// A question and how long its client waits: a shorter wait may give less.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) question: B256,
    pub(crate) wait: Duration,
}

/// What becomes of a question.
#[derive(Debug)]
pub(crate) enum Boarding {
    /// It was answered before.
    Kept(Arc<Answer>),
    /// It is under way.
    Joins(watch::Receiver<Option<Outcome>>),
    /// It has to be worked on; the outcome is sent to those who join.
    Leads(watch::Sender<Option<Outcome>>),
}

impl Flights {
    pub(crate) fn new(max_age: Duration, max_bytes: usize) -> Self {
        Self {
            state: Mutex::default(),
            max_age,
            max_bytes,
        }
    }

    /// Finds out whether a question has to be worked on. `stands` says whether an answer's blocks still are the chains'.
    pub(crate) fn board(&self, key: &Key, stands: impl Fn(&Answer) -> bool) -> Boarding {
        let mut state = self.lock();
        if let Some(kept) = state.kept.get(&key.question) {
            if kept.answer.made.elapsed() < self.max_age && stands(&kept.answer) {
                return Boarding::Kept(kept.answer.clone());
            }
            state.drop_kept(&key.question);
        }
        if let Some(outcome) = state.under_way.get(key) {
            return Boarding::Joins(outcome.clone());
        }
        let (sender, receiver) = watch::channel(None);
        state.under_way.insert(key.clone(), receiver);
        Boarding::Leads(sender)
    }

    /// Ends a flight: keeps the answer when it may be given again.
    pub(crate) fn land(&self, key: &Key, outcome: &Outcome) {
        let mut state = self.lock();
        state.under_way.remove(key);
        let Ok(answer) = outcome else { return };
        let size = answer.body.len();
        if answer.holds_at.is_none() || self.max_age.is_zero() || size > self.max_bytes {
            return;
        }
        state.drop_kept(&key.question);
        let order = state.next;
        state.next += 1;
        state.bytes += size;
        state.order.insert(order, key.question);
        let answer = answer.clone();
        state.kept.insert(key.question, Kept { answer, order });
        while state.bytes > self.max_bytes || state.oldest_is_older_than(self.max_age) {
            let Some(question) = state.order.values().next().copied() else {
                break;
            };
            state.drop_kept(&question);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn drop_kept(&mut self, question: &B256) {
        if let Some(kept) = self.kept.remove(question) {
            self.order.remove(&kept.order);
            self.bytes -= kept.answer.body.len();
        }
    }

    fn oldest_is_older_than(&self, max_age: Duration) -> bool {
        let oldest = self
            .order
            .values()
            .next()
            .and_then(|question| self.kept.get(question));
        oldest.is_some_and(|kept| Instant::now().duration_since(kept.answer.made) >= max_age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key {
            question: B256::repeat_byte(byte),
            wait: Duration::from_secs(1),
        }
    }

    fn answer(bytes: usize, holds: bool) -> Outcome {
        Ok(Arc::new(Answer {
            body: vec![0; bytes].into(),
            made: Instant::now(),
            holds_at: holds.then(Vec::new),
        }))
    }

    #[test]
    fn an_equal_question_joins_and_later_is_given_the_kept_answer() {
        let flights = Flights::new(Duration::from_secs(60), 100);
        assert!(matches!(flights.board(&key(1), |_| true), Boarding::Leads(_)));
        assert!(matches!(flights.board(&key(1), |_| true), Boarding::Joins(_)));
        assert!(matches!(flights.board(&key(2), |_| true), Boarding::Leads(_)));
        flights.land(&key(1), &answer(10, true));
        assert!(matches!(flights.board(&key(1), |_| true), Boarding::Kept(_)));
        assert!(matches!(flights.board(&key(1), |_| false), Boarding::Leads(_)));
    }

    #[test]
    fn what_may_differ_the_next_time_is_not_kept() {
        let flights = Flights::new(Duration::from_secs(60), 100);
        for outcome in [
            answer(10, false),
            answer(101, true),
            Err(Problem::new(500, "x", "")),
        ] {
            drop(flights.board(&key(1), |_| true));
            flights.land(&key(1), &outcome);
            assert!(matches!(flights.board(&key(1), |_| true), Boarding::Leads(_)));
            flights.land(&key(1), &outcome);
        }
    }

    #[test]
    fn kept_answers_are_bounded_by_their_bytes() {
        let flights = Flights::new(Duration::from_secs(60), 100);
        for byte in 1..=5 {
            drop(flights.board(&key(byte), |_| true));
            flights.land(&key(byte), &answer(40, true));
        }
        let kept = |byte| matches!(flights.board(&key(byte), |_| true), Boarding::Kept(_));
        assert_eq!([1, 2, 3, 4, 5].map(kept), [false, false, false, true, true]);
        assert_eq!(flights.lock().bytes, 80);
    }
}
