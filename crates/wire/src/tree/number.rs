//! Numbers as IEEE doubles, which is what RFC 8785 takes them for.

use crate::limits::MAX_SAFE_INTEGER;

const SAFE: i64 = 9_007_199_254_740_991;
const SAFE_DOUBLE: f64 = 9_007_199_254_740_991.0;
const _: () = assert!(MAX_SAFE_INTEGER == SAFE.unsigned_abs());

/// A finite number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer of at most 2^53 - 1 in size, whatever its spelling: `6`, `6.0`, `60e-1`, `-0`.
    Integer(i64),
    /// Any other number.
    Double {
        /// The nearest double.
        value: f64,
        /// Whether it was written as a plain integer that a double cannot hold.
        rounded: bool,
    },
}

impl Number {
    /// The integer, when it is one of at most 2^53 - 1 in size.
    pub fn integer(self) -> Option<i64> {
        match self {
            Self::Integer(n) => Some(n),
            Self::Double { .. } => None,
        }
    }

    /// Whether there is a fractional part.
    pub fn is_fractional(self) -> bool {
        matches!(self, Self::Double { value, .. } if value.fract() != 0.0)
    }

    /// The double.
    pub fn value(self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "the integer is within 2^53 - 1")]
            Self::Integer(n) => n as f64,
            Self::Double { value, .. } => value,
        }
    }

    /// Reads a literal of the JSON grammar; `plain` without fraction and exponent. `None` beyond the largest double.
    pub(super) fn parse(literal: &str, plain: bool) -> Option<Self> {
        if plain && literal.len() <= 15 {
            return literal.parse().ok().map(Self::Integer);
        }
        let value: f64 = literal.parse().ok().filter(|v: &f64| v.is_finite())?;
        Some(match Self::whole(value) {
            Some(n) => Self::Integer(n),
            None => Self::Double {
                value,
                rounded: plain && format!("{value:.0}") != literal,
            },
        })
    }

    /// Whether the literal says this number: an integer of at most 2^53 - 1 in size, or a fraction that was not
    /// rounded to an integer (I-2).
    pub(super) fn is_exactly(self, literal: &str, plain: bool) -> bool {
        match self {
            Self::Integer(_) => plain || Decimal::of(literal).is_whole(),
            Self::Double { .. } => self.is_fractional(),
        }
    }

    /// Whether the literal was a plain integer that a double cannot hold.
    pub(super) fn is_rounded(self) -> bool {
        matches!(self, Self::Double { rounded: true, .. })
    }

    /// Whether RFC 8785 writes the same decimal number as the literal.
    pub(super) fn is_written_as(self, literal: &str, plain: bool) -> bool {
        match self {
            Self::Integer(_) if plain => true,
            Self::Integer(n) => Decimal::of(&n.to_string()) == Decimal::of(literal),
            Self::Double { value, .. } => {
                Decimal::of(ryu_js::Buffer::new().format_finite(value)) == Decimal::of(literal)
            }
        }
    }

    /// A number that was read elsewhere.
    pub(super) fn of(number: &serde_json::Number) -> Self {
        if let Some(n) = number.as_i64().filter(|n| n.abs_diff(0) <= MAX_SAFE_INTEGER) {
            return Self::Integer(n);
        }
        let value = number
            .as_f64()
            .expect("serde_json holds a u64, an i64 or a finite double: each has an f64");
        match Self::whole(value) {
            Some(n) if number.is_f64() => Self::Integer(n),
            _ => Self::Double {
                value,
                rounded: !number.is_f64() && format!("{value:.0}") != number.to_string(),
            },
        }
    }

    fn whole(value: f64) -> Option<i64> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "an integral double within 2^53 - 1 is an i64"
        )]
        (value.fract() == 0.0 && value.abs() <= SAFE_DOUBLE).then_some(value as i64)
    }

    pub(super) fn to_json(self) -> serde_json::Number {
        match self {
            Self::Integer(n) => n.into(),
            Self::Double { value, .. } => {
                serde_json::Number::from_f64(value).expect("a number that was read is finite")
            }
        }
    }
}

/// A decimal number: `0.digits` times ten to the power `exponent`. Equal ones are the same number.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    /// Without zeros at either end; none of zero.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// What a literal of the JSON grammar says.
    fn of(literal: &str) -> Self {
        let (unsigned, negative) = match literal.strip_prefix('-') {
            Some(unsigned) => (unsigned, true),
            None => (literal, false),
        };
        let (decimal, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let leading = all.iter().take_while(|digit| **digit == b'0').count();
        let trailing = all.iter().rev().take_while(|digit| **digit == b'0').count();
        let Some(digits) = all.get(leading..all.len() - trailing).filter(|d| !d.is_empty()) else {
            return Self {
                negative: false,
                digits: Vec::new(),
                exponent: 0,
            };
        };
        // Saturated: no literal is long enough to bring a larger exponent back into range.
        let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') {
            i64::MIN
        } else {
            i64::MAX
        });
        let places = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        Self {
            negative,
            digits: digits.to_vec(),
            exponent: places(whole.len())
                .saturating_sub(places(leading))
                .saturating_add(exponent),
        }
    }

    fn is_whole(&self) -> bool {
        i64::try_from(self.digits.len()).is_ok_and(|digits| digits <= self.exponent) || self.digits.is_empty()
    }
}
