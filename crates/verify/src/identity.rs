//! `source.signer` speaks for `source.agentId` (ERC-8481 §Signature and source identity, 3).

use crate::registration;
use crate::steps::{Outcome, settle, why};
use crate::verify::Pending;
use alloy_primitives::Address;
use presight_exec::reads;
use presight_view::View;
use presight_wire::report::Source;
use presight_wire::{NotRead, Read};

/// Whether the registration file may be fetched from where `tokenURI` points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// Through the view's documents.
    Allowed,
    /// Only what its own URI names: today's file at a mutable URI says nothing of a past block.
    ContentAddressed,
    /// Only a file inside a `data:` URI is read: a source that is not trusted anyway chooses no URL for us.
    Forbidden,
}

/// One of the three ways to be bound, looked at.
enum Binding {
    Bound,
    NotBound,
    NotRead(String),
}

/// `source.signer` is `getAgentWallet(agentId)` or `ownerOf(agentId)` on the registry, or is listed in the
/// registration file. Any one of them suffices; only when all three are read and none holds does the step fail.
pub(crate) fn identity(source: &Source, view: &View<'_>, fetch: Fetch) -> Result<Outcome, Pending> {
    let chain = &source.registry.chain;
    let registry = source.registry.address;
    let agent = source.agent_id;
    if source.signer.chain != *chain {
        return Ok(Outcome::not_read(format!(
            "source.signer is on {}, its registry on {chain}",
            source.signer.chain
        )));
    }
    // All three are asked for before any is waited for: one wave.
    let wallet = settle(reads::get_agent_wallet(view, chain, registry, agent));
    let owner = settle(reads::owner_of(view, chain, registry, agent));
    let uri = settle(reads::token_uri(view, chain, registry, agent));

    let wallet = is_signer("getAgentWallet", wallet?, source);
    if let Binding::Bound = wallet {
        return Ok(bound(source, "getAgentWallet(agentId)"));
    }
    let owner = is_signer("ownerOf", owner?, source);
    if let Binding::Bound = owner {
        return Ok(bound(source, "ownerOf(agentId)"));
    }
    let listed = match uri? {
        Ok(uri) => is_listed(uri.value(), source, view, fetch)?,
        Err(not_read) => Binding::NotRead(format!("tokenURI is not read: {}", why(&not_read))),
    };
    if let Binding::Bound = listed {
        return Ok(bound(source, "listed in `signers` of the registration file"));
    }
    let not_read: Vec<String> = [wallet, owner, listed]
        .into_iter()
        .filter_map(|binding| match binding {
            Binding::NotRead(why) => Some(why),
            Binding::Bound | Binding::NotBound => None,
        })
        .collect();
    Ok(if not_read.is_empty() {
        Outcome::fail(format!(
            "{} is neither wallet nor owner of agent {agent} on {}, nor listed in its registration file",
            source.signer, source.registry
        ))
    } else {
        Outcome::not_read(not_read.join("; "))
    })
}

fn bound(source: &Source, how: &str) -> Outcome {
    Outcome::pass(format!(
        "{} is {how} of agent {} on {}",
        source.signer, source.agent_id, source.registry
    ))
}

/// The zero address is what ERC-8004 leaves after a transfer: nobody.
fn is_signer(call: &str, found: Result<Read<Address>, NotRead>, source: &Source) -> Binding {
    match found {
        Ok(read) if *read.value() == source.signer.address && !read.value().is_zero() => Binding::Bound,
        Ok(_) => Binding::NotBound,
        Err(not_read) => Binding::NotRead(format!("{call} is not read: {}", why(&not_read))),
    }
}

fn is_listed(uri: &str, source: &Source, view: &View<'_>, fetch: Fetch) -> Result<Binding, Pending> {
    if uri.is_empty() {
        return Ok(Binding::NotBound);
    }
    let listed = registration::read(uri, view, fetch)?
        .and_then(|bytes| registration::lists_signer(&bytes, &source.signer));
    Ok(match listed {
        Ok(true) => Binding::Bound,
        Ok(false) => Binding::NotBound,
        Err(why) => Binding::NotRead(format!("the registration file is not read: {why}")),
    })
}
