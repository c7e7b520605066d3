//! What the request itself says of a payment and of the message to be signed, as JSON values: `null` where it says
//! nothing, or nothing that can be read as what is meant.

use crate::language::field::Field;
use presight_decode::{Decoded, payment_chain};
use presight_wire::request::{Payment, Subject};
use presight_wire::{AccountId, Request, hex};
use serde_json::Value;

/// The terms.
pub(crate) struct Terms {
    /// Unix time after which the signature is not accepted, as a decimal string.
    pub(crate) deadline: Value,
    pub(crate) domain_name: Value,
    pub(crate) domain_version: Value,
    chain: Value,
    pay_to: Value,
    asset: Value,
    amount: Value,
    timeout: Value,
    scheme: Value,
    token_name: Value,
    token_version: Value,
}

impl Terms {
    pub(crate) fn of(request: &Request, decoded: &Decoded) -> Self {
        let typed = decoded.typed_data.as_ref();
        let deadline = typed.and_then(|typed| typed.signature_deadline);
        let domain = typed.and_then(|_| domain(request));
        let payment = request
            .context
            .as_ref()
            .and_then(|context| context.payment.as_ref());
        let chain = payment.and_then(payment_chain);
        let account = |name: &str| {
            let text = payment
                .and_then(|payment| payment.requirements.get(name))?
                .as_str()?;
            let address = hex::address_any_case(text, "").ok()?;
            Some(AccountId::new(chain.clone()?, address).to_string())
        };
        let text = |name: &str| {
            payment
                .and_then(|payment| payment.requirements.get(name))
                .filter(|v| v.is_string())
        };
        let extra = |name: &str| {
            let extra = payment.and_then(|payment| payment.requirements.get("extra"));
            extra.and_then(|extra| extra.get(name)).filter(|v| v.is_string())
        };
        let given = |value: Option<&Value>| value.map_or(Value::Null, Value::clone);
        Self {
            deadline: deadline.map(|deadline| deadline.to_string()).into(),
            domain_name: given(domain.and_then(|domain| domain.get("name"))),
            domain_version: given(domain.and_then(|domain| domain.get("version"))),
            pay_to: account("payTo").into(),
            asset: account("asset").into(),
            amount: payment.and_then(amount).into(),
            timeout: given(
                payment
                    .and_then(|payment| payment.requirements.get("maxTimeoutSeconds"))
                    .filter(|seconds| seconds.is_u64()),
            ),
            scheme: given(text("scheme")),
            token_name: given(extra("name")),
            token_version: given(extra("version")),
            chain: chain.map(|chain| chain.to_string()).into(),
        }
    }

    /// The member of a payment's terms.
    pub(super) fn of_payment(&self, field: Field) -> Option<&Value> {
        Some(match field {
            Field::Chain => &self.chain,
            Field::PayTo => &self.pay_to,
            Field::Asset => &self.asset,
            Field::Amount => &self.amount,
            Field::Timeout => &self.timeout,
            Field::Scheme => &self.scheme,
            Field::TokenName => &self.token_name,
            Field::TokenVersion => &self.token_version,
            _ => return None,
        })
    }
}

/// The EIP-712 domain of the request's typed data, as written.
fn domain(request: &Request) -> Option<&Value> {
    match &request.subject {
        Subject::Calls(subject) => subject.typed_data.as_ref()?.get("domain"),
        Subject::Envelope(subject) => subject.envelope.value().get("content")?.get("domain"),
    }
}

/// What is asked for, in base units: `amount` (x402 v2) or `maxAmountRequired` (v1), the smaller where both are given.
fn amount(payment: &Payment) -> Option<String> {
    let members = ["amount", "maxAmountRequired"];
    let written = members.iter().filter_map(|name| payment.requirements.get(*name));
    let amounts = written.map(|amount| hex::decimal(amount.as_str()?, "").ok());
    let smallest = amounts.collect::<Option<Vec<_>>>()?.into_iter().min()?;
    Some(smallest.to_string())
}
