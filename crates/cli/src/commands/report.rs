//! `presight report`

use crate::args::{Report, SourceArgs, SourcesFile};
use crate::exit::{Exit, Failure, print};
use crate::input;
use anyhow::Context as _;
use presight_engine::identity::load_key;
use presight_engine::{Identity, Reported, words};
use presight_view::file;
use presight_wire::{AccountId, Refusal, Request, hex};
use std::io::IsTerminal as _;
use std::path::Path;

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
    let identity = identity(&args.source, &args.sources)?;
    if identity.key.is_none() && !args.source.unsigned {
        let message = "no signing key: give --key-file (see `presight keys new`), or --unsigned for a report \
                       that consumers treat as absent";
        return Err(Refusal::new("no-key", "", message).into());
    }

    let reported = presight_engine::report(&args.door, &request, &decoded, &identity)?;
    if let Some(path) = &args.witness {
        write_witness(path, &reported.witness)?;
    }
    warn_out_of_reach(&reported, &request);
    let told = &reported.told;
    if !as_json && std::io::stderr().is_terminal() {
        eprint!("{}", words::findings(&told.report, &told.tokens));
    }
    let document = serde_json::to_string_pretty(&told.report.to_value()).context("a report is JSON")?;
    print(&document);
    Ok(if reported.says_nothing() {
        Exit::NotEvaluated
    } else {
        Exit::Clean
    })
}

/// Who makes the report, and from what.
pub(super) fn identity(args: &SourceArgs, sources: &SourcesFile) -> Result<Identity, Failure> {
    let registry = args
        .registry
        .as_deref()
        .map(|registry| AccountId::parse(registry, ""));
    Ok(Identity {
        registry: registry.transpose()?,
        agent_id: hex::decimal(&args.agent_id, "")?,
        key: args.key_file.as_deref().map(load_key).transpose()?,
        sources: input::sources(sources)?,
    })
}

/// Says on stderr that nothing of the request's chain is read.
pub(super) fn warn_out_of_reach(reported: &Reported, request: &Request) {
    if reported.chain_out_of_reach {
        eprintln!(
            "warning: no block of {} was to be had: nothing of the chain is read",
            request.chain()
        );
    }
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
