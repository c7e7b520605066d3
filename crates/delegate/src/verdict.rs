//! The two facts, from what was explored and what was executed.

use crate::bounds::{Moves, Terms, bounded, unrelated};
use crate::call::is_precompile;
use crate::class::{Class, callers, slot_of, term_with_slot};
use crate::effect::{Inner, What};
use crate::explore::{Engine, Exploration, Path, Stop};
use crate::replay::Call;
use crate::report::{self, Function, functions};
use crate::signature::{entry_point_is_signed, is_entry_point, is_for_operations, vouches_for_others};
use crate::survey::{Mover, Survey, has_again, movers, sends};
use crate::witness::{Selves, Witnesses};
use alloy_primitives::{Address, Bytes, U256};
use presight_view::Unread;
use std::collections::BTreeMap;

/// A fact about a delegate: established, or what stood against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// Established.
    Read(bool),
    /// Not established, and why.
    NotRead(String),
}

impl Fact {
    /// The value, where it was established.
    pub fn value(&self) -> Option<bool> {
        match self {
            Self::Read(value) => Some(*value),
            Self::NotRead(_) => None,
        }
    }
}

/// A call that was executed on the block's state, with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The call.
    pub call: Call,
    /// What it returned.
    pub result: Bytes,
}

/// Both facts with what they rest on.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) single_caller: Fact,
    pub(crate) unbounded_outflow: Fact,
    pub(crate) callers: Vec<Witness>,
    pub(crate) outflow: Option<Witness>,
    pub(crate) functions: Vec<Function>,
    pub(crate) note: String,
}

/// What both questions look at.
struct Case<'s> {
    block: Vec<Mover<'s>>,
    any: Vec<Mover<'s>>,
    /// What kept the exploration from being complete.
    stop: Option<String>,
    vouches: bool,
}

/// Decides both facts.
pub(crate) fn decide(engine: &mut Engine<'_>, survey: &Survey, delegate: Address) -> Result<Verdict, Stop> {
    if survey.stop == Some(Stop::Pending) {
        return Err(Stop::Pending);
    }
    let (any, any_selves) = survey.any_state();
    let mut case = Case {
        block: movers(engine, &survey.block, &survey.block_selves),
        any: movers(engine, any, any_selves),
        stop: survey.stop.as_ref().map(|stop| match stop {
            Stop::At(why) => why.clone(),
            Stop::Pending => String::new(),
        }),
        vouches: vouches_for_others(engine, any) || vouches_for_others(engine, &survey.block),
    };
    if entry_point_is_signed(engine, any) {
        let signed = |engine: &mut Engine<'_>, m: &Mover<'_>| {
            matches!(m.class, Class::Key(key) if is_entry_point(key)) && is_for_operations(engine, m.path)
        };
        case.block.retain(|m| !signed(engine, m));
        case.any.retain(|m| !signed(engine, m));
    }
    let (single_caller, callers) = single_caller(engine, survey, &case, delegate)?;
    let (unbounded_outflow, outflow) = unbounded_outflow(engine, survey, &case, delegate)?;
    let functions = functions(engine, &case.block, &case.any);
    let note = note(&case, survey);
    Ok(Verdict {
        single_caller,
        unbounded_outflow,
        callers,
        outflow,
        functions,
        note,
    })
}

fn note(case: &Case<'_>, survey: &Survey) -> String {
    let ends = survey.block.ends + survey.closure.ends;
    let state = if case.stop.is_some() {
        "not complete"
    } else {
        "complete"
    };
    format!(
        "{} paths of outsiders that move something; {ends} paths, {state}",
        case.any.len()
    )
}

fn not_read(why: impl Into<String>) -> Fact {
    Fact::NotRead(why.into())
}

/// Whether one address and nobody else outside can move something.
fn single_caller(
    engine: &mut Engine<'_>,
    survey: &Survey,
    case: &Case<'_>,
    delegate: Address,
) -> Result<(Fact, Vec<Witness>), Stop> {
    let paths: Vec<(&Path, Class)> = order(&case.block);
    let keys = keys(engine, &case.any);
    // Two calls by different callers settle it, however much else there is.
    let one_class = case.stop.is_none() && matches!(keys, Some([_]));
    let mut found = Vec::new();
    if !one_class {
        let mut witnesses = Witnesses::new(engine, delegate, &survey.block_selves);
        for (call, done) in witnesses.movers(&paths, 2) {
            found.push(Witness {
                call,
                result: done.result,
            });
        }
        let mut outside = 0;
        for witness in &found {
            outside += usize::from(has_no_code(engine, witness.call.caller)?);
        }
        if outside >= 2 {
            return Ok((Fact::Read(false), found));
        }
    }
    if let Some(why) = &case.stop {
        return Ok((not_read(why.as_str()), found));
    }
    if case.vouches {
        return Ok((
            not_read("isValidSignature may vouch for what the account did not sign"),
            found,
        ));
    }
    if case.any.is_empty() {
        return Ok((Fact::Read(false), found));
    }
    if case.block.is_empty() && unclaimed(engine, survey, &case.any) {
        return Ok((Fact::Read(false), found));
    }
    if let Some([key]) = keys {
        return one_key(engine, survey, case, key, delegate);
    }
    Ok((not_read("who may move something is not established"), found))
}

/// The one address that every path is for; none when they are not for one constant, or for one slot.
fn keys(engine: &mut Engine<'_>, movers: &[Mover<'_>]) -> Option<[Key; 1]> {
    let mut one: Option<Key> = None;
    for mover in movers {
        let key = match mover.class {
            Class::Key(key) => Key {
                address: key,
                slot: None,
            },
            Class::Slot(term) => {
                let slot = slot_of(&engine.store, term)?;
                let value = engine.store.slot_value(slot)?;
                let id = term_with_slot(&mut engine.store, term, value);
                Key {
                    address: engine.store.value(id)?,
                    slot: Some(slot),
                }
            }
            Class::Signed | Class::Other => return None,
        };
        if one.is_some_and(|one| one != key) {
            return None;
        }
        one = Some(key);
    }
    one.map(|key| [key])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    address: U256,
    slot: Option<U256>,
}

fn one_key(
    engine: &mut Engine<'_>,
    survey: &Survey,
    case: &Case<'_>,
    key: Key,
    delegate: Address,
) -> Result<(Fact, Vec<Witness>), Stop> {
    let nothing = Vec::new();
    if key.address.is_zero() {
        return Ok((not_read("the slot that names the caller is empty"), nothing));
    }
    if let Some(slot) = key.slot
        && !settled(engine, survey, slot)
    {
        return Ok((
            not_read(format!("others can write slot {slot:#x}, which names the caller")),
            nothing,
        ));
    }
    if is_entry_point(key.address) {
        return Ok((
            not_read("the caller is an entry point that may act for anybody"),
            nothing,
        ));
    }
    let caller = Address::from_word(key.address.into());
    if !has_no_code(engine, caller)? {
        return Ok((
            not_read(format!(
                "the caller {caller:#x} has code, and may act for anybody, or its code was not read"
            )),
            nothing,
        ));
    }
    if case.any.iter().all(|m| m.moves < Moves::Yes) {
        return Ok((
            not_read("whether the functions that are called move anything is not known"),
            nothing,
        ));
    }
    let paths = order(&case.block);
    let mut witnesses = Witnesses::new(engine, delegate, &survey.block_selves);
    let Some((call, done)) = witnesses.movers(&paths, 1).pop() else {
        return Ok((
            not_read("no call was found that shows the caller moving something"),
            nothing,
        ));
    };
    // What was proven is tried: a contradiction would be an error of the analysis.
    if call.caller != caller || !witnesses.strangers_fail(&call) {
        return Ok((not_read("an executed call contradicts the analysis"), nothing));
    }
    let witness = Witness {
        call,
        result: done.result,
    };
    Ok((Fact::Read(true), vec![witness]))
}

/// Whether only who is in a slot can write it.
fn settled(engine: &mut Engine<'_>, survey: &Survey, slot: U256) -> bool {
    let (any, selves) = survey.any_state();
    let writes_slot = |engine: &mut Engine<'_>, path: &Path| {
        path.writes.iter().any(|write| {
            !write.transient
                && engine
                    .store
                    .value(write.slot)
                    .is_none_or(|written| written == slot)
        })
    };
    if survey.written.any() {
        return false;
    }
    for path in &any.paths {
        if !writes_slot(engine, path) {
            continue;
        }
        let theirs = match callers(engine, path).of_writes {
            Class::Signed => true,
            Class::Slot(term) => slot_of(&engine.store, term) == Some(slot),
            Class::Key(_) | Class::Other => false,
        };
        if !theirs {
            return false;
        }
    }
    // The account itself may; but not on the word of others.
    !selves
        .values()
        .any(|inside| inside.paths.iter().any(|path| writes_slot(engine, path)))
}

/// Whether nobody can move anything now, because a slot that names the caller is empty, and anybody can fill it.
fn unclaimed(engine: &mut Engine<'_>, survey: &Survey, movers: &[Mover<'_>]) -> bool {
    movers.iter().all(|mover| {
        let Class::Slot(term) = mover.class else {
            return false;
        };
        let Some(slot) = slot_of(&engine.store, term) else {
            return false;
        };
        let empty = engine.store.slot_value(slot).is_some_and(|value| {
            let id = term_with_slot(&mut engine.store, term, value);
            engine.store.is(id, 0)
        });
        empty
            && survey.block.paths.iter().any(|path| {
                path.writes
                    .iter()
                    .any(|write| engine.store.value(write.slot) == Some(slot))
                    && callers(engine, path).of_writes == Class::Other
            })
    })
}

fn has_no_code(engine: &mut Engine<'_>, address: Address) -> Result<bool, Stop> {
    if crate::witness::STRANGERS.contains(&address) || crate::bounds::RECIPIENTS.contains(&address) {
        return Ok(true);
    }
    if is_entry_point_address(address) || is_precompile(address) {
        return Ok(false);
    }
    match engine.world.has_code(address) {
        Ok(code) => Ok(!code),
        Err(Unread::Pending) => Err(Stop::Pending),
        Err(Unread::NotRead(_)) => Ok(false),
    }
}

/// Sure movers first, and whole paths before parts.
fn order<'p>(movers: &[Mover<'p>]) -> Vec<(&'p Path, Class)> {
    let mut movers: Vec<&Mover<'p>> = movers.iter().filter(|m| m.moves == Moves::Yes).collect();
    movers.sort_by_key(|m| (!m.path.whole, m.path.effects.len()));
    movers.into_iter().map(|m| (m.path, m.class)).collect()
}

/// Whether an outsider can send a whole balance to a recipient of its choice in one call.
fn unbounded_outflow(
    engine: &mut Engine<'_>,
    survey: &Survey,
    case: &Case<'_>,
    delegate: Address,
) -> Result<(Fact, Option<Witness>), Stop> {
    let callers_without_code = movers_without_code(engine, &case.any)?;
    // Proofs have as much work as the exploration.
    let proofs = engine.store.work().saturating_add(engine.limits.work);
    let seed = [engine.delegate.hash().as_slice(), engine.account.as_slice()].concat();
    let terms = Terms {
        unrelated: unrelated(&seed),
        // Who can be called back can not come in again when only callers without code get in.
        once: callers_without_code && !has_again(&survey.block) && survey.block_selves_are_idle(),
        work: proofs,
    };
    let mut open = Vec::new();
    let mut insides = BTreeMap::new();
    for mover in &case.block {
        if !path_is_bounded(engine, mover.path, &survey.block_selves, terms, &mut insides) {
            open.push(*mover);
        }
    }
    if !open.is_empty() {
        let mut paths = Vec::new();
        for (path, class) in order(&open) {
            if let Class::Key(key) = class
                && !has_no_code(engine, Address::from_word(key.into()))?
            {
                continue;
            }
            paths.push((path, class));
        }
        let mut witnesses = Witnesses::new(engine, delegate, &survey.block_selves);
        if let Some((call, done)) = witnesses.empties(&paths) {
            let witness = Witness {
                call,
                result: done.result,
            };
            if has_no_code(engine, witness.call.caller)? && !is_entry_point_address(witness.call.caller) {
                return Ok((Fact::Read(true), Some(witness)));
            }
        }
    }
    if let Some(why) = &case.stop {
        return Ok((not_read(why.as_str()), None));
    }
    if case.vouches {
        return Ok((
            not_read("isValidSignature may vouch for what the account did not sign"),
            None,
        ));
    }
    if let Some(mover) = open.first() {
        let why = format!(
            "a path that is not proven bounded, and that no call was found for: {}",
            told(engine, mover)
        );
        return Ok((not_read(why), None));
    }
    // Whoever is called during a call can call back, into what others have changed by then.
    let (any, any_selves) = survey.any_state();
    let calls_out = case_calls_out(engine, &survey.block);
    let nested = has_again(&survey.block) || !survey.block_selves.is_empty();
    if !survey.written.is_empty() && (calls_out || nested) {
        let terms = Terms {
            once: terms.once && !has_again(any),
            ..terms
        };
        let mut insides = BTreeMap::new();
        for mover in &case.any {
            let back = nested || mover.class == Class::Other;
            if back && !path_is_bounded(engine, mover.path, any_selves, terms, &mut insides) {
                return Ok((
                    not_read("a call back into the account could do more than one call"),
                    None,
                ));
            }
        }
    }
    Ok((Fact::Read(false), None))
}

fn told(engine: &Engine<'_>, mover: &Mover<'_>) -> String {
    let what = mover
        .path
        .effects
        .iter()
        .map(|effect| report::told(&engine.store, effect));
    what.collect::<Vec<_>>().join(", ")
}

fn is_entry_point_address(address: Address) -> bool {
    is_entry_point(U256::from_be_slice(address.as_slice()))
}

/// Whether every path that moves is for callers that have no code.
fn movers_without_code(engine: &mut Engine<'_>, movers: &[Mover<'_>]) -> Result<bool, Stop> {
    let mut all = true;
    for mover in movers {
        let key = match mover.class {
            Class::Key(key) => Some(key),
            Class::Slot(term) => {
                let value = slot_of(&engine.store, term).and_then(|slot| engine.store.slot_value(slot));
                value.and_then(|value| {
                    let id = term_with_slot(&mut engine.store, term, value);
                    engine.store.value(id)
                })
            }
            Class::Signed => continue,
            Class::Other => None,
        };
        all &= match key {
            Some(key) => has_no_code(engine, Address::from_word(key.into()))?,
            None => false,
        };
    }
    Ok(all)
}

fn path_is_bounded(
    engine: &mut Engine<'_>,
    path: &Path,
    selves: &Selves,
    terms: Terms,
    insides: &mut BTreeMap<Inner, bool>,
) -> bool {
    let once = terms.once && sends(engine, path, selves) <= 1;
    let terms = Terms { once, ..terms };
    path.effects.iter().all(|effect| match effect.what {
        What::EnterSelf(inner, _) => *insides
            .entry(inner)
            .or_insert_with(|| inside_is_bounded(engine, selves, inner, terms)),
        _ => bounded(&mut engine.store, &path.facts, effect, terms),
    })
}

fn inside_is_bounded(engine: &mut Engine<'_>, selves: &Selves, inner: Inner, terms: Terms) -> bool {
    let Some(inside) = selves.get(&inner) else {
        return false;
    };
    let terms = Terms { once: false, ..terms };
    let mut open: Vec<Inner> = Vec::new();
    for path in &inside.paths {
        for effect in &path.effects {
            match effect.what {
                What::EnterSelf(deeper, _) => open.push(deeper),
                _ if !bounded(&mut engine.store, &path.facts, effect, terms) => return false,
                _ => {}
            }
        }
    }
    // Calls deeper down are of the same few kinds: each is looked at once.
    open.into_iter().filter(|deeper| *deeper != inner).all(|deeper| {
        selves
            .get(&deeper)
            .is_some_and(|inside| is_flat(engine, inside, terms))
    })
}

/// Whether an exploration is bounded and leads to no further one.
fn is_flat(engine: &mut Engine<'_>, inside: &Exploration, terms: Terms) -> bool {
    inside.paths.iter().all(|path| {
        path.effects.iter().all(|effect| {
            !matches!(effect.what, What::EnterSelf(..))
                && bounded(&mut engine.store, &path.facts, effect, terms)
        })
    })
}

/// Whether outsiders can take a path on which others' code runs.
fn case_calls_out(engine: &mut Engine<'_>, exploration: &Exploration) -> bool {
    exploration.paths.iter().any(|path| {
        path.called_out
            && (path.effects.is_empty() && path.writes.is_empty()
                || callers(engine, path).of_effects != Class::Signed)
    })
}

impl Survey {
    /// Whether what the account can be made to call of itself moves nothing.
    fn block_selves_are_idle(&self) -> bool {
        self.block_selves.values().all(|inside| inside.moves == Moves::No)
    }
}
