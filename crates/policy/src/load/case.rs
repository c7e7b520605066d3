//! Cases: a request and facts in short form, made into a whole request and report.

use super::{name, parameter};
use crate::cases::Case;
use crate::document::{Data, Node, Table};
use crate::error::{Fault, shown};
use crate::evaluate::facts::group_of;
use crate::language::kind::{self, KindIndex, Shape};
use crate::policy::Policy;
use alloy_primitives::{Address, B256, U256, address};
use presight_decode::{Decoded, decode};
use presight_wire::kinds::Group;
use presight_wire::reading::Reason;
use presight_wire::report::{
    AddressEntity, Approval, BlockRef, Entities, EntityRef, Finding, Form, Outcome, Report, Role, Source,
    TextEntity,
};
use presight_wire::{AccountId, At, ChainId, Refusal, Request, Timestamp};
use serde_json::{Value, json};

/// Facts and approvals of one case.
const MAX_CASE_ITEMS: usize = 1_000;
/// The signer where a case names none.
const SIGNER: Address = address!("1111111111111111111111111111111111111111");
/// The block every case is read at.
const BLOCK: u64 = 20_000_000;
/// 2026-11-30T12:00:00Z.
const ISSUED_AT: i64 = 1_796_040_000;

const MEMBERS: [&str; 13] = [
    "name",
    "chain",
    "from",
    "calls",
    "typedData",
    "authorizationList",
    "context",
    "approvals",
    "facts",
    "listed",
    "params",
    "verdict",
    "reasons",
];

pub(super) fn case(node: &Node, policy: &Policy) -> Result<Case, Fault> {
    let table = node.table(&MEMBERS)?;
    let refused = |refusal: Refusal| {
        let message = format!("{} (at {})", refusal.message, shown(&refusal.pointer));
        Fault::new(refusal.code, node.offset, message)
    };
    let request = Request::from_value(request(&table)?).map_err(refused)?;
    let decoded = if table.get("calls").is_none() && table.get("typedData").is_none() {
        only_context(&request).map_err(refused)?
    } else {
        decode(&request).map_err(refused)?
    };
    let listed = table.get("listed").map_or(Ok(true), Node::boolean)?;
    let (entities, unlisted) = if listed {
        (decoded.entities.clone(), Entities::default())
    } else {
        (Entities::default(), decoded.entities.clone())
    };
    let mut report = report(&request, entities);
    for node in table.items("approvals", MAX_CASE_ITEMS, "MAX_CASE_ITEMS")? {
        let approval = approval(node)?;
        report.entities.approvals.push(approval);
    }
    for node in table.items("facts", MAX_CASE_ITEMS, "MAX_CASE_ITEMS")? {
        facts(node, &mut report)?;
    }
    let verdict = table
        .get("verdict")
        .map(|node| verdict(node, policy))
        .transpose()?;
    let reasons = table.items("reasons", MAX_CASE_ITEMS, "MAX_CASE_ITEMS")?;
    Ok(Case {
        name: table.required("name")?.text()?.to_owned(),
        settings: settings(&table, policy)?,
        reasons: reasons
            .iter()
            .map(|node| code(node, policy))
            .collect::<Result<_, _>>()?,
        verdict,
        request,
        decoded,
        report,
        unlisted,
    })
}

fn verdict(node: &Node, policy: &Policy) -> Result<String, Fault> {
    super::position(&policy.verdicts, node, "verdict").map(|index| policy.verdicts[index].0.clone())
}

fn code(node: &Node, policy: &Policy) -> Result<String, Fault> {
    let code = name(node)?;
    if code != "rule-error" && !policy.rules.iter().any(|rule| rule.code == code) {
        let message = format!("no rule has the code {}", shown(&code));
        return Err(Fault::new("unknown-name", node.offset, message));
    }
    Ok(code)
}

fn settings(table: &Table<'_>, policy: &Policy) -> Result<Vec<(usize, crate::policy::Setting)>, Fault> {
    let Some(node) = table.get("params") else {
        return Ok(Vec::new());
    };
    let members = node.open_table()?.members.iter();
    members
        .map(|(name, node)| {
            let index = policy
                .parameters
                .iter()
                .position(|p| p.name == *name)
                .ok_or_else(|| {
                    let message = format!("the policy has no parameter {}", shown(name));
                    Fault::new("unknown-name", node.offset, message)
                })?;
            let parameter = &policy.parameters[index];
            let value = parameter::setting(&parameter.of, node)?;
            match parameter.words_fault(&value, &policy.extensions) {
                None => Ok((index, value)),
                Some(message) => Err(Fault::new("unknown-word", node.offset, message)),
            }
        })
        .collect()
}

/// The request document of a case.
fn request(table: &Table<'_>) -> Result<Value, Fault> {
    let text = |name: &str| table.get(name).map(Node::text).transpose();
    let chain = text("chain")?.map_or("eip155:1", |chain| chain);
    let from = text("from")?.map_or_else(|| format!("{chain}:{SIGNER:#x}"), str::to_owned);
    let mut subject = json!({ "type": "calls", "chainId": chain, "from": from, "calls": [] });
    if let Some(node) = table.get("calls") {
        let mut calls = node.to_json()?;
        for call in calls
            .as_array_mut()
            .into_iter()
            .flatten()
            .filter_map(Value::as_object_mut)
        {
            call.entry("value").or_insert_with(|| json!("0"));
            call.entry("data").or_insert_with(|| json!("0x"));
        }
        subject["calls"] = calls;
    }
    if let Some(node) = table.get("typedData") {
        subject["typedData"] = node.to_json()?;
    } else if table.get("calls").is_none() {
        subject["calls"] = json!([{ "to": Address::ZERO, "value": "0", "data": "0x" }]);
    }
    if let Some(node) = table.get("authorizationList") {
        subject["authorizationList"] = node.to_json()?;
    }
    let mut request = json!({ "version": "erc-presign/1", "subject": subject });
    if let Some(node) = table.get("context") {
        request["context"] = node.to_json()?;
    }
    Ok(request)
}

/// The decoding of a case that has no calls and no typed data: what its context names. Its request has the one call that
/// every request must have something for, and that no rule is to see.
fn only_context(request: &Request) -> Result<Decoded, Refusal> {
    let mut decoded = decode(request)?;
    decoded.calls.clear();
    decoded.flags.clear();
    decoded
        .entities
        .addresses
        .retain(|entity| entity.address.address != Address::ZERO);
    Ok(decoded)
}

fn report(request: &Request, entities: Entities) -> Report {
    let chain = request.chain().clone();
    let source = AccountId::new(chain.clone(), Address::ZERO);
    Report {
        subject_digest: request.subject_digest(),
        context_digest: request.context_digest(),
        signer: request.signer().clone(),
        source: Source {
            registry: source.clone(),
            agent_id: U256::ZERO,
            signer: source,
        },
        issued_at: Timestamp(ISSUED_AT),
        expires_at: None,
        blocks: vec![block(chain.clone())],
        chain,
        entities,
        findings: Vec::new(),
        method: "case".to_owned(),
        detail: None,
        signature: None,
    }
}

fn block(chain: ChainId) -> BlockRef {
    BlockRef {
        chain,
        block: BLOCK,
        hash: B256::ZERO,
    }
}

fn approval(node: &Node) -> Result<Approval, Fault> {
    let table = node.table(&["token", "spender", "form"])?;
    let form = table.required("form")?;
    Ok(Approval {
        token: account(table.required("token")?)?,
        spender: account(table.required("spender")?)?,
        form: Form::parse(form.text()?)
            .ok_or_else(|| Fault::new("unknown-name", form.offset, "unknown approval form"))?,
        call_index: None,
    })
}

fn account(node: &Node) -> Result<AccountId, Fault> {
    AccountId::parse_any_case(node.text()?, "")
        .map_err(|refusal| Fault::new(refusal.code, node.offset, refusal.message))
}

/// One entry of `facts`: an entity, listed if it is not yet, and what is read of it.
fn facts(node: &Node, report: &mut Report) -> Result<(), Fault> {
    let table = node.open_table()?;
    let (reference, named) = entity(&table, report)?;
    let group = group_of(&reference);
    for (member, node) in table
        .members
        .iter()
        .filter(|(name, _)| !named.contains(&name.as_str()))
    {
        let index = kind::by_member(group, member).or_else(|| {
            let index = kind::by_name(member)?;
            (kind::kind(index).group == group).then_some(index)
        });
        let Some(index) = index else {
            let known: Vec<&str> = kind::members(group).collect();
            let message = format!("unknown fact {}; known: {}", shown(member), known.join(", "));
            return Err(Fault::new("unknown-name", node.offset, message));
        };
        findings(&reference, index, node, report)?;
    }
    Ok(())
}

/// The entity an entry names, and the members that name it.
fn entity(table: &Table<'_>, report: &mut Report) -> Result<(EntityRef, &'static [&'static str]), Fault> {
    let entities = &mut report.entities;
    if let Some(node) = table.get("approval") {
        let index = number(node)?;
        if index >= entities.approvals.len() {
            let message = format!(
                "the case has no approval {index}: it has {}",
                entities.approvals.len()
            );
            return Err(Fault::new("unknown-name", node.offset, message));
        }
        return Ok((EntityRef::Approval(index), &["approval"]));
    }
    if let Some(node) = table.get("token") {
        let token = account(node)?;
        if !entities.tokens.contains(&token) {
            entities.tokens.push(token.clone());
        }
        return Ok((EntityRef::Token(token), &["token"]));
    }
    if let Some(node) = table.get("address") {
        let role = table.required("role")?;
        let entity = AddressEntity {
            address: account(node)?,
            role: Role::parse(role.text()?)
                .ok_or_else(|| Fault::new("unknown-name", role.offset, "unknown role"))?,
        };
        if !entities.addresses.contains(&entity) {
            entities.addresses.push(entity.clone());
        }
        return Ok((EntityRef::Address(entity), &["address", "role"]));
    }
    if table.get("payment").is_some() {
        entities.payment = true;
        return Ok((EntityRef::Payment, &["payment"]));
    }
    let node = table.required("text")?;
    let index = number(node)?;
    if !entities.texts.iter().any(|text| text.index == index) {
        let field = table.get("field").map_or(Ok("tool-output"), Node::text)?;
        entities.texts.push(TextEntity {
            index,
            field: field.to_owned(),
            reference: None,
            digest: B256::ZERO,
        });
    }
    Ok((EntityRef::Text(index), &["text", "field"]))
}

fn number(node: &Node) -> Result<usize, Fault> {
    usize::try_from(node.unsigned()?)
        .map_err(|_| Fault::new("bad-integer", node.offset, "a position expected"))
}

/// The finding of a kind, or the findings of one that may have several.
fn findings(entity: &EntityRef, index: KindIndex, node: &Node, report: &mut Report) -> Result<(), Fault> {
    let entries: Vec<&Node> = match (kind::kind(index).shape, &node.data) {
        (Shape::Many(_), Data::List(items)) => items.iter().collect(),
        _ => vec![node],
    };
    for entry in entries {
        let (param, outcome) = match kind::kind(index).shape {
            Shape::Many(_) => {
                let table = entry.table(&["param", "value", "not-read"])?;
                let outcome = match table.get("not-read") {
                    Some(reason) => Outcome::NotRead(reason_of(reason)?),
                    None => Outcome::Read(table.required("value")?.to_json()?),
                };
                (table.get("param").map(Node::to_json).transpose()?, outcome)
            }
            Shape::One(_) => match &entry.data {
                Data::Table(members) if matches!(members.as_slice(), [(name, _)] if name == "not-read") => {
                    (None, Outcome::NotRead(reason_of(&members[0].1)?))
                }
                _ => (None, Outcome::Read(entry.to_json()?)),
            },
        };
        if let Outcome::Read(value) = &outcome {
            let kind = kind::kind(index);
            if let Some(expected) = wrong_value(kind, value) {
                let message = format!("{} is {expected}", kind.name);
                return Err(Fault::new("wrong-type", entry.offset, message));
            }
        }
        let chain = chain_of(entity, report);
        if let Some(chain) = &chain
            && !report.blocks.iter().any(|block| block.chain == *chain)
        {
            report.blocks.push(block(chain.clone()));
        }
        report.findings.push(Finding {
            kind: kind::kind(index).name.to_owned(),
            entity: entity.clone(),
            param,
            at: match outcome {
                Outcome::Read(_) => chain.map(|chain| At { chain, block: BLOCK }),
                Outcome::NotRead(_) => None,
            },
            outcome,
            evidence: Vec::new(),
            note: None,
        });
    }
    Ok(())
}

/// What a value has to be and is not. Values whose shape varies are not looked at, but for amounts.
fn wrong_value(kind: &kind::Kind, value: &Value) -> Option<&'static str> {
    let is_integer = || match value {
        Value::String(text) => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
        other => other.is_u64(),
    };
    let (Shape::One(of) | Shape::Many(of)) = kind.shape;
    let (fits, expected) = match of {
        kind::Value::Bool => (value.is_boolean(), "a boolean"),
        kind::Value::Integer => (is_integer(), "an integer of at least 0"),
        kind::Value::Text => (value.is_string(), "a text"),
        kind::Value::Json if kind.name == "erc.presign.approval.amount" => (
            value == "all" || is_integer(),
            "an integer of at least 0, or `all`",
        ),
        kind::Value::Json => (true, ""),
    };
    (!fits).then_some(expected)
}

fn reason_of(node: &Node) -> Result<Reason, Fault> {
    Reason::parse(node.text()?).ok_or_else(|| {
        Fault::new(
            "unknown-name",
            node.offset,
            "no reason of a fact that was not read",
        )
    })
}

/// The chain the facts of an entity hold on.
fn chain_of(entity: &EntityRef, report: &Report) -> Option<ChainId> {
    match group_of(entity) {
        Group::Text => None,
        _ => Some(match entity {
            EntityRef::Token(token) => token.chain.clone(),
            EntityRef::Address(address) => address.address.chain.clone(),
            _ => report.chain.clone(),
        }),
    }
}
