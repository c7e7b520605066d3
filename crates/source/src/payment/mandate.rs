//! Mandates (`x402-mandate/1`, x402's authority extension): an issuer's signed word on what an agent may pay.
//!
//! A mandate is read alone: what was spent under it before, nobody here can know.

use alloy_primitives::{Address, B256, U256};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use presight_wire::{AccountId, ChainId, Timestamp, hex, jcs};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// The format, and the tag of what is signed.
pub const VERSION: &str = "x402-mandate/1";
const BINDING: &str = "x402-mandate-binding/1";
/// Recipients of one mandate.
pub const MAX_RECIPIENTS: usize = 1_000;
/// Bytes of a `paymentId`.
const MAX_PAYMENT_ID_BYTES: usize = 64;
const MEMBERS: [&str; 12] = [
    "v",
    "issuer",
    "subject",
    "asset",
    "cap",
    "perPayment",
    "recipients",
    "accountant",
    "purpose",
    "notAfter",
    "nonce",
    "parent",
];

/// A mandate of the right shape. Nothing says yet that its issuer signed it.
#[derive(Debug, Clone)]
pub struct Mandate {
    /// The issuer's Ed25519 key, base64url.
    pub issuer: String,
    /// Who pays.
    pub subject: String,
    /// What is paid with.
    pub asset: String,
    /// The most that may be paid in all, in the asset's smallest unit.
    pub cap: U256,
    /// The most that may be paid at once.
    pub per_payment: Option<U256>,
    /// Whom: `["*"]` is anybody.
    pub recipients: Vec<String>,
    /// When it ends, as given.
    pub not_after: String,
    not_after_ms: i64,
    signed: Vec<u8>,
}

impl Mandate {
    /// Reads a mandate: a closed object, every member of its grammar.
    ///
    /// # Errors
    /// In words, the member that is not.
    pub fn parse(document: &Map<String, Value>) -> Result<Self, String> {
        if let Some(unknown) = document.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            let shown: String = unknown.chars().take(40).collect();
            return Err(format!("unknown member `{}`", shown.escape_debug()));
        }
        let text = |name: &str| {
            let text = document.get(name).and_then(Value::as_str);
            text.filter(|text| !text.is_empty())
                .map(str::to_owned)
                .ok_or_else(|| format!("`{name}` is no text"))
        };
        if text("v")? != VERSION {
            return Err(format!("`v` is not {VERSION}"));
        }
        let issuer = text("issuer")?;
        key(&issuer).ok_or("`issuer` is no Ed25519 key")?;
        let cap = units(&text("cap")?).ok_or("`cap` is no amount")?;
        let per_payment = match document.get("perPayment") {
            None => None,
            Some(_) => Some(units(&text("perPayment")?).ok_or("`perPayment` is no amount")?),
        };
        if per_payment.is_some_and(|most| most > cap) {
            return Err("`perPayment` is above `cap`".into());
        }
        let recipients = recipients(document)?;
        let accountant = text("accountant")?;
        if accountant == "payees" {
            if recipients.iter().any(|recipient| key(recipient).is_none()) {
                return Err("`accountant` is `payees`, and a recipient is no key".into());
            }
        } else if key(&accountant).is_none() {
            return Err("`accountant` is neither a key nor `payees`".into());
        }
        if document.contains_key("parent") && !is_digest(&text("parent")?) {
            return Err("`parent` is no digest".into());
        }
        text("purpose")?;
        text("nonce")?;
        let not_after = text("notAfter")?;
        let mut signed = format!("{VERSION}\n").into_bytes();
        signed.extend(jcs::canonical(&Value::Object(document.clone())));
        Ok(Self {
            issuer,
            subject: text("subject")?,
            asset: text("asset")?,
            cap,
            per_payment,
            recipients,
            not_after_ms: milliseconds(&not_after).ok_or("`notAfter` is no UTC time")?,
            not_after,
            signed,
        })
    }

    /// `sha256:` and the hash of what the issuer signs, in hex.
    pub fn digest(&self) -> String {
        format!("sha256:{:x}", Sha256::digest(&self.signed))
    }

    /// Whether an Ed25519 signature, 64 bytes in base64url without padding, is the issuer's.
    pub fn is_signed(&self, alg: &str, signature: &str) -> bool {
        let verified = || {
            let bytes: [u8; 64] = URL_SAFE_NO_PAD.decode(signature).ok()?.try_into().ok()?;
            key(&self.issuer)?
                .verify_strict(&self.signed, &Signature::from_bytes(&bytes))
                .ok()
        };
        alg == "Ed25519" && verified().is_some()
    }

    /// Whether it has ended at a time: at `notAfter` it has.
    pub fn has_ended(&self, now_ms: i64) -> bool {
        now_ms >= self.not_after_ms
    }

    /// Whether an account is the one that pays.
    pub fn is_subject(&self, account: &AccountId) -> bool {
        names(&self.subject, account)
    }

    /// Whether a token is the one paid with.
    pub fn is_asset(&self, token: &AccountId) -> bool {
        names(&self.asset, token)
    }

    /// Whether anybody may be paid.
    pub fn pays_anybody(&self) -> bool {
        self.recipients.iter().any(|recipient| recipient == "*")
    }

    /// Whether an account may be paid.
    pub fn pays(&self, account: &AccountId) -> bool {
        self.pays_anybody() || self.recipients.iter().any(|recipient| names(recipient, account))
    }

    /// Whether one payment of this amount stays within `perPayment` and `cap`. What was paid before is not known.
    pub fn allows_at_once(&self, amount: U256) -> bool {
        amount <= self.cap && self.per_payment.is_none_or(|most| amount <= most)
    }

    /// What binds a payment to the mandate: an ERC-3009 nonce in its bytes, a Permit2 nonce as a number. `None` for what is no
    /// `paymentId`.
    pub fn binding(&self, payment_id: &str) -> Option<B256> {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b"._~-".contains(&b);
        if payment_id.is_empty() || payment_id.len() > MAX_PAYMENT_ID_BYTES || !payment_id.bytes().all(fits) {
            return None;
        }
        let bytes = format!("{BINDING}\n{}\n{payment_id}", self.digest());
        Some(B256::from_slice(&Sha256::digest(bytes)))
    }
}

/// A time as mandates write it, in milliseconds since 1970: UTC with `Z` and at most three digits of a fraction.
pub fn milliseconds(text: &str) -> Option<i64> {
    let whole = text.strip_suffix('Z')?;
    let (seconds, fraction) = match whole.split_once('.') {
        None => (whole, 0),
        Some((seconds, digits)) if (1..=3).contains(&digits.len()) => {
            (seconds, format!("{digits:0<3}").parse::<i64>().ok()?)
        }
        Some(_) => return None,
    };
    if seconds.len() != 19 || !seconds.contains('T') {
        return None;
    }
    let Timestamp(seconds) = Timestamp::parse_utc(&format!("{seconds}Z"), "").ok()?;
    seconds.checked_mul(1_000)?.checked_add(fraction)
}

fn recipients(document: &Map<String, Value>) -> Result<Vec<String>, String> {
    let items = document
        .get("recipients")
        .and_then(Value::as_array)
        .ok_or("`recipients` is no list")?;
    if items.len() > MAX_RECIPIENTS {
        return Err(format!(
            "{} recipients; MAX_RECIPIENTS is {MAX_RECIPIENTS}",
            items.len()
        ));
    }
    let recipients: Vec<String> = items
        .iter()
        .map(|item| item.as_str().filter(|text| !text.is_empty()).map(str::to_owned))
        .collect::<Option<_>>()
        .ok_or("a recipient is no text")?;
    let anybody = recipients.iter().any(|recipient| recipient == "*");
    if recipients.is_empty() || (anybody && recipients.len() > 1) {
        return Err("`recipients` is empty, or has more than `*`".into());
    }
    Ok(recipients)
}

fn key(text: &str) -> Option<VerifyingKey> {
    let bytes: [u8; 32] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    VerifyingKey::from_bytes(&bytes).ok()
}

fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    digits.len() == 64 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn units(text: &str) -> Option<U256> {
    hex::decimal(text, "").ok()
}

/// Whether an identifier of a mandate is this account: a bare address on any chain, CAIP-10, or CAIP-19 of an ERC-20 token;
/// letter case aside.
fn names(identifier: &str, account: &AccountId) -> bool {
    if let Ok(address) = hex::address_any_case(identifier, "") {
        return address == account.address;
    }
    let (chain, address) = match identifier.split_once("/erc20:") {
        Some(parts) => parts,
        None => match identifier.rsplit_once(':') {
            Some(parts) => parts,
            None => return false,
        },
    };
    let parsed = |chain: &str, address: &str| -> Option<(ChainId, Address)> {
        Some((
            ChainId::parse(chain, "").ok()?,
            hex::address_any_case(address, "").ok()?,
        ))
    };
    parsed(chain, address)
        .is_some_and(|(chain, address)| chain == account.chain && address == account.address)
}
