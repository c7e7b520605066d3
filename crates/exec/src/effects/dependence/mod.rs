//! What the effects depend on: the simulation once more in other surroundings. Code that behaves while it is
//! simulated and not on chain looks at the block, at the price of gas, at the gas that is left or at the sender's
//! balance to tell the two apart.
//!
//! A surrounding is varied when the code looked at it, in the usual surroundings or in other ones that were tried.
//! Effects that are the same in all of them are no proof that they depend on nothing: code may wait for a block, a
//! balance or an amount of gas that is not tried.

mod probe;
mod shape;
mod variation;

use super::Effects;
use crate::simulate::{self, Bound, Outcome, Simulation, Surrounding, Surroundings};
use presight_view::{Block, Lookup, Unread, View};
use presight_wire::{NotRead, Reason};
use probe::Probe;
use shape::{Shape, attributed};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use variation::scarce;

pub use variation::Variation;

/// The gas of all simulations in other surroundings, and of the contracts asked again after them: half a second of
/// hostile code. One call may exceed it.
pub const MAX_VARIED_GAS: u64 = 1 << 27;

/// What was tried, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependences {
    /// What the code looked at that a block may have otherwise, in the usual surroundings and in those that were
    /// tried.
    pub looked_at: BTreeSet<Surrounding>,
    /// The surroundings that were tried, in the order of [`Variation::ALL`].
    pub found: Vec<Dependence>,
}

/// Other surroundings, and whether the effects are others there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence {
    /// The surroundings.
    pub on: Variation,
    /// What differs.
    pub what: Difference,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Nothing that was seen. Code may still wait for what was not tried.
    Nothing,
    /// What happens: another outcome of a call, another transfer, grant or change.
    Kind,
    /// How much moves or is granted, and nothing else.
    Amounts,
    /// It is not known: state that the code observes there was not to be had.
    NotRead(NotRead),
}

impl Difference {
    /// A stable word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Nothing => "no-difference-seen",
            Self::Amounts => "amounts",
            Self::Kind => "other",
            Self::NotRead(_) => "not-read",
        }
    }

    /// The graver of two: what is not known may be anything.
    fn or(self, other: Self) -> Self {
        let gravity = |what: &Self| match what {
            Self::Nothing => 0,
            Self::Amounts => 1,
            Self::NotRead(_) => 2,
            Self::Kind => 3,
        };
        if gravity(&other) > gravity(&self) {
            other
        } else {
            self
        }
    }
}

/// Simulates once more in every surrounding that the code looked at, each of which is in the answer. Where the simulations have used up
/// [`MAX_VARIED_GAS`], further ones are not read, `incomplete`.
///
/// # Errors
/// Pending, while any of the simulations is.
pub fn depends_on(
    view: &View<'_>,
    simulation: &Simulation<'_>,
    outcome: &Outcome,
    effects: &Effects,
) -> Lookup<Dependences> {
    let block = match simulation.surroundings.header {
        Some(header) => header,
        None => view.block(simulation.chain)?,
    };
    let mut survey = Survey {
        view,
        simulation,
        block,
        outcome,
        effects,
        usual: Shape::of(outcome, effects),
        looked_at: outcome.looked_at.clone(),
        budget: Cell::new(MAX_VARIED_GAS),
    };
    let mut found = BTreeMap::new();
    let mut pending = false;
    while let Some(on) = survey.next(&found) {
        let what = match survey.difference(on) {
            Ok(what) => what,
            Err(Unread::NotRead(why)) => Difference::NotRead(why),
            Err(Unread::Pending) => {
                pending = true;
                Difference::Nothing
            }
        };
        found.insert(on, what);
    }
    if pending {
        return Err(Unread::Pending);
    }
    Ok(Dependences {
        looked_at: survey.looked_at,
        found: found
            .into_iter()
            .map(|(on, what)| Dependence { on, what })
            .collect(),
    })
}

/// The usual simulation, and what was seen in others so far.
struct Survey<'a, 'v> {
    view: &'a View<'v>,
    simulation: &'a Simulation<'a>,
    block: &'a Block,
    outcome: &'a Outcome,
    effects: &'a Effects,
    usual: Shape,
    looked_at: BTreeSet<Surrounding>,
    /// The gas that is left.
    budget: Cell<u64>,
}

impl Survey<'_, '_> {
    /// The next surroundings to try.
    fn next(&self, tried: &BTreeMap<Variation, Difference>) -> Option<Variation> {
        Variation::ALL
            .into_iter()
            .find(|on| !tried.contains_key(on) && on.is_seen(&self.looked_at))
    }

    fn difference(&mut self, on: Variation) -> Lookup<Difference> {
        let header = on.header(self.block);
        let surroundings = on.surroundings(&header, self.simulation);
        match on {
            Variation::LeastGas => self.with_less_gas(surroundings),
            Variation::ScarceGas => {
                let gas = scarce(self.outcome);
                self.compare(Surroundings {
                    gas: Some(&gas),
                    ..surroundings
                })
            }
            _ => self.compare(surroundings),
        }
    }

    fn compare(&mut self, surroundings: Surroundings<'_>) -> Lookup<Difference> {
        let there = self.run(surroundings, |_| true)?;
        Ok(there.map_or(Difference::Nothing, |there| self.see(there)))
    }

    /// The gravest difference with any amount of gas that is enough.
    fn with_less_gas(&mut self, surroundings: Surroundings<'_>) -> Lookup<Difference> {
        let mut probe = Probe::of(self.outcome);
        let mut gravest = Difference::Nothing;
        while gravest != Difference::Kind
            && let Some(limits) = probe.next()
        {
            let gas = Some(limits.as_slice());
            let there = self.run(Surroundings { gas, ..surroundings }, |ended| {
                probe.learn(&limits, ended)
            });
            let what = match there {
                Ok(Some(there)) => self.see(there),
                Ok(None) => continue,
                Err(Unread::NotRead(why)) => return Ok(gravest.or(Difference::NotRead(why))),
                Err(Unread::Pending) => return Err(Unread::Pending),
            };
            gravest = gravest.or(what);
        }
        Ok(gravest)
    }

    /// Simulates once more; compared only if the outcome is to be.
    fn run(
        &self,
        surroundings: Surroundings<'_>,
        is_comparable: impl FnOnce(&Outcome) -> bool,
    ) -> Lookup<Option<There>> {
        self.ensure_within()?;
        let again = Simulation {
            surroundings: Surroundings {
                budget: Some(&self.budget),
                ..surroundings
            },
            ..*self.simulation
        };
        let mut simulated = match simulate::run(self.view, &again) {
            Err(Unread::NotRead(why)) => {
                self.ensure_within()?;
                return Err(Unread::NotRead(why));
            }
            ran => ran?,
        };
        if !is_comparable(&simulated.outcome) {
            return Ok(None);
        }
        // Only the gas is another one: contracts that are asked again about the same say the same.
        let what = if surroundings.gas.is_some() && simulated.outcome.did_as(self.outcome) {
            Difference::Nothing
        } else {
            let effects = super::of_within(&mut simulated, &self.budget)?;
            self.difference_to(&simulated.outcome, &effects)
        };
        Ok(Some(There {
            looked_at: std::mem::take(&mut simulated.outcome.looked_at),
            what,
        }))
    }

    fn ensure_within(&self) -> Lookup<()> {
        if self.budget.get() > 0 {
            return Ok(());
        }
        Err(beyond().into())
    }

    fn difference_to(&self, outcome: &Outcome, effects: &Effects) -> Difference {
        let unread = effects.unread.values().chain(self.effects.unread.values());
        // What could not be asked there or here may be what differs.
        if let Some(why) = unread.into_iter().next() {
            Difference::NotRead(why.clone())
        } else if self.budget.get() == 0 && outcome.bounds.contains(&Bound::RereadGas) {
            Difference::NotRead(beyond())
        } else if Shape::of(outcome, effects) != self.usual {
            Difference::Kind
        } else if attributed(effects) != attributed(self.effects) {
            Difference::Amounts
        } else {
            Difference::Nothing
        }
    }

    /// Takes over what the code looked at there.
    fn see(&mut self, there: There) -> Difference {
        self.looked_at.extend(there.looked_at);
        there.what
    }
}

/// What happens in other surroundings.
struct There {
    looked_at: BTreeSet<Surrounding>,
    what: Difference,
}

fn beyond() -> NotRead {
    let note = format!("the simulations in other surroundings used up MAX_VARIED_GAS = {MAX_VARIED_GAS}");
    NotRead::new(Reason::Incomplete).with_note(note)
}
