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
            Self::Integer(_) => plain || is_whole(literal),
            Self::Double { .. } => self.is_fractional(),
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

/// Whether a literal of the JSON grammar says an integer.
fn is_whole(literal: &str) -> bool {
    let (decimal, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits = || whole.trim_start_matches('-').bytes().chain(fraction.bytes());
    if digits().all(|digit| digit == b'0') {
        return true;
    }
    let trailing_zeros = digits().rev().take_while(|digit| *digit == b'0').count();
    let places = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    // Saturated: no literal is long enough to bring a larger exponent back into range.
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    });
    places(trailing_zeros).saturating_add(exponent) >= places(fraction.len())
}
