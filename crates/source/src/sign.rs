//! Checking and signing an assembled report (ERC-8481 §Signature and source identity).

use presight_wire::report::Report;
use presight_wire::report::check;
use presight_wire::report::sign::{SigningKey, signing_hash};
use presight_wire::{Refusal, Request};

/// Why a report was not signed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignError {
    /// The report breaks a structural rule: a fault of this source, not of the request.
    #[error("the assembled report breaks a rule of ERC-8481: {0}")]
    Structure(Refusal),
    /// The key is not the source's signer.
    #[error("the key signs as {key}, the source names {named} as its signer")]
    ForeignKey {
        /// The key's account.
        key: String,
        /// The source's signer.
        named: String,
    },
}

/// Checks the report's structure with the rules every consumer uses, and signs it.
pub fn sign(report: &mut Report, request: &Request, key: &SigningKey) -> Result<(), SignError> {
    if key.address() != report.source.signer.address {
        return Err(SignError::ForeignKey {
            key: format!("{:#x}", key.address()),
            named: report.source.signer.to_string(),
        });
    }
    check_structure(report, request)?;
    let chain_id = report
        .source
        .registry
        .chain
        .evm_id()
        .expect("an AccountId is on an eip155 chain");
    let hash = signing_hash(
        chain_id,
        report.subject_digest,
        report.context_digest,
        report.hash(),
    );
    report.signature = Some(key.sign(hash));
    Ok(())
}

/// Checks the report's structure with the rules every consumer uses.
pub fn check_structure(report: &Report, request: &Request) -> Result<(), SignError> {
    match check::check(report, &report.to_value()).into_iter().next() {
        None => Ok(()),
        Some(broken) => Err(SignError::Structure(broken)),
    }
}
