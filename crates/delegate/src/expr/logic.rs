//! Bits and conditions, rewritten as they are built: equality is pushed down to the words it is about.

use super::{Binary, Id, Node, Store, low_mask};
use alloy_primitives::U256;

impl Store {
    /// `a & b`
    pub(crate) fn and(&mut self, a: Id, b: Id) -> Id {
        if a == b {
            return a;
        }
        let (a, b) = self.constant_right(a, b);
        let Some(mask) = self.value(b) else {
            let id = self.intern(Node::Binary(Binary::And, a, b));
            return self.zero_if_known(id);
        };
        if let Some(value) = self.value(a) {
            return self.word(value & mask);
        }
        let zeros = self.zeros(a);
        if mask & !zeros == U256::ZERO {
            return self.word(U256::ZERO);
        }
        if mask | zeros == U256::MAX {
            return a;
        }
        match *self.node(a) {
            Node::Binary(Binary::And, x, inner) if self.value(inner).is_some() => {
                let inner = self.value(inner).unwrap_or(U256::MAX);
                let mask = self.word(inner & mask);
                return self.and(x, mask);
            }
            Node::Binary(Binary::Or, x, y) => {
                let only = |store: &Self, other: Id| mask & !store.zeros(other) == U256::ZERO;
                if only(self, x) {
                    return self.and(y, b);
                }
                if only(self, y) {
                    return self.and(x, b);
                }
                if self.value(y).is_some() || self.joinable(x) || self.joinable(y) {
                    let (x, y) = (self.and(x, b), self.and(y, b));
                    return self.or(x, y);
                }
            }
            _ => {}
        }
        self.intern(Node::Binary(Binary::And, a, b))
    }

    /// A masked word, which a further mask makes no bigger.
    fn joinable(&self, id: Id) -> bool {
        matches!(self.node(id), Node::Binary(Binary::And, _, mask) if self.value(*mask).is_some())
    }

    /// `a | b`
    pub(crate) fn or(&mut self, a: Id, b: Id) -> Id {
        if a == b {
            return a;
        }
        let (a, b) = self.constant_right(a, b);
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            return self.word(x | y);
        }
        match self.value(b) {
            Some(U256::ZERO) => return a,
            Some(U256::MAX) => return b,
            _ => {}
        }
        // The parts of one word become one part.
        let part = |store: &Self, id: Id| match *store.node(id) {
            Node::Binary(Binary::And, x, mask) => store.value(mask).map(|mask| (x, mask)),
            _ => None,
        };
        if let (Some((x, p)), Some((y, q))) = (part(self, a), part(self, b))
            && x == y
        {
            let mask = self.word(p | q);
            return self.and(x, mask);
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Some((x, limit)) = self.product_fits(a, b) {
                let limit = self.word(limit);
                return self.lt(x, limit);
            }
        }
        self.intern(Node::Binary(Binary::Or, a, b))
    }

    /// For `x = 0` or `x·c / x = c`, by which compilers check that a product fits: `x`, and what it is below.
    fn product_fits(&self, zero: Id, fits: Id) -> Option<(Id, U256)> {
        let Node::IsZero(x) = *self.node(zero) else {
            return None;
        };
        let Node::Binary(Binary::Eq, quotient, factor) = *self.node(fits) else {
            return None;
        };
        let factor = self.value(factor).filter(|factor| *factor > U256::ONE)?;
        let Node::Binary(Binary::Div, product, by) = *self.node(quotient) else {
            return None;
        };
        let of_x = match *self.node(product) {
            Node::Binary(Binary::Mul, y, c) => y == x && self.value(c) == Some(factor),
            Node::Binary(Binary::Shl, n, y) => {
                y == x && self.shift(n).is_some_and(|n| n < 256 && U256::ONE << n == factor)
            }
            _ => false,
        };
        (of_x && by == x).then(|| (x, U256::MAX / factor + U256::ONE))
    }

    /// `a ^ b`
    pub(crate) fn xor(&mut self, a: Id, b: Id) -> Id {
        if a == b {
            return self.word(U256::ZERO);
        }
        let (a, b) = self.constant_right(a, b);
        match self.value(b) {
            Some(U256::ZERO) => return a,
            Some(U256::MAX) => return self.not(a),
            Some(bits) => {
                if let Node::Binary(Binary::Xor, x, inner) = *self.node(a)
                    && let Some(inner) = self.value(inner)
                {
                    let bits = self.word(inner ^ bits);
                    return self.xor(x, bits);
                }
                if self.is_bool(a) && bits == U256::ONE {
                    return self.is_zero(a);
                }
            }
            None => {
                for (x, y) in [(a, b), (b, a)] {
                    if let Node::Binary(Binary::Xor, p, q) = *self.node(x)
                        && (p == y || q == y)
                    {
                        return if p == y { q } else { p };
                    }
                }
            }
        }
        self.intern(Node::Binary(Binary::Xor, a, b))
    }

    /// `~x`
    pub(crate) fn not(&mut self, x: Id) -> Id {
        match *self.node(x) {
            Node::Const(value) => self.word(!value),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(x)),
        }
    }

    /// The `index`-th byte of `x`, from the top.
    pub(crate) fn byte(&mut self, index: Id, x: Id) -> Id {
        let Some(index) = self.value(index) else {
            // (x >> (248 - 8·index)) & 0xff for index < 32; index 32 and above give 0, as the shift wraps to 2^256 - n.
            let (three, top, mask) = (self.small(3), self.small(248), self.small(0xff));
            if self.zeros(index) | low_mask(64) != U256::MAX {
                return self.unknown();
            }
            let bits = self.shl(three, index);
            let by = self.sub(top, bits);
            let shifted = self.shr(by, x);
            return self.and(shifted, mask);
        };
        match usize::try_from(index) {
            Ok(index) if index < 32 => {
                let (by, mask) = (self.small(248 - 8 * index as u64), self.small(0xff));
                let shifted = self.shr(by, x);
                self.and(shifted, mask)
            }
            _ => self.word(U256::ZERO),
        }
    }

    /// 1 when `x` is zero, else 0.
    pub(crate) fn is_zero(&mut self, x: Id) -> Id {
        match *self.node(x) {
            Node::Const(value) => self.small(u64::from(value.is_zero())),
            Node::IsZero(inner) if self.is_bool(inner) => inner,
            Node::Binary(Binary::Xor | Binary::Sub, a, b) => self.eq(a, b),
            Node::Binary(Binary::Add, a, b) if self.value(b).is_some() => {
                let b = self.value(b).unwrap_or_default().wrapping_neg();
                let b = self.word(b);
                self.eq(a, b)
            }
            Node::Binary(Binary::Shl, by, inner) if self.nothing_lost_left(by, inner) => self.is_zero(inner),
            Node::Binary(Binary::Shr, by, inner) if self.nothing_lost_right(by, inner) => self.is_zero(inner),
            Node::Binary(Binary::Mul, inner, factor) if self.value(factor).is_some_and(|f| f.bit(0)) => {
                self.is_zero(inner)
            }
            Node::Not(inner) => {
                let ones = self.word(U256::MAX);
                self.eq(inner, ones)
            }
            // Nobody finds bytes whose hash is zero.
            Node::Keccak(_) => self.small(0),
            _ => self.intern(Node::IsZero(x)),
        }
    }

    /// 1 when they are equal, else 0.
    pub(crate) fn eq(&mut self, a: Id, b: Id) -> Id {
        if a == b {
            return self.small(1);
        }
        let (a, b) = self.constant_right(a, b);
        match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => self.small(u64::from(x == y)),
            (None, Some(value)) => self.eq_constant(a, value),
            _ => self.eq_terms(a, b),
        }
    }

    fn eq_constant(&mut self, x: Id, value: U256) -> Id {
        if value & self.zeros(x) != U256::ZERO {
            return self.small(0);
        }
        if value.is_zero() {
            return self.is_zero(x);
        }
        if self.is_bool(x) {
            return x;
        }
        let reduced = match *self.node(x) {
            Node::Binary(Binary::Add, y, c) => self.value(c).map(|c| (y, value.wrapping_sub(c))),
            Node::Binary(Binary::Xor, y, c) => self.value(c).map(|c| (y, value ^ c)),
            Node::Binary(Binary::Mul, y, c) => self
                .value(c)
                .and_then(inverse)
                .map(|i| (y, value.wrapping_mul(i))),
            Node::Binary(Binary::Sub, c, y) => self.value(c).map(|c| (y, c.wrapping_sub(value))),
            Node::Not(y) => Some((y, !value)),
            Node::Binary(Binary::Shl, by, y) if self.nothing_lost_left(by, y) => {
                self.shift(by).map(|n| (y, value >> n))
            }
            Node::Binary(Binary::Shr, by, y) if self.nothing_lost_right(by, y) => {
                self.shift(by).map(|n| (y, value << n))
            }
            _ => None,
        };
        match reduced {
            Some((y, value)) => {
                let value = self.word(value);
                self.eq(y, value)
            }
            None => {
                let value = self.word(value);
                self.intern(Node::Binary(Binary::Eq, x, value))
            }
        }
    }

    fn eq_terms(&mut self, a: Id, b: Id) -> Id {
        let (a_base, a_offset) = self.split(a);
        let (b_base, b_offset) = self.split(b);
        if let (Some(x), Some(y)) = (a_base, b_base)
            && (x == y || a_offset == b_offset && !a_offset.is_zero())
        {
            return if x == y { self.small(0) } else { self.eq(x, y) };
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Binary(Binary::Shl, n, x), Node::Binary(Binary::Shl, m, y))
                if n == m && self.nothing_lost_left(n, x) && self.nothing_lost_left(m, y) =>
            {
                self.eq(x, y)
            }
            (Node::Binary(Binary::Xor, p, q), Node::Binary(Binary::Xor, r, s)) if q == s => self.eq(p, r),
            (Node::Keccak(x), Node::Keccak(y)) => self.eq_bytes(a, b, x, y),
            _ => self.intern(Node::Binary(Binary::Eq, a, b)),
        }
    }

    /// Hashes are equal when what is hashed is.
    fn eq_bytes(&mut self, a: Id, b: Id, x: Id, y: Id) -> Id {
        let (xs, ys) = (self.pieces(x).to_vec(), self.pieces(y).to_vec());
        let alike = !xs.is_empty()
            && xs.len() == ys.len()
            && xs
                .iter()
                .zip(&ys)
                .all(|(x, y)| x.bytes == y.bytes && x.bytes != 0);
        if !alike {
            return self.intern(Node::Binary(Binary::Eq, a, b));
        }
        let mut all = self.small(1);
        for (x, y) in xs.iter().zip(&ys) {
            let mask = self.word(low_mask(8 * usize::from(x.bytes)));
            let (x, y) = (self.and(x.value, mask), self.and(y.value, mask));
            let same = self.eq(x, y);
            all = self.and(all, same);
        }
        all
    }

    /// 1 when `a < b`, else 0.
    pub(crate) fn lt(&mut self, a: Id, b: Id) -> Id {
        let most = |store: &Self, id: Id| store.value(id).unwrap_or(!store.zeros(id));
        let least = |store: &Self, id: Id| store.value(id).unwrap_or_default();
        if a == b || most(self, b) <= least(self, a) {
            return self.small(0);
        }
        if most(self, a) < least(self, b) {
            return self.small(1);
        }
        if self.is(b, 1) {
            return self.is_zero(a);
        }
        if self.is(a, 0) {
            let zero = self.is_zero(b);
            return self.is_zero(zero);
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            // A difference above what it was taken from has wrapped, and a sum below a part of it.
            (_, Node::Binary(Binary::Sub, x, y)) if x == a => return self.lt(x, y),
            (_, Node::Binary(Binary::Add, x, c)) if x == a && self.value(c).is_some() => {
                let limit = self.value(c).unwrap_or_default().wrapping_neg();
                let limit = self.word(limit);
                return self.lt(x, limit);
            }
            (Node::Binary(Binary::Add, x, y), _) if x == b || y == b => {
                let (x, y) = if x == b { (x, y) } else { (y, x) };
                let left = self.not(y);
                return self.lt(left, x);
            }
            _ => {}
        }
        self.intern(Node::Binary(Binary::Lt, a, b))
    }

    /// 1 when `a < b` as signed numbers, else 0.
    pub(crate) fn slt(&mut self, a: Id, b: Id) -> Id {
        if a == b {
            return self.small(0);
        }
        if self.zeros(a).bit(255) && self.zeros(b).bit(255) {
            return self.lt(a, b);
        }
        // A short sum against a short constant: the constant moves over without wrapping.
        if let Some((x, limit)) = self.short_difference(a, b) {
            return match limit {
                Some(limit) => {
                    let limit = self.word(limit);
                    self.lt(x, limit)
                }
                None => self.small(0),
            };
        }
        if let Some((x, limit)) = self.short_difference(b, a) {
            return match limit {
                Some(limit) => {
                    let limit = self.word(limit);
                    self.lt(limit, x)
                }
                None => self.small(1),
            };
        }
        self.intern(Node::Binary(Binary::SLt, a, b))
    }

    /// For `x + c` against `d`, all shorter than 128 bits: `x` and `d - c`, or none when that is negative.
    fn short_difference(&self, sum: Id, limit: Id) -> Option<(Id, Option<U256>)> {
        let limit = self.value(limit)?;
        let (base, offset) = self.split(sum);
        let base = base?;
        let short = |x: U256| x >> 128 == U256::ZERO;
        let short_signed = |x: U256| short(x) || short(x.wrapping_neg());
        if !short(!self.zeros(base)) || !short_signed(limit) || !short_signed(offset) {
            return None;
        }
        let moved = limit.wrapping_sub(offset);
        Some((base, (!moved.bit(255)).then_some(moved)))
    }

    fn nothing_lost_left(&self, by: Id, x: Id) -> bool {
        self.shift(by)
            .is_some_and(|n| n < 256 && self.zeros(x) | (U256::MAX >> n) == U256::MAX)
    }

    fn nothing_lost_right(&self, by: Id, x: Id) -> bool {
        self.shift(by)
            .is_some_and(|n| n < 256 && self.zeros(x) & low_mask(n) == low_mask(n))
    }
}

/// The inverse of an odd number modulo 2^256.
fn inverse(x: U256) -> Option<U256> {
    if !x.bit(0) {
        return None;
    }
    // Each round doubles the bits that are right, from 3.
    let mut inverse = x;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(U256::from(2).wrapping_sub(x.wrapping_mul(inverse)));
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::build::fold;
    use proptest::prelude::*;

    #[test]
    fn equality_reaches_the_caller() {
        let mut s = Store::new();
        let caller = s.intern(Node::Caller);
        let key = U256::from(0xabcdef_u64);
        let constant = s.word(key);
        let plain = s.eq(caller, constant);
        let (ninety_six, ones) = (s.small(96), s.word(low_mask(160)));
        let shifted = s.shl(ninety_six, caller);
        let masked = s.and(caller, ones);
        let high = s.word(key << 96);
        assert_eq!(s.eq(shifted, high), plain);
        assert_eq!(s.eq(constant, masked), plain);
        let xor = s.xor(caller, constant);
        assert_eq!(s.is_zero(xor), plain);
        let sub = s.sub(constant, caller);
        assert_eq!(s.is_zero(sub), plain);
        let odd = s.small(77);
        let product = s.mul(caller, odd);
        let value = s.word(key.wrapping_mul(U256::from(77)));
        assert_eq!(s.eq(product, value), plain);
        let sum = s.add(caller, odd);
        let value = s.word(key + U256::from(77));
        assert_eq!(s.eq(sum, value), plain);
    }

    #[test]
    fn the_size_check_of_solidity_is_one_comparison() {
        let mut s = Store::new();
        let size = s.intern(Node::CallDataSize);
        let (four, two_words) = (s.small(4), s.small(64));
        let args = s.sub(size, four);
        let short = s.slt(args, two_words);
        let limit = s.small(68);
        assert_eq!(short, s.lt(size, limit));
    }

    proptest! {
        /// Rewriting never changes a value: terms over two leaves, against the same operations on numbers.
        #[test]
        fn rewriting_keeps_the_value(
            ops in prop::collection::vec((0_u8..22, 0_usize..12, 0_usize..12), 1..24),
            x in word(), y in word(), constants in prop::collection::vec(word(), 6),
        ) {
            let mut s = Store::new();
            let zero = s.small(0);
            let thirty_two = s.small(32);
            let leaves = [s.intern(Node::CallData(zero)), s.intern(Node::CallData(thirty_two))];
            let mut terms: Vec<(Id, U256)> = vec![(leaves[0], x), (leaves[1], y)];
            for c in constants {
                let id = s.word(c);
                terms.push((id, c));
            }
            for (op, a, b) in ops {
                let ((a, x), (b, y)) = (terms[a % terms.len()], terms[b % terms.len()]);
                let term = match op {
                    0..18 => {
                        let op = ALL[usize::from(op)];
                        (s.binary(op, a, b), fold(op, x, y))
                    }
                    18 => (s.not(a), !x),
                    19 => (s.is_zero(a), U256::from(x.is_zero())),
                    20 => {
                        let index = s.small(7);
                        (s.byte(index, a), U256::from(x.to_be_bytes::<32>()[7]))
                    }
                    _ => (s.add(a, b), x.wrapping_add(y)),
                };
                let assign = |id: Id| if id == leaves[0] { Some(x_of(&terms, 0)) } else if id == leaves[1] { Some(x_of(&terms, 1)) } else { None };
                prop_assert_eq!(evaluate(&s, term.0, &assign), term.1);
                prop_assert_eq!(term.1 & s.zeros(term.0), U256::ZERO);
                terms.push(term);
            }
        }
    }

    const ALL: [Binary; 18] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::SDiv,
        Binary::Mod,
        Binary::SMod,
        Binary::Exp,
        Binary::SignExtend,
        Binary::Lt,
        Binary::SLt,
        Binary::Eq,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Shl,
        Binary::Shr,
        Binary::Sar,
    ];

    fn x_of(terms: &[(Id, U256)], index: usize) -> U256 {
        terms[index].1
    }

    fn word() -> impl Strategy<Value = U256> {
        prop_oneof![
            (0_u64..300).prop_map(U256::from),
            any::<[u64; 4]>().prop_map(U256::from_limbs),
            (0_usize..257).prop_map(low_mask),
            (0_usize..257).prop_map(|n| !low_mask(n)),
            (0_usize..256).prop_map(|n| U256::ONE << n),
        ]
    }

    fn evaluate(s: &Store, id: Id, leaf: &impl Fn(Id) -> Option<U256>) -> U256 {
        if let Some(value) = leaf(id) {
            return value;
        }
        match *s.node(id) {
            Node::Const(value) => value,
            Node::Not(x) => !evaluate(s, x, leaf),
            Node::IsZero(x) => U256::from(evaluate(s, x, leaf).is_zero()),
            Node::Binary(op, a, b) => fold(op, evaluate(s, a, leaf), evaluate(s, b, leaf)),
            ref other => panic!("not built here: {other:?}"),
        }
    }
}
