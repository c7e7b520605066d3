//! Times as RFC 3339 in UTC, to the second.

use crate::error::{Refusal, shown};
use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time, date};
use std::fmt;

const EPOCH: Date = date(1970, 1, 1);
/// Seconds of a day.
const DAY: i64 = 86_400;

/// Unix seconds. Printed as RFC 3339 UTC (`2026-11-30T12:00:00Z`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Reads an RFC 3339 time. A fraction of a second is dropped; an offset is converted to UTC.
    ///
    /// # Errors
    /// `bad-time`.
    pub fn parse(text: &str, pointer: &str) -> Result<Self, Refusal> {
        let bad = || {
            Refusal::new(
                "bad-time",
                pointer,
                format!("`{}` is not an RFC 3339 time", shown(text)),
            )
        };
        if !has_rfc3339_shape(text.as_bytes()) {
            return Err(bad());
        }
        // The civil calendar reaches to the end of the year 9999, which jiff's timestamps do not.
        let civil: DateTime = text[..19].parse().map_err(|_| bad())?;
        let offset = offset_seconds(text.as_bytes()).ok_or_else(bad)?;
        let days = civil.date().duration_since(EPOCH).as_secs();
        let time = civil.time().duration_since(Time::midnight()).as_secs();
        Ok(Self(days + time - offset))
    }

    /// Reads an RFC 3339 time in UTC, written with `Z`, as a report's times are (ERC-8481 §Report).
    ///
    /// # Errors
    /// `bad-time`.
    pub fn parse_utc(text: &str, pointer: &str) -> Result<Self, Refusal> {
        if !text.ends_with('Z') {
            let message = format!("`{}` is not an RFC 3339 time in UTC", shown(text));
            return Err(Refusal::new("bad-time", pointer, message));
        }
        Self::parse(text, pointer)
    }
}

/// The offset of a text of the right shape, in seconds east of UTC; none when it is no offset of a clock.
fn offset_seconds(text: &[u8]) -> Option<i64> {
    if text.ends_with(b"Z") {
        return Some(0);
    }
    let (_, [sign, h1, h2, _, m1, m2]) = text.split_at_checked(text.len().checked_sub(6)?)? else {
        return None;
    };
    let number = |tens: u8, ones: u8| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
    let (hours, minutes) = (number(*h1, *h2), number(*m1, *m2));
    let seconds = hours * 3_600 + minutes * 60;
    let east = if *sign == b'-' { -seconds } else { seconds };
    (hours < 24 && minutes < 60).then_some(east)
}

/// `2026-11-30T12:00:00`, then perhaps a fraction, then `Z` or an offset. The calendar is jiff's business, which
/// would take other ISO 8601 forms too.
fn has_rfc3339_shape(text: &[u8]) -> bool {
    let Some((time, rest)) = text.split_at_checked(19) else {
        return false;
    };
    let fits = |text: &[u8], shape: &[u8]| {
        text.len() == shape.len()
            && text
                .iter()
                .zip(shape)
                .all(|(c, s)| if *s == b'0' { c.is_ascii_digit() } else { c == s })
    };
    let zone = match rest {
        [b'.', fraction @ ..] => {
            let digits = fraction.iter().take_while(|c| c.is_ascii_digit()).count();
            if digits == 0 {
                return false;
            }
            &fraction[digits..]
        }
        _ => rest,
    };
    fits(time, b"0000-00-00T00:00:00")
        && [&b"Z"[..], b"+00:00", b"-00:00"]
            .iter()
            .any(|shape| fits(zone, shape))
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, time) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        match EPOCH.checked_add(SignedDuration::from_secs(days.saturating_mul(DAY))) {
            Ok(date) => write!(
                f,
                "{date}T{:02}:{:02}:{:02}Z",
                time / 3_600,
                time / 60 % 60,
                time % 60
            ),
            Err(_) => write!(f, "@{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rfc_3339_only() {
        let seconds = |text| Timestamp::parse(text, "").map(|t| t.0).ok();
        assert_eq!(seconds("2026-11-30T12:00:00Z"), Some(1_796_040_000));
        assert_eq!(seconds("2026-11-30T12:00:00.999Z"), Some(1_796_040_000));
        assert_eq!(seconds("2026-11-30T13:30:00+01:30"), Some(1_796_040_000));
        for bad in [
            "",
            "2026-11-30",
            "2026-11-30T12:00:00",
            "2026-11-30 12:00:00Z",
            "20261130T120000Z",
            "2026-11-30T12:00Z",
            "2026-11-30T12:00:00.Z",
            "2026-11-30T12:00:00ZZ",
            "2026-11-30T12:00:00Z[UTC]",
            "2026-13-30T12:00:00Z",
            "2026-02-30T12:00:00Z",
            "2026-11-30T25:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(bad, "/t").unwrap_err().code, "bad-time", "{bad}");
        }
    }

    #[test]
    fn utc_is_written_with_z() {
        assert!(Timestamp::parse_utc("2026-11-30T12:00:00Z", "").is_ok());
        assert!(Timestamp::parse_utc("2026-11-30T12:00:00+00:00", "").is_err());
    }

    #[test]
    fn prints_what_it_reads() {
        assert_eq!(Timestamp(1_796_040_000).to_string(), "2026-11-30T12:00:00Z");
        for text in [
            "9999-12-31T23:59:59Z",
            "0001-01-01T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "2000-02-29T12:34:56Z",
        ] {
            assert_eq!(
                Timestamp::parse(text, "").map(|t| t.to_string()),
                Ok(text.to_owned())
            );
        }
        assert_eq!(Timestamp(i64::MAX).to_string(), format!("@{}", i64::MAX));
        assert_eq!(Timestamp(i64::MIN).to_string(), format!("@{}", i64::MIN));
    }
}
