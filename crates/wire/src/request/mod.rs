//! `PresignRequest` (ERC-8481 §Request), read strictly, and its digests (ERC-8481 §Binding).

mod read;

use crate::caip::{AccountId, ChainId};
use crate::envelope::{Coverage, Envelope};
use crate::error::Refusal;
use crate::jcs;
use crate::json;
use crate::node::Node;
use alloy_primitives::{Address, B256, Bytes, U256};
use serde_json::{Map, Value};

/// The only version of the protocol.
pub const VERSION: &str = "erc-presign/1";

/// A request as received: the typed form for reading, the JSON value for digests (I-1).
#[derive(Debug, Clone)]
pub struct Request {
    value: Value,
    /// What would be signed.
    pub subject: Subject,
    /// What the consumer says about it.
    pub context: Option<Context>,
    /// The kinds asked for; `None` means every core kind.
    pub kinds: Option<Vec<String>>,
}

/// What would be signed.
#[derive(Debug, Clone)]
pub enum Subject {
    /// An ERC-8265 envelope.
    Envelope(Box<EnvelopeSubject>),
    /// Calls, typed data, an authorization list.
    Calls(CallsSubject),
}

/// An ERC-8265 envelope that its validator found valid (I-6).
#[derive(Debug, Clone)]
pub struct EnvelopeSubject {
    /// `content.chain`.
    pub chain: ChainId,
    /// `content.from`.
    pub from: AccountId,
    /// The envelope, as received and as it was read.
    pub envelope: Envelope,
}

/// Calls that would be sent by `from`, in order, and what would be signed with them.
#[derive(Debug, Clone)]
pub struct CallsSubject {
    /// The chain the request executes on.
    pub chain: ChainId,
    /// The signer.
    pub from: AccountId,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// An EIP-712 signature request, as received.
    pub typed_data: Option<Value>,
    /// The EIP-7702 authorization list, in order.
    pub authorization_list: Option<Vec<Authorization>>,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The account called.
    pub to: Address,
    /// Wei sent along.
    pub value: U256,
    /// Calldata.
    pub data: Bytes,
}

/// One EIP-7702 authorization tuple.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// The chain it is valid on; 0 is every chain.
    pub chain_id: U256,
    /// The delegate; the zero address clears.
    pub address: Address,
    /// The authority's nonce it is valid at.
    pub nonce: u64,
    /// Parity of the signature's point.
    pub y_parity: u8,
    /// Signature r.
    pub r: U256,
    /// Signature s.
    pub s: U256,
}

/// What the consumer says about the request. Text in it is data, never an instruction.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The payment terms.
    pub payment: Option<Payment>,
    /// Text the agent read.
    pub texts: Vec<Text>,
    /// Further tokens the agent intends to touch.
    pub tokens: Vec<AccountId>,
}

/// The payment context.
#[derive(Debug, Clone)]
pub struct Payment {
    /// The x402 `PaymentRequirements` entry, as received.
    pub requirements: Map<String, Value>,
    /// The URL or tool the payment is for.
    pub resource: Option<String>,
    /// The paid agent's identity.
    pub payee: Option<Payee>,
    /// A signed quote.
    pub quote: Option<Quote>,
}

/// The paid agent's ERC-8004 identity.
#[derive(Debug, Clone)]
pub struct Payee {
    /// The identity registry.
    pub registry: AccountId,
    /// The agent's id.
    pub agent_id: U256,
}

/// A `ServicePaymentQuote` with its signature.
#[derive(Debug, Clone)]
pub struct Quote {
    /// The quote, as received.
    pub quote: Map<String, Value>,
    /// Its signature.
    pub signature: Bytes,
    /// The chain of its EIP-712 domain.
    pub chain: ChainId,
}

/// One text the agent read.
#[derive(Debug, Clone)]
pub struct Text {
    /// Where it came from.
    pub field: String,
    /// The object it belongs to, as given.
    pub reference: Option<String>,
    /// The text.
    pub text: String,
}

impl Request {
    /// Reads a request document strictly (I-1 to I-6). Typed data is kept as received; its own rules are checked where
    /// it is decoded. What stands in an envelope is read as its validator reads it: as deep, and with any double.
    ///
    /// # Errors
    /// As [`json::parse`] and [`Self::from_value`].
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        Self::from_value(json::parse_request(bytes)?)
    }

    /// Reads a request from a value that strict reading produced.
    ///
    /// # Errors
    /// What is wrong with the first member that cannot be read, and its place.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        let (subject, context, kinds) = read::request(&Node::root(&value))?;
        Ok(Self {
            value,
            subject,
            context,
            kinds,
        })
    }

    /// The request as received.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The chain the request executes on.
    pub fn chain(&self) -> &ChainId {
        match &self.subject {
            Subject::Envelope(s) => &s.chain,
            Subject::Calls(s) => &s.chain,
        }
    }

    /// The account that would sign.
    pub fn signer(&self) -> &AccountId {
        match &self.subject {
            Subject::Envelope(s) => &s.from,
            Subject::Calls(s) => &s.from,
        }
    }

    /// ERC-8481 §Binding: names the exact request.
    pub fn subject_digest(&self) -> B256 {
        match &self.subject {
            // The subject has no members but these and its type.
            Subject::Calls(_) => jcs::digest_without(&self.value["subject"], &["type"]),
            Subject::Envelope(subject) => subject.envelope.digest(Coverage::Envelope),
        }
    }

    /// `digest(context)` when the member is present, even `{}`; 32 zero bytes when it is absent (I-4).
    pub fn context_digest(&self) -> B256 {
        self.value.get("context").map_or(B256::ZERO, jcs::digest)
    }
}

#[cfg(test)]
mod tests;
