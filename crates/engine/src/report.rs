//! The report of a request (ERC-8481), with what its tokens are called.

use crate::door::Door;
use crate::fault::Fault;
use crate::identity::Identity;
use crate::words::{TokenWords, Tokens};
use presight_decode::Decoded;
use presight_exec::reads;
use presight_source::{Config, Pending, assemble};
use presight_view::{Driven, Problem, Snapshot, View, Want};
use presight_wire::report::{Outcome, Report, Source};
use presight_wire::{AccountId, ChainId, Read, Request};

/// A report and what its tokens are called.
#[derive(Debug)]
pub struct Told {
    /// The report.
    pub report: Report,
    /// Symbols and decimals, where they were read. Not part of the report.
    pub tokens: Tokens,
}

/// A report that was made, and how.
#[derive(Debug)]
pub struct Reported {
    /// The report, signed when the identity has a key.
    pub told: Told,
    /// Everything it rests on.
    pub witness: Snapshot,
    /// The block of the request's chain was asked for and not to be had.
    pub chain_out_of_reach: bool,
    /// Waves of requests to nodes.
    pub waves: usize,
    /// Calls made to nodes.
    pub calls: usize,
    /// What was found wrong with nodes and documents.
    pub problems: Vec<Problem>,
}

impl Reported {
    /// Whether the chain was out of reach and nothing at all was read.
    pub fn says_nothing(&self) -> bool {
        let mut findings = self.told.report.findings.iter();
        self.chain_out_of_reach && !findings.any(|finding| matches!(finding.outcome, Outcome::Read(_)))
    }
}

/// Makes the report of a request, and signs it when the identity has a key.
///
/// # Errors
/// As [`Door::run`]; [`Fault::Unsigned`] when the report breaks a rule of ERC-8481.
pub fn report<D: Door>(
    door: &D,
    request: &Request,
    decoded: &Decoded,
    identity: &Identity,
) -> Result<Reported, D::Error> {
    let source = identity.source(request.chain());
    let driven = door.run(|view| tell(view, request, decoded, &source, &identity.sources))?;
    let chain_out_of_reach = is_out_of_reach(&driven, request.chain());
    let witness = driven.witness();
    let mut told = driven.value.map_err(|_| Fault::OpenReads)?;
    match &identity.key {
        Some(key) => presight_source::sign(&mut told.report, request, key),
        None => presight_source::sign::check_structure(&told.report, request),
    }
    .map_err(Fault::from)?;
    Ok(Reported {
        told,
        witness,
        chain_out_of_reach,
        waves: driven.waves,
        calls: driven.calls,
        problems: driven.problems,
    })
}

/// Assembles the report, and reads what its words need in the same waves.
///
/// # Errors
/// Pending, while the view is asked for more.
pub fn tell(
    view: &View<'_>,
    request: &Request,
    decoded: &Decoded,
    source: &Source,
    config: &Config,
) -> Result<Told, Pending> {
    // The report first: what the words read must not use up the gas that its facts may need.
    let report = assemble(view, request, decoded, source, config);
    let listed = report
        .as_ref()
        .map_or(&decoded.entities, |report| &report.entities);
    let tokens = token_words(view, &listed.tokens);
    Ok(Told {
        report: report?,
        tokens,
    })
}

/// What tokens are called, as far as it can be read.
pub fn token_words<'t>(view: &View<'_>, tokens: impl IntoIterator<Item = &'t AccountId>) -> Tokens {
    let words = tokens.into_iter().map(|token| {
        let symbol = reads::symbol(view, &token.chain, token.address);
        let decimals = reads::decimals(view, &token.chain, token.address);
        let words = TokenWords {
            symbol: symbol.ok().map(Read::into_value),
            decimals: decimals.ok().map(Read::into_value),
        };
        (token.clone(), words)
    });
    words.collect()
}

/// Whether the block of a chain was asked for and not to be had.
fn is_out_of_reach<T>(driven: &Driven<T>, chain: &ChainId) -> bool {
    let held = driven
        .snapshot
        .chains
        .get(chain)
        .and_then(|held| held.block.known());
    held.is_none() && driven.used.contains(&Want::Block(chain.clone()))
}
