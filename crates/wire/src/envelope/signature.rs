//! Signatures over pre-images: what each scheme hashes, how it is written, and keys that make them.

use super::code::Code;
use super::key::{PublicKey, Scheme};
use super::validate::refused;
use super::walk::hex_digits;
use crate::error::Refusal;
use alloy_primitives::{Address, B256, Bytes, eip191_hash_message, hex};
use ed25519_dalek::Signer as _;
use k256::ecdsa::RecoveryId;
use p256::ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};
use sha2::{Digest as _, Sha256};
use std::fmt;
use zeroize::Zeroizing;

/// Why a signature does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    Encoding,
    HighS,
    Bad,
}

/// What a scheme signs of a pre-image; `None` for Ed25519, which takes the bytes themselves.
pub fn scheme_digest(scheme: Scheme, preimage: &[u8]) -> Option<B256> {
    match scheme {
        Scheme::Secp256k1 => Some(eip191_hash_message(preimage)),
        Scheme::P256 => Some(B256::from(<[u8; 32]>::from(Sha256::digest(preimage)))),
        Scheme::Ed25519 => None,
    }
}

/// Verifies the text of a signature.
pub(super) fn verify(key: &PublicKey, message: &[u8], text: &str) -> Result<(), Misfit> {
    // No scheme has more than 65 bytes.
    let digits = hex_digits(text)
        .filter(|digits| digits.len() <= 130)
        .ok_or(Misfit::Encoding)?;
    let bytes = hex::decode(digits).map_err(|_| Misfit::Encoding)?;
    match key {
        PublicKey::Secp256k1(_) | PublicKey::Account(_) => verify_secp256k1(key, message, &bytes),
        PublicKey::Ed25519(key) => {
            let signature = ed25519_dalek::Signature::from_slice(&bytes).map_err(|_| Misfit::Encoding)?;
            key.verify_strict(message, &signature).map_err(|_| Misfit::Bad)
        }
        PublicKey::P256(key) => {
            let signature = p256::ecdsa::Signature::from_slice(&bytes).map_err(|_| Misfit::Encoding)?;
            key.verify_prehash(&Sha256::digest(message), &signature)
                .map_err(|_| Misfit::Bad)
        }
    }
}

/// r, s and v: the key is recovered, and has to be the one. r and s alone: the key has to be known whole.
fn verify_secp256k1(key: &PublicKey, message: &[u8], bytes: &[u8]) -> Result<(), Misfit> {
    let (rs, v) = bytes.split_at_checked(64).ok_or(Misfit::Encoding)?;
    let parity = match v {
        [] => None,
        [0 | 27] => Some(0),
        [1 | 28] => Some(1),
        _ => return Err(Misfit::Encoding),
    };
    let signature = k256::ecdsa::Signature::from_slice(rs).map_err(|_| Misfit::Encoding)?;
    let hash = eip191_hash_message(message);
    let high = signature.normalize_s().is_some();
    match (parity, key) {
        (None, PublicKey::Secp256k1(_)) | (Some(_), _) if high => Err(Misfit::HighS),
        (None, PublicKey::Secp256k1(key)) => key
            .verify_prehash(hash.as_slice(), &signature)
            .map_err(|_| Misfit::Bad),
        (None, _) => Err(Misfit::Encoding),
        (Some(parity), key) => {
            let id = RecoveryId::from_byte(parity).expect("0 and 1 are recovery ids");
            let recovered = k256::ecdsa::VerifyingKey::recover_from_prehash(hash.as_slice(), &signature, id)
                .map_err(|_| Misfit::Bad)?;
            let same = key.is_same(&PublicKey::Secp256k1(recovered));
            same.then_some(()).ok_or(Misfit::Bad)
        }
    }
}

/// A producer's signing key; zeroised when dropped, never printed.
pub struct ProducerKey(Secret);

enum Secret {
    Secp256k1(k256::ecdsa::SigningKey),
    Ed25519(ed25519_dalek::SigningKey),
    P256(p256::ecdsa::SigningKey),
}

impl ProducerKey {
    /// Reads a key file's content: 32 bytes of hex, `0x` and surrounding white space optional; for Ed25519 the seed.
    ///
    /// # Errors
    /// `bad-key`; the message never holds any of the text.
    pub fn from_hex(scheme: Scheme, text: &[u8]) -> Result<Self, Refusal> {
        let bad = |message: &str| refused(Code::BadKey, "", message);
        let mut bytes = Zeroizing::new([0; 32]);
        hex::decode_to_slice(text.trim_ascii(), bytes.as_mut_slice())
            .map_err(|_| bad("a key is 64 hex digits"))?;
        let key = match scheme {
            Scheme::Secp256k1 => k256::ecdsa::SigningKey::from_slice(bytes.as_slice())
                .ok()
                .map(Secret::Secp256k1),
            Scheme::Ed25519 => Some(Secret::Ed25519(ed25519_dalek::SigningKey::from_bytes(&bytes))),
            Scheme::P256 => p256::ecdsa::SigningKey::from_slice(bytes.as_slice())
                .ok()
                .map(Secret::P256),
        };
        key.map(Self)
            .ok_or_else(|| bad("the number is zero or beyond the curve's order"))
    }

    /// Its scheme.
    pub fn scheme(&self) -> Scheme {
        self.public_key().scheme()
    }

    /// Its public key.
    pub fn public_key(&self) -> PublicKey {
        match &self.0 {
            Secret::Secp256k1(key) => PublicKey::Secp256k1(*key.verifying_key()),
            Secret::Ed25519(key) => PublicKey::Ed25519(key.verifying_key()),
            Secret::P256(key) => PublicKey::P256(*key.verifying_key()),
        }
    }

    /// The account of a secp256k1 key.
    pub fn address(&self) -> Option<Address> {
        self.public_key().address()
    }

    /// Signs a pre-image, deterministically: 65 bytes r ‖ s ‖ v of secp256k1 (low s, v 27 or 28), else 64.
    ///
    /// # Errors
    /// `bad-signature` when the curve gives no signature of these bytes, a chance of one in 2^255.
    pub fn sign(&self, preimage: &[u8]) -> Result<Bytes, Refusal> {
        let none = |_| refused(Code::NotSigned, "", "the curve gives no signature of these bytes");
        Ok(match &self.0 {
            Secret::Secp256k1(key) => {
                let hash = eip191_hash_message(preimage);
                let (signature, id) = key.sign_prehash_recoverable(hash.as_slice()).map_err(none)?;
                [signature.to_vec(), vec![27 + id.to_byte()]].concat().into()
            }
            Secret::Ed25519(key) => key.sign(preimage).to_vec().into(),
            Secret::P256(key) => {
                let signature: p256::ecdsa::Signature =
                    key.sign_prehash(&Sha256::digest(preimage)).map_err(none)?;
                signature.to_vec().into()
            }
        })
    }
}

impl fmt::Debug for ProducerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProducerKey({})", self.public_key())
    }
}
