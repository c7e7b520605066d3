//! `presight report`

use super::keys;
use crate::args::{Report, SourceArgs};
use crate::exit::{Exit, Failure, print};
use crate::{door, input, reports, words};
use alloy_primitives::{Address, address};
use anyhow::{Context as _, anyhow};
use presight_view::Want;
use presight_view::drive::Driven;
use presight_view::file;
use presight_wire::report::sign::SigningKey;
use presight_wire::report::{Outcome, Report as ReportDocument, Source};
use presight_wire::{AccountId, ChainId, Refusal, Request, hex};
use std::io::IsTerminal as _;
use std::path::Path;

/// Where ERC-8004's identity registry is deployed on most chains.
const USUAL_REGISTRY: Address = address!("8004A169FB4a3325136EB29fA0ceB6D2e539a432");

/// Reads what the request touches and prints the report.
pub(crate) fn run(args: &Report, as_json: bool) -> Result<Exit, Failure> {
    let mut request = Request::parse(&input::document(&args.request)?)?;
    if let Some(kinds) = &args.kinds {
        request.kinds = Some(kinds.clone());
    }
    if let Some(kinds) = &request.kinds {
        presight_source::registry::check_kinds(kinds)?;
    }
    let decoded = presight_decode::decode(&request)?;
    for flag in &decoded.flags {
        let (place, message) = (words::printable(&flag.pointer), words::printable(&flag.message));
        eprintln!("warning: {}: {message}\n  at: {place}", flag.code);
    }
    let (source, key) = source(&args.source, request.chain())?;
    if key.is_none() && !args.source.unsigned {
        let message = "no signing key: give --key-file (see `presight keys new`), or --unsigned for a report \
                       that consumers treat as absent";
        return Err(Refusal::new("no-key", "", message).into());
    }

    let config = input::sources(&args.sources)?;
    let driven = door::run(&args.door, |view| {
        reports::tell(view, &request, &decoded, &source, &config)
    })?;
    let chain_is_out_of_reach = is_out_of_reach(&driven, request.chain());
    let witness = driven.witness();
    let mut told = driven
        .value
        .map_err(|_| anyhow!("the view was left with open reads"))?;
    finish(&mut told.report, &request, key.as_ref())?;
    if let Some(path) = &args.witness {
        write_witness(path, &witness)?;
    }

    if chain_is_out_of_reach {
        eprintln!(
            "warning: no block of {} was to be had: nothing of the chain is read",
            request.chain()
        );
    }
    if !as_json && std::io::stderr().is_terminal() {
        eprint!("{}", words::findings(&told.report, &told.tokens));
    }
    let document = serde_json::to_string_pretty(&told.report.to_value()).context("a report is JSON")?;
    print(&document);
    let nothing_read = !told
        .report
        .findings
        .iter()
        .any(|f| matches!(f.outcome, Outcome::Read(_)));
    Ok(if chain_is_out_of_reach && nothing_read {
        Exit::NotEvaluated
    } else {
        Exit::Clean
    })
}

/// Signs the report, or checks its structure without a key.
pub(super) fn finish(
    report: &mut ReportDocument,
    request: &Request,
    key: Option<&SigningKey>,
) -> Result<(), Failure> {
    match key {
        Some(key) => presight_source::sign(report, request, key).context("the report was not signed")?,
        None => presight_source::sign::check_structure(report, request).context("the report was not made")?,
    }
    Ok(())
}

/// Whether the block of a chain was asked for and not to be had.
pub(super) fn is_out_of_reach<T>(driven: &Driven<T>, chain: &ChainId) -> bool {
    let held = driven
        .snapshot
        .chains
        .get(chain)
        .and_then(|held| held.block.known());
    held.is_none() && driven.used.contains(&Want::Block(chain.clone()))
}

/// Who makes the report, and the key it is signed with, if one is named.
pub(super) fn source(args: &SourceArgs, chain: &ChainId) -> Result<(Source, Option<SigningKey>), Failure> {
    let registry = match &args.registry {
        Some(registry) => AccountId::parse(registry, "")?,
        None => AccountId::new(chain.clone(), USUAL_REGISTRY),
    };
    let agent_id = hex::decimal(&args.agent_id, "")?;
    let key = args.key_file.as_deref().map(keys::load).transpose()?;
    let signer = key.as_ref().map_or(Address::ZERO, SigningKey::address);
    let signer = AccountId::new(registry.chain.clone(), signer);
    Ok((
        Source {
            registry,
            agent_id,
            signer,
        },
        key,
    ))
}

/// Writes a view file.
pub(super) fn write_witness(path: &Path, witness: &presight_view::Snapshot) -> Result<(), Failure> {
    let shown = path.display();
    let bytes = if path.extension().is_some_and(|e| e == "zst") {
        file::to_zstd(witness).context("the witness cannot be compressed")?
    } else {
        file::to_json(witness).into_bytes()
    };
    std::fs::write(path, bytes)
        .map_err(|e| Refusal::new("unwritable-file", "", format!("`{shown}` cannot be written: {e}")).into())
}
