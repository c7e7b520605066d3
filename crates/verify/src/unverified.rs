//! A report nobody has checked yet.

use alloy_primitives::B256;
use presight_wire::Refusal;
use presight_wire::json::{self, Numbers};
use presight_wire::limits::{MAX_DEPTH, MAX_REPORT_BYTES};
use presight_wire::report::{ReceivedReport, hash_of};
use serde_json::Value;

/// A report as received. It keeps its findings to itself until [`crate::verify()`] has concluded.
#[derive(Debug, Clone)]
pub struct Unverified {
    hash: B256,
    read: Result<ReceivedReport, Refusal>,
}

impl Unverified {
    /// Reads a report document.
    ///
    /// # Errors
    /// The codes of strict JSON reading, within [`MAX_REPORT_BYTES`] and [`MAX_DEPTH`]. JSON that is no report is
    /// kept: its verification fails at `structure`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let value = json::parse_bounded(bytes, Numbers::Exact, MAX_REPORT_BYTES, MAX_DEPTH)?;
        Ok(Self::from_value(value))
    }

    /// A report inside a document that strict reading produced.
    pub fn from_value(value: Value) -> Self {
        Self {
            hash: hash_of(&value),
            read: ReceivedReport::from_value(value),
        }
    }

    /// `digest` of the report without `signature` and `detail` (I-7).
    pub fn report_hash(&self) -> B256 {
        self.hash
    }

    /// The report with nothing verified: its findings are words of whoever sent it.
    ///
    /// # Errors
    /// Why the document is no report.
    pub fn trust_unverified(self) -> Result<ReceivedReport, Refusal> {
        self.read
    }

    pub(crate) fn read(&self) -> Result<&ReceivedReport, &Refusal> {
        self.read.as_ref()
    }
}

impl From<ReceivedReport> for Unverified {
    fn from(report: ReceivedReport) -> Self {
        Self {
            hash: report.hash(),
            read: Ok(report),
        }
    }
}
