//! What each function of a delegate lets whom do.

use crate::bounds::Moves;
use crate::class::Class;
use crate::effect::{Effect, Function as Known, What, function};
use crate::explore::Engine;
use crate::expr::Store;
use crate::signature::selector;
use crate::survey::Mover;
use alloy_primitives::{Address, U256};
use std::collections::BTreeMap;

/// A function on which an outsider may move something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its selector; none for calls without one.
    pub selector: Option<u32>,
    /// Who may call it and move something.
    pub callers: Vec<Caller>,
    /// What is done, in words.
    pub does: Vec<&'static str>,
    /// Whether it is possible in the state of the block; otherwise only after other calls.
    pub now: bool,
    /// Whether it is sure that something moves.
    pub sure: bool,
}

/// Who may call a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caller {
    /// One address that the code or a slot that nobody writes names.
    Fixed(Address),
    /// The address in this slot.
    InSlot(U256),
    /// Anybody, or whoever passes a condition that is not understood.
    NotEstablished,
}

/// The functions on which outsiders may move something, by selector.
pub(crate) fn functions(engine: &mut Engine<'_>, now: &[Mover<'_>], any: &[Mover<'_>]) -> Vec<Function> {
    let mut functions: BTreeMap<Option<u32>, Function> = BTreeMap::new();
    for (movers, now) in [(now, true), (any, false)] {
        for mover in movers {
            let selector = selector(engine, mover.path).and_then(|s| u32::try_from(s).ok());
            let function = functions.entry(selector).or_insert_with(|| Function {
                selector,
                callers: Vec::new(),
                does: Vec::new(),
                now,
                sure: false,
            });
            function.sure |= mover.moves == Moves::Yes;
            function.callers.push(caller(&engine.store, mover.class));
            function.does.extend(
                mover
                    .path
                    .effects
                    .iter()
                    .map(|effect| told(&engine.store, effect)),
            );
        }
    }
    for function in functions.values_mut() {
        function.callers.sort_unstable();
        function.callers.dedup();
        function.does.sort_unstable();
        function.does.dedup();
    }
    functions.into_values().collect()
}

fn caller(store: &Store, class: Class) -> Caller {
    match class {
        Class::Key(key) => Caller::Fixed(Address::from_word(key.into())),
        Class::Slot(term) => {
            crate::class::slot_of(store, term).map_or(Caller::NotEstablished, Caller::InSlot)
        }
        Class::Signed | Class::Other => Caller::NotEstablished,
    }
}

/// An effect in words.
pub(crate) fn told(store: &Store, effect: &Effect) -> &'static str {
    match &effect.what {
        What::Call { data, .. } => match (data.selector, data.fixed_selector(store).map(function)) {
            (None, _) => "sends native value",
            (_, Some(Known::Transfer { .. })) => "transfers a token",
            (_, Some(Known::Item)) => "transfers an item",
            (_, Some(Known::Grant)) => "grants an allowance",
            (_, Some(Known::Unwrap)) => "unwraps native value",
            (_, Some(Known::Other)) => "calls a function that is not known",
            (_, None) => "calls with data that is not fixed",
        },
        What::Delegate { .. } => "runs code that is not fixed",
        What::Create { .. } => "creates a contract with value",
        What::SelfDestruct { .. } => "sends everything by selfdestruct",
        What::EnterSelf(..) => "calls itself",
        What::Again => "runs its own code again",
    }
}
