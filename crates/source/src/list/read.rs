//! A list's JSON, read strictly.

use super::{FORMAT, List, MAX_ENTRIES, MAX_ENTRY_EVIDENCE, MAX_LIST_BYTES, MAX_TEXT_BYTES, Scope};
use alloy_primitives::Address;
use presight_wire::json::{Numbers, parse_bounded};
use presight_wire::node::Node;
use presight_wire::{ChainId, Refusal, Timestamp, hex};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Sources of one list.
const MAX_SOURCES: usize = 64;
/// Nesting depth of a list.
const MAX_DEPTH: usize = 8;
/// Characters of a version.
const MAX_VERSION: usize = 64;

pub(super) fn list(bytes: &[u8]) -> Result<List, Refusal> {
    let value = parse_bounded(bytes, Numbers::Exact, MAX_LIST_BYTES, MAX_DEPTH)?;
    let root = Node::root(&value);
    root.object_with(&[
        "format",
        "name",
        "version",
        "published",
        "expires",
        "criteria",
        "sources",
        "entries",
    ])?;
    let format = root.required("format")?;
    if format.string()? != FORMAT {
        return Err(format.refuse("bad-list", format!("the format is not `{FORMAT}`")));
    }
    let sources = match root.optional("sources")? {
        Some(sources) => texts(&sources, MAX_SOURCES, "MAX_SOURCES")?,
        None => Vec::new(),
    };
    let expires = root.optional("expires")?.map(|node| time(&node)).transpose()?;
    Ok(List {
        name: text(&root.required("name")?)?,
        version: version(&root.required("version")?)?,
        published: time(&root.required("published")?)?,
        expires,
        criteria: text(&root.required("criteria")?)?,
        sources,
        entries: entries(&root.required("entries")?)?,
    })
}

fn entries(node: &Node<'_>) -> Result<BTreeMap<(Address, Scope), Vec<String>>, Refusal> {
    let mut entries = BTreeMap::new();
    for node in node.array(MAX_ENTRIES, "MAX_ENTRIES")? {
        node.object_with(&["address", "chain", "evidence"])?;
        let address = node.required("address")?;
        let address = hex::address(address.string()?, &address.pointer)?;
        let scope = match node.optional("chain")? {
            Some(chain) => scope(&chain)?,
            None => Scope::EveryEvm,
        };
        let evidence = node.required("evidence")?;
        let texts = texts(&evidence, MAX_ENTRY_EVIDENCE, "MAX_ENTRY_EVIDENCE")?;
        if texts.is_empty() {
            return Err(evidence.refuse("bad-list", "an entry without the evidence it was listed on"));
        }
        match entries.entry((address, scope)) {
            Entry::Vacant(vacant) => vacant.insert(texts),
            Entry::Occupied(_) => return Err(node.refuse("bad-list", "the address was listed before")),
        };
    }
    Ok(entries)
}

fn scope(node: &Node<'_>) -> Result<Scope, Refusal> {
    let chain = ChainId::parse(node.string()?, &node.pointer)?;
    let id = chain.evm_id();
    id.map(Scope::Evm)
        .ok_or_else(|| node.refuse("bad-list", "not an EVM chain below 2^64"))
}

fn time(node: &Node<'_>) -> Result<Timestamp, Refusal> {
    Timestamp::parse_utc(node.string()?, &node.pointer)
}

fn version(node: &Node<'_>) -> Result<String, Refusal> {
    let text = node.string()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:+-".contains(c);
    if text.is_empty() || text.len() > MAX_VERSION || !text.chars().all(plain) {
        let message = format!("a version is 1 to {MAX_VERSION} letters, digits and . _ : + -");
        return Err(node.refuse("bad-list", message));
    }
    Ok(text.to_owned())
}

fn texts(node: &Node<'_>, max: usize, limit: &str) -> Result<Vec<String>, Refusal> {
    node.array(max, limit)?.iter().map(text).collect()
}

fn text(node: &Node<'_>) -> Result<String, Refusal> {
    let text = node.string()?;
    if text.trim().is_empty() {
        return Err(node.refuse("bad-list", "an empty text"));
    }
    if text.len() > MAX_TEXT_BYTES {
        let message = format!("a text has at most MAX_TEXT_BYTES = {MAX_TEXT_BYTES} bytes");
        return Err(node.refuse("bad-list", message));
    }
    Ok(text.to_owned())
}
