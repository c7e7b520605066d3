//! The rim's loop: run the core, fetch what it missed, run it again.

use crate::ahead::{self, MAX_LOOKS_AHEAD};
use crate::problem::Problem;
use crate::snapshot::Snapshot;
use crate::view::View;
use crate::want::Want;
use presight_wire::{Reason, Timestamp};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::Instant;

/// Waves of one run. A contract may chase pointers through storage, one read per wave, for ever.
pub const MAX_WAVES: usize = 64;
/// Reads of one run.
pub const MAX_READS: usize = 100_000;
/// The least time that a run has to execute code.
const LEAST_RUN: Duration = Duration::from_millis(500);

/// A source of chain state and documents.
pub trait Backend {
    /// Takes note of reads that the core may want soon, and of calls that it may announce: they may be fetched with
    /// the next wave. One that fails is as if it had not been tried.
    fn expect(&mut self, wants: BTreeSet<Want>);

    /// Answers every want in the snapshot, with a value or a failure, by the deadline. A chain whose pin was lost
    /// may be removed instead, so that it is asked for again.
    fn fetch(
        &mut self,
        wants: &BTreeSet<Want>,
        snapshot: &mut Snapshot,
        deadline: Instant,
    ) -> impl Future<Output = ()> + Send;

    /// Checks that the pinned blocks still are what the chains have. False when the snapshot was changed, so that
    /// the core has to run again.
    fn confirm(&mut self, snapshot: &mut Snapshot, deadline: Instant) -> impl Future<Output = bool> + Send;

    /// The calls made to nodes so far.
    fn calls(&self) -> usize;

    /// Takes what was found wrong so far.
    fn take_problems(&mut self) -> Vec<Problem>;
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driven<T> {
    /// What the core gave on its last run.
    pub value: T,
    /// What that run read from.
    pub snapshot: Snapshot,
    /// What that run read.
    pub used: BTreeSet<Want>,
    /// Waves of requests sent, the final check of the pin included.
    pub waves: usize,
    /// Calls made to nodes.
    pub calls: usize,
    /// What was found wrong on the way.
    pub problems: Vec<Problem>,
}

impl<T> Driven<T> {
    /// The snapshot restricted to what the run read.
    pub fn witness(&self) -> Snapshot {
        self.snapshot.witness(&self.used)
    }
}

/// Runs the core on a snapshot that is held already, such as a view file's. What it does not hold is not read, for
/// the reason the snapshot is closed with; one that is open is closed as unavailable.
pub fn run_recorded<T>(snapshot: &Snapshot, core: impl Fn(&View<'_>) -> T) -> Driven<T> {
    let mut snapshot = snapshot.clone();
    snapshot.closed.get_or_insert(Reason::Unavailable);
    let view = View::new(&snapshot);
    let value = core(&view);
    let used = view.used();
    Driven {
        value,
        snapshot,
        used,
        waves: 0,
        calls: 0,
        problems: Vec::new(),
    }
}

/// Runs the core until it has every read it asks for, fetching each wave of misses from the backend.
///
/// The core must give the same value for the same snapshot. When the budget is over, what is still missing is not
/// read, `timeout`, and neither is what rests on code that was not executed yet; when the run needs more than
/// [`MAX_WAVES`] waves or [`MAX_READS`] reads, `unavailable`.
pub async fn run<B: Backend, T>(
    backend: &mut B,
    clock: Timestamp,
    budget: Duration,
    core: impl Fn(&View<'_>) -> T,
) -> Driven<T> {
    let deadline = Instant::now() + budget;
    let mut snapshot = Snapshot::new(clock);
    let mut waves = 0;
    let mut reads = 0;
    loop {
        // A run that begins late has some time for what is there.
        let end = deadline.max(Instant::now() + LEAST_RUN);
        let is_over = || Instant::now() >= end;
        let view = View::until(&snapshot, &is_over);
        let value = core(&view);
        let (used, expected, wants) = (view.used(), view.expected(), view.into_wants());
        if snapshot.closed.is_none() {
            let missing = wants.iter().filter(|want| !want.is_hint()).count();
            reads += missing;
            if missing > 0 {
                if Instant::now() >= deadline {
                    snapshot.closed = Some(Reason::Timeout);
                } else if waves >= MAX_WAVES || reads > MAX_READS {
                    snapshot.closed = Some(Reason::Unavailable);
                } else {
                    backend.expect(expected);
                    if (1..=MAX_LOOKS_AHEAD).contains(&waves) {
                        backend.expect(ahead::wants(&snapshot, &core, &wants, &is_over));
                    }
                    waves += 1;
                    backend.fetch(&wants, &mut snapshot, deadline).await;
                }
                continue;
            }
        }
        waves += 1;
        if backend.confirm(&mut snapshot, deadline).await {
            let (calls, problems) = (backend.calls(), backend.take_problems());
            return Driven {
                value,
                snapshot,
                used,
                waves,
                calls,
                problems,
            };
        }
    }
}
