//! Signed service payment quotes (ERC-8409).

use super::flat_type::signing_hash;
use super::requirements::{Asset, Given, Member, unreadable};
use crate::config::payment::QuoteFormat;
use alloy_primitives::{Address, B256, U256};
use presight_wire::request::Quote as Envelope;
use presight_wire::{NotRead, hex};
use serde_json::Value;

/// Bytes of `requestScheme`.
const MAX_SCHEME_BYTES: usize = 128;

/// A quote of the request.
#[derive(Debug, Clone, Copy)]
pub struct Quote<'a> {
    /// As received.
    pub envelope: &'a Envelope,
}

impl Quote<'_> {
    /// `issuer`.
    pub fn issuer(&self) -> Member<Address> {
        self.address("issuer")
    }

    /// `recipient`.
    pub fn recipient(&self) -> Member<Address> {
        self.address("recipient")
    }

    /// `asset`; the zero address is the chain's own (ERC-8409).
    pub fn asset(&self) -> Member<Asset> {
        Some(self.address("asset")?.map(|given| Given {
            text: given.text,
            value: if given.value.is_zero() {
                Asset::Native
            } else {
                Asset::Token(given.value)
            },
        }))
    }

    /// `amount`, in the asset's smallest unit.
    pub fn amount(&self) -> Member<U256> {
        self.number("amount")
    }

    /// `validAfter` or `validUntil`, in Unix seconds.
    pub fn number(&self, name: &str) -> Member<U256> {
        self.member(name, |text| hex::decimal(text, "").ok())
    }

    /// What the issuer signs.
    ///
    /// # Errors
    /// In words, what keeps the quote from being encoded.
    pub fn signing_hash(&self, format: &QuoteFormat, chain_id: u64) -> Result<B256, String> {
        let hash = format.message.hash_struct(&self.envelope.quote)?;
        Ok(signing_hash(
            &format.domain_name,
            &format.domain_version,
            chain_id,
            hash,
        ))
    }

    /// The signature of an issuer without code as `ecrecover` takes it: ERC-8409 allows `v` of 0 and 1 as well.
    pub fn recoverable(&self) -> Vec<u8> {
        let mut signature = self.envelope.signature.to_vec();
        if let [.., v @ (0 | 1)] = signature.as_mut_slice() {
            *v += 27;
        }
        signature
    }

    /// What ERC-8409 does not allow in a quote that can be encoded, in words.
    pub fn fault(&self) -> Option<&'static str> {
        let zero_address = |name| matches!(self.address(name), Some(Ok(given)) if given.value.is_zero());
        let zero_number = |name| matches!(self.number(name), Some(Ok(given)) if given.value.is_zero());
        let text = |name: &str| self.envelope.quote.get(name).and_then(Value::as_str);
        let zero_id = text("quoteId").is_some_and(|id| hex::b256(id, "").is_ok_and(|id| id.is_zero()));
        let scheme = text("requestScheme").is_some_and(|scheme| {
            scheme.is_empty()
                || scheme.len() > MAX_SCHEME_BYTES
                || !scheme.bytes().all(|b| b.is_ascii_graphic())
        });
        let window = match (self.number("validAfter"), self.number("validUntil")) {
            (Some(Ok(after)), Some(Ok(until))) => after.value > until.value,
            _ => false,
        };
        [
            (zero_address("issuer"), "the issuer is zero"),
            (zero_address("recipient"), "the recipient is zero"),
            (zero_number("amount"), "the amount is zero"),
            (zero_id, "the quoteId is zero"),
            (scheme, "the requestScheme is not 1 to 128 bytes of visible ASCII"),
            (window, "it ends before it begins"),
        ]
        .into_iter()
        .find_map(|(broken, what)| broken.then_some(what))
    }

    fn address(&self, name: &str) -> Member<Address> {
        self.member(name, |text| hex::address_any_case(text, "").ok())
    }

    fn member<T>(&self, name: &str, read: impl FnOnce(&str) -> Option<T>) -> Member<T> {
        let value = self.envelope.quote.get(name).filter(|v| !v.is_null())?;
        let given = value.as_str().and_then(|text| {
            Some(Given {
                text: text.to_owned(),
                value: read(text)?,
            })
        });
        Some(given.ok_or_else(|| malformed(name)))
    }
}

fn malformed(name: &str) -> NotRead {
    unreadable(&format!("the quote's `{name}` is malformed"))
}
