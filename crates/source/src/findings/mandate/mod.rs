//! What a mandate (`x402-mandate/1`, x402's authority extension) says, beside the payment that would be made under it.
//!
//! The mandate is the object `{ mandate, alg, sig, paymentId? }` at `extra.authority`, or else `extra.mandate`, of the requirements;
//! without one nothing is listed. One of another shape is not read, `unavailable`. What was spent under a mandate before, a single
//! look cannot know.
//!
//! The payments are those the request would sign or send (I-43), each with the `param` `{ index }`; where it pays nothing, the one
//! that the requirements ask for, without `param`.

pub mod asset;
pub mod binding;
pub mod digest;
pub mod expiry;
pub mod limits;
pub mod payer;
pub mod recipients;
pub mod signature;

use crate::context::Context;
use crate::kind::Fact;
use crate::payment::requirements::unreadable;
use crate::payment::{Asset, Mandate, Requirements, Way, signed};
use alloy_primitives::{Address, U256};
use presight_view::Lookup;
use presight_wire::{AccountId, ChainId, NotRead, Read};
use serde_json::{Map, Value, json};

/// The mandate of a request, with what came beside it.
struct Presented<'a> {
    mandate: Mandate,
    envelope: &'a Map<String, Value>,
    requirements: Requirements<'a>,
}

impl<'a> Presented<'a> {
    /// A text beside the mandate.
    fn text(&self, name: &str) -> Option<&'a str> {
        self.envelope.get(name).and_then(Value::as_str)
    }

    /// `paymentId`, in the envelope or beside it.
    fn payment_id(&self) -> Option<&'a str> {
        self.text("paymentId")
            .or_else(|| self.requirements.extra("paymentId").and_then(Value::as_str))
    }
}

/// A payment under the mandate.
struct Payment {
    index: Option<usize>,
    chain: ChainId,
    from: Address,
    to: Option<Address>,
    token: Option<Address>,
    amount: U256,
    way: Option<Way>,
}

impl Payment {
    fn account(&self, address: Address) -> AccountId {
        AccountId::new(self.chain.clone(), address)
    }
}

fn presented<'a>(context: &Context<'a>) -> Option<Result<Presented<'a>, NotRead>> {
    let requirements = Requirements::of(context.request)?;
    let envelope = requirements
        .extra("authority")
        .or_else(|| requirements.extra("mandate"))?;
    let read = || {
        let envelope = envelope.as_object().ok_or("it is no object")?;
        let mandate = envelope
            .get("mandate")
            .and_then(Value::as_object)
            .ok_or("`mandate` is no object")?;
        Ok::<_, String>(Presented {
            mandate: Mandate::parse(mandate)?,
            envelope,
            requirements,
        })
    };
    Some(read().map_err(|why| unreadable(&format!("the mandate: {why}"))))
}

/// The one fact about the mandate.
fn of(context: &Context<'_>, read: impl FnOnce(&Presented<'_>) -> Lookup<Read<Value>>) -> Vec<Fact> {
    match presented(context) {
        None => Vec::new(),
        Some(Ok(presented)) => Fact::only(read(&presented)),
        Some(Err(not_read)) => Fact::only(Err(not_read.into())),
    }
}

/// A fact about each payment.
fn of_payments(
    context: &Context<'_>,
    read: impl Fn(&Presented<'_>, &Payment) -> Option<Lookup<Read<Value>>>,
) -> Vec<Fact> {
    let presented = match presented(context) {
        None => return Vec::new(),
        Some(Ok(presented)) => presented,
        Some(Err(not_read)) => return Fact::only(Err(not_read.into())),
    };
    match payments(context, &presented.requirements) {
        Err(not_read) => Fact::only(Err(not_read.into())),
        Ok(payments) => payments
            .iter()
            .filter_map(|payment| {
                Some(Fact {
                    param: payment.index.map(|index| json!({ "index": index })),
                    reading: read(&presented, payment)?,
                })
            })
            .collect(),
    }
}

fn payments(context: &Context<'_>, requirements: &Requirements<'_>) -> Result<Vec<Payment>, NotRead> {
    let signed: Vec<Payment> = signed::all(context)
        .into_iter()
        .enumerate()
        .map(|(index, paid)| Payment {
            index: Some(index),
            chain: signed::signed_chain(context),
            from: paid.from,
            to: paid.to,
            token: paid.token,
            amount: paid.amount,
            way: Some(paid.way),
        })
        .collect();
    if !signed.is_empty() {
        return Ok(signed);
    }
    let missing = |name: &str| unreadable(&format!("nothing is paid, and the requirements have no `{name}`"));
    let asset = requirements.asset().ok_or_else(|| missing("asset"))??;
    Ok(vec![Payment {
        index: None,
        chain: requirements.chain().ok_or_else(|| missing("network"))??,
        from: context.signer(),
        to: Some(requirements.pay_to().ok_or_else(|| missing("payTo"))??.value),
        token: match asset.value {
            Asset::Native => None,
            Asset::Token(token) => Some(token),
        },
        amount: requirements.amount().ok_or_else(|| missing("amount"))??.value,
        way: None,
    }])
}
