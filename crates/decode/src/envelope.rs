//! ERC-8265 envelopes: the calls or the typed data in `content`, never its presentational members.

use crate::DecodedSubject;
use crate::call::{Call, Outer};
use crate::collector::Collector;
use crate::model::{Flag, Operation};
use crate::sign_in;
use crate::typed::Signing;
use alloy_primitives::Address;
use presight_wire::envelope::{self, CallsContent, Content, Message, SignatureContent};
use presight_wire::limits::{MAX_CALLDATA_BYTES, MAX_CALLS};
use presight_wire::request::EnvelopeSubject;
use presight_wire::{Refusal, hex};
use serde_json::Value;

const CONTENT: &str = "/subject/envelope/content";

/// Decodes what the envelope asks to sign. It is a valid one: [`presight_wire::Request`] holds no other.
///
/// An address whose letter case is a wrong EIP-55 checksum is flagged: envelopes may hold such, and the bytes are what
/// is signed (I-5).
pub(crate) fn decode(
    subject: &EnvelopeSubject,
    collector: &mut Collector,
) -> Result<DecodedSubject, Refusal> {
    let content = &subject.envelope.value()["content"];
    let from = content.get("from");
    flag_checksum(from, subject.from.address, format!("{CONTENT}/from"), collector)?;
    match &subject.envelope.fields().content {
        Content::Calls(calls) => decode_calls(subject, calls, &content["calls"], collector),
        Content::Signature(signature) => decode_signature(subject, signature, content, collector),
    }
}

/// `written` is the array of calls as received.
fn decode_calls(
    subject: &EnvelopeSubject,
    content: &CallsContent,
    written: &Value,
    collector: &mut Collector,
) -> Result<DecodedSubject, Refusal> {
    let pointer = format!("{CONTENT}/calls");
    if content.calls.len() > MAX_CALLS {
        let message = format!("{} elements; MAX_CALLS is {MAX_CALLS}", content.calls.len());
        return Err(Refusal::new("too-many", pointer, message));
    }
    let mut decoded = DecodedSubject::default();
    for (index, call) in content.calls.iter().enumerate() {
        let pointer = format!("{pointer}/{index}");
        flag_checksum(
            written[index].get("to"),
            call.to,
            format!("{pointer}/to"),
            collector,
        )?;
        let call = call_of(call, subject.from.address, &pointer)?;
        let outer = Outer {
            chain: &subject.chain,
            signer: subject.from.address,
            index: Some(index),
            pointer,
            data_member: "data",
        };
        decoded.calls.push(outer.decode(&call, collector)?);
    }
    Ok(decoded)
}

/// ERC-8265 §5.3.
fn call_of(call: &envelope::Call, caller: Address, pointer: &str) -> Result<Call, Refusal> {
    let data = call.data.clone().unwrap_or_default();
    if data.len() > MAX_CALLDATA_BYTES {
        let message = format!(
            "{} bytes of calldata; MAX_CALLDATA_BYTES is {MAX_CALLDATA_BYTES}",
            data.len()
        );
        return Err(Refusal::new("too-large", format!("{pointer}/data"), message));
    }
    let operation = match call.operation {
        envelope::Operation::Call => Operation::Call,
        envelope::Operation::DelegateCall => Operation::DelegateCall,
    };
    // An absent value is `0x0`, an absent data `0x` (§5.3).
    Ok(Call::new(
        caller,
        call.to,
        call.value.unwrap_or_default(),
        data,
        operation,
    ))
}

/// ERC-8265 §6. A plain message is text: nothing in it is an entity. `written` is the content as received.
fn decode_signature(
    subject: &EnvelopeSubject,
    content: &SignatureContent,
    written: &Value,
    collector: &mut Collector,
) -> Result<DecodedSubject, Refusal> {
    let mut decoded = DecodedSubject::default();
    match &content.message {
        Message::TypedData(_) => {
            let signing = Signing {
                chain: &subject.chain,
                signer: subject.from.address,
                pointer: CONTENT,
            };
            let written = written
                .as_object()
                .ok_or_else(|| Refusal::new("wrong-type", CONTENT, "an object expected"))?;
            decoded.typed_data = Some(signing.decode(written, collector)?);
        }
        Message::Personal(text) | Message::SignIn(text) => {
            let pointer = format!("{CONTENT}/messageText");
            let message = "a message as text: its meaning is not decoded";
            collector.flag(Flag::new("message-not-decoded", pointer.as_str(), message))?;
            sign_in::check(text, &subject.chain, subject.from.address, &pointer, collector)?;
        }
    }
    Ok(decoded)
}

fn flag_checksum(
    written: Option<&Value>,
    address: Address,
    pointer: String,
    collector: &mut Collector,
) -> Result<(), Refusal> {
    let text = written.and_then(Value::as_str);
    if text.is_some_and(|text| hex::has_wrong_checksum(text, address)) {
        let message = format!(
            "wrong EIP-55 checksum; the checksum form is `{}`",
            address.to_checksum(None)
        );
        collector.flag(Flag::new("bad-checksum", pointer, message))?;
    }
    Ok(())
}
