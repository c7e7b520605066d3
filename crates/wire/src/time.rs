//! Times as RFC 3339 in UTC, to the second.

use crate::error::Refusal;
use std::fmt;

/// Unix seconds. Printed as RFC 3339 UTC (`2026-11-30T12:00:00Z`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Reads an RFC 3339 time. A fraction of a second is dropped; an offset is converted to UTC.
    pub fn parse(text: &str, pointer: &str) -> Result<Self, Refusal> {
        text.parse::<jiff::Timestamp>()
            .map(|t| Self(t.as_second()))
            .map_err(|_| {
                Refusal::new(
                    "bad-time",
                    pointer,
                    format!("`{}` is not an RFC 3339 time", text.escape_debug()),
                )
            })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_second(self.0) {
            Ok(t) => t.fmt(f),
            Err(_) => write!(f, "@{}", self.0),
        }
    }
}
