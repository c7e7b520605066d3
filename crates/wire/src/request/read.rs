//! Reading a request, member by member.

use super::{
    Authorization, Call, CallsSubject, Context, EnvelopeSubject, Payee, Payment, Quote, Subject, Text,
    VERSION,
};
use crate::caip::{AccountId, ChainId};
use crate::envelope::{Code, Envelope, NotAnEnvelope, Problem};
use crate::error::Refusal;
use crate::hex;
use crate::limits::{
    MAX_AUTHORIZATIONS, MAX_CALLDATA_BYTES, MAX_CALLS, MAX_CONTEXT_TOKENS, MAX_KINDS, MAX_TEXT_BYTES,
    MAX_TEXTS,
};
use crate::node::Node;
use alloy_primitives::{Address, Bytes, U256};
use serde_json::{Map, Value};

pub(super) type Members = (Subject, Option<Context>, Option<Vec<String>>);

pub(super) fn request(root: &Node<'_>) -> Result<Members, Refusal> {
    root.object_with(&["version", "subject", "context", "kinds"])?;
    let version = root.required("version")?;
    if version.string()? != VERSION {
        return Err(version.refuse("bad-version", format!("`{VERSION}` expected")));
    }
    let subject = subject(&root.required("subject")?)?;
    Ok((
        subject,
        some(root, "context", context)?,
        some(root, "kinds", kinds)?,
    ))
}

/// A kind this source does not know is not answered; an empty list would ask for a report that says nothing.
fn kinds(node: &Node<'_>) -> Result<Vec<String>, Refusal> {
    let kinds = list(node, MAX_KINDS, "MAX_KINDS", text)?;
    if kinds.is_empty() {
        return Err(node.refuse(
            "empty-kinds",
            "an empty list asks for nothing; leave it out for every core kind",
        ));
    }
    Ok(kinds)
}

fn subject(node: &Node<'_>) -> Result<Subject, Refusal> {
    let kind = node.required("type")?;
    match kind.string()? {
        "calls" => calls_subject(node).map(Subject::Calls),
        "erc8265-envelope" => envelope_subject(node).map(Box::new).map(Subject::Envelope),
        _ => Err(kind.refuse("bad-subject-type", "`calls` or `erc8265-envelope` expected")),
    }
}

fn envelope_subject(node: &Node<'_>) -> Result<EnvelopeSubject, Refusal> {
    node.object_with(&["type", "envelope"])?;
    let node = node.required("envelope")?;
    let envelope = valid_envelope(&node)?;
    let content = node.required("content")?;
    let chain = evm_chain(&content.required("chain")?)?;
    let Some(from) = envelope.fields().content.from() else {
        let message = "the envelope names no `content.from`; a report must name the signer";
        return Err(content.refuse("signer-unknown", message));
    };
    Ok(EnvelopeSubject {
        from: AccountId::new(chain.clone(), from),
        chain,
        envelope,
    })
}

/// The envelope must be valid under ERC-8265 (I-6), and hold no integer that canonical bytes would round (I-2). The
/// refusal is the validator's first error, and names the others.
fn valid_envelope(node: &Node<'_>) -> Result<Envelope, Refusal> {
    let envelope = Envelope::from_value(node.value.clone()).map_err(|error| match error {
        NotAnEnvelope::Invalid(validation) => invalid(&validation.errors, &node.pointer),
        NotAnEnvelope::Refused(refusal) => Refusal {
            pointer: format!("{}{}", node.pointer, refusal.pointer),
            ..refusal
        },
    })?;
    let rounded = |warning: &&Problem| warning.code == Code::NumberPrecision;
    match envelope.warnings().iter().find(rounded) {
        None => Ok(envelope),
        Some(warning) => Err(Refusal::new(
            "json-inexact-number",
            format!("{}{}", node.pointer, warning.path),
            "no IEEE double is this integer (RFC 7493); write it as a string",
        )),
    }
}

fn invalid(errors: &[Problem], pointer: &str) -> Refusal {
    /// Further errors named in the refusal.
    const NAMED: usize = 20;
    let Some((first, others)) = errors.split_first() else {
        return Refusal::new("invalid-envelope", pointer, "not a valid envelope");
    };
    let mut message = first.message.to_string();
    for other in others.iter().take(NAMED) {
        message.push_str(&format!("; also {} at {pointer}{}", other.code, other.path));
    }
    if others.len() > NAMED {
        message.push_str(&format!("; and {} more", others.len() - NAMED));
    }
    Refusal::new(first.code.as_str(), format!("{pointer}{}", first.path), message)
}

fn calls_subject(node: &Node<'_>) -> Result<CallsSubject, Refusal> {
    node.object_with(&[
        "type",
        "chainId",
        "from",
        "calls",
        "typedData",
        "authorizationList",
    ])?;
    let chain = evm_chain(&node.required("chainId")?)?;
    let subject = CallsSubject {
        from: account_on(&node.required("from")?, &chain)?,
        calls: list(&node.required("calls")?, MAX_CALLS, "MAX_CALLS", |n| {
            call(n, &chain)
        })?,
        typed_data: some(node, "typedData", |n| n.object().map(|_| n.value.clone()))?,
        authorization_list: some(node, "authorizationList", authorization_list)?,
        chain,
    };
    if subject.calls.is_empty() && subject.typed_data.is_none() && subject.authorization_list.is_none() {
        let message = "no calls, no typed data and no authorization list: nothing to sign";
        return Err(node.refuse("empty-subject", message));
    }
    Ok(subject)
}

fn call(node: &Node<'_>, chain: &ChainId) -> Result<Call, Refusal> {
    node.object_with(&["to", "value", "data"])?;
    let data_node = node.required("data")?;
    let data = bytes(&data_node)?;
    if data.len() > MAX_CALLDATA_BYTES {
        let message = format!(
            "{} bytes of calldata; MAX_CALLDATA_BYTES is {MAX_CALLDATA_BYTES}",
            data.len()
        );
        return Err(data_node.refuse("too-large", message));
    }
    Ok(Call {
        to: address_on(&node.required("to")?, chain)?.address,
        value: wei(&node.required("value")?)?,
        data,
    })
}

/// A decimal string, or a 0x-quantity (I-5).
fn wei(node: &Node<'_>) -> Result<U256, Refusal> {
    let text = node.string()?;
    if text.starts_with("0x") {
        hex::quantity(text, &node.pointer)
    } else {
        decimal(node)
    }
}

/// EIP-7702 makes a transaction with an empty list invalid.
fn authorization_list(node: &Node<'_>) -> Result<Vec<Authorization>, Refusal> {
    let tuples = list(node, MAX_AUTHORIZATIONS, "MAX_AUTHORIZATIONS", authorization)?;
    if tuples.is_empty() {
        return Err(node.refuse(
            "empty-authorization-list",
            "EIP-7702 allows no empty list; leave it out",
        ));
    }
    Ok(tuples)
}

/// The ranges are those in which EIP-7702 takes a tuple into a transaction at all; a tuple within them that does
/// not apply is skipped later (I-27).
fn authorization(node: &Node<'_>) -> Result<Authorization, Refusal> {
    node.object_with(&["chainId", "address", "nonce", "yParity", "r", "s"])?;
    Ok(Authorization {
        chain_id: decimal(&node.required("chainId")?)?,
        address: address(&node.required("address")?)?,
        nonce: nonce(&node.required("nonce")?)?,
        y_parity: parity(&node.required("yParity")?)?,
        r: word(&node.required("r")?)?,
        s: word(&node.required("s")?)?,
    })
}

fn nonce(node: &Node<'_>) -> Result<u64, Refusal> {
    u64::try_from(decimal(node)?).map_err(|_| node.refuse("bad-integer", "a nonce is below 2^64 (EIP-7702)"))
}

fn parity(node: &Node<'_>) -> Result<u8, Refusal> {
    u8::try_from(node.small_integer()?)
        .map_err(|_| node.refuse("bad-integer", "yParity is below 256 (EIP-7702)"))
}

/// One half of a signature: up to 32 bytes, with or without its leading zeros.
fn word(node: &Node<'_>) -> Result<U256, Refusal> {
    hex::quantity(node.string()?, &node.pointer)
}

fn context(node: &Node<'_>) -> Result<Context, Refusal> {
    node.object_with(&["payment", "texts", "tokens"])?;
    Ok(Context {
        payment: some(node, "payment", payment)?,
        texts: some(node, "texts", |n| list(n, MAX_TEXTS, "MAX_TEXTS", text_read))?.unwrap_or_default(),
        tokens: some(node, "tokens", |n| {
            list(n, MAX_CONTEXT_TOKENS, "MAX_CONTEXT_TOKENS", account)
        })?
        .unwrap_or_default(),
    })
}

fn text_read(node: &Node<'_>) -> Result<Text, Refusal> {
    node.object_with(&["field", "ref", "text"])?;
    let text_node = node.required("text")?;
    let read = text(&text_node)?;
    if read.len() > MAX_TEXT_BYTES {
        let message = format!("{} bytes of text; MAX_TEXT_BYTES is {MAX_TEXT_BYTES}", read.len());
        return Err(text_node.refuse("too-large", message));
    }
    Ok(Text {
        field: text(&node.required("field")?)?,
        reference: some(node, "ref", text)?,
        text: read,
    })
}

fn payment(node: &Node<'_>) -> Result<Payment, Refusal> {
    node.object_with(&["requirements", "resource", "payee", "quote"])?;
    Ok(Payment {
        requirements: object(&node.required("requirements")?)?,
        resource: some(node, "resource", text)?,
        payee: some(node, "payee", payee)?,
        quote: some(node, "quote", quote)?,
    })
}

fn payee(node: &Node<'_>) -> Result<Payee, Refusal> {
    node.object_with(&["registry", "agentId"])?;
    Ok(Payee {
        registry: account(&node.required("registry")?)?,
        agent_id: decimal(&node.required("agentId")?)?,
    })
}

fn quote(node: &Node<'_>) -> Result<Quote, Refusal> {
    node.object_with(&["quote", "signature", "chainId"])?;
    Ok(Quote {
        quote: object(&node.required("quote")?)?,
        signature: bytes(&node.required("signature")?)?,
        chain: quote_chain(&node.required("chainId")?)?,
    })
}

/// A quote's chain: the decimal EIP-155 chain id of its envelope (ERC-8409), or CAIP-2.
fn quote_chain(node: &Node<'_>) -> Result<ChainId, Refusal> {
    let text = node.string()?;
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return ChainId::parse(&format!("eip155:{text}"), &node.pointer);
    }
    chain(node)
}

/// An optional member.
fn some<T>(
    node: &Node<'_>,
    name: &str,
    read: impl FnOnce(&Node<'_>) -> Result<T, Refusal>,
) -> Result<Option<T>, Refusal> {
    node.optional(name)?.map(|member| read(&member)).transpose()
}

fn list<T>(
    node: &Node<'_>,
    max: usize,
    limit: &str,
    read: impl Fn(&Node<'_>) -> Result<T, Refusal>,
) -> Result<Vec<T>, Refusal> {
    node.array(max, limit)?.iter().map(read).collect()
}

fn text(node: &Node<'_>) -> Result<String, Refusal> {
    node.string().map(str::to_owned)
}

fn object(node: &Node<'_>) -> Result<Map<String, Value>, Refusal> {
    node.object().cloned()
}

fn bytes(node: &Node<'_>) -> Result<Bytes, Refusal> {
    hex::data(node.string()?, &node.pointer)
}

fn decimal(node: &Node<'_>) -> Result<U256, Refusal> {
    hex::decimal(node.string()?, &node.pointer)
}

fn address(node: &Node<'_>) -> Result<Address, Refusal> {
    hex::address(node.string()?, &node.pointer)
}

fn chain(node: &Node<'_>) -> Result<ChainId, Refusal> {
    ChainId::parse(node.string()?, &node.pointer)
}

fn evm_chain(node: &Node<'_>) -> Result<ChainId, Refusal> {
    let chain = chain(node)?;
    if chain.evm_id().is_none() {
        return Err(node.refuse("unsupported-chain", format!("`{chain}` is not an eip155 chain")));
    }
    Ok(chain)
}

fn account(node: &Node<'_>) -> Result<AccountId, Refusal> {
    AccountId::parse(node.string()?, &node.pointer)
}

/// A CAIP-10 account that must be on `chain`.
fn account_on(node: &Node<'_>, chain: &ChainId) -> Result<AccountId, Refusal> {
    let account = account(node)?;
    if account.chain != *chain {
        let message = format!("the account is on {}, the request on {chain}", account.chain);
        return Err(node.refuse("mixed-chains", message));
    }
    Ok(account)
}

/// A bare address, or a CAIP-10 account that must be on `chain` (I-5).
fn address_on(node: &Node<'_>, chain: &ChainId) -> Result<AccountId, Refusal> {
    if node.string()?.contains(':') {
        return account_on(node, chain);
    }
    Ok(AccountId::new(chain.clone(), address(node)?))
}
