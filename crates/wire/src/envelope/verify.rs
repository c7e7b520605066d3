//! Whether the producer signed: the status of README, "Producer-signature profile".

use super::code::Code;
use super::key::{PublicKey, Scheme};
use super::preimage::preimage;
use super::signature::{self, Misfit};
use super::validate::{read, reading_code};
use super::words::Coverage;
use crate::error::Refusal;
use serde_json::{Map, Value};
use std::fmt;

/// What the producer's signature is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// A good signature under a key that the producer's id is known to have.
    Verified,
    /// A good signature under a key that nothing ties to the producer's id: it proves nothing about who signed.
    VerifiedUnbound,
    /// Tampered with, or never rightly signed.
    Invalid,
    /// Not verified: an unknown scheme, or no key to be had here. To be treated as [`Status::Unsigned`].
    Unverified,
    /// No producer, or no signature of it.
    Unsigned,
    /// Not judged: unreadable, or an origin under coverage `content`.
    Rejected,
}

impl Status {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::VerifiedUnbound => "verified-unbound",
            Self::Invalid => "invalid",
            Self::Unverified => "unverified",
            Self::Unsigned => "unsigned",
            Self::Rejected => "rejected",
        }
    }

    /// The warning that §3.3 asks a consumer to raise.
    pub fn warning(self) -> Option<&'static str> {
        match self {
            Self::Verified | Self::Rejected => None,
            Self::VerifiedUnbound | Self::Unverified => Some("unverified-producer"),
            Self::Invalid => Some("tamper-detected"),
            Self::Unsigned => Some("unsigned-producer"),
        }
    }
}

/// Why a signature is not [`Status::Verified`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The signature is not of these bytes under this key.
    BadSignature,
    /// secp256k1: s is in the upper half of the curve's order.
    HighS,
    /// The signature's text is not in the scheme's form.
    SignatureEncoding,
    /// `publicKey`, or the key in the producer's id, is not a key of the scheme.
    KeyEncoding,
    /// The producer's id names another key than `publicKey`.
    KeyMismatch,
    /// Nothing ties the key to the producer's id.
    KeyUnbound,
    /// There is no key, and none can be resolved here.
    KeyUnresolved,
    /// The scheme has no profile here.
    UnknownScheme,
    /// Coverage `content` together with an origin.
    OriginWithContentCoverage,
    /// The document, or its producer, cannot be read.
    Unreadable(Code),
}

impl Reason {
    /// Its word; of an unreadable document the code of what is wrong with it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadSignature => "bad-signature",
            Self::HighS => "high-s",
            Self::SignatureEncoding => "signature-encoding",
            Self::KeyEncoding => "key-encoding",
            Self::KeyMismatch => "key-mismatch",
            Self::KeyUnbound => "key-unbound",
            Self::KeyUnresolved => "key-unresolved",
            Self::UnknownScheme => "unknown-scheme",
            Self::OriginWithContentCoverage => "origin-with-content-coverage",
            Self::Unreadable(code) => code.as_str(),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verification {
    /// What the signature is worth.
    pub status: Status,
    /// Why it is not verified.
    pub reason: Option<Reason>,
    /// What may be taken as the producer's word: set for [`Status::Verified`] only.
    pub attested: Option<Coverage>,
}

impl Verification {
    fn of(status: Status, reason: Reason) -> Self {
        Self {
            status,
            reason: Some(reason),
            attested: None,
        }
    }

    const UNSIGNED: Self = Self {
        status: Status::Unsigned,
        reason: None,
        attested: None,
    };

    /// Whether the member at a pointer may be taken as the producer's word (§3.3). `risk` and the signature itself
    /// never may.
    pub fn attests(&self, pointer: &str) -> bool {
        let within = |place: &str| {
            pointer
                .strip_prefix(place)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self.attested {
            None => false,
            Some(Coverage::Content) => within("/content"),
            Some(Coverage::Envelope) => {
                !pointer.is_empty()
                    && !within("/risk")
                    && pointer != "/producer"
                    && !within("/producer/signature")
            }
        }
    }
}

/// Gives the keys of a producer's id that is neither a `did:key` nor an account: another DID, an ERC-8004 record, a
/// URL, or a pinned id. `None` where they cannot be resolved.
pub type Resolver<'r> = &'r dyn Fn(&str) -> Option<Vec<PublicKey>>;

/// Resolves nothing: keys come from the document and from ids that are keys.
pub const OFFLINE: Resolver<'static> = &|_| None;

/// Verifies a text. Whether the envelope is valid is a separate question.
///
/// # Errors
/// `too-large`.
pub fn verify(bytes: &[u8], resolver: Resolver<'_>) -> Result<Verification, Refusal> {
    Ok(match read(bytes)? {
        Ok(tree) => verify_value(&tree.to_value(), resolver),
        Err(fault) => rejected(reading_code(fault.code)),
    })
}

/// Verifies a document that was read elsewhere, strictly.
pub fn verify_value(document: &Value, resolver: Resolver<'_>) -> Verification {
    match judge(document, resolver) {
        Ok(coverage) => Verification {
            status: Status::Verified,
            reason: None,
            attested: Some(coverage),
        },
        Err(outcome) => outcome,
    }
}

fn rejected(code: Code) -> Verification {
    Verification::of(Status::Rejected, Reason::Unreadable(code))
}

fn invalid(reason: Reason) -> Verification {
    Verification::of(Status::Invalid, reason)
}

/// The order of judgement: rejected, unknown scheme, key, signature encoding, high s, signature, binding.
fn judge(document: &Value, resolver: Resolver<'_>) -> Result<Coverage, Verification> {
    let members = document.as_object().ok_or_else(|| rejected(Code::WrongType))?;
    let producer = optional_object(members, "producer")?.ok_or(Verification::UNSIGNED)?;
    let signature = optional_object(producer, "signature")?.ok_or(Verification::UNSIGNED)?;
    let scheme = text(signature, "scheme")?;
    let encoded = text(signature, "signature")?;
    let coverage =
        Coverage::parse(text(signature, "coverage")?).ok_or_else(|| rejected(Code::InvalidEnum))?;
    let given = signature
        .get("publicKey")
        .map(|_| text(signature, "publicKey"))
        .transpose()?;
    if coverage == Coverage::Content && members.contains_key("origin") {
        return Err(Verification::of(
            Status::Rejected,
            Reason::OriginWithContentCoverage,
        ));
    }
    let message = preimage(document, coverage).ok_or_else(|| rejected(Code::MissingField))?;
    let scheme = Scheme::parse(scheme).ok_or(Verification::of(Status::Unverified, Reason::UnknownScheme))?;
    let id = producer.get("id").and_then(Value::as_str).unwrap_or_default();
    let keys = Keys::find(given, id, scheme, resolver)?;
    keys.verify(&message, encoded)?;
    if keys.bound {
        Ok(coverage)
    } else {
        Err(Verification::of(Status::VerifiedUnbound, Reason::KeyUnbound))
    }
}

fn optional_object<'v>(
    members: &'v Map<String, Value>,
    name: &str,
) -> Result<Option<&'v Map<String, Value>>, Verification> {
    members
        .get(name)
        .map(|value| value.as_object().ok_or_else(|| rejected(Code::WrongType)))
        .transpose()
}

fn text<'v>(members: &'v Map<String, Value>, name: &str) -> Result<&'v str, Verification> {
    members
        .get(name)
        .ok_or_else(|| rejected(Code::MissingField))?
        .as_str()
        .ok_or_else(|| rejected(Code::WrongType))
}

/// The keys to verify under; one of them has to fit.
struct Keys {
    keys: Vec<PublicKey>,
    /// Whether they are known to be the producer's.
    bound: bool,
}

impl Keys {
    fn find(
        given: Option<&str>,
        id: &str,
        scheme: Scheme,
        resolver: Resolver<'_>,
    ) -> Result<Self, Verification> {
        let given = given
            .map(|text| PublicKey::parse(text, scheme).map_err(|_| invalid(Reason::KeyEncoding)))
            .transpose()?;
        let named = match PublicKey::named_by(id) {
            Some(Some(key)) => Some(vec![key]),
            // A did:key that is no key here names another one than any given.
            Some(None) if given.is_some() => return Err(invalid(Reason::KeyMismatch)),
            Some(None) => return Err(invalid(Reason::KeyEncoding)),
            None => resolver(id).filter(|keys| !keys.is_empty()),
        };
        // An account says nothing of keys of other schemes.
        let named =
            named.filter(|keys| !matches!(keys[..], [PublicKey::Account(_)] if scheme != Scheme::Secp256k1));
        match (given, named) {
            (Some(key), None) => Ok(Self {
                keys: vec![key],
                bound: false,
            }),
            (Some(key), Some(named)) if named.iter().any(|n| n.is_same(&key)) => Ok(Self {
                keys: vec![key],
                bound: true,
            }),
            (Some(_), Some(_)) => Err(invalid(Reason::KeyMismatch)),
            (None, Some(named)) => {
                let keys: Vec<_> = named.into_iter().filter(|key| key.scheme() == scheme).collect();
                if keys.is_empty() {
                    return Err(invalid(Reason::KeyEncoding));
                }
                Ok(Self { keys, bound: true })
            }
            (None, None) => Err(Verification::of(Status::Unverified, Reason::KeyUnresolved)),
        }
    }

    fn verify(&self, message: &[u8], encoded: &str) -> Result<(), Verification> {
        let mut misfit = Misfit::Bad;
        for key in &self.keys {
            match signature::verify(key, message, encoded) {
                Ok(()) => return Ok(()),
                Err(found) => misfit = found,
            }
        }
        Err(invalid(match misfit {
            Misfit::Encoding => Reason::SignatureEncoding,
            Misfit::HighS => Reason::HighS,
            Misfit::Bad => Reason::BadSignature,
        }))
    }
}
