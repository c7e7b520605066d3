//! The keys of producers: raw, as `did:key`, and as accounts.

use super::walk::{chain_reference, hex_digits, is_address};
use crate::error::{Refusal, shown};
use alloy_primitives::{Address, hex};
use std::fmt;

/// A signature algorithm with a profile here (README, "Producer-signature profile").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// ECDSA on secp256k1 over an EIP-191 hash.
    Secp256k1,
    /// Pure Ed25519 (RFC 8032).
    Ed25519,
    /// ECDSA on P-256 over SHA-256.
    P256,
}

impl Scheme {
    /// The scheme of a name, compared exactly.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Secp256k1, Self::Ed25519, Self::P256]
            .into_iter()
            .find(|scheme| scheme.as_str() == name)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Secp256k1 => "secp256k1",
            Self::Ed25519 => "ed25519",
            Self::P256 => "p256",
        }
    }

    /// The multicodec prefix of its keys in a `did:key`.
    fn multicodec(self) -> [u8; 2] {
        match self {
            Self::Secp256k1 => [0xe7, 0x01],
            Self::Ed25519 => [0xed, 0x01],
            Self::P256 => [0x80, 0x24],
        }
    }
}

/// What a signature is verified under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicKey {
    /// A secp256k1 key.
    Secp256k1(k256::ecdsa::VerifyingKey),
    /// An account of which only the address of its secp256k1 key is known.
    Account(Address),
    /// An Ed25519 key.
    Ed25519(ed25519_dalek::VerifyingKey),
    /// A P-256 key.
    P256(p256::ecdsa::VerifyingKey),
}

const DID_KEY: &str = "did:key:";

impl PublicKey {
    /// Reads a key of a scheme: `0x` hex, a `did:key`, or for secp256k1 a CAIP-10 `eip155` account, whose chain is not
    /// looked at.
    ///
    /// # Errors
    /// `bad-key`.
    pub fn parse(text: &str, scheme: Scheme) -> Result<Self, Refusal> {
        let key = if text.starts_with(DID_KEY) {
            Self::from_did(text)
        } else if let Some(digits) = hex_digits(text) {
            hex::decode(digits)
                .ok()
                .and_then(|bytes| Self::from_bytes(&bytes, scheme))
        } else {
            account(text).map(Self::Account)
        };
        key.filter(|key| key.scheme() == scheme).ok_or_else(|| {
            let message = format!("`{}` is not a {} key", shown(text), scheme.as_str());
            Refusal::new("bad-key", "", message)
        })
    }

    /// The key that a producer's id names by itself: a `did:key` or an `eip155` account.
    /// `None` for ids of other forms; `Some(None)` for a `did:key` that holds no key of the three schemes.
    pub(super) fn named_by(id: &str) -> Option<Option<Self>> {
        if id.starts_with(DID_KEY) {
            return Some(Self::from_did(id));
        }
        account(id).map(|address| Some(Self::Account(address)))
    }

    /// A `did:key`, with or without a fragment.
    fn from_did(text: &str) -> Option<Self> {
        let text = text.strip_prefix(DID_KEY)?;
        let text = text.split_once('#').map_or(text, |(did, _)| did);
        // The longest key has 35 bytes with its prefix: 48 digits. Decoding takes quadratic time.
        let encoded = text.strip_prefix('z').filter(|digits| digits.len() <= 64)?;
        let decoded = bs58::decode(encoded).into_vec().ok()?;
        let (codec, bytes) = decoded.split_at_checked(2)?;
        let scheme = [Scheme::Secp256k1, Scheme::Ed25519, Scheme::P256]
            .into_iter()
            .find(|scheme| scheme.multicodec() == codec)?;
        // A did:key holds the compressed form only.
        let length = if scheme == Scheme::Ed25519 { 32 } else { 33 };
        (bytes.len() == length).then(|| Self::from_bytes(bytes, scheme))?
    }

    fn from_bytes(bytes: &[u8], scheme: Scheme) -> Option<Self> {
        match scheme {
            Scheme::Secp256k1 => {
                is_sec1(bytes).then_some(())?;
                k256::ecdsa::VerifyingKey::from_sec1_bytes(bytes)
                    .ok()
                    .map(Self::Secp256k1)
            }
            Scheme::P256 => {
                is_sec1(bytes).then_some(())?;
                p256::ecdsa::VerifyingKey::from_sec1_bytes(bytes)
                    .ok()
                    .map(Self::P256)
            }
            Scheme::Ed25519 => {
                let bytes = <[u8; 32]>::try_from(bytes).ok().filter(is_canonical)?;
                ed25519_dalek::VerifyingKey::from_bytes(&bytes)
                    .ok()
                    .map(Self::Ed25519)
            }
        }
    }

    /// Its scheme.
    pub fn scheme(&self) -> Scheme {
        match self {
            Self::Secp256k1(_) | Self::Account(_) => Scheme::Secp256k1,
            Self::Ed25519(_) => Scheme::Ed25519,
            Self::P256(_) => Scheme::P256,
        }
    }

    /// The account of a secp256k1 key.
    pub fn address(&self) -> Option<Address> {
        match self {
            Self::Secp256k1(key) => Some(Address::from_public_key(key)),
            Self::Account(address) => Some(*address),
            Self::Ed25519(_) | Self::P256(_) => None,
        }
    }

    /// Whether both name one key, as far as they name it.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Account(_), _) | (_, Self::Account(_)) => {
                self.address().is_some() && self.address() == other.address()
            }
            _ => self == other,
        }
    }

    /// The bytes: compressed, 32 for Ed25519; `None` of an account.
    fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Secp256k1(key) => Some(key.to_encoded_point(true).as_bytes().to_vec()),
            Self::Account(_) => None,
            Self::Ed25519(key) => Some(key.to_bytes().to_vec()),
            Self::P256(key) => Some(key.to_encoded_point(true).as_bytes().to_vec()),
        }
    }

    /// The key as a `did:key`; `None` of an account.
    pub fn to_did(&self) -> Option<String> {
        let bytes = [self.scheme().multicodec().as_slice(), &self.bytes()?].concat();
        Some(format!("{DID_KEY}z{}", bs58::encode(bytes).into_string()))
    }
}

/// As `publicKey` holds it: `0x` hex, compressed; of an account the address.
impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.bytes()) {
            (_, Some(bytes)) => f.write_str(&hex::encode_prefixed(bytes)),
            (key, None) => write!(f, "{:#x}", key.address().unwrap_or_default()),
        }
    }
}

/// Compressed or uncompressed, no other form of SEC 1.
fn is_sec1(bytes: &[u8]) -> bool {
    matches!((bytes.len(), bytes.first()), (33, Some(2 | 3)) | (65, Some(4)))
}

/// Whether the y coordinate is below 2^255 - 19.
fn is_canonical(bytes: &[u8; 32]) -> bool {
    let [first, middle @ .., last] = bytes;
    last & 0x7f < 0x7f || middle.iter().any(|b| *b != 0xff) || *first < 0xed
}

/// The address of a CAIP-10 `eip155` account.
fn account(text: &str) -> Option<Address> {
    let (chain, address) = text.rsplit_once(':')?;
    chain_reference(chain).filter(|_| is_address(address))?;
    address.parse().ok()
}
