//! A snapshot into a view file's JSON. The same snapshot always gives the same bytes.

use super::{FORMAT, history, node_execution};
use crate::block;
use crate::snapshot::{AccountSnapshot, Answer, ChainSnapshot, Document, Snapshot};
use alloy_primitives::{Address, B256, U256};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use presight_wire::{ChainId, Reason};
use serde_json::{Map, Value, json};

/// The snapshot as a view file, members in a fixed order, with a final newline.
///
/// What failed is listed in `notRead` with its reason, so that reading the file again gives the same snapshot,
/// closed as [`Unavailable`](Reason::Unavailable).
pub fn to_json(snapshot: &Snapshot) -> String {
    format!("{:#}\n", value(snapshot))
}

fn value(snapshot: &Snapshot) -> Value {
    let mut documents = Map::new();
    let mut unreachable = Vec::new();
    let mut not_read = Vec::new();
    for (url, answer) in &snapshot.documents {
        match answer {
            Answer::Known(found) => {
                documents.insert(url.clone(), document(found));
            }
            Answer::Failed(Reason::Unavailable) => unreachable.push(url.as_str()),
            Answer::Failed(reason) => {
                not_read.push(json!({ "read": "document", "url": url, "reason": reason.as_str() }));
            }
        }
    }
    let mut file = Map::new();
    file.insert("format".into(), FORMAT.into());
    file.insert("clock".into(), snapshot.clock.to_string().into());
    file.insert(
        "chains".into(),
        snapshot.chains.iter().map(|(id, held)| chain(id, held)).collect(),
    );
    set_object(&mut file, "documents", documents);
    if !unreachable.is_empty() {
        file.insert("unreachable".into(), unreachable.into());
    }
    set_array(&mut file, "notRead", not_read);
    Value::Object(file)
}

fn document(document: &Document) -> Value {
    let mut members = Map::new();
    if let Some(content_type) = &document.content_type {
        members.insert("contentType".into(), content_type.as_str().into());
    }
    members.insert("base64".into(), BASE64_STANDARD.encode(&document.bytes).into());
    Value::Object(members)
}

fn chain(id: &ChainId, held: &ChainSnapshot) -> Value {
    let mut not_read = Vec::new();
    let mut members = Map::new();
    members.insert("chainId".into(), id.to_string().into());
    members.insert("spec".into(), held.hard_fork.as_str().into());
    match &held.block {
        Answer::Known(known) => {
            members.insert("block".into(), block::to_json(known, held.header.as_ref()));
        }
        Answer::Failed(reason) => not_read.push(json!({ "read": "block", "reason": reason.as_str() })),
    }
    members.insert("complete".into(), held.complete.into());
    let accounts: Map<String, Value> = held
        .accounts
        .iter()
        .filter_map(|(address, held)| Some((hex(*address), account(*address, held, &mut not_read)?)))
        .collect();
    members.insert("accounts".into(), accounts.into());
    let mut hashes = Map::new();
    for (number, answer) in &held.block_hashes {
        let number = format!("{number:#x}");
        match answer {
            Answer::Known(hash) => {
                hashes.insert(number, hash.to_string().into());
            }
            Answer::Failed(reason) => {
                not_read.push(json!({ "read": "blockHash", "number": number, "reason": reason.as_str() }));
            }
        }
    }
    set_object(&mut members, "blockHashes", hashes);
    let mut headers = Map::new();
    for (number, answer) in &held.headers {
        let number = format!("{number:#x}");
        match answer {
            Answer::Known(found) => drop(headers.insert(number, block::to_json(found, None))),
            Answer::Failed(reason) => {
                not_read.push(json!({ "read": "header", "number": number, "reason": reason.as_str() }));
            }
        }
    }
    set_object(&mut members, "headers", headers);
    set_array(
        &mut members,
        "proofs",
        held.proofs
            .iter()
            .map(|(address, proof)| proof.to_json(*address))
            .collect(),
    );
    if let Some(held) = &held.node_executions {
        let entries = held.iter();
        members.insert(
            "nodeExecutions".into(),
            entries.map(node_execution::to_json).collect(),
        );
    }
    match &held.history {
        Some(Answer::Known(past)) => drop(members.insert("history".into(), history::to_json(past))),
        Some(Answer::Failed(reason)) => {
            not_read.push(json!({ "read": "history", "reason": reason.as_str() }));
        }
        None => {}
    }
    if let Some(verification) = &held.source_verification {
        let verification = history::verification_to_json(verification);
        members.insert("sourceVerification".into(), verification);
    }
    set_array(&mut members, "notRead", not_read);
    Value::Object(members)
}

/// The account's known members; nothing when all it has is failures.
fn account(address: Address, held: &AccountSnapshot, not_read: &mut Vec<Value>) -> Option<Value> {
    let mut members = Map::new();
    let mut member = |name: &str, answer: Option<Answer<String>>| match answer {
        Some(Answer::Known(text)) => {
            members.insert(name.into(), text.into());
        }
        Some(Answer::Failed(reason)) => {
            not_read.push(json!({ "read": name, "account": hex(address), "reason": reason.as_str() }));
        }
        None => {}
    };
    member(
        "balance",
        held.balance
            .as_ref()
            .map(|answer| answer.map(|balance| format!("{balance:#x}"))),
    );
    member(
        "nonce",
        held.nonce
            .as_ref()
            .map(|answer| answer.map(|nonce| format!("{nonce:#x}"))),
    );
    member(
        "code",
        held.code.as_ref().map(|answer| answer.map(ToString::to_string)),
    );
    let mut storage = Map::new();
    for (slot, answer) in &held.storage {
        match answer {
            Answer::Known(value) => {
                storage.insert(word(*slot), word(*value).into());
            }
            Answer::Failed(reason) => not_read.push(json!({
                "read": "storage", "account": hex(address), "slot": word(*slot), "reason": reason.as_str(),
            })),
        }
    }
    set_object(&mut members, "storage", storage);
    let only_failures = members.is_empty() && *held != AccountSnapshot::default();
    (!only_failures).then_some(Value::Object(members))
}

fn hex(address: Address) -> String {
    format!("{address:#x}")
}

/// A slot or its value as a 32-byte word.
fn word(value: U256) -> String {
    B256::from(value).to_string()
}

fn set_object(members: &mut Map<String, Value>, name: &str, object: Map<String, Value>) {
    if !object.is_empty() {
        members.insert(name.into(), object.into());
    }
}

fn set_array(members: &mut Map<String, Value>, name: &str, array: Vec<Value>) {
    if !array.is_empty() {
        members.insert(name.into(), array.into());
    }
}
