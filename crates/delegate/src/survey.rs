//! All explorations that the questions need: the block's state, and every state that outsiders can bring about.

use crate::bounds::{Moves, moves, sends_value};
use crate::class::{Class, callers};
use crate::effect::{Inner, What};
use crate::explore::{Engine, Entry, Exploration, Path, Stop};
use crate::witness::Selves;
use crate::written::Written;

/// After so many rounds the slots that outsiders write are taken for not settled.
const ROUNDS: usize = 5;
/// Hashed slots that are told apart.
const HASHED: usize = 32;

/// What was explored.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Paths in the block's state.
    pub(crate) block: Exploration,
    pub(crate) block_selves: Selves,
    /// Paths in any state that outsiders can bring about.
    pub(crate) closure: Exploration,
    pub(crate) closure_selves: Selves,
    /// Slots that outsiders can write.
    pub(crate) written: Written,
    /// What kept it from being complete.
    pub(crate) stop: Option<Stop>,
}

/// A path on which something may move.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mover<'p> {
    pub(crate) path: &'p Path,
    pub(crate) class: Class,
    pub(crate) moves: Moves,
}

/// Explores until the slots that outsiders write are settled.
pub(crate) fn survey(engine: &mut Engine<'_>) -> Survey {
    let none = Written::default();
    let (first, selves) = round(engine, &none, &none);
    let mut survey = Survey {
        stop: first_stop(&first, &selves),
        block: first,
        block_selves: selves,
        ..Survey::default()
    };
    if survey.stop.is_some() {
        return survey;
    }
    let mut written = none.clone();
    collect(engine, &survey.block, &survey.block_selves, &mut written);
    if written.is_empty() {
        return survey;
    }
    for _ in 0..ROUNDS {
        let (closure, selves) = round(engine, &written, &written);
        survey.stop = first_stop(&closure, &selves);
        let mut more = written.clone();
        collect(engine, &closure, &selves, &mut more);
        (survey.closure, survey.closure_selves) = (closure, selves);
        if survey.stop.is_some() {
            survey.written = written;
            return survey;
        }
        if more == written {
            let (block, selves) = round(engine, &none, &written);
            survey.stop = first_stop(&block, &selves);
            (survey.block, survey.block_selves) = (block, selves);
            survey.written = written;
            return survey;
        }
        written = more;
    }
    survey.written = written;
    survey.stop = Some(Stop::At(format!(
        "the slots that outsiders write are not settled after {ROUNDS} rounds"
    )));
    survey
}

impl Survey {
    /// The paths in any state that outsiders can bring about.
    pub(crate) fn any_state(&self) -> (&Exploration, &Selves) {
        if self.written.is_empty() {
            (&self.block, &self.block_selves)
        } else {
            (&self.closure, &self.closure_selves)
        }
    }
}

fn first_stop(exploration: &Exploration, selves: &Selves) -> Option<Stop> {
    let stops = std::iter::once(exploration)
        .chain(selves.values())
        .filter_map(|e| e.stop.clone());
    // What is still to be asked for comes first.
    let stops: Vec<Stop> = stops.collect();
    stops
        .iter()
        .find(|s| **s == Stop::Pending)
        .or(stops.first())
        .cloned()
}

/// One exploration from outside, and those of the account's calls to itself that it leads to.
fn round(engine: &mut Engine<'_>, before: &Written, between: &Written) -> (Exploration, Selves) {
    let outside = engine.explore(Entry::Outside, before, between);
    let mut selves = Selves::new();
    let mut open = entered(engine, &outside, true);
    while let Some(inner) = open.pop() {
        if selves.contains_key(&inner) {
            continue;
        }
        let inside = engine.explore(Entry::Itself(inner), before, between);
        open.extend(entered(engine, &inside, false));
        let stopped = inside.stop.is_some();
        selves.insert(inner, inside);
        if stopped {
            break;
        }
    }
    note_moves(engine, &mut selves);
    (outside, selves)
}

/// The calls to itself that outsiders can make the account do.
fn entered(engine: &mut Engine<'_>, exploration: &Exploration, from_outside: bool) -> Vec<Inner> {
    let mut all = Vec::new();
    for path in &exploration.paths {
        let inners = path.effects.iter().filter_map(|effect| match effect.what {
            What::EnterSelf(inner, _) => Some(inner),
            _ => None,
        });
        let inners: Vec<Inner> = inners.collect();
        if inners.is_empty() || from_outside && callers(engine, path).of_effects == Class::Signed {
            continue;
        }
        all.extend(inners);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Takes in what paths write that need no signature of the account.
fn collect(engine: &mut Engine<'_>, exploration: &Exploration, selves: &Selves, written: &mut Written) {
    for path in &exploration.paths {
        if path.writes.is_empty() || callers(engine, path).of_writes == Class::Signed {
            continue;
        }
        for write in &path.writes {
            written.add(&engine.store, write);
        }
    }
    for path in selves.values().flat_map(|inside| &inside.paths) {
        for write in &path.writes {
            written.add(&engine.store, write);
        }
    }
    written.bound(HASHED);
}

/// The paths on which outsiders may move something.
pub(crate) fn movers<'p>(
    engine: &mut Engine<'_>,
    exploration: &'p Exploration,
    selves: &Selves,
) -> Vec<Mover<'p>> {
    let again = has_again(exploration);
    let mut movers = Vec::new();
    for path in &exploration.paths {
        if path.effects.is_empty() {
            continue;
        }
        let class = callers(engine, path).of_effects;
        if class == Class::Signed {
            continue;
        }
        let alone = !again && sends(engine, path, selves) <= 1;
        let mut most = Moves::No;
        for effect in &path.effects {
            most = most.max(match effect.what {
                What::EnterSelf(inner, _) => moves_inside(selves, inner),
                _ => moves(&mut engine.store, &path.facts, effect, alone),
            });
        }
        if most > Moves::No {
            movers.push(Mover {
                path,
                class,
                moves: most,
            });
        }
    }
    movers
}

/// Whether an outsider can have the account run its own code again within a call.
pub(crate) fn has_again(exploration: &Exploration) -> bool {
    exploration
        .paths
        .iter()
        .any(|path| path.effects.iter().any(|effect| effect.what == What::Again))
}

/// How many effects of a path send value.
pub(crate) fn sends(engine: &mut Engine<'_>, path: &Path, selves: &Selves) -> usize {
    path.effects
        .iter()
        .filter(|effect| match effect.what {
            What::Call { value, .. } | What::Create { value } => {
                sends_value(&mut engine.store, &path.facts, value, false)
            }
            What::SelfDestruct { .. } | What::Delegate { .. } => true,
            What::EnterSelf(inner, _) => moves_inside(selves, inner) > Moves::No,
            What::Again => false,
        })
        .count()
}

fn moves_inside(selves: &Selves, inner: Inner) -> Moves {
    selves.get(&inner).map_or(Moves::Yes, |inside| inside.moves)
}

/// Notes what each kind of call to itself moves, with what it leads to.
fn note_moves(engine: &mut Engine<'_>, selves: &mut Selves) {
    let mut leads = Vec::new();
    for (inner, inside) in &mut *selves {
        for path in &inside.paths {
            for effect in &path.effects {
                match effect.what {
                    What::EnterSelf(deeper, _) => leads.push((*inner, deeper)),
                    _ => {
                        let own = moves(&mut engine.store, &path.facts, effect, false);
                        inside.moves = inside.moves.max(own);
                    }
                }
            }
        }
    }
    leads.sort_unstable();
    leads.dedup();
    // As many rounds as there are kinds reach the furthest.
    for _ in 0..selves.len() {
        for (from, to) in &leads {
            let deeper = moves_inside(selves, *to);
            if let Some(inside) = selves.get_mut(from) {
                inside.moves = inside.moves.max(deeper);
            }
        }
    }
}
