//! Exact integers of 256 bits and a sign. What does not fit is an error, never a wrapped number.

use alloy_primitives::U256;
use std::cmp::Ordering;
use std::fmt;

/// An integer from -(2^256 - 1) to 2^256 - 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Integer {
    /// Never set for zero.
    negative: bool,
    size: U256,
}

impl Integer {
    fn new(negative: bool, size: U256) -> Self {
        Self {
            negative: negative && !size.is_zero(),
            size,
        }
    }

    /// Reads decimal digits, with a `-` in front of a negative one and without leading zeros.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').map_or(text, |digits| digits);
        let plain = !digits.is_empty() && digits.len() <= 78 && digits.bytes().all(|b| b.is_ascii_digit());
        if !plain || (digits.len() > 1 && digits.starts_with('0')) {
            return None;
        }
        let size = U256::from_str_radix(digits, 10).ok()?;
        Some(Self::new(digits.len() < text.len(), size))
    }

    /// The value, when it is not negative and this small.
    pub(crate) fn small(self) -> Option<u64> {
        if self.negative {
            None
        } else {
            u64::try_from(self.size).ok()
        }
    }

    pub(crate) fn negate(self) -> Self {
        Self::new(!self.negative, self.size)
    }

    pub(crate) fn add(self, other: Self) -> Option<Self> {
        if self.negative == other.negative {
            return Some(Self::new(self.negative, self.size.checked_add(other.size)?));
        }
        let (larger, smaller) = if self.size >= other.size {
            (self, other)
        } else {
            (other, self)
        };
        Some(Self::new(larger.negative, larger.size.checked_sub(smaller.size)?))
    }

    pub(crate) fn subtract(self, other: Self) -> Option<Self> {
        self.add(other.negate())
    }

    pub(crate) fn multiply(self, other: Self) -> Option<Self> {
        Some(Self::new(
            self.negative != other.negative,
            self.size.checked_mul(other.size)?,
        ))
    }

    /// Towards zero, as CEL divides.
    pub(crate) fn divide(self, other: Self) -> Option<Self> {
        Some(Self::new(
            self.negative != other.negative,
            self.size.checked_div(other.size)?,
        ))
    }

    /// With the sign of the dividend, as CEL's remainder has.
    pub(crate) fn remainder(self, other: Self) -> Option<Self> {
        Some(Self::new(self.negative, self.size.checked_rem(other.size)?))
    }
}

impl From<u64> for Integer {
    fn from(value: u64) -> Self {
        Self::new(false, U256::from(value))
    }
}

impl From<U256> for Integer {
    fn from(value: U256) -> Self {
        Self::new(false, value)
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.size.cmp(&other.size),
            (true, true) => other.size.cmp(&self.size),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::Integer;
    use alloy_primitives::U256;
    use proptest::prelude::*;

    #[test]
    fn what_does_not_fit_is_nothing() {
        let most = Integer::from(U256::MAX);
        assert_eq!(most.add(Integer::from(1)), None);
        assert_eq!(most.negate().subtract(Integer::from(1)), None);
        assert_eq!(most.multiply(Integer::from(2)), None);
        assert_eq!(most.divide(Integer::from(0)), None);
        assert_eq!(most.remainder(Integer::from(0)), None);
        assert_eq!(Integer::parse(&format!("{}0", U256::MAX)), None);
        for text in ["", "-", "+1", "01", "1.0", " 1", "0x1", "1e3"] {
            assert_eq!(Integer::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_machine_integers(a in -1_000_000_i64..1_000_000, b in -1_000_000_i64..1_000_000) {
            let of = |n: i64| Integer::parse(&n.to_string()).unwrap();
            prop_assert_eq!(of(a).add(of(b)), Some(of(a + b)));
            prop_assert_eq!(of(a).subtract(of(b)), Some(of(a - b)));
            prop_assert_eq!(of(a).multiply(of(b)), Some(of(a * b)));
            prop_assert_eq!(of(a).divide(of(b)), a.checked_div(b).map(of));
            prop_assert_eq!(of(a).remainder(of(b)), a.checked_rem(b).map(of));
            prop_assert_eq!(of(a).cmp(&of(b)), a.cmp(&b));
            prop_assert_eq!(of(a).to_string(), a.to_string());
        }
    }
}
