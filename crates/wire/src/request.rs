//! `PresignRequest` (ERC-8481 §Request), read strictly, and its digests (ERC-8481 §Binding).

use crate::caip::{AccountId, ChainId};
use crate::error::Refusal;
use crate::hex;
use crate::jcs;
use crate::json::{self, Numbers};
use crate::limits::*;
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
    Envelope(EnvelopeSubject),
    /// Calls, typed data, an authorization list.
    Calls(CallsSubject),
}

/// An ERC-8265 envelope; its own rules are checked by the envelope validator.
#[derive(Debug, Clone)]
pub struct EnvelopeSubject {
    /// `content.chain`.
    pub chain: ChainId,
    /// `content.from` (I-6).
    pub from: AccountId,
    /// The envelope as received.
    pub envelope: Value,
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
    /// Reads a request document strictly (I-1 to I-6).
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        Self::from_value(json::parse(bytes, Numbers::Exact)?)
    }

    /// Reads a request from a value that strict reading produced.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        let root = Node::root(&value);
        root.object_with(&["version", "subject", "context", "kinds"])?;
        let version = root.required("version")?;
        if version.string()? != VERSION {
            return Err(version.refuse("bad-version", format!("`{VERSION}` expected")));
        }
        let subject = Subject::read(&root.required("subject")?)?;
        let context = root.optional("context")?.map(|n| Context::read(&n)).transpose()?;
        let kinds = match root.optional("kinds")? {
            None => None,
            Some(node) => Some(
                node.array(MAX_KINDS, "MAX_KINDS")?
                    .iter()
                    .map(|n| n.string().map(str::to_owned))
                    .collect::<Result<Vec<_>, _>>()?,
            ),
        };
        Ok(Self {
            subject,
            context,
            kinds,
            value,
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
        let subject = &self.value["subject"];
        match &self.subject {
            Subject::Calls(_) => {
                let members = ["chainId", "from", "calls", "typedData", "authorizationList"];
                let picked: Map<String, Value> = members
                    .iter()
                    .filter_map(|m| subject.get(m).map(|v| ((*m).to_owned(), v.clone())))
                    .collect();
                jcs::digest(&Value::Object(picked))
            }
            Subject::Envelope(_) => {
                let mut envelope = subject["envelope"].clone();
                if let Some(members) = envelope.as_object_mut() {
                    members.remove("risk");
                    if let Some(producer) = members.get_mut("producer").and_then(Value::as_object_mut) {
                        producer.remove("signature");
                    }
                }
                jcs::digest(&envelope)
            }
        }
    }

    /// `digest(context)` when the member is present, even `{}`; 32 zero bytes when it is absent (I-4).
    pub fn context_digest(&self) -> B256 {
        self.value.get("context").map_or(B256::ZERO, jcs::digest)
    }
}

impl Subject {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        let kind = node.required("type")?;
        match kind.string()? {
            "calls" => CallsSubject::read(node).map(Self::Calls),
            "erc8265-envelope" => EnvelopeSubject::read(node).map(Self::Envelope),
            _ => Err(kind.refuse("bad-subject-type", "`calls` or `erc8265-envelope` expected")),
        }
    }
}

impl EnvelopeSubject {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        node.object_with(&["type", "envelope"])?;
        let envelope = node.required("envelope")?;
        envelope.object()?;
        let content = envelope.required("content")?;
        let chain_node = content.required("chain")?;
        let chain = ChainId::parse(chain_node.string()?, &chain_node.pointer)?;
        let Some(from_node) = content.optional("from")? else {
            return Err(content.refuse(
                "signer-unknown",
                "the envelope names no `content.from`; a report must name the signer",
            ));
        };
        let from = signer(&from_node, &chain)?;
        Ok(Self {
            chain,
            from,
            envelope: envelope.value.clone(),
        })
    }
}

/// An account on `chain`, as a CAIP-10 account or a bare address.
fn signer(node: &Node<'_>, chain: &ChainId) -> Result<AccountId, Refusal> {
    let text = node.string()?;
    if !text.contains(':') {
        return Ok(AccountId::new(chain.clone(), hex::address(text, &node.pointer)?));
    }
    account_on(node, chain)
}

/// A CAIP-10 account that must be on `chain`.
fn account_on(node: &Node<'_>, chain: &ChainId) -> Result<AccountId, Refusal> {
    let account = AccountId::parse(node.string()?, &node.pointer)?;
    if account.chain != *chain {
        return Err(node.refuse(
            "mixed-chains",
            format!("the account is on {}, the request on {chain}", account.chain),
        ));
    }
    Ok(account)
}

impl CallsSubject {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        node.object_with(&[
            "type",
            "chainId",
            "from",
            "calls",
            "typedData",
            "authorizationList",
        ])?;
        let chain_node = node.required("chainId")?;
        let chain = ChainId::parse(chain_node.string()?, &chain_node.pointer)?;
        if chain.evm_id().is_none() {
            return Err(chain_node.refuse("unsupported-chain", format!("`{chain}` is not an eip155 chain")));
        }
        let from = account_on(&node.required("from")?, &chain)?;
        let calls = node
            .required("calls")?
            .array(MAX_CALLS, "MAX_CALLS")?
            .iter()
            .map(|n| Call::read(n, &chain))
            .collect::<Result<Vec<_>, _>>()?;
        let typed_data = match node.optional("typedData")? {
            None => None,
            Some(n) => {
                n.object()?;
                Some(n.value.clone())
            }
        };
        let authorization_list = match node.optional("authorizationList")? {
            None => None,
            Some(n) => Some(
                n.array(MAX_AUTHORIZATIONS, "MAX_AUTHORIZATIONS")?
                    .iter()
                    .map(Authorization::read)
                    .collect::<Result<Vec<_>, _>>()?,
            ),
        };
        if calls.is_empty() && typed_data.is_none() && authorization_list.is_none() {
            return Err(node.refuse(
                "empty-subject",
                "no calls, no typed data and no authorization list: nothing to sign",
            ));
        }
        Ok(Self {
            chain,
            from,
            calls,
            typed_data,
            authorization_list,
        })
    }
}

impl Call {
    fn read(node: &Node<'_>, chain: &ChainId) -> Result<Self, Refusal> {
        node.object_with(&["to", "value", "data"])?;
        let to = signer(&node.required("to")?, chain)?.address;
        let value_node = node.required("value")?;
        let text = value_node.string()?;
        let value = if text.starts_with("0x") {
            hex::quantity(text, &value_node.pointer)?
        } else {
            hex::decimal(text, &value_node.pointer)?
        };
        let data_node = node.required("data")?;
        let data = hex::data(data_node.string()?, &data_node.pointer)?;
        if data.len() > MAX_CALLDATA_BYTES {
            return Err(data_node.refuse(
                "too-large",
                format!(
                    "{} bytes of calldata; MAX_CALLDATA_BYTES is {MAX_CALLDATA_BYTES}",
                    data.len()
                ),
            ));
        }
        Ok(Self { to, value, data })
    }
}

impl Authorization {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        node.object_with(&["chainId", "address", "nonce", "yParity", "r", "s"])?;
        let decimal = |name| -> Result<U256, Refusal> {
            let n = node.required(name)?;
            hex::decimal(n.string()?, &n.pointer)
        };
        let word = |name| -> Result<U256, Refusal> {
            let n = node.required(name)?;
            hex::quantity(n.string()?, &n.pointer)
        };
        let nonce = u64::try_from(decimal("nonce")?).map_err(|_| {
            Refusal::new(
                "bad-integer",
                format!("{}/nonce", node.pointer),
                "a nonce is below 2^64",
            )
        })?;
        let address_node = node.required("address")?;
        let parity_node = node.required("yParity")?;
        let y_parity = u8::try_from(parity_node.small_integer()?)
            .map_err(|_| parity_node.refuse("bad-integer", "yParity is below 256 (EIP-7702)"))?;
        Ok(Self {
            chain_id: decimal("chainId")?,
            address: hex::address(address_node.string()?, &address_node.pointer)?,
            nonce,
            y_parity,
            r: word("r")?,
            s: word("s")?,
        })
    }
}

impl Context {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        node.object_with(&["payment", "texts", "tokens"])?;
        let payment = node.optional("payment")?.map(|n| Payment::read(&n)).transpose()?;
        let texts = match node.optional("texts")? {
            None => Vec::new(),
            Some(n) => n
                .array(MAX_TEXTS, "MAX_TEXTS")?
                .iter()
                .map(Text::read)
                .collect::<Result<_, _>>()?,
        };
        let tokens = match node.optional("tokens")? {
            None => Vec::new(),
            Some(n) => n
                .array(MAX_CONTEXT_TOKENS, "MAX_CONTEXT_TOKENS")?
                .iter()
                .map(|n| AccountId::parse(n.string()?, &n.pointer))
                .collect::<Result<_, _>>()?,
        };
        Ok(Self {
            payment,
            texts,
            tokens,
        })
    }
}

impl Text {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        node.object_with(&["field", "ref", "text"])?;
        let text_node = node.required("text")?;
        let text = text_node.string()?;
        if text.len() > MAX_TEXT_BYTES {
            return Err(text_node.refuse(
                "too-large",
                format!("{} bytes of text; MAX_TEXT_BYTES is {MAX_TEXT_BYTES}", text.len()),
            ));
        }
        Ok(Self {
            field: node.required("field")?.string()?.to_owned(),
            reference: node
                .optional("ref")?
                .map(|n| n.string().map(str::to_owned))
                .transpose()?,
            text: text.to_owned(),
        })
    }
}

impl Payment {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        node.object_with(&["requirements", "resource", "payee", "quote"])?;
        Ok(Self {
            requirements: node.required("requirements")?.object()?.clone(),
            resource: node
                .optional("resource")?
                .map(|n| n.string().map(str::to_owned))
                .transpose()?,
            payee: node.optional("payee")?.map(|n| Payee::read(&n)).transpose()?,
            quote: node.optional("quote")?.map(|n| Quote::read(&n)).transpose()?,
        })
    }
}

impl Payee {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        node.object_with(&["registry", "agentId"])?;
        let registry = node.required("registry")?;
        let agent_id = node.required("agentId")?;
        Ok(Self {
            registry: AccountId::parse(registry.string()?, &registry.pointer)?,
            agent_id: hex::decimal(agent_id.string()?, &agent_id.pointer)?,
        })
    }
}

impl Quote {
    fn read(node: &Node<'_>) -> Result<Self, Refusal> {
        node.object_with(&["quote", "signature", "chainId"])?;
        let signature = node.required("signature")?;
        let chain = node.required("chainId")?;
        Ok(Self {
            quote: node.required("quote")?.object()?.clone(),
            signature: hex::data(signature.string()?, &signature.pointer)?,
            chain: ChainId::parse(chain.string()?, &chain.pointer)?,
        })
    }
}
