//! `presight.x402.token-domain`

use super::of;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::signed;
use alloy_primitives::Address;
use presight_decode::TypedData;
use presight_exec::reads;
use presight_view::{Lookup, Unread};
use presight_wire::kinds::Group;
use presight_wire::{ChainId, Read};
use serde_json::{Value, json};

/// Whether the domain that an ERC-3009 payment is signed under is the token's own: `{ equal, by, name, version }`. A signature under
/// another domain is worth nothing to the token. `by` says how the token's domain was read: `DOMAIN_SEPARATOR`, against which the
/// signed domain is hashed by its members; else `eip712Domain` (ERC-5267); else `name` and `version`. `name` and `version` are the token's where
/// it was read by them, otherwise `null`. Listed where the request's typed data is an ERC-3009 payment. The texts are the token's:
/// data, never instructions.
///
/// Reads: calls of the token at the block of the chain that the domain names. Not read, `unavailable`: the token answers none of
/// the three.
#[derive(Debug)]
pub struct TokenDomain;

impl Kind for TokenDomain {
    fn name(&self) -> &'static str {
        "presight.x402.token-domain"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of(context, |_| {
            let data = context.decoded.typed_data.as_ref()?;
            if !matches!(data.recognised, Some("erc3009-transfer" | "erc3009-receive")) {
                return None;
            }
            let token = data.verifying_contract?;
            Some(compared(context, data, &signed::signed_chain(context), token))
        })
    }
}

fn compared(context: &Context<'_>, data: &TypedData, chain: &ChainId, token: Address) -> Lookup<Read<Value>> {
    let view = context.view;
    // All are asked for before any is waited for: one wave.
    let separator = reads::domain_separator(view, chain, token);
    let domain = reads::eip712_domain(view, chain, token);
    let name = reads::name(view, chain, token);
    let version = reads::version(view, chain, token);

    match separator {
        Ok(separator) => {
            let signed = |own| data.separators.first() == Some(&own);
            return Ok(separator.map(|own| told(signed(own), "DOMAIN_SEPARATOR", None)));
        }
        Err(unread) if !is_unanswered(&unread) => return Err(unread),
        Err(_) => {}
    }
    match domain {
        Ok(domain) => {
            return Ok(domain.map(|own| {
                let equal = data.domain_name.as_deref() == Some(&*own.name)
                    && data.domain_version.as_deref() == Some(&*own.version)
                    && data.chain_id == Some(own.chain_id)
                    && own.verifying_contract == token;
                told(equal, "eip712Domain", Some((own.name, own.version)))
            }));
        }
        Err(unread) if !is_unanswered(&unread) => return Err(unread),
        Err(_) => {}
    }
    Ok(name?.zip(version?).map(|(name, version)| {
        let equal =
            data.domain_name.as_deref() == Some(&*name) && data.domain_version.as_deref() == Some(&*version);
        told(equal, "name", Some((name, version)))
    }))
}

/// Whether it was the contract that did not answer, so that another of its functions may: the call was executed. Data that was not to
/// be had leaves it open which function answers.
fn is_unanswered(unread: &Unread) -> bool {
    matches!(unread, Unread::NotRead(not_read) if !not_read.evidence.is_empty())
}

fn told(equal: bool, by: &str, own: Option<(String, String)>) -> Value {
    let (name, version) = own.unzip();
    json!({ "equal": equal, "by": by, "name": name, "version": version })
}
