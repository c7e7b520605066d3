//! Checking and signing an assembled report (ERC-8481 §Signature and source identity).

use presight_wire::report::Report;
use presight_wire::report::check;
use presight_wire::report::sign::{self, SigningKey};
use presight_wire::{Refusal, Request};

/// Why a report was not given out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The report breaks a structural rule: a fault of this source, not of the request.
    #[error("the assembled report breaks a rule of ERC-8481: {0}")]
    Structure(Refusal),
    /// The key cannot sign it.
    #[error(transparent)]
    Key(Refusal),
}

/// Checks the report's structure with the rules every consumer uses, and signs it.
///
/// # Errors
/// When it breaks a rule, or the key is not that of `source.signer`.
pub fn sign(report: &mut Report, request: &Request, key: &SigningKey) -> Result<(), SignError> {
    check_structure(report, request)?;
    sign::sign(report, key).map_err(SignError::Key)
}

/// Checks the report's structure with the rules every consumer uses.
///
/// # Errors
/// The first rule it breaks.
pub fn check_structure(report: &Report, request: &Request) -> Result<(), SignError> {
    match check::check(&report.to_value(), request.kinds.as_deref())
        .into_iter()
        .next()
    {
        None => Ok(()),
        Some(broken) => Err(SignError::Structure(broken)),
    }
}
