//! Times as RFC 3339 in UTC, to the second.

use crate::error::{Refusal, shown};
use std::fmt;

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
        text.parse::<jiff::Timestamp>()
            .map(|t| Self(t.as_second()))
            .map_err(|_| bad())
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
        match jiff::Timestamp::from_second(self.0) {
            Ok(t) => t.fmt(f),
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
    }
}
