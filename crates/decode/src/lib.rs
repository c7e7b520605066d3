//! Requests to entities: what the calls, the typed data and the context touch (ERC-8481 §Entities), from their
//! bytes alone.

mod authorization;
mod call;
mod collector;
mod effect;
mod envelope;
mod model;
mod payment;
mod sign_in;
mod typed;
mod words;

pub use call::{Called, MAX_INNER_BYTES, MAX_INNER_CALLS, MAX_NESTING, called, grants_of};
pub use collector::MAX_FLAGS;
pub use model::{
    Amount, CallNode, Command, Decoded, Expiry, Flag, ForeignPermit, Grant, Granted, Operation, Order,
    PaymentLimits, Refund, Transfer, TransferPermit, TypedData,
};
pub use payment::{payment_chain, v1_network};
pub use typed::{MAX_NAME_BYTES, MAX_TYPE_MEMBERS, MAX_TYPES};
pub use words::{FLAGS, TYPED_FORMS};

use alloy_primitives::{Address, keccak256};
use call::{Call, Outer};
use collector::Collector;
use presight_wire::error::pointer_push;
use presight_wire::report::{Role, TextEntity};
use presight_wire::request::{CallsSubject, Context, Subject};
use presight_wire::{AccountId, Refusal, Request};
use serde_json::Value;
use typed::Signing;

/// Decodes a request. Refuses what cannot be what a wallet would sign.
pub fn decode(request: &Request) -> Result<Decoded, Refusal> {
    let mut collector = Collector::default();
    let subject = match &request.subject {
        Subject::Calls(subject) => decode_calls(subject, &mut collector)?,
        Subject::Envelope(subject) => envelope::decode(subject, &mut collector)?,
    };
    if let Some(context) = &request.context {
        decode_context(context, &mut collector)?;
    }
    Ok(Decoded {
        entities: collector.entities,
        grants: collector.grants,
        calls: subject.calls,
        typed_data: subject.typed_data,
        transfers: collector.transfers,
        transfer_permits: collector.transfer_permits,
        foreign_permits: collector.foreign_permits,
        refunds: collector.refunds,
        authorities: subject.authorities,
        flags: collector.flags,
    })
}

/// What a subject yields besides entities.
#[derive(Default)]
struct DecodedSubject {
    calls: Vec<CallNode>,
    typed_data: Option<TypedData>,
    authorities: Vec<Option<Address>>,
}

fn decode_calls(subject: &CallsSubject, collector: &mut Collector) -> Result<DecodedSubject, Refusal> {
    let mut decoded = DecodedSubject::default();
    for (index, call) in subject.calls.iter().enumerate() {
        let signer = subject.from.address;
        let call = Call::new(signer, call.to, call.value, call.data.clone(), Operation::Call);
        let outer = Outer {
            chain: &subject.chain,
            signer,
            index: Some(index),
            pointer: format!("/subject/calls/{index}"),
            data_member: "data",
        };
        decoded.calls.push(outer.decode(&call, collector)?);
    }
    if let Some(document) = &subject.typed_data {
        decoded.typed_data = Some(decode_typed_data(subject, document, collector)?);
    }
    for tuple in subject.authorization_list.iter().flatten() {
        let authority = authorization::authority(tuple);
        if let Some(authority) = authority {
            collector.address(Role::Authority, AccountId::new(subject.chain.clone(), authority));
        }
        decoded.authorities.push(authority);
    }
    Ok(decoded)
}

fn decode_typed_data(
    subject: &CallsSubject,
    document: &Value,
    collector: &mut Collector,
) -> Result<TypedData, Refusal> {
    let pointer = "/subject/typedData";
    let Some(document) = document.as_object() else {
        return Err(Refusal::new("wrong-type", pointer, "an object expected"));
    };
    for name in document
        .keys()
        .filter(|name| !typed::MEMBERS.contains(&name.as_str()))
    {
        let message = "no member of typed data; it is not signed";
        collector.flag(Flag::new("extra-member", pointer_push(pointer, name), message))?;
    }
    let signing = Signing {
        chain: &subject.chain,
        signer: subject.from.address,
        pointer,
    };
    signing.decode(document, collector)
}

fn decode_context(context: &Context, collector: &mut Collector) -> Result<(), Refusal> {
    if let Some(payment) = &context.payment {
        payment::decode(payment, collector)?;
    }
    for token in &context.tokens {
        collector.token(token.clone());
    }
    let texts = context.texts.iter().enumerate().map(|(index, text)| TextEntity {
        index,
        field: text.field.clone(),
        reference: text.reference.clone(),
        digest: keccak256(text.text.as_bytes()),
    });
    collector.entities.texts = texts.collect();
    Ok(())
}
