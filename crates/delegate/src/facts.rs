//! What a path has found out: values, ranges and conditions of terms.

use crate::expr::{Binary, Id, Node, Store, low_mask};
use alloy_primitives::U256;
use alloy_primitives::map::{HashMap, HashSet};

/// How deep ranges are looked for in a term.
const RANGE_DEPTH: u32 = 8;
/// How deep a term is rewritten with known values.
const RESOLVE_DEPTH: u32 = 48;

/// Everything that holds on a path. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Terms whose value is known.
    values: HashMap<Id, U256>,
    /// Bounds of terms, both inclusive.
    ranges: HashMap<Id, (U256, U256)>,
    /// Values that terms do not have.
    not: Vec<(Id, U256)>,
    /// The conditions that were assumed, in order, and whether they hold.
    atoms: Vec<(Id, bool)>,
    /// The leaves of terms in `values`.
    leaves: u64,
    /// What tells the callers of a path apart: the equalities of its caller, its sender, a recovered signer and its selector.
    gates: u64,
}

impl Facts {
    /// What tells the callers of paths apart; paths with equal gates may be joined.
    pub(crate) fn gates(&self) -> u64 {
        self.gates
    }

    /// How much is known.
    pub(crate) fn len(&self) -> usize {
        self.values.len() + self.ranges.len() + self.not.len() + self.atoms.len()
    }

    /// The conditions that were assumed, in order.
    pub(crate) fn atoms(&self) -> &[(Id, bool)] {
        &self.atoms
    }

    /// The known value of a term.
    pub(crate) fn value(&self, store: &Store, id: Id) -> Option<U256> {
        store.value(id).or_else(|| self.values.get(&id).copied())
    }

    /// The terms whose values are known.
    pub(crate) fn known(&self) -> impl Iterator<Item = (Id, U256)> + '_ {
        self.values.iter().map(|(id, value)| (*id, *value))
    }

    /// Whether a condition is known to hold or not to hold.
    pub(crate) fn decide(&self, store: &mut Store, condition: Id) -> Option<bool> {
        let condition = self.resolve(store, condition);
        if !store.is_bool(condition) {
            // Whether a word is zero says more of what it is made of.
            let zero = store.is_zero(condition);
            return self.decide(store, zero).map(|zero| !zero);
        }
        let (low, high) = self.range(store, condition);
        if high.is_zero() {
            return Some(false);
        }
        if !low.is_zero() {
            return Some(true);
        }
        match *store.node(condition) {
            Node::IsZero(x) => self.decide_zero(store, x),
            Node::Binary(Binary::Eq, x, y) => self.decide_eq(store, x, y),
            Node::Binary(Binary::Lt, x, y) => self.decide_lt(store, x, y),
            Node::Binary(Binary::And, x, y) if store.is_bool(x) && store.is_bool(y) => {
                match (self.decide(store, x), self.decide(store, y)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Node::Binary(Binary::Or, x, y) if store.is_bool(x) && store.is_bool(y) => {
                match (self.decide(store, x), self.decide(store, y)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn decide_zero(&self, store: &mut Store, x: Id) -> Option<bool> {
        if store.is_bool(x) {
            return self.decide(store, x).map(|holds| !holds);
        }
        let (low, _) = self.range(store, x);
        (!low.is_zero() || self.is_not(x, U256::ZERO)).then_some(false)
    }

    fn decide_eq(&self, store: &Store, x: Id, y: Id) -> Option<bool> {
        let ((x_low, x_high), (y_low, y_high)) = (self.range(store, x), self.range(store, y));
        if x_high < y_low || y_high < x_low {
            return Some(false);
        }
        if x_low == x_high && y_low == y_high {
            return Some(true);
        }
        let value = store.value(y)?;
        self.is_not(x, value).then_some(false)
    }

    fn decide_lt(&self, store: &Store, x: Id, y: Id) -> Option<bool> {
        let ((x_low, x_high), (y_low, y_high)) = (self.range(store, x), self.range(store, y));
        if x_high < y_low {
            Some(true)
        } else if x_low >= y_high {
            Some(false)
        } else {
            None
        }
    }

    fn is_not(&self, id: Id, value: U256) -> bool {
        self.not.contains(&(id, value))
    }

    /// Takes in that a condition holds, or does not. False when that contradicts what is known.
    #[must_use]
    pub(crate) fn assume(&mut self, store: &mut Store, condition: Id, holds: bool) -> bool {
        let (condition, holds) = if store.is_bool(condition) {
            (condition, holds)
        } else {
            (store.is_zero(condition), !holds)
        };
        if let Some(known) = self.decide(store, condition) {
            return known == holds;
        }
        self.atoms.push((condition, holds));
        self.take(store, condition, holds)
    }

    fn take(&mut self, store: &mut Store, condition: Id, holds: bool) -> bool {
        if store.is_bool(condition) {
            self.set_value(store, condition, U256::from(holds));
        }
        if holds && is_gate(store, condition) {
            // Any order gives the same.
            self.gates ^= (u64::from(condition.index()) + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
        match *store.node(condition) {
            Node::Const(value) => value.is_zero() != holds,
            Node::IsZero(x) if store.is_bool(x) => self.take(store, x, !holds),
            Node::IsZero(x) => self.take_value(store, x, U256::ZERO, holds),
            Node::Binary(Binary::Eq, x, y) => match store.value(y) {
                Some(value) => self.take_value(store, x, value, holds),
                None => true,
            },
            Node::Binary(Binary::Lt, x, y) => self.take_order(store, x, y, holds),
            Node::Binary(Binary::And, x, y) if holds && store.is_bool(x) && store.is_bool(y) => {
                self.take(store, x, true) && self.take(store, y, true)
            }
            Node::Binary(Binary::Or, x, y) if !holds => {
                self.take_value(store, x, U256::ZERO, true) && self.take_value(store, y, U256::ZERO, true)
            }
            _ => true,
        }
    }

    /// Takes in that a term has a value, or has not.
    fn take_value(&mut self, store: &mut Store, x: Id, value: U256, has: bool) -> bool {
        let (low, high) = self.range(store, x);
        if let Some(known) = self.value(store, x) {
            return (known == value) == has;
        }
        if !has {
            self.not.push((x, value));
            // At the end of a range the range gets shorter.
            if low == value && high > low {
                return self.narrow(store, x, low + U256::ONE, high);
            }
            if high == value && high > low {
                return self.narrow(store, x, low, high - U256::ONE);
            }
            return low != high || low != value;
        }
        if value < low || value > high || value & store.zeros(x) != U256::ZERO || self.is_not(x, value) {
            return false;
        }
        self.set_value(store, x, value);
        match *store.node(x) {
            Node::Binary(Binary::Shr, by, y) => {
                let by = store
                    .value(by)
                    .and_then(|n| usize::try_from(n).ok())
                    .unwrap_or(256);
                let low = if by < 256 { value << by } else { U256::ZERO };
                by >= 256 || self.narrow(store, y, low, low | low_mask(by))
            }
            Node::Binary(Binary::Or, a, b) if value.is_zero() => {
                self.take_value(store, a, value, true) && self.take_value(store, b, value, true)
            }
            Node::IsZero(y) if store.is_bool(y) => self.take(store, y, value.is_zero()),
            Node::IsZero(_) | Node::Binary(Binary::Eq | Binary::Lt, ..) => {
                self.take(store, x, !value.is_zero())
            }
            _ => true,
        }
    }

    fn take_order(&mut self, store: &mut Store, x: Id, y: Id, less: bool) -> bool {
        let ((x_low, x_high), (y_low, y_high)) = (self.range(store, x), self.range(store, y));
        if less {
            // y is at least 1 above x.
            let (Some(top), Some(bottom)) = (y_high.checked_sub(U256::ONE), x_low.checked_add(U256::ONE))
            else {
                return false;
            };
            self.narrow(store, x, x_low, x_high.min(top)) && self.narrow(store, y, y_low.max(bottom), y_high)
        } else {
            self.narrow(store, x, x_low.max(y_low), x_high)
                && self.narrow(store, y, y_low, y_high.min(x_high))
        }
    }

    /// Takes in bounds of a term. False when nothing is left.
    pub(crate) fn narrow(&mut self, store: &Store, x: Id, low: U256, high: U256) -> bool {
        if let Some(value) = self.value(store, x) {
            return low <= value && value <= high;
        }
        let (old_low, old_high) = self.range(store, x);
        let (low, high) = (low.max(old_low), high.min(old_high));
        if low > high {
            return false;
        }
        if (low, high) != (old_low, old_high) {
            self.ranges.insert(x, (low, high));
            match *store.node(x) {
                // x + c within bounds, and c small: x is within the moved bounds when nothing wraps.
                Node::Binary(Binary::Add, y, c) => {
                    if let Some(c) = store.value(c)
                        && let (Some(_), Some(moved_high)) =
                            (self.range(store, y).1.checked_add(c), high.checked_sub(c))
                    {
                        let moved_low = low.saturating_sub(c);
                        return self.narrow(store, y, moved_low, moved_high);
                    }
                }
                Node::Binary(Binary::Shl, by, y) => {
                    if let Some(by) = store.value(by).and_then(|n| usize::try_from(n).ok())
                        && by < 256
                        && self.range(store, y).1 <= U256::MAX >> by
                    {
                        return self.narrow(store, y, low >> by, high >> by);
                    }
                }
                Node::Binary(Binary::Shr, by, y) => {
                    if let Some(by) = store.value(by).and_then(|n| usize::try_from(n).ok())
                        && by < 256
                        && high <= U256::MAX >> by
                    {
                        return self.narrow(store, y, low << by, (high << by) | low_mask(by));
                    }
                }
                Node::Binary(Binary::Div, y, by) => {
                    if let Some(by) = store.value(by)
                        && let (Some(low), Some(high)) = (low.checked_mul(by), high.checked_mul(by))
                    {
                        return self.narrow(store, y, low, high.saturating_add(by - U256::ONE));
                    }
                }
                _ => {}
            }
        }
        true
    }

    /// Bounds of the name of a joined place, in place of older ones.
    pub(crate) fn bound_joined(&mut self, name: Id, low: U256, high: U256) {
        self.ranges.insert(name, (low, high));
    }

    fn set_value(&mut self, store: &Store, x: Id, value: U256) {
        if store.value(x).is_none() {
            self.values.insert(x, value);
            self.leaves |= store.leaves(x);
        }
    }

    /// The term with known values in place.
    pub(crate) fn resolve(&self, store: &mut Store, id: Id) -> Id {
        if self.values.is_empty() {
            return id;
        }
        self.resolve_in(store, id, RESOLVE_DEPTH, &mut HashMap::default())
    }

    fn resolve_in(&self, store: &mut Store, id: Id, depth: u32, memo: &mut HashMap<Id, Id>) -> Id {
        store.spend(1);
        if store.leaves(id) & self.leaves == 0 {
            return id;
        }
        if let Some(value) = self.values.get(&id) {
            return store.word(*value);
        }
        if depth == 0 {
            return id;
        }
        if let Some(&known) = memo.get(&id) {
            return known;
        }
        let node = store.node(id).clone();
        let resolved = rebuild(store, id, &node, &mut |store, child| {
            self.resolve_in(store, child, depth - 1, memo)
        });
        let resolved = match self.values.get(&resolved) {
            Some(value) => store.word(*value),
            None => resolved,
        };
        memo.insert(id, resolved);
        resolved
    }

    /// Bounds of a term, both inclusive.
    pub(crate) fn range(&self, store: &Store, id: Id) -> (U256, U256) {
        self.range_in(store, id, RANGE_DEPTH)
    }

    fn range_in(&self, store: &Store, id: Id, depth: u32) -> (U256, U256) {
        store.spend(1);
        if let Some(value) = self.value(store, id) {
            return (value, value);
        }
        let mut low = U256::ZERO;
        let mut high = !store.zeros(id);
        if high != U256::MAX {
            // The bits that can be set bound the value.
            high = low_mask(256 - high.leading_zeros()) & high;
        }
        if let Some(&(known_low, known_high)) = self.ranges.get(&id) {
            (low, high) = (low.max(known_low), high.min(known_high));
        }
        if depth == 0 {
            return (low, high);
        }
        let of = |id: Id| self.range_in(store, id, depth - 1);
        let inner = match *store.node(id) {
            Node::Binary(Binary::Add, a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (of(a), of(b));
                match (a_low.checked_add(b_low), a_high.checked_add(b_high)) {
                    (Some(low), Some(high)) => Some((low, high)),
                    // Both ends wrap: adding a negative constant to what is larger.
                    (None, None) => Some((a_low.wrapping_add(b_low), a_high.wrapping_add(b_high))),
                    _ => None,
                }
            }
            Node::Binary(Binary::Sub, a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (of(a), of(b));
                a_low.checked_sub(b_high).map(|low| (low, a_high - b_low))
            }
            Node::Binary(Binary::Mul, a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (of(a), of(b));
                a_high.checked_mul(b_high).map(|high| (a_low * b_low, high))
            }
            Node::Binary(Binary::Div, a, b) => {
                let ((a_low, a_high), (b_low, b_high)) = (of(a), of(b));
                let high = a_high.checked_div(b_low).unwrap_or(a_high);
                Some((
                    a_low
                        .checked_div(b_high)
                        .filter(|_| !b_low.is_zero())
                        .unwrap_or_default(),
                    high,
                ))
            }
            Node::Binary(Binary::Mod, a, b) => {
                let (b_low, b_high) = of(b);
                (!b_low.is_zero()).then(|| (U256::ZERO, of(a).1.min(b_high - U256::ONE)))
            }
            Node::Binary(Binary::And, a, b) => Some((U256::ZERO, of(a).1.min(of(b).1))),
            Node::Binary(Binary::Or, a, b) => Some((of(a).0.max(of(b).0), U256::MAX)),
            Node::Binary(Binary::Shr, by, x) => store
                .value(by)
                .and_then(|n| usize::try_from(n).ok())
                .filter(|by| *by < 256)
                .map(|by| {
                    let (low, high) = of(x);
                    (low >> by, high >> by)
                }),
            Node::Binary(Binary::Shl, by, x) => store
                .value(by)
                .and_then(|n| usize::try_from(n).ok())
                .filter(|by| *by < 256)
                .and_then(|by| {
                    let (low, high) = of(x);
                    (high <= U256::MAX >> by).then(|| (low << by, high << by))
                }),
            _ => None,
        };
        match inner {
            Some((inner_low, inner_high)) => (low.max(inner_low), high.min(inner_high)),
            None => (low, high),
        }
    }

    /// Whether the path can not be taken once these terms have these values: only a proof gives true.
    pub(crate) fn refutes(&self, store: &mut Store, also: &[(Id, bool)]) -> bool {
        let mut facts = self.clone();
        for &(condition, holds) in also {
            if !facts.assume(store, condition, holds) {
                return true;
            }
        }
        // What was assumed may decide what was assumed before.
        for _ in 0..3 {
            let before = facts.clone();
            let atoms = facts.atoms.clone();
            for (condition, holds) in atoms {
                store.spend(facts.values.len() as u64 / 4);
                // What is known of a condition itself does not speak for it.
                let itself = facts.values.remove(&condition);
                let resolved = facts.resolve(store, condition);
                let known = facts.decide(store, resolved);
                facts.values.extend(itself.map(|value| (condition, value)));
                if known.is_some_and(|known| known != holds)
                    || known.is_none() && !facts.take(store, resolved, holds)
                {
                    return true;
                }
            }
            if facts == before {
                break;
            }
        }
        false
    }

    /// What holds on both of two paths.
    pub(crate) fn common(&self, other: &Self) -> Self {
        let mut values = self.values.clone();
        values.retain(|id, value| other.values.get(id) == Some(value));
        let mut ranges = self.ranges.clone();
        ranges.retain(|id, (low, high)| {
            let Some((other_low, other_high)) = other.ranges.get(id) else {
                return false;
            };
            *low = (*low).min(*other_low);
            *high = (*high).max(*other_high);
            true
        });
        let theirs: HashSet<&(Id, U256)> = other.not.iter().collect();
        let mut not = self.not.clone();
        not.retain(|pair| theirs.contains(pair));
        let theirs: HashSet<&(Id, bool)> = other.atoms.iter().collect();
        let mut atoms = self.atoms.clone();
        atoms.retain(|atom| theirs.contains(atom));
        Self {
            values,
            ranges,
            not,
            atoms,
            leaves: self.leaves,
            gates: self.gates,
        }
    }
}

/// Whether a condition is an equality of the caller, the sender, a recovered signer or the selector.
fn is_gate(store: &Store, condition: Id) -> bool {
    let Node::Binary(Binary::Eq, x, y) = *store.node(condition) else {
        return false;
    };
    [x, y].into_iter().any(|side| match *store.node(side) {
        Node::Caller | Node::Origin | Node::Recovered(_) => true,
        Node::Binary(Binary::Shr, by, word) => {
            store.is(by, 224) && matches!(*store.node(word), Node::CallData(at) if store.is(at, 0))
        }
        _ => false,
    })
}

/// The term again, with other children.
pub(crate) fn rebuild(
    store: &mut Store,
    id: Id,
    node: &Node,
    child: &mut impl FnMut(&mut Store, Id) -> Id,
) -> Id {
    match node {
        Node::Binary(op, a, b) => {
            let (x, y) = (child(store, *a), child(store, *b));
            if (x, y) == (*a, *b) {
                id
            } else {
                store.binary(*op, x, y)
            }
        }
        Node::IsZero(a) => {
            let x = child(store, *a);
            if x == *a { id } else { store.is_zero(x) }
        }
        Node::Not(a) => {
            let x = child(store, *a);
            if x == *a { id } else { store.not(x) }
        }
        Node::Keccak(a) => {
            let x = child(store, *a);
            if x == *a { id } else { store.keccak(x) }
        }
        Node::Bytes(pieces) => {
            let mut other = pieces.clone();
            for piece in &mut other {
                piece.value = child(store, piece.value);
            }
            if other == *pieces {
                id
            } else {
                store.intern(Node::Bytes(other))
            }
        }
        Node::CallData(a) => {
            let x = child(store, *a);
            if x == *a {
                id
            } else {
                store.intern(Node::CallData(x))
            }
        }
        Node::Slice(a, b) => {
            let (x, y) = (child(store, *a), child(store, *b));
            if (x, y) == (*a, *b) {
                id
            } else {
                store.intern(Node::Slice(x, y))
            }
        }
        Node::Stored(a) => {
            let x = child(store, *a);
            if x == *a { id } else { store.stored(x) }
        }
        Node::Recovered(inputs) => {
            let other = inputs.map(|input| child(store, input));
            if other == *inputs {
                id
            } else {
                store.intern(Node::Recovered(other))
            }
        }
        _ => id,
    }
}
