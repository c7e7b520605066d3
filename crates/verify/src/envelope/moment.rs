//! The consumer's clock.

use presight_wire::{Refusal, Timestamp};

/// A moment. The times of an envelope are whole seconds, so that of a fraction only matters whether there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    second: Timestamp,
    has_fraction: bool,
}

impl Moment {
    /// Reads an RFC 3339 time, with its fraction of a second. Its letters may be lower-case (RFC 3339 §5.6).
    ///
    /// # Errors
    /// `bad-time`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let second = Timestamp::parse(&text.to_ascii_uppercase(), "")?;
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
        let mut digits = fraction.chars().take_while(char::is_ascii_digit);
        Ok(Self {
            second,
            has_fraction: digits.any(|digit| digit != '0'),
        })
    }

    /// A moment of a second, `nanoseconds` after it began.
    pub fn within(second: Timestamp, nanoseconds: u32) -> Self {
        Self {
            second,
            has_fraction: nanoseconds != 0,
        }
    }

    /// Whether it is after the beginning of this second.
    pub(crate) fn is_after(self, second: i64) -> bool {
        self > Self::from(Timestamp(second))
    }

    /// Whether it is before the beginning of this second.
    pub(crate) fn is_before(self, second: i64) -> bool {
        self < Self::from(Timestamp(second))
    }

    /// Whole seconds from here to the beginning of this one, rounded down.
    pub(crate) fn seconds_to(self, second: i64) -> i64 {
        second
            .saturating_sub(self.second.0)
            .saturating_sub(i64::from(self.has_fraction))
    }
}

impl From<Timestamp> for Moment {
    fn from(second: Timestamp) -> Self {
        Self::within(second, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn a_fraction_counts() {
        let at = |fraction: &str| Moment::parse(&format!("2026-11-30T12:00:00{fraction}")).unwrap();
        let noon = 1_796_040_000;
        assert!(!at("Z").is_after(noon));
        assert_eq!(Moment::parse("2026-11-30t12:00:00z"), Ok(at("Z")));
        assert!(!at(".000Z").is_after(noon));
        assert!(at(".0001Z").is_after(noon));
        assert!(at(".5+00:00").is_after(noon));
        assert_eq!(at(".5Z").seconds_to(noon), -1);
        assert_eq!(at("Z").seconds_to(noon), 0);
        assert!(at(".999999999999Z").is_before(noon + 1));
        assert!(!at("Z").is_before(noon));
    }
}
