//! A view file's JSON into a snapshot. Members the format does not have are refused, except in `block`.

use super::{FORMAT, history, node_execution};
use crate::block::{self, hash, quantity, quantity_u64};
use crate::hard_fork::HardFork;
use crate::proof::AccountProof;
use crate::snapshot::{AccountSnapshot, Answer, ChainSnapshot, Document, Snapshot};
use alloy_primitives::{Address, U256};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use presight_wire::error::{Refusal, pointer_push};
use presight_wire::hex;
use presight_wire::node::Node;
use presight_wire::{ChainId, Reason, Timestamp};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Chains in one view file.
const MAX_CHAINS: usize = 64;
/// Elements of `proofs`, `notRead` and `unreachable`.
const MAX_ELEMENTS: usize = 1_000_000;

pub(super) fn snapshot(value: &Value) -> Result<Snapshot, Refusal> {
    let root = Node::root(value);
    root.object_with(&["format", "clock", "chains", "documents", "unreachable", "notRead"])?;
    let format = root.required("format")?;
    if format.string()? != FORMAT {
        return Err(format.refuse("bad-view", format!("the format is not `{FORMAT}`")));
    }
    let clock = root.required("clock")?;
    let mut snapshot = Snapshot {
        closed: Some(Reason::Unavailable),
        ..Snapshot::new(Timestamp::parse(clock.string()?, &clock.pointer)?)
    };
    for node in root
        .required("chains")?
        .array(MAX_CHAINS, "the number of chains")?
    {
        let (id, chain) = chain(&node)?;
        put(&mut snapshot.chains, id, chain, &node)?;
    }
    documents(&root, &mut snapshot.documents)?;
    Ok(snapshot)
}

fn documents(root: &Node<'_>, documents: &mut BTreeMap<String, Answer<Document>>) -> Result<(), Refusal> {
    for (url, node) in members(root.optional("documents")?)? {
        put(documents, url.to_owned(), Answer::Known(document(&node)?), &node)?;
    }
    for node in elements(root, "unreachable")? {
        put(
            documents,
            node.string()?.to_owned(),
            Answer::Failed(Reason::Unavailable),
            &node,
        )?;
    }
    for node in elements(root, "notRead")? {
        node.object_with(&["read", "url", "reason"])?;
        let read = node.required("read")?;
        if read.string()? != "document" {
            return Err(read.refuse("bad-view", "outside a chain, only a `document` can be not read"));
        }
        put(
            documents,
            node.required("url")?.string()?.to_owned(),
            Answer::Failed(reason(&node, "reason")?),
            &node,
        )?;
    }
    Ok(())
}

fn document(node: &Node<'_>) -> Result<Document, Refusal> {
    node.object_with(&["contentType", "base64"])?;
    let content_type = match node.optional("contentType")? {
        Some(text) => Some(text.string()?.to_owned()),
        None => None,
    };
    let base64 = node.required("base64")?;
    let bytes = BASE64_STANDARD
        .decode(base64.string()?)
        .map_err(|e| base64.refuse("bad-base64", e.to_string().to_lowercase()))?;
    Ok(Document {
        content_type,
        bytes: bytes.into(),
    })
}

fn chain(node: &Node<'_>) -> Result<(ChainId, ChainSnapshot), Refusal> {
    node.object_with(&[
        "chainId",
        "spec",
        "block",
        "complete",
        "accounts",
        "blockHashes",
        "headers",
        "proofs",
        "nodeExecutions",
        "history",
        "sourceVerification",
        "notRead",
    ])?;
    let id = node.required("chainId")?;
    let id = ChainId::parse(id.string()?, &id.pointer)?;
    let mut chain = pinned(node, &id)?;
    if let Some(complete) = node.optional("complete")? {
        chain.complete = complete.boolean()?;
    }
    for (key, account_node) in members(node.optional("accounts")?)? {
        let address = hex::address(key, &account_node.pointer)?;
        put(
            &mut chain.accounts,
            address,
            account(&account_node)?,
            &account_node,
        )?;
    }
    for (key, hash_node) in members(node.optional("blockHashes")?)? {
        let number = hex::quantity(key, &hash_node.pointer)?;
        let number = u64::try_from(number).map_err(|_| hash_node.refuse("bad-integer", "not below 2^64"))?;
        put(
            &mut chain.block_hashes,
            number,
            Answer::Known(hash(&hash_node)?),
            &hash_node,
        )?;
    }
    for (key, header_node) in members(node.optional("headers")?)? {
        let (header, _) = block::from_json(&header_node)?;
        if hex::quantity(key, &header_node.pointer)? != U256::from(header.number) {
            return Err(header_node.refuse("bad-view", "a header under another number than its own"));
        }
        put(
            &mut chain.headers,
            header.number,
            Answer::Known(header),
            &header_node,
        )?;
    }
    for proof_node in elements(node, "proofs")? {
        let (address, proof) = AccountProof::from_json(&proof_node)?;
        put(&mut chain.proofs, address, proof, &proof_node)?;
    }
    if node.optional("nodeExecutions")?.is_some() {
        let held = chain.node_executions.get_or_insert_default();
        for entry in elements(node, "nodeExecutions")? {
            let (request, answer) = node_execution::from_json(&entry)?;
            put(held, request, answer, &entry)?;
        }
    }
    if let Some(past) = node.optional("history")? {
        chain.history = Some(Answer::Known(Arc::new(history::from_json(&past)?)));
    }
    if let Some(verification) = node.optional("sourceVerification")? {
        chain.source_verification = Some(history::verification_from_json(&verification)?);
    }
    for unread in elements(node, "notRead")? {
        not_read(&mut chain, &unread)?;
    }
    Ok((id, chain))
}

/// The chain with its pinned block only; without `block`, one of which `notRead` must say why.
fn pinned(node: &Node<'_>, id: &ChainId) -> Result<ChainSnapshot, Refusal> {
    let spec = match node.optional("spec")? {
        Some(word) => Some(
            HardFork::parse(word.string()?)
                .ok_or_else(|| word.refuse("bad-view", format!("no such rules; known: {}", fork_words())))?,
        ),
        None => None,
    };
    let Some(block_node) = node.optional("block")? else {
        let unread = elements(node, "notRead")?;
        for entry in &unread {
            if entry.required("read")?.string()? == "block" {
                return Ok(ChainSnapshot::new(
                    Answer::Failed(reason(entry, "reason")?),
                    spec.unwrap_or_default(),
                ));
            }
        }
        return Err(node.refuse(
            "missing-member",
            "member `block` is missing, and `notRead` does not say why",
        ));
    };
    let (block, header) = block::from_json(&block_node)?;
    let hard_fork = spec.unwrap_or_else(|| HardFork::scheduled(id, block.number, block.timestamp));
    Ok(ChainSnapshot {
        header,
        ..ChainSnapshot::new(Answer::Known(block), hard_fork)
    })
}

fn fork_words() -> String {
    HardFork::ALL.map(HardFork::as_str).join(", ")
}

fn account(node: &Node<'_>) -> Result<AccountSnapshot, Refusal> {
    node.object_with(&["balance", "nonce", "code", "storage"])?;
    let mut account = AccountSnapshot::default();
    if let Some(balance) = node.optional("balance")? {
        account.balance = Some(Answer::Known(quantity(&balance)?));
    }
    if let Some(nonce) = node.optional("nonce")? {
        let nonce = if nonce.value.is_number() {
            nonce.small_integer()?
        } else {
            quantity_u64(&nonce)?
        };
        account.nonce = Some(Answer::Known(nonce));
    }
    if let Some(code) = node.optional("code")? {
        account.code = Some(Answer::Known(hex::data(code.string()?, &code.pointer)?));
    }
    for (key, value) in members(node.optional("storage")?)? {
        let slot = hex::quantity(key, &value.pointer)?;
        put(
            &mut account.storage,
            slot,
            Answer::Known(quantity(&value)?),
            &value,
        )?;
    }
    Ok(account)
}

fn not_read(chain: &mut ChainSnapshot, node: &Node<'_>) -> Result<(), Refusal> {
    node.object_with(&["read", "account", "slot", "number", "reason"])?;
    let reason = reason(node, "reason")?;
    let read = node.required("read")?;
    match read.string()? {
        "block" => match chain.block {
            Answer::Failed(_) => Ok(()),
            Answer::Known(_) => Err(node.refuse("bad-view", "`block` is both given and not read")),
        },
        "blockHash" => {
            let number = quantity_u64(&node.required("number")?)?;
            put(&mut chain.block_hashes, number, Answer::Failed(reason), node)
        }
        "history" => fail_once(&mut chain.history, reason, node),
        "header" => {
            let number = quantity_u64(&node.required("number")?)?;
            put(&mut chain.headers, number, Answer::Failed(reason), node)
        }
        "balance" => fail_once(
            &mut chain.accounts.entry(named(node)?).or_default().balance,
            reason,
            node,
        ),
        "nonce" => fail_once(
            &mut chain.accounts.entry(named(node)?).or_default().nonce,
            reason,
            node,
        ),
        "code" => fail_once(
            &mut chain.accounts.entry(named(node)?).or_default().code,
            reason,
            node,
        ),
        "storage" => {
            let slot = quantity(&node.required("slot")?)?;
            put(
                &mut chain.accounts.entry(named(node)?).or_default().storage,
                slot,
                Answer::Failed(reason),
                node,
            )
        }
        _ => Err(read.refuse(
            "bad-view",
            "no such read; known: block, blockHash, header, balance, nonce, code, storage, history",
        )),
    }
}

fn named(node: &Node<'_>) -> Result<Address, Refusal> {
    let account = node.required("account")?;
    hex::address(account.string()?, &account.pointer)
}

pub(super) fn reason(node: &Node<'_>, member: &str) -> Result<Reason, Refusal> {
    let word = node.required(member)?;
    Reason::parse(word.string()?).ok_or_else(|| word.refuse("bad-view", "not a reason of ERC-8481"))
}

fn fail_once<T>(member: &mut Option<Answer<T>>, reason: Reason, node: &Node<'_>) -> Result<(), Refusal> {
    if member.is_some() {
        return Err(said_twice(node));
    }
    *member = Some(Answer::Failed(reason));
    Ok(())
}

pub(super) fn put<K: Ord, V>(
    map: &mut BTreeMap<K, V>,
    key: K,
    value: V,
    node: &Node<'_>,
) -> Result<(), Refusal> {
    match map.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(value);
            Ok(())
        }
        Entry::Occupied(_) => Err(said_twice(node)),
    }
}

fn said_twice(node: &Node<'_>) -> Refusal {
    node.refuse("duplicate-member", "the file already says what this is")
}

pub(super) fn members<'a>(node: Option<Node<'a>>) -> Result<Vec<(&'a str, Node<'a>)>, Refusal> {
    let Some(node) = node else { return Ok(Vec::new()) };
    let object = node.object()?;
    Ok(object
        .iter()
        .map(|(key, value)| {
            (
                key.as_str(),
                Node {
                    value,
                    pointer: pointer_push(&node.pointer, key),
                },
            )
        })
        .collect())
}

fn elements<'a>(node: &Node<'a>, name: &str) -> Result<Vec<Node<'a>>, Refusal> {
    match node.optional(name)? {
        Some(array) => array.array(MAX_ELEMENTS, "the number of elements"),
        None => Ok(Vec::new()),
    }
}
