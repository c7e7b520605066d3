//! `history` and `sourceVerification` of a view file.

use super::read::{members, put};
use crate::block::{hash, quantity, quantity_u64};
use crate::history::{Authorization, History, Part, Reach, Record, Transfer, TransferKind, Verification};
use alloy_primitives::{Address, B256};
use presight_wire::error::Refusal;
use presight_wire::hex;
use presight_wire::node::Node;
use serde_json::{Map, Value};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Records of each sort in a history, and addresses it names itself to be about.
const MAX_RECORDS: usize = 2_000_000;

/// By verifier, what it says of contracts.
pub(super) type SourceVerification = BTreeMap<String, BTreeMap<Address, Verification>>;

pub(super) fn from_json(node: &Node<'_>) -> Result<History, Refusal> {
    node.object_with(&[
        "complete",
        "fromBlock",
        "addresses",
        "transfers",
        "delegates",
        "authorizations",
    ])?;
    let complete = node.optional("complete")?.map(|complete| complete.boolean());
    let from_block = node.optional("fromBlock")?;
    Ok(History {
        reach: Reach {
            complete: complete.transpose()? == Some(true),
            from_block: from_block.map(|block| integer(&block)).transpose()?,
        },
        transfers: part(node, "transfers", "addresses", transfers)?,
        authorizations: part(node, "authorizations", "delegates", |nodes| {
            nodes.iter().map(authorization).collect()
        })?,
    })
}

fn part<T: Record>(
    node: &Node<'_>,
    name: &str,
    about: &str,
    read: impl Fn(&[Node<'_>]) -> Result<Vec<T>, Refusal>,
) -> Result<Option<Part<T>>, Refusal> {
    let about = match node.optional(about)? {
        Some(list) => Some(
            list.array(MAX_RECORDS, "MAX_RECORDS")?
                .iter()
                .map(address)
                .collect::<Result<BTreeSet<_>, _>>()?,
        ),
        None => None,
    };
    let Some(list) = node.optional(name)? else {
        return Ok(None);
    };
    let records = read(&list.array(MAX_RECORDS, "MAX_RECORDS")?)?;
    Ok(Some(Part::new(records, about)))
}

/// The transfers, each once, with the senders that the transactions among them tell.
fn transfers(nodes: &[Node<'_>]) -> Result<Vec<Transfer>, Refusal> {
    let mut transfers: Vec<Transfer> = Vec::with_capacity(nodes.len());
    let mut places = Vec::with_capacity(nodes.len());
    let mut once = HashMap::new();
    for node in nodes {
        let transfer = transfer(node)?;
        match identity(&transfer).map(|identity| once.entry(identity)) {
            Some(Entry::Occupied(seen)) => {
                if transfers[*seen.get()] != transfer {
                    return Err(node.refuse("bad-view", "the history says something else of it before"));
                }
                continue;
            }
            Some(Entry::Vacant(vacant)) => drop(vacant.insert(transfers.len())),
            None => {}
        }
        transfers.push(transfer);
        places.push(node);
    }
    let senders: HashMap<B256, (u64, Address)> = transfers
        .iter()
        .filter(|transfer| transfer.kind == TransferKind::Transaction)
        .map(|transfer| (transfer.tx, (transfer.block, transfer.from)))
        .collect();
    for (transfer, node) in transfers.iter_mut().zip(places) {
        let Some((block, sender)) = senders.get(&transfer.tx) else {
            continue;
        };
        let told = transfer.sender.get_or_insert(*sender);
        if (transfer.block, *told) != (*block, *sender) {
            return Err(node.refuse("bad-view", "its transaction has another block or sender"));
        }
    }
    Ok(transfers)
}

/// What there is only one of: a transaction, an event that is one transfer.
fn identity(transfer: &Transfer) -> Option<(B256, Option<u64>)> {
    match (transfer.kind, transfer.log_index) {
        (TransferKind::Transaction, _) => Some((transfer.tx, None)),
        (TransferKind::Erc20 | TransferKind::Erc721, Some(index)) => Some((transfer.tx, Some(index))),
        _ => None,
    }
}

fn transfer(node: &Node<'_>) -> Result<Transfer, Refusal> {
    node.object_with(&[
        "block", "tx", "logIndex", "kind", "from", "to", "token", "value", "sender",
    ])?;
    let word = node.required("kind")?;
    let kind = TransferKind::parse(word.string()?).ok_or_else(|| {
        let known = TransferKind::ALL.map(TransferKind::as_str).join(", ");
        word.refuse("bad-view", format!("no such transfer; known: {known}"))
    })?;
    let given = |name| node.optional(name)?.map(|member| address(&member)).transpose();
    let from = address(&node.required("from")?)?;
    let to = given("to")?;
    if to.is_none() && kind != TransferKind::Transaction {
        return Err(node.refuse("missing-member", "member `to` is missing"));
    }
    let mut sender = given("sender")?;
    if kind == TransferKind::Transaction && *sender.get_or_insert(from) != from {
        return Err(node.refuse("bad-view", "a transaction is from its sender"));
    }
    let log_index = node.optional("logIndex")?;
    let value = node.optional("value")?;
    Ok(Transfer {
        block: integer(&node.required("block")?)?,
        tx: hash(&node.required("tx")?)?,
        log_index: log_index.map(|index| integer(&index)).transpose()?,
        kind,
        from,
        to,
        token: given("token")?,
        value: value.map(|value| quantity(&value)).transpose()?,
        sender,
    })
}

fn authorization(node: &Node<'_>) -> Result<Authorization, Refusal> {
    node.object_with(&["block", "tx", "sender", "authority", "delegate"])?;
    let named = |name| address(&node.required(name)?);
    Ok(Authorization {
        block: integer(&node.required("block")?)?,
        tx: hash(&node.required("tx")?)?,
        sender: named("sender")?,
        authority: named("authority")?,
        delegate: named("delegate")?,
    })
}

fn address(node: &Node<'_>) -> Result<Address, Refusal> {
    hex::address(node.string()?, &node.pointer)
}

/// A JSON number, or a `0x` quantity below 2^64.
fn integer(node: &Node<'_>) -> Result<u64, Refusal> {
    if node.value.is_number() {
        node.small_integer()
    } else {
        quantity_u64(node)
    }
}

pub(super) fn to_json(history: &History) -> Value {
    let mut members = Map::new();
    members.insert("complete".into(), history.reach.complete.into());
    if let Some(block) = history.reach.from_block {
        members.insert("fromBlock".into(), format!("{block:#x}").into());
    }
    if let Some(part) = &history.transfers {
        set_part(&mut members, "transfers", "addresses", part, transfer_json);
    }
    if let Some(part) = &history.authorizations {
        set_part(
            &mut members,
            "authorizations",
            "delegates",
            part,
            authorization_json,
        );
    }
    Value::Object(members)
}

fn set_part<T: Record>(
    members: &mut Map<String, Value>,
    name: &str,
    about: &str,
    part: &Part<T>,
    json: impl Fn(&T) -> Value,
) {
    if let Some(addresses) = part.about() {
        let addresses = addresses.iter().map(|address| Value::from(text(*address)));
        members.insert(about.into(), addresses.collect());
    }
    members.insert(name.into(), part.records().iter().map(json).collect());
}

fn transfer_json(transfer: &Transfer) -> Value {
    let mut members = Map::new();
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            members.insert(name.into(), value.into());
        }
    };
    set("block", Some(format!("{:#x}", transfer.block)));
    set("tx", Some(transfer.tx.to_string()));
    set("logIndex", transfer.log_index.map(|index| format!("{index:#x}")));
    set("kind", Some(transfer.kind.as_str().to_owned()));
    set("from", Some(text(transfer.from)));
    set("to", transfer.to.map(text));
    set("token", transfer.token.map(text));
    set("value", transfer.value.map(|value| format!("{value:#x}")));
    if transfer.kind != TransferKind::Transaction {
        set("sender", transfer.sender.map(text));
    }
    Value::Object(members)
}

fn authorization_json(authorization: &Authorization) -> Value {
    serde_json::json!({
        "block": format!("{:#x}", authorization.block),
        "tx": authorization.tx.to_string(),
        "sender": text(authorization.sender),
        "authority": text(authorization.authority),
        "delegate": text(authorization.delegate),
    })
}

fn text(address: Address) -> String {
    format!("{address:#x}")
}

pub(super) fn verification_from_json(node: &Node<'_>) -> Result<SourceVerification, Refusal> {
    let mut verification = SourceVerification::new();
    for (verifier, contracts) in members(Some(node.clone()))? {
        let held = verification.entry(verifier.to_owned()).or_default();
        for (key, word) in members(Some(contracts))? {
            let found = Verification::parse(word.string()?)
                .ok_or_else(|| word.refuse("bad-view", "exact, partial or none expected"))?;
            put(held, hex::address(key, &word.pointer)?, found, &word)?;
        }
    }
    Ok(verification)
}

pub(super) fn verification_to_json(verification: &SourceVerification) -> Value {
    let verifiers = verification.iter().map(|(verifier, contracts)| {
        let contracts = contracts
            .iter()
            .map(|(address, found)| (text(*address), found.as_str().into()));
        (verifier.clone(), Value::Object(contracts.collect()))
    });
    Value::Object(verifiers.collect())
}
