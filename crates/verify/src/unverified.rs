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
    value: Value,
    read: Result<ReceivedReport, Refusal>,
}

impl Unverified {
    /// Reads a report document.
    ///
    /// # Errors
    /// The codes of strict JSON reading, within [`MAX_REPORT_BYTES`] and [`MAX_DEPTH`]. JSON that is no report is kept: its verification fails at `structure`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        Ok(Self {
            value: json::parse(bytes, Numbers::Exact)?,
            read: ReceivedReport::parse(bytes),
        })
    }

    /// `digest` of the report without `signature` and `detail` (I-7).
    pub fn report_hash(&self) -> B256 {
        hash_of(&self.value)
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
            value: report.value.clone(),
            read: Ok(report),
        }
    }
}
