//! Whether what a path does is bounded: it can not send the whole balance to a recipient that the caller chooses.

use crate::effect::{Data, Effect, Function, What, function};
use crate::expr::{Id, Node, Store, low_mask};
use crate::facts::Facts;
use alloy_primitives::{Address, U256, address, keccak256};

/// Two recipients that have nothing to do with anything.
pub const RECIPIENTS: [Address; 2] = [
    address!("0x1cf3a9d27b65e0841f9d3a6c2b7e58d0413f92a7"),
    address!("0x6b02d84fe1597ac3084e6f2b91d7c35a0e8b4d19"),
];

/// Balances in wei that are tried: 100 ether, and more than any supply.
pub(crate) fn native_balances() -> [U256; 2] {
    [
        U256::from(100) * U256::from(10).pow(U256::from(18)),
        U256::ONE << 87,
    ]
}

/// Balances of a token that are tried.
pub(crate) fn token_balances() -> [U256; 2] {
    [U256::from(10).pow(U256::from(24)), U256::ONE << 111]
}

/// Whether an effect moves something of the account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Moves {
    #[default]
    No,
    /// A function that is not known is called, without value.
    Perhaps,
    Yes,
}

/// Whether an effect moves something. `alone`: nothing else on the path sends value, and nothing is repeated, so that
/// what came with the call is passed on once.
pub(crate) fn moves(store: &mut Store, facts: &Facts, effect: &Effect, alone: bool) -> Moves {
    match &effect.what {
        What::Call { value, data, .. } => {
            if sends_value(store, facts, *value, alone && !effect.repeats) {
                return Moves::Yes;
            }
            match (data.selector, data.fixed_selector(store)) {
                (None, _) => Moves::No,
                (_, Some(selector)) if function(selector) == Function::Other => Moves::Perhaps,
                _ => Moves::Yes,
            }
        }
        What::Create { value } => {
            if sends_value(store, facts, *value, alone && !effect.repeats) {
                Moves::Yes
            } else {
                Moves::No
            }
        }
        What::Delegate { .. } | What::SelfDestruct { .. } => Moves::Yes,
        // What the account lets itself do is looked at by itself; its own code again is what is looked at.
        What::EnterSelf(..) | What::Again => Moves::No,
    }
}

/// Whether a value can be more than what came with the call.
pub(crate) fn sends_value(store: &mut Store, facts: &Facts, value: Id, alone: bool) -> bool {
    let value = facts.resolve(store, value);
    if facts.range(store, value).1.is_zero() {
        return false;
    }
    !(alone && matches!(store.node(value), Node::CallValue))
}

/// Recipients for proofs that a recipient is not chosen: of a hash of the delegate's code, so that the code can not
/// leave out just these, and in pairs of which every bit is set in one.
pub(crate) fn unrelated(seed: &[u8]) -> [U256; UNRELATED] {
    let mut hash = keccak256(seed);
    let mut all = [U256::ZERO; UNRELATED];
    for pair in all.chunks_mut(2) {
        hash = keccak256(hash);
        let first = U256::from_be_bytes(hash.0) & low_mask(160);
        for (place, address) in pair.iter_mut().zip([first, first ^ low_mask(160)]) {
            *place = address;
        }
    }
    all
}

/// Recipients that a proof is for.
const UNRELATED: usize = 8;

/// How what is sent may be bounded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// Recipients that have nothing to do with the delegate: none may be possible where the recipient is not chosen.
    pub(crate) unrelated: [U256; UNRELATED],
    /// Nothing else on the path sends, and nothing can be repeated within the call.
    pub(crate) once: bool,
    /// When so much work was done, nothing more is proven.
    pub(crate) work: u64,
}

/// Whether an effect that is not an entry into the account itself is proven bounded.
pub(crate) fn bounded(store: &mut Store, facts: &Facts, effect: &Effect, terms: Terms) -> bool {
    let once = terms.once && !effect.repeats;
    match &effect.what {
        _ if store.work() > terms.work => false,
        What::Call { to, value, data } => {
            let native = !sends_value(store, facts, *value, once)
                || not_chosen(store, facts, *to, terms)
                || once && native_capped(store, facts, *value);
            native && call_bounded(store, facts, data, Terms { once, ..terms })
        }
        What::SelfDestruct { to } => not_chosen(store, facts, *to, terms),
        What::Create { value } => {
            !sends_value(store, facts, *value, once) || once && native_capped(store, facts, *value)
        }
        What::Delegate { .. } => false,
        What::EnterSelf(..) | What::Again => true,
    }
}

fn call_bounded(store: &mut Store, facts: &Facts, data: &Data, terms: Terms) -> bool {
    if data.selector.is_none() {
        return true;
    }
    let Some(selector) = data.fixed_selector(store) else {
        return false;
    };
    match function(selector) {
        Function::Transfer { to, amount } => {
            let (Some(&to), Some(&amount)) = (data.words.get(to), data.words.get(amount)) else {
                return false;
            };
            not_chosen(store, facts, to, terms) || terms.once && token_capped(store, facts, amount)
        }
        Function::Unwrap => true,
        // What a function that is not known does is not known.
        Function::Item | Function::Grant | Function::Other => false,
    }
}

/// Whether a recipient can be none of the unrelated addresses.
fn not_chosen(store: &mut Store, facts: &Facts, to: Id, terms: Terms) -> bool {
    let low = store.word(low_mask(160));
    let to = store.and(to, low);
    terms.unrelated.iter().all(|recipient| {
        let recipient = store.word(*recipient);
        let same = store.eq(to, recipient);
        facts.refutes(store, &[(same, true)])
    })
}

/// Whether no call sends everything for one of the balances.
fn native_capped(store: &mut Store, facts: &Facts, value: Id) -> bool {
    let came = store.intern(Node::CallValue);
    let balance = store.intern(Node::Balance(0));
    let nothing_came = store.is_zero(came);
    native_balances().into_iter().any(|whole| {
        let whole = store.word(whole);
        let less = store.lt(value, whole);
        let has = store.eq(balance, whole);
        // A balance that the path does not take says nothing of what goes with another.
        if facts.refutes(store, &[(nothing_came, true), (has, true)]) {
            return false;
        }
        // Without value of its own the caller can take at most what is there.
        let without = facts.refutes(store, &[(nothing_came, true), (has, true), (less, false)]);
        // With it, the account has more than that; then only a bound of the amount alone counts.
        without && facts.refutes(store, &[(nothing_came, false), (less, false)])
    })
}

fn token_capped(store: &mut Store, facts: &Facts, amount: Id) -> bool {
    token_balances().into_iter().any(|whole| {
        let whole = store.word(whole);
        let less = store.lt(amount, whole);
        facts.refutes(store, &[(less, false)])
    })
}
