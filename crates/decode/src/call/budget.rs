//! How much of what is inside calls is decoded. What is beyond is opaque and flagged, never dropped in silence.

use super::calldata::Oddity;

/// How deep calls may nest.
pub const MAX_NESTING: usize = 8;
/// Calls and router commands inside the calls of one request, together.
pub const MAX_INNER_CALLS: usize = 1_000;
/// Bytes of their calldata, together: four times what a request can hold. Arguments that overlap multiply bytes.
pub const MAX_INNER_BYTES: usize = 2 * 1024 * 1024;

const fn limit(message: &'static str) -> Oddity {
    Oddity::of_data("nesting-limit", message)
}

const TOO_DEEP: Oddity = limit("calls nest deeper than MAX_NESTING; what is below is not decoded");
const TOO_MANY: Oddity = limit("the calls inside are more than MAX_INNER_CALLS; the rest is not decoded");
const TOO_LONG: Oddity = limit("the calls inside are longer than MAX_INNER_BYTES; the rest is not decoded");

/// What is left of the bounds of one request.
#[derive(Debug)]
pub(crate) struct Budget {
    calls: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            calls: MAX_INNER_CALLS,
            bytes: MAX_INNER_BYTES,
        }
    }
}

impl Budget {
    /// Takes one call of `bytes` inside a call at `depth`; the bound that forbids it otherwise.
    pub(crate) fn enter(&mut self, depth: usize, bytes: usize) -> Result<(), Oddity> {
        if depth >= MAX_NESTING {
            return Err(TOO_DEEP);
        }
        self.calls = self.calls.checked_sub(1).ok_or(TOO_MANY)?;
        self.bytes = self.bytes.checked_sub(bytes).ok_or(TOO_LONG)?;
        Ok(())
    }
}
