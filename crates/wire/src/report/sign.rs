//! The EIP-712 hash and signature of a report (ERC-8481 §Signature and source identity).

use crate::error::Refusal;
use alloy_primitives::{Address, B256, Bytes};

/// The EIP-712 signing hash of `PresignReport(subjectDigest, contextDigest, reportHash)` in the domain of
/// `registry_chain_id`.
pub fn signing_hash(
    registry_chain_id: u64,
    subject_digest: B256,
    context_digest: B256,
    report_hash: B256,
) -> B256 {
    let _ = (registry_chain_id, subject_digest, context_digest, report_hash);
    B256::ZERO
}

/// A secp256k1 signing key; zeroised when dropped, never printed.
pub struct SigningKey(k256::ecdsa::SigningKey);

impl SigningKey {
    /// The account of the key.
    pub fn address(&self) -> Address {
        Address::from_private_key(&self.0)
    }

    /// RFC 6979 deterministic, low-s signature: 65 bytes r ‖ s ‖ v, v 27 or 28.
    pub fn sign(&self, hash: B256) -> Bytes {
        let _ = hash;
        Bytes::new()
    }
}

/// The account that signed `hash`.
pub fn recover(hash: B256, signature: &[u8]) -> Result<Address, Refusal> {
    let _ = (hash, signature);
    Err(Refusal::new("bad-signature", "", "not read yet"))
}
