//! `erc.presign.address.source-verified`

use crate::config::Verifier;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::keccak256;
use presight_exec::delegation::AccountCode;
use presight_exec::reads;
use presight_view::{Lookup, Unread, Verification};
use presight_wire::json::{Numbers, parse_bounded};
use presight_wire::kinds::Group;
use presight_wire::node::Node;
use presight_wire::{AccountId, Evidence, NotRead, Read, Reason, Refusal, hex};
use serde_json::Value;
use std::collections::BTreeMap;

/// Bytes of a verifier's answer.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Nesting depth of a verifier's answer.
const MAX_ANSWER_DEPTH: usize = 16;

/// For an address with code (I-42): whether a verifier has source that gives it, `"exact"`, `"partial"` (the metadata
/// differs) or `"none"`. Read from what the view has recorded of a verifier, or from its API, version 2 of Sourcify's, whose
/// answer for an unknown contract is "not found" with `match` null. A verifier that did not answer is not read, never
/// `"none"`.
#[derive(Debug)]
pub struct SourceVerified;

impl Kind for SourceVerified {
    fn name(&self) -> &'static str {
        "erc.presign.address.source-verified"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(entity) = entity else {
            return Vec::new();
        };
        let account = &entity.address;
        match context.code_after(account) {
            Ok(code) if *code.value() == AccountCode::None => Vec::new(),
            Ok(_) => verified(context, account),
            // Whether it applies was not read: neither was it (I-13).
            Err(unread) => Fact::only(Err(unread)),
        }
    }
}

fn verified(context: &Context<'_>, account: &AccountId) -> Vec<Fact> {
    let recorded = match context.view.source_verification(&account.chain, account.address) {
        Ok(recorded) => recorded,
        Err(unread) => return Fact::only(Err(unread)),
    };
    let mut by_name: BTreeMap<&str, Lookup<Read<Verification>>> = BTreeMap::new();
    for (name, found) in recorded {
        let found = found.ok_or(Unread::from(Reason::Unavailable));
        by_name.insert(
            name,
            found.and_then(|found| told_by_view(context, account, name, found)),
        );
    }
    for verifier in context.config.verifiers.iter() {
        let recorded = by_name.get(verifier.name.as_str());
        if recorded.is_none_or(Result::is_err) {
            by_name.insert(&verifier.name, asked(context, account, verifier));
        }
    }
    if by_name.is_empty() {
        return Fact::only(Err(Reason::Unsupported.into()));
    }
    let facts = by_name.into_iter().map(|(name, reading)| Fact {
        param: Some(name.into()),
        reading: reading.map(|read| read.map(|found| found.as_str().into())),
    });
    facts.collect()
}

/// What the view has recorded: it rests on the code that was verified.
fn told_by_view(
    context: &Context<'_>,
    account: &AccountId,
    name: &str,
    found: Verification,
) -> Lookup<Read<Verification>> {
    let code = reads::code(context.view, &account.chain, account.address)?;
    Ok(code
        .map(|_| found)
        .with_note(format!("as the view has recorded of {name}")))
}

/// What the verifier's API says.
fn asked(context: &Context<'_>, account: &AccountId, verifier: &Verifier) -> Lookup<Read<Verification>> {
    let Some(chain) = account.chain.evm_id() else {
        return Err(Reason::Unsupported.into());
    };
    let uri = format!("{}{chain}/{:#x}", verifier.contracts(), account.address);
    let document = context.view.answer(&uri)?;
    let hash = keccak256(&document.bytes);
    match answer(&document.bytes, account) {
        Ok(found) => Ok(Read::from_document(found, uri, hash)),
        Err(refusal) => Err(NotRead {
            evidence: vec![Evidence::Document { uri, hash }],
            ..NotRead::new(Reason::Unavailable).with_note(format!(
                "not an answer about this contract: {} at {:?}",
                refusal.code, refusal.pointer
            ))
        }
        .into()),
    }
}

/// An answer about this very contract; anything else is none.
fn answer(bytes: &[u8], account: &AccountId) -> Result<Verification, Refusal> {
    let value = parse_bounded(bytes, Numbers::Double, MAX_ANSWER_BYTES, MAX_ANSWER_DEPTH)?;
    let root = Node::root(&value);
    let (chain, address) = (root.required("chainId")?, root.required("address")?);
    if account.chain.evm_id().map(|id| id.to_string()).as_deref() != Some(chain.string()?) {
        return Err(chain.refuse("bad-answer", "another chain"));
    }
    if hex::address_any_case(address.string()?, &address.pointer)? != account.address {
        return Err(address.refuse("bad-answer", "another contract"));
    }
    let found = root.required("match")?;
    match found.value {
        Value::Null => Ok(Verification::None),
        Value::String(word) if word == "exact_match" => Ok(Verification::Exact),
        Value::String(word) if word == "match" => Ok(Verification::Partial),
        _ => Err(found.refuse("bad-answer", "exact_match, match or null expected")),
    }
}
