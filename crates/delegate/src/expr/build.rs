//! Arithmetic and shifts, rewritten as they are built. Constants stand on the right, sums have one constant.

use super::{Binary, Id, Node, Store, low_mask};
use alloy_primitives::U256;
use std::cmp::Ordering;

impl Store {
    /// An operation on two words, in the rewritten form.
    pub(crate) fn binary(&mut self, op: Binary, a: Id, b: Id) -> Id {
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            let folded = fold(op, x, y);
            return self.word(folded);
        }
        match op {
            Binary::Add => self.add(a, b),
            Binary::Sub => self.sub(a, b),
            Binary::Mul => self.mul(a, b),
            Binary::Div => self.div(a, b),
            Binary::Mod => self.modulo(a, b),
            Binary::Exp => self.exp(a, b),
            Binary::And => self.and(a, b),
            Binary::Or => self.or(a, b),
            Binary::Xor => self.xor(a, b),
            Binary::Shl => self.shl(a, b),
            Binary::Shr => self.shr(a, b),
            Binary::Sar if self.zeros(b).bit(255) => self.shr(a, b),
            Binary::SDiv if self.zeros(a).bit(255) && self.zeros(b).bit(255) => self.div(a, b),
            Binary::SMod if self.zeros(a).bit(255) && self.zeros(b).bit(255) => self.modulo(a, b),
            Binary::SignExtend => self.sign_extend(a, b),
            Binary::Lt => self.lt(a, b),
            Binary::SLt => self.slt(a, b),
            Binary::Eq => self.eq(a, b),
            Binary::Sar | Binary::SDiv | Binary::SMod => self.intern(Node::Binary(op, a, b)),
        }
    }

    /// `a + b`
    pub(crate) fn add(&mut self, a: Id, b: Id) -> Id {
        let (a_base, a_offset) = self.split(a);
        let (b_base, b_offset) = self.split(b);
        let base = match (a_base, b_base) {
            (None, None) => None,
            (Some(base), None) | (None, Some(base)) => Some(base),
            (Some(x), Some(y)) => Some(self.add_bases(x, y)),
        };
        self.offset(base, a_offset.wrapping_add(b_offset))
    }

    fn offset(&mut self, base: Option<Id>, offset: U256) -> Id {
        let Some(base) = base else {
            return self.word(offset);
        };
        // The sum of two bases can itself have a constant.
        let (base, more) = self.split(base);
        let offset = offset.wrapping_add(more);
        let constant = self.word(offset);
        match base {
            None => constant,
            Some(base) if offset.is_zero() => base,
            Some(base) => self.intern(Node::Binary(Binary::Add, base, constant)),
        }
    }

    fn add_bases(&mut self, x: Id, y: Id) -> Id {
        // (p - y) + y is p.
        for (x, y) in [(x, y), (y, x)] {
            if let Node::Binary(Binary::Sub, p, q) = *self.node(x)
                && q == y
            {
                return p;
            }
        }
        let (x, y) = if x <= y { (x, y) } else { (y, x) };
        self.intern(Node::Binary(Binary::Add, x, y))
    }

    /// `a - b`
    pub(crate) fn sub(&mut self, a: Id, b: Id) -> Id {
        let (a_base, a_offset) = self.split(a);
        let (b_base, b_offset) = self.split(b);
        let offset = a_offset.wrapping_sub(b_offset);
        let base = match (a_base, b_base) {
            (base, None) => base,
            (Some(x), Some(y)) if x == y => None,
            (x, Some(y)) => {
                let x = x.unwrap_or_else(|| self.word(U256::ZERO));
                Some(self.sub_bases(x, y))
            }
        };
        self.offset(base, offset)
    }

    fn sub_bases(&mut self, x: Id, y: Id) -> Id {
        match *self.node(x) {
            // (p + q) - q is p.
            Node::Binary(Binary::Add, p, q) if q == y => return p,
            Node::Binary(Binary::Add, p, q) if p == y => return q,
            // (p - q) - p is -q.
            Node::Binary(Binary::Sub, p, q) if p == y => {
                let zero = self.word(U256::ZERO);
                return self.sub(zero, q);
            }
            _ => {}
        }
        match *self.node(y) {
            // p - (p + q) is -q.
            Node::Binary(Binary::Add, p, q) if p == x || q == x => {
                let zero = self.word(U256::ZERO);
                return self.sub(zero, if p == x { q } else { p });
            }
            // p - (p - q) is q.
            Node::Binary(Binary::Sub, p, q) if p == x => return q,
            _ => {}
        }
        self.intern(Node::Binary(Binary::Sub, x, y))
    }

    /// `a · b`
    pub(crate) fn mul(&mut self, a: Id, b: Id) -> Id {
        let (a, b) = self.constant_right(a, b);
        match self.value(b) {
            Some(U256::ZERO) => b,
            Some(U256::ONE) => a,
            Some(factor) if factor.is_power_of_two() => {
                let by = self.small(factor.trailing_zeros() as u64);
                self.shl(by, a)
            }
            _ => self.intern(Node::Binary(Binary::Mul, a, b)),
        }
    }

    fn div(&mut self, a: Id, b: Id) -> Id {
        match self.value(b) {
            Some(U256::ZERO) => b,
            Some(by) if by.is_power_of_two() => {
                let by = self.small(by.trailing_zeros() as u64);
                self.shr(by, a)
            }
            _ if self.is(a, 0) => a,
            _ => self.intern(Node::Binary(Binary::Div, a, b)),
        }
    }

    fn modulo(&mut self, a: Id, b: Id) -> Id {
        match self.value(b) {
            Some(U256::ZERO) => b,
            Some(by) if by.is_power_of_two() => {
                let mask = self.word(by - U256::ONE);
                self.and(a, mask)
            }
            _ => self.intern(Node::Binary(Binary::Mod, a, b)),
        }
    }

    fn exp(&mut self, a: Id, b: Id) -> Id {
        match self.value(a) {
            Some(base) if base == U256::from(2) => {
                let one = self.small(1);
                self.shl(b, one)
            }
            Some(base) if base == U256::from(256) => {
                let (three, one) = (self.small(3), self.small(1));
                let by = self.shl(three, b);
                // 256^b is zero from b = 32 on; 8·b may wrap only beyond that.
                if self.zeros(b) | low_mask(64) == U256::MAX {
                    self.shl(by, one)
                } else {
                    self.intern(Node::Binary(Binary::Exp, a, b))
                }
            }
            _ if self.is(b, 0) => self.small(1),
            _ if self.is(b, 1) => a,
            _ => self.intern(Node::Binary(Binary::Exp, a, b)),
        }
    }

    fn sign_extend(&mut self, size: Id, x: Id) -> Id {
        match self.value(size).map(usize::try_from) {
            Some(Ok(size)) if size < 31 => {
                let sign = 8 * size + 7;
                if self.zeros(x) | low_mask(sign) == U256::MAX {
                    return x;
                }
            }
            Some(_) => return x,
            None => {}
        }
        self.intern(Node::Binary(Binary::SignExtend, size, x))
    }

    /// `x · 2^by`
    pub(crate) fn shl(&mut self, by: Id, x: Id) -> Id {
        let Some(n) = self.shift(by) else {
            return self.intern(Node::Binary(Binary::Shl, by, x));
        };
        if n == 0 {
            return x;
        }
        if n >= 256 {
            return self.word(U256::ZERO);
        }
        match *self.node(x) {
            Node::Const(value) => self.word(value << n),
            Node::Binary(Binary::Shl, m, y) if self.shift(m).is_some() => {
                let m = self.shift(m).unwrap_or(256);
                let by = self.small((n + m).min(256) as u64);
                self.shl(by, y)
            }
            Node::Binary(Binary::Shr, m, y) if self.shift(m).is_some() => {
                let m = self.shift(m).unwrap_or(256);
                let kept = match n.cmp(&m) {
                    Ordering::Equal => y,
                    Ordering::Less => {
                        let by = self.small((m - n) as u64);
                        self.shr(by, y)
                    }
                    Ordering::Greater => {
                        let by = self.small((n - m) as u64);
                        self.shl(by, y)
                    }
                };
                let mask = self.word((U256::MAX >> m) << n);
                self.and(kept, mask)
            }
            _ => {
                let by = self.small(n as u64);
                let id = self.intern(Node::Binary(Binary::Shl, by, x));
                self.zero_if_known(id)
            }
        }
    }

    /// `x / 2^by`
    pub(crate) fn shr(&mut self, by: Id, x: Id) -> Id {
        let Some(n) = self.shift(by) else {
            return self.intern(Node::Binary(Binary::Shr, by, x));
        };
        if n == 0 {
            return x;
        }
        if n >= 256 || self.zeros(x) | low_mask(n) == U256::MAX {
            return self.word(U256::ZERO);
        }
        match *self.node(x) {
            Node::Const(value) => self.word(value >> n),
            Node::Binary(Binary::Shr, m, y) if self.shift(m).is_some() => {
                let m = self.shift(m).unwrap_or(256);
                let by = self.small((n + m).min(256) as u64);
                self.shr(by, y)
            }
            Node::Binary(Binary::Shl, m, y) if self.shift(m).is_some() => {
                let m = self.shift(m).unwrap_or(256);
                let kept = match n.cmp(&m) {
                    Ordering::Equal => y,
                    Ordering::Less => {
                        let by = self.small((m - n) as u64);
                        self.shl(by, y)
                    }
                    Ordering::Greater => {
                        let by = self.small((n - m) as u64);
                        self.shr(by, y)
                    }
                };
                let mask = self.word((U256::MAX << m) >> n);
                self.and(kept, mask)
            }
            Node::Binary(Binary::And, y, mask) if self.value(mask).is_some() => {
                let mask = self.value(mask).unwrap_or(U256::MAX) >> n;
                let (kept, mask) = (self.shr(by, y), self.word(mask));
                self.and(kept, mask)
            }
            Node::Binary(Binary::Or, a, b) => {
                let (a, b) = (self.shr(by, a), self.shr(by, b));
                self.or(a, b)
            }
            _ => self.intern(Node::Binary(Binary::Shr, by, x)),
        }
    }

    /// How far a constant shifts; 256 for all that is further.
    pub(super) fn shift(&self, by: Id) -> Option<usize> {
        let by = self.value(by)?;
        Some(usize::try_from(by).unwrap_or(256).min(256))
    }

    pub(super) fn constant_right(&self, a: Id, b: Id) -> (Id, Id) {
        match (self.value(a), self.value(b)) {
            (Some(_), _) => (b, a),
            (_, Some(_)) => (a, b),
            _ if a > b => (b, a),
            _ => (a, b),
        }
    }

    pub(super) fn zero_if_known(&mut self, id: Id) -> Id {
        if self.zeros(id) == U256::MAX {
            self.word(U256::ZERO)
        } else {
            id
        }
    }
}

/// The operation on two values, as the EVM has it.
pub(crate) fn fold(op: Binary, a: U256, b: U256) -> U256 {
    let negative = |x: U256| x.bit(255);
    let magnitude = |x: U256| if negative(x) { x.wrapping_neg() } else { x };
    let signed = |x: U256, minus: bool| if minus { x.wrapping_neg() } else { x };
    let left = |x: U256, by: usize| if by >= 256 { U256::ZERO } else { x << by };
    let right = |x: U256, by: usize| if by >= 256 { U256::ZERO } else { x >> by };
    let shift = |n: U256| usize::try_from(n).unwrap_or(256).min(256);
    match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div => a.checked_div(b).unwrap_or_default(),
        Binary::Mod => a.checked_rem(b).unwrap_or_default(),
        Binary::SDiv => {
            let quotient = magnitude(a).checked_div(magnitude(b)).unwrap_or_default();
            signed(quotient, negative(a) != negative(b))
        }
        Binary::SMod => {
            let rest = magnitude(a).checked_rem(magnitude(b)).unwrap_or_default();
            signed(rest, negative(a))
        }
        Binary::Exp => a.wrapping_pow(b),
        Binary::SignExtend => match usize::try_from(a) {
            Ok(size) if size < 31 => {
                let low = low_mask(8 * size + 8);
                if b.bit(8 * size + 7) { b | !low } else { b & low }
            }
            _ => b,
        },
        Binary::Lt => U256::from(a < b),
        Binary::SLt => U256::from(match (negative(a), negative(b)) {
            (true, false) => true,
            (false, true) => false,
            _ => a < b,
        }),
        Binary::Eq => U256::from(a == b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => left(b, shift(a)),
        Binary::Shr => right(b, shift(a)),
        Binary::Sar => {
            let by = shift(a);
            if !negative(b) {
                right(b, by)
            } else if by >= 255 {
                U256::MAX
            } else {
                (b >> by) | !(U256::MAX >> by)
            }
        }
    }
}
