//! `presight list`

use crate::args::{BuildList, List as Command};
use crate::exit::{Exit, Failure, print, say};
use crate::input;
use alloy_primitives::keccak256;
use anyhow::Context as _;
use presight_source::list::{self, List, MAX_LIST_BYTES, Scope};
use presight_wire::json::{Numbers, parse_bounded};
use presight_wire::{ChainId, Refusal, Timestamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Nesting depth of a list that is imported.
const MAX_IMPORT_DEPTH: usize = 32;

/// Runs the command.
pub(crate) fn run(command: &Command, as_json: bool) -> Result<Exit, Failure> {
    match command {
        Command::Build(args) => build(args, as_json),
        Command::Check { list } => check(list, as_json),
    }
}

fn check(path: &Path, as_json: bool) -> Result<Exit, Failure> {
    let bytes = input::read(path, MAX_LIST_BYTES)?;
    let list = match List::parse(&bytes) {
        Ok(list) => list,
        Err(refusal) if as_json => {
            let fault = json!({ "code": refusal.code, "path": refusal.pointer, "message": refusal.message });
            print(&json!({ "valid": false, "errors": [fault] }).to_string());
            return Ok(Exit::Block);
        }
        Err(refusal) => {
            say(&format!(
                "invalid\n  error  {}  {}: {}",
                refusal.code, refusal.pointer, refusal.message
            ));
            return Ok(Exit::Block);
        }
    };
    let told = told(&list, &bytes);
    if as_json {
        print(&told.to_string());
    } else {
        say(&format!(
            "valid: {}, version {} of {}, {} entries\nhash {}",
            list.name,
            list.version,
            list.published,
            list.entries.len(),
            keccak256(&bytes)
        ));
    }
    Ok(Exit::Clean)
}

fn told(list: &List, bytes: &[u8]) -> Value {
    json!({
        "valid": true, "errors": [], "name": list.name, "version": list.version,
        "published": list.published.to_string(), "entries": list.entries.len(), "hash": keccak256(bytes),
    })
}

fn build(args: &BuildList, as_json: bool) -> Result<Exit, Failure> {
    let scope = match &args.chain {
        Some(chain) => scope(chain)?,
        None => Scope::EveryEvm,
    };
    let mut entries: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    let mut skipped = 0;
    for path in &args.files {
        let bytes = input::read(path, MAX_LIST_BYTES)?;
        let value = parse_bounded(&bytes, Numbers::Double, MAX_LIST_BYTES, MAX_IMPORT_DEPTH)?;
        let found = list::import(taken(&value, args)?, &args.origin, &scope);
        skipped += found.skipped;
        for (key, evidence) in found.entries {
            entries.entry(key).or_default().extend(evidence);
        }
    }
    if entries.is_empty() {
        return Err(Refusal::new("empty-list", "", "no EVM address was found").into());
    }
    let published = Timestamp::parse_utc(&args.published, "")?;
    let expires = args
        .expires
        .as_deref()
        .map(|time| Timestamp::parse_utc(time, ""))
        .transpose()?;
    let built = List {
        name: args.name.clone(),
        version: args.version.clone(),
        published,
        expires,
        criteria: args.criteria.clone(),
        sources: vec![args.origin.clone()],
        entries: entries
            .into_iter()
            .map(|(key, evidence)| (key, evidence.into_iter().take(list::MAX_ENTRY_EVIDENCE).collect()))
            .collect(),
    };
    let text = built.to_json();
    let list = List::parse(text.as_bytes())?;
    std::fs::write(&args.output, &text)
        .with_context(|| format!("`{}` cannot be written", args.output.display()))?;
    if as_json {
        let mut told = told(&list, text.as_bytes());
        told["skipped"] = skipped.into();
        print(&told.to_string());
    } else {
        say(&format!(
            "{} entries, {skipped} values that are no EVM addresses\nhash {}",
            list.entries.len(),
            keccak256(&text)
        ));
    }
    Ok(Exit::Clean)
}

/// The part of a file that is imported.
fn taken<'a>(value: &'a Value, args: &BuildList) -> Result<&'a Value, Refusal> {
    let Some(pointer) = &args.at else { return Ok(value) };
    value
        .pointer(pointer)
        .ok_or_else(|| Refusal::new("missing-member", pointer.clone(), "the file has nothing there"))
}

fn scope(chain: &str) -> Result<Scope, Refusal> {
    let id = ChainId::parse(chain, "")?.evm_id();
    id.map(Scope::Evm)
        .ok_or_else(|| Refusal::new("bad-chain", "", "an EVM chain expected, such as eip155:1"))
}
