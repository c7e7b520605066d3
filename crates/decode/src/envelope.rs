//! ERC-8265 envelopes: the calls or the typed data in `content`, never its presentational members.

use crate::DecodedSubject;
use crate::call::{Call, Outer};
use crate::collector::Collector;
use crate::model::{Flag, Operation};
use crate::sign_in;
use crate::typed::Signing;
use alloy_primitives::{Address, Bytes, U256};
use presight_wire::limits::{MAX_CALLDATA_BYTES, MAX_CALLS};
use presight_wire::node::Node;
use presight_wire::request::EnvelopeSubject;
use presight_wire::{Refusal, hex};

const CONTENT: &str = "/subject/envelope/content";

/// Decodes what the envelope asks to sign. Its own rules are checked by the envelope validator.
pub(crate) fn decode(
    subject: &EnvelopeSubject,
    collector: &mut Collector,
) -> Result<DecodedSubject, Refusal> {
    let envelope = Node {
        value: &subject.envelope,
        pointer: "/subject/envelope".to_owned(),
    };
    let kind = envelope.required("kind")?;
    let content = envelope.required("content")?;
    match kind.string()? {
        "evm-tx" | "evm-batch" => decode_calls(subject, &content, collector),
        "signature" => decode_signature(subject, &content, collector),
        _ => Err(kind.refuse(
            "unsupported-kind",
            "`evm-tx`, `evm-batch` or `signature` expected",
        )),
    }
}

fn decode_calls(
    subject: &EnvelopeSubject,
    content: &Node<'_>,
    collector: &mut Collector,
) -> Result<DecodedSubject, Refusal> {
    let calls = content.required("calls")?;
    let mut decoded = DecodedSubject::default();
    for (index, node) in calls.array(MAX_CALLS, "MAX_CALLS")?.iter().enumerate() {
        let outer = Outer {
            chain: &subject.chain,
            signer: subject.from.address,
            index: Some(index),
            pointer: node.pointer.clone(),
            data_member: "data",
        };
        let call = read_call(node, subject.from.address)?;
        decoded.calls.push(outer.decode(&call, collector)?);
    }
    if decoded.calls.is_empty() {
        return Err(calls.refuse("empty-subject", "no calls: nothing to sign"));
    }
    Ok(decoded)
}

/// ERC-8265 §5.3.
fn read_call(node: &Node<'_>, caller: Address) -> Result<Call, Refusal> {
    node.object_with(&["to", "value", "data", "operation", "capabilities"])?;
    let to = node.required("to")?;
    let operation = node.required("operation")?;
    let data = match node.optional("data")? {
        None => Bytes::new(),
        Some(data) => {
            let bytes = hex::data(data.string()?, &data.pointer)?;
            if bytes.len() > MAX_CALLDATA_BYTES {
                let message = format!(
                    "{} bytes of calldata; MAX_CALLDATA_BYTES is {MAX_CALLDATA_BYTES}",
                    bytes.len()
                );
                return Err(data.refuse("too-large", message));
            }
            bytes
        }
    };
    let value = match node.optional("value")? {
        None => U256::ZERO,
        Some(value) => hex::quantity(value.string()?, &value.pointer)?,
    };
    let to = hex::address(to.string()?, &to.pointer)?;
    let operation = match operation.string()? {
        "call" => Operation::Call,
        "delegatecall" => Operation::DelegateCall,
        _ => return Err(operation.refuse("bad-operation", "`call` or `delegatecall` expected")),
    };
    Ok(Call::new(caller, to, value, data, operation))
}

/// ERC-8265 §6. A plain message is text: nothing in it is an entity.
fn decode_signature(
    subject: &EnvelopeSubject,
    content: &Node<'_>,
    collector: &mut Collector,
) -> Result<DecodedSubject, Refusal> {
    let scheme = content.required("scheme")?;
    let mut decoded = DecodedSubject::default();
    match scheme.string()? {
        "eip-712" => {
            let signing = Signing {
                chain: &subject.chain,
                signer: subject.from.address,
                pointer: CONTENT,
            };
            decoded.typed_data = Some(signing.decode(content.object()?, collector)?);
        }
        "personal-sign" | "siwe" => {
            let text = content.required("messageText")?;
            let message = "a message as text: its meaning is not decoded";
            collector.flag(Flag::new("message-not-decoded", text.pointer.as_str(), message))?;
            sign_in::check(
                text.string()?,
                &subject.chain,
                subject.from.address,
                &text.pointer,
                collector,
            )?;
        }
        _ => return Err(scheme.refuse("bad-scheme", "`eip-712`, `personal-sign` or `siwe` expected")),
    }
    Ok(decoded)
}
