//! A report as received: typed reading with pointers. Members the text does not name are let pass, since
//! `reportHash` covers them; members it names are read strictly.

use super::{
    AddressEntity, Approval, BlockRef, Entities, EntityRef, Finding, Form, Outcome, Report, Role, Source,
    TextEntity,
};
use crate::caip::{AccountId, ChainId};
use crate::error::Refusal;
use crate::hex;
use crate::limits::{MAX_REPORT_BLOCKS, MAX_REPORT_ENTITIES, MAX_REPORT_EVIDENCE, MAX_REPORT_FINDINGS};
use crate::node::Node;
use crate::reading::{At, Evidence, Reason};
use crate::request::VERSION;
use crate::time::Timestamp;
use alloy_primitives::{B256, Bytes, U256};
use serde_json::Value;

pub(super) fn report(value: &Value) -> Result<Report, Refusal> {
    let root = Node::root(value);
    let version = root.required("version")?;
    if version.string()? != VERSION {
        return Err(version.refuse("bad-version", format!("`{VERSION}` expected")));
    }
    Ok(Report {
        subject_digest: b256(&root.required("subjectDigest")?)?,
        context_digest: b256(&root.required("contextDigest")?)?,
        chain: chain(&root.required("chainId")?)?,
        signer: account(&root.required("signer")?)?,
        source: source(&root.required("source")?)?,
        issued_at: time(&root.required("issuedAt")?)?,
        expires_at: some(&root, "expiresAt", time)?,
        blocks: list(&root, "blocks", MAX_REPORT_BLOCKS, "MAX_REPORT_BLOCKS", block)?,
        entities: entities(&root.required("entities")?)?,
        findings: list(
            &root,
            "findings",
            MAX_REPORT_FINDINGS,
            "MAX_REPORT_FINDINGS",
            finding,
        )?,
        method: text(&root.required("method")?)?,
        detail: some(&root, "detail", text)?,
        signature: some(&root, "signature", bytes)?,
    })
}

fn source(node: &Node<'_>) -> Result<Source, Refusal> {
    Ok(Source {
        registry: account(&node.required("registry")?)?,
        agent_id: decimal(&node.required("agentId")?)?,
        signer: account(&node.required("signer")?)?,
    })
}

fn block(node: &Node<'_>) -> Result<BlockRef, Refusal> {
    let at = at(node)?;
    Ok(BlockRef {
        chain: at.chain,
        block: at.block,
        hash: b256(&node.required("hash")?)?,
    })
}

fn at(node: &Node<'_>) -> Result<At, Refusal> {
    Ok(At {
        chain: chain(&node.required("chainId")?)?,
        block: block_number(&node.required("block")?)?,
    })
}

fn entities(node: &Node<'_>) -> Result<Entities, Refusal> {
    const LIMIT: &str = "MAX_REPORT_ENTITIES";
    Ok(Entities {
        tokens: list(node, "tokens", MAX_REPORT_ENTITIES, LIMIT, account)?,
        approvals: list(node, "approvals", MAX_REPORT_ENTITIES, LIMIT, approval)?,
        addresses: list(node, "addresses", MAX_REPORT_ENTITIES, LIMIT, address)?,
        payment: node.required("payment")?.boolean()?,
        texts: list(node, "texts", MAX_REPORT_ENTITIES, LIMIT, text_entity)?,
    })
}

fn approval(node: &Node<'_>) -> Result<Approval, Refusal> {
    let form = node.required("form")?;
    Ok(Approval {
        token: account(&node.required("token")?)?,
        spender: account(&node.required("spender")?)?,
        form: Form::parse(form.string()?).ok_or_else(|| form.refuse("bad-form", "unknown approval form"))?,
        call_index: some(node, "callIndex", index)?,
    })
}

fn address(node: &Node<'_>) -> Result<AddressEntity, Refusal> {
    let role = node.required("role")?;
    Ok(AddressEntity {
        address: account(&node.required("address")?)?,
        role: Role::parse(role.string()?).ok_or_else(|| role.refuse("bad-role", "unknown role"))?,
    })
}

fn text_entity(node: &Node<'_>) -> Result<TextEntity, Refusal> {
    Ok(TextEntity {
        index: index(&node.required("index")?)?,
        field: text(&node.required("field")?)?,
        reference: some(node, "ref", text)?,
        digest: b256(&node.required("digest")?)?,
    })
}

fn finding(node: &Node<'_>) -> Result<Finding, Refusal> {
    Ok(Finding {
        kind: text(&node.required("kind")?)?,
        entity: entity(&node.required("entity")?)?,
        param: node.optional("param")?.map(|param| param.value.clone()),
        outcome: outcome(node)?,
        at: some(node, "at", at)?,
        evidence: list(
            node,
            "evidence",
            MAX_REPORT_EVIDENCE,
            "MAX_REPORT_EVIDENCE",
            evidence,
        )?,
        note: some(node, "note", text)?,
    })
}

/// `read` with `value` and no `reason`, or `not-read` with `reason` and no `value`.
fn outcome(node: &Node<'_>) -> Result<Outcome, Refusal> {
    let status = node.required("status")?;
    match (
        status.string()?,
        node.optional("value")?,
        node.optional("reason")?,
    ) {
        ("read" | "not-read", Some(_), Some(_)) => Err(node.refuse(
            "value-and-reason",
            "a finding carries a value or a reason, not both",
        )),
        ("read", Some(value), None) => Ok(Outcome::Read(value.value.clone())),
        ("read", None, _) => Err(node.refuse("missing-value", "a finding that was read carries its value")),
        ("not-read", None, Some(reason)) => Reason::parse(reason.string()?)
            .map(Outcome::NotRead)
            .ok_or_else(|| reason.refuse("bad-reason", "unknown reason")),
        ("not-read", _, None) => {
            Err(node.refuse("missing-reason", "a finding that was not read carries its reason"))
        }
        _ => Err(status.refuse("bad-status", "`read` or `not-read` expected")),
    }
}

fn entity(node: &Node<'_>) -> Result<EntityRef, Refusal> {
    let bad = || {
        node.refuse(
            "bad-entity",
            "exactly one of token, approval, address, payment and text expected",
        )
    };
    let names: Vec<&str> = ["token", "approval", "address", "payment", "text"]
        .into_iter()
        .filter(|name| node.value.get(name).is_some())
        .collect();
    node.object()?;
    let [name] = names[..] else { return Err(bad()) };
    let member = node.required(name)?;
    Ok(match name {
        "token" => EntityRef::Token(account(&member)?),
        "approval" => EntityRef::Approval(index(&member)?),
        "address" => EntityRef::Address(address(node)?),
        "payment" if member.boolean()? => EntityRef::Payment,
        "text" => EntityRef::Text(index(&member)?),
        _ => return Err(bad()),
    })
}

fn evidence(node: &Node<'_>) -> Result<Evidence, Refusal> {
    let kind = node.required("type")?;
    Ok(match kind.string()? {
        "tx" => Evidence::Tx {
            chain: chain(&node.required("chainId")?)?,
            hash: b256(&node.required("hash")?)?,
        },
        "log" => Evidence::Log {
            chain: chain(&node.required("chainId")?)?,
            tx: b256(&node.required("tx")?)?,
            log_index: node.required("logIndex")?.small_integer()?,
        },
        "call" => Evidence::Call {
            at: at(node)?,
            to: call_target(node)?,
            data: bytes(&node.required("data")?)?,
            result: bytes(&node.required("result")?)?,
        },
        "observation" => Evidence::Observation {
            registry: account(&node.required("registry")?)?,
            observation_id: decimal(&node.required("observationId")?)?,
        },
        "document" => Evidence::Document {
            uri: text(&node.required("uri")?)?,
            hash: b256(&node.required("hash")?)?,
        },
        _ => return Err(kind.refuse("bad-evidence", "tx, log, call, observation or document expected")),
    })
}

/// The `to` of a call: CAIP-10 (I-8); a plain address is one on the evidence's own chain.
fn call_target(node: &Node<'_>) -> Result<AccountId, Refusal> {
    let to = node.required("to")?;
    if to.string()?.contains(':') {
        return account(&to);
    }
    let address = hex::address_any_case(to.string()?, &to.pointer)?;
    Ok(AccountId::new(chain(&node.required("chainId")?)?, address))
}

/// An optional member.
fn some<T>(
    node: &Node<'_>,
    name: &str,
    read: impl Fn(&Node<'_>) -> Result<T, Refusal>,
) -> Result<Option<T>, Refusal> {
    node.optional(name)?.map(|member| read(&member)).transpose()
}

fn list<T>(
    node: &Node<'_>,
    name: &str,
    max: usize,
    limit: &str,
    read: impl Fn(&Node<'_>) -> Result<T, Refusal>,
) -> Result<Vec<T>, Refusal> {
    node.required(name)?.array(max, limit)?.iter().map(read).collect()
}

fn text(node: &Node<'_>) -> Result<String, Refusal> {
    node.string().map(str::to_owned)
}

fn index(node: &Node<'_>) -> Result<usize, Refusal> {
    usize::try_from(node.small_integer()?).map_err(|_| node.refuse("bad-integer", "the index is too large"))
}

fn b256(node: &Node<'_>) -> Result<B256, Refusal> {
    hex::b256(node.string()?, &node.pointer)
}

fn bytes(node: &Node<'_>) -> Result<Bytes, Refusal> {
    hex::data(node.string()?, &node.pointer)
}

fn decimal(node: &Node<'_>) -> Result<U256, Refusal> {
    hex::decimal(node.string()?, &node.pointer)
}

fn block_number(node: &Node<'_>) -> Result<u64, Refusal> {
    u64::try_from(decimal(node)?).map_err(|_| node.refuse("bad-integer", "a block number is below 2^64"))
}

fn chain(node: &Node<'_>) -> Result<ChainId, Refusal> {
    ChainId::parse(node.string()?, &node.pointer)
}

fn account(node: &Node<'_>) -> Result<AccountId, Refusal> {
    AccountId::parse_any_case(node.string()?, &node.pointer)
}

/// `issuedAt` and `expiresAt` are RFC 3339 in UTC.
fn time(node: &Node<'_>) -> Result<Timestamp, Refusal> {
    Timestamp::parse_utc(node.string()?, &node.pointer)
}
