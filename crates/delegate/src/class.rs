//! Who may take a path.

use crate::effect::{Effect, SlotWrite, What};
use crate::explore::{Engine, Path};
use crate::expr::{Binary, Id, Node, Store, TRANSIENT};
use crate::facts::Facts;
use alloy_primitives::U256;
use alloy_primitives::map::HashSet;

/// The callers of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Whoever brings a signature of the account over what is done.
    Signed,
    /// One address that does not change.
    Key(U256),
    /// The address that a slot of the account holds; the term is what the caller is compared with.
    Slot(Id),
    /// Anybody, or whoever passes a condition that is not understood.
    Other,
}

/// Who may take a path, and whether what it writes is theirs too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Callers {
    pub(crate) of_effects: Class,
    pub(crate) of_writes: Class,
}

/// Who may take a path.
pub(crate) fn callers(engine: &mut Engine<'_>, path: &Path) -> Callers {
    let account = U256::from_be_slice(engine.account.as_slice());
    let plain = plain_class(&mut engine.store, &path.facts);
    let signed = path
        .facts
        .known()
        .filter(|(_, value)| *value == account)
        .filter_map(|(id, _)| match *engine.store.node(id) {
            Node::Recovered([digest, ..]) => Some(digest),
            _ => None,
        })
        .collect::<Vec<_>>();
    let mut callers = Callers {
        of_effects: plain,
        of_writes: plain,
    };
    for digest in signed {
        let signed = Signed::new(&engine.store, digest);
        if path
            .effects
            .iter()
            .all(|effect| signed.binds(&engine.store, &path.facts, effect))
        {
            callers.of_effects = Class::Signed;
        }
        if path
            .writes
            .iter()
            .all(|write| signed.binds_write(&engine.store, write))
        {
            callers.of_writes = Class::Signed;
        }
    }
    callers
}

fn plain_class(store: &mut Store, facts: &Facts) -> Class {
    let caller = store.intern(Node::Caller);
    let (low, high) = facts.range(store, caller);
    if low == high {
        return Class::Key(low);
    }
    let equal = facts
        .known()
        .filter(|(_, value)| *value == U256::ONE)
        .filter_map(|(condition, _)| match *store.node(condition) {
            Node::Binary(Binary::Eq, x, y) if x == caller => Some(y),
            Node::Binary(Binary::Eq, x, y) if y == caller => Some(x),
            _ => None,
        });
    let slot = equal.filter(|other| is_of_one_slot(store, *other)).min();
    slot.map_or(Class::Other, Class::Slot)
}

/// Whether a term is made of one slot's later value and constants.
fn is_of_one_slot(store: &Store, id: Id) -> bool {
    match *store.node(id) {
        // What one transaction noted is no address that stays.
        Node::Later(slot, period) => period & TRANSIENT == 0 && store.value(slot).is_some(),
        Node::Binary(_, a, b) => match (store.value(a), store.value(b)) {
            (Some(_), None) => is_of_one_slot(store, b),
            (None, Some(_)) => is_of_one_slot(store, a),
            _ => false,
        },
        _ => false,
    }
}

/// The slot that a caller's term is of, and the term's value when the slot holds this.
pub(crate) fn slot_of(store: &Store, id: Id) -> Option<U256> {
    match *store.node(id) {
        Node::Later(slot, period) if period & TRANSIENT == 0 => store.value(slot),
        Node::Binary(_, a, b) => slot_of(store, a).or_else(|| slot_of(store, b)),
        _ => None,
    }
}

/// A caller's term when its slot holds a value.
pub(crate) fn term_with_slot(store: &mut Store, id: Id, value: U256) -> Id {
    match *store.node(id) {
        Node::Later(_, period) if period & TRANSIENT == 0 => store.word(value),
        Node::Binary(op, a, b) => {
            let (x, y) = (term_with_slot(store, a, value), term_with_slot(store, b, value));
            store.binary(op, x, y)
        }
        _ => id,
    }
}

/// What a signed digest fixes.
pub(crate) struct Signed {
    fixed: HashSet<Id>,
}

impl Signed {
    /// Everything that a digest is the hash of, through hashes of hashes.
    pub(crate) fn new(store: &Store, digest: Id) -> Self {
        let mut fixed = HashSet::default();
        let mut open = vec![digest];
        let mut hashed = false;
        while let Some(id) = open.pop() {
            if !fixed.insert(id) {
                continue;
            }
            if let Some(bytes) = store.preimage(id) {
                hashed = true;
                let pieces = store.pieces(bytes);
                // Of two parts without fixed length only the whole is fixed: bytes can go from one to the other.
                if pieces.iter().filter(|piece| piece.bytes == 0).count() <= 1 {
                    fixed.insert(bytes);
                    open.extend(pieces.iter().map(|piece| piece.value));
                }
            }
        }
        if !hashed {
            // A digest that the caller gives fixes nothing.
            fixed.clear();
        }
        Self { fixed }
    }

    /// Whether the digest fixes a word of the call's data as it is.
    pub(crate) fn has(&self, id: Id) -> bool {
        self.fixed.contains(&id)
    }

    /// Whether a term has one value once the signed words have theirs.
    fn fixes(&self, store: &Store, id: Id) -> bool {
        let mut seen = HashSet::<Id>::default();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if self.fixed.contains(&id) || !seen.insert(id) {
                continue;
            }
            store.spend(1);
            match store.node(id) {
                Node::Const(_) | Node::Balance(0) => {}
                Node::Stored(_)
                | Node::Binary(..)
                | Node::Not(_)
                | Node::IsZero(_)
                | Node::Ternary(..)
                | Node::Keccak(_)
                | Node::Bytes(_) => open.extend(store.children(id)),
                _ => return false,
            }
        }
        true
    }

    /// Whether nothing of an effect is left to whoever brings the signature.
    fn binds(&self, store: &Store, facts: &Facts, effect: &Effect) -> bool {
        let fixes = |id: &Id| facts.value(store, *id).is_some() || self.fixes(store, *id);
        match &effect.what {
            What::Call { to, value, data } => {
                fixes(to) && fixes(value) && data.whole.as_ref().is_some_and(fixes)
            }
            What::Delegate { to, data } => fixes(to) && data.whole.as_ref().is_some_and(fixes),
            What::SelfDestruct { to } => fixes(to),
            What::EnterSelf(_, data) => data.as_ref().is_some_and(fixes),
            What::Create { .. } | What::Again => false,
        }
    }

    fn binds_write(&self, store: &Store, write: &SlotWrite) -> bool {
        self.fixes(store, write.slot) && self.fixes(store, write.value)
    }
}
