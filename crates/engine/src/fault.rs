//! Why a question got no answer.

use presight_source::SignError;
use presight_wire::Refusal;

/// Why a question got no answer. State that was not to be had is none: it is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The input was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The core was left waiting for reads: a fault of the door.
    #[error("the view was left with open reads")]
    OpenReads,
    /// The report breaks a rule, or the key is not its signer's: a fault of this source.
    #[error("the report was not made: {0}")]
    Unsigned(#[from] SignError),
}
