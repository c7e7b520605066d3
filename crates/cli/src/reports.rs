//! Making a report over a view: what `report` and `demo` share.

use crate::words::{TokenWords, Tokens};
use presight_decode::Decoded;
use presight_exec::reads;
use presight_source::{Config, Pending, assemble};
use presight_view::View;
use presight_wire::report::{Report, Source};
use presight_wire::{AccountId, Read, Request};

/// A report and what its tokens are called.
pub(crate) struct Told {
    /// The report, unsigned.
    pub report: Report,
    /// Symbols and decimals, where they were read. Not part of the report.
    pub tokens: Tokens,
}

/// Assembles the report, and reads what its words need in the same waves.
pub(crate) fn tell(
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
pub(crate) fn token_words(view: &View<'_>, tokens: &[AccountId]) -> Tokens {
    let words = tokens.iter().map(|token| {
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
