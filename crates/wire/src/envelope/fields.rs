//! The typed form of an envelope (ERC-8265 §1 to §8).

use super::scalars::{Chain, Decimal};
use super::shapes::SCHEMA_URL;
use super::words::{
    AccountType, Action, Coverage, Kind, LabelSource, MessageScheme, MovementKind, NonceKind, Operation,
    PartyRole, RiskAction, RiskSeverity, Standard, VerifyStatus,
};
use crate::time::Timestamp;
use alloy_primitives::{Address, Bytes, U256};
use serde_json::{Map, Number, Value};

/// The members of an envelope (§1). Made with [`Fields::new`] and set freely; [`Fields::build`] lets only a valid one
/// through.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    /// The URL of the specification's version.
    pub schema: String,
    /// The producer's name for the envelope.
    pub id: Option<String>,
    /// When the producer prepared it, to the second.
    pub issued_at: Timestamp,
    /// When it ends: on the transaction kinds `content.validity.notAfter`.
    pub expires_at: Option<Timestamp>,
    /// Replay protection of the envelope itself: `0x` and hex digits.
    pub nonce: Option<String>,
    /// Who prepared it (§3).
    pub producer: Option<Producer>,
    /// Where it says it comes from (§4).
    pub origin: Option<Origin>,
    /// What is to be signed.
    pub content: Content,
    /// A consumer's verdict; never the producer's word (§7).
    pub risk: Option<Risk>,
    /// What is asked of the wallet (§8).
    pub capabilities: Option<Capabilities>,
    /// Display hints; without effect on signing or policy.
    pub meta: Option<Map<String, Value>>,
}

/// What is to be signed.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Of the kinds `evm-tx`, with one call, and `evm-batch`, with more (§5).
    Calls(CallsContent),
    /// Of the kind `signature` (§6).
    Signature(SignatureContent),
}

/// Who prepared the envelope (§3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Producer {
    /// A DID, a CAIP-10 account, an ERC-8004 record or a URL.
    pub id: String,
    /// For display only.
    pub name: Option<String>,
    /// Its signature.
    pub signature: Option<ProducerSignature>,
}

/// A producer's signature (§3.2), as given: [`super::verify`] says what it is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProducerSignature {
    /// The algorithm; an open list.
    pub scheme: String,
    /// The key.
    pub public_key: Option<String>,
    /// The signature.
    pub signature: String,
    /// What it covers.
    pub coverage: Coverage,
}

/// Where the envelope says it comes from (§4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// An absolute URL.
    pub url: String,
    /// What an attestation said of it, as received.
    pub verify_status: VerifyStatus,
    /// An opaque token.
    pub attestation: Option<String>,
}

/// The content of the transaction kinds (§5).
#[derive(Debug, Clone, PartialEq)]
pub struct CallsContent {
    /// The chain.
    pub chain: Chain,
    /// Its deprecated numeric alias; `chain` counts.
    pub chain_id: Option<u64>,
    /// The account that signs.
    pub from: Option<Address>,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// When the preparation holds.
    pub validity: Validity,
    /// What it is said to do.
    pub description: Description,
    /// What it is said to move.
    pub metadata: Metadata,
    /// The name of an ERC-7730 descriptor.
    pub decoder_ref: Option<String>,
    /// An ERC-7730 descriptor fragment.
    pub clear_signing: Option<Map<String, Value>>,
}

/// One call (§5.3).
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Whom it calls.
    pub to: Address,
    /// Wei; 0 when absent.
    pub value: Option<U256>,
    /// Calldata; empty when absent.
    pub data: Option<Bytes>,
    /// How it runs. It has no default.
    pub operation: Operation,
    /// What is asked of the wallet for this call; not judged beyond the names.
    pub capabilities: Option<Map<String, Value>>,
}

/// When a preparation holds (§5.4), in Unix seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validity {
    /// Not before this second.
    pub not_before: Option<i64>,
    /// Not after this second.
    pub not_after: i64,
    /// The nonce scheme it was prepared for.
    pub nonce_kind: Option<NonceKind>,
    /// `blockhashRecency.maxAge`, in seconds.
    pub blockhash_max_age: Option<u64>,
}

/// What the producer says it does (§5.5); presentational.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// One line.
    pub short: String,
    /// More lines.
    pub long: Option<String>,
    /// The class of action.
    pub action: Action,
}

/// What the producer says it moves and touches (§5.6); presentational.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// The protocol.
    pub protocol: String,
    /// The movements.
    pub token_movements: Vec<TokenMovement>,
    /// The entities touched.
    pub counterparties: Vec<Counterparty>,
    /// Gas expected.
    pub estimated_gas: Option<Decimal>,
}

/// A token (§5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Token {
    /// The chain's own.
    Native,
    /// A contract.
    Contract(Address),
}

/// One movement (§5.6).
#[derive(Debug, Clone, PartialEq)]
pub struct TokenMovement {
    /// Which token.
    pub token: Token,
    /// Its standard.
    pub standard: Standard,
    /// For display.
    pub symbol: String,
    /// For display.
    pub decimals: u8,
    /// In the token's smallest unit.
    pub amount: Decimal,
    /// Which item.
    pub token_id: Option<Decimal>,
    /// What happens.
    pub kind: MovementKind,
    /// Whether the grant has no bound.
    pub is_unlimited: Option<bool>,
    /// From whom.
    pub from: Address,
    /// To whom.
    pub to: Address,
    /// What it is said to be worth.
    pub usd_value: Option<Number>,
}

/// One entity touched (§5.6).
#[derive(Debug, Clone, PartialEq)]
pub struct Counterparty {
    /// Its address.
    pub address: Address,
    /// What it is.
    pub role: PartyRole,
    /// What it is called.
    pub label: Option<String>,
    /// Who calls it so.
    pub label_source: Option<LabelSource>,
    /// That it looks like another one.
    pub similarity_warning: Option<Similarity>,
}

/// That an address looks like another one (§5.6).
#[derive(Debug, Clone, PartialEq)]
pub struct Similarity {
    /// The other one.
    pub similar_to: Address,
    /// By a metric of the consumer.
    pub distance: Number,
}

/// The content of the kind `signature` (§6).
#[derive(Debug, Clone, PartialEq)]
pub struct SignatureContent {
    /// The chain.
    pub chain: Chain,
    /// The account that signs.
    pub from: Option<Address>,
    /// What is signed, and how.
    pub message: Message,
    /// What it is said to do.
    pub description: Description,
    /// What it is said to move.
    pub metadata: Option<Metadata>,
    /// When it is meant to hold.
    pub validity: Option<Validity>,
    /// Whether the signature is to be wrapped as ERC-6492 says.
    pub erc6492: Option<bool>,
}

/// What is signed, and how (§6.2).
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// EIP-712 typed data.
    TypedData(TypedData),
    /// A text under `personal_sign`.
    Personal(String),
    /// An ERC-4361 text under `personal_sign`.
    SignIn(String),
}

impl Message {
    /// Its scheme.
    pub fn scheme(&self) -> MessageScheme {
        match self {
            Self::TypedData(_) => MessageScheme::Eip712,
            Self::Personal(_) => MessageScheme::PersonalSign,
            Self::SignIn(_) => MessageScheme::Siwe,
        }
    }
}

/// EIP-712 typed data, as given.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedData {
    /// The domain.
    pub domain: Map<String, Value>,
    /// The structs.
    pub types: Map<String, Value>,
    /// The struct of the message.
    pub primary_type: String,
    /// The message.
    pub message: Map<String, Value>,
}

/// A consumer's verdict (§7).
#[derive(Debug, Clone, PartialEq)]
pub struct Risk {
    /// What to do.
    pub action: RiskAction,
    /// From 0 to 100.
    pub score: Option<Number>,
    /// Why.
    pub warnings: Vec<RiskWarning>,
    /// Who else was asked.
    pub scanners: Option<Vec<Scanner>>,
    /// Reports (ERC-8481 §Envelope), as received.
    pub reports: Option<Value>,
}

/// One reason of a verdict (§7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RiskWarning {
    /// For machines.
    pub code: String,
    /// How grave.
    pub severity: RiskSeverity,
    /// For people.
    pub message: String,
}

/// A scanner's verdict (§7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanner {
    /// Who.
    pub provider: String,
    /// What it said.
    pub verdict: RiskAction,
    /// Where to read more.
    pub url: Option<String>,
}

/// What is asked of the wallet (§8).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Capabilities {
    /// All calls or none (ERC-5792).
    pub atomic_required: Option<bool>,
    /// Who pays the gas (ERC-4337).
    pub paymaster_service: Option<Paymaster>,
    /// An opaque grant (ERC-7715).
    pub permissions: Option<Permissions>,
    /// The account type it is for.
    pub requires_account_type: Option<AccountType>,
    /// Vendor entries, named `x-…`.
    pub vendor: Map<String, Value>,
}

/// A paymaster (§8.1). Members beyond the two are kept in the document only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paymaster {
    /// Its endpoint.
    pub url: String,
    /// Who sponsors.
    pub sponsor: Option<Address>,
}

/// A permission context (§8.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permissions {
    /// Opaque bytes, passed on unchanged.
    pub context: Bytes,
    /// The category.
    pub kind: String,
}

impl Fields {
    /// An envelope of this version with what each has to have. On the transaction kinds `expires_at` is set to the
    /// content's `not_after`.
    pub fn new(issued_at: Timestamp, content: Content) -> Self {
        let expires_at = match &content {
            Content::Calls(calls) => Some(Timestamp(calls.validity.not_after)),
            Content::Signature(_) => None,
        };
        Self {
            schema: SCHEMA_URL.to_owned(),
            id: None,
            issued_at,
            expires_at,
            nonce: None,
            producer: None,
            origin: None,
            content,
            risk: None,
            capabilities: None,
            meta: None,
        }
    }

    /// The kind that the content has.
    pub fn kind(&self) -> Kind {
        match &self.content {
            Content::Signature(_) => Kind::Signature,
            Content::Calls(content) if content.calls.len() == 1 => Kind::EvmTx,
            Content::Calls(_) => Kind::EvmBatch,
        }
    }
}

impl Content {
    /// The chain.
    pub fn chain(&self) -> Chain {
        match self {
            Self::Calls(content) => content.chain,
            Self::Signature(content) => content.chain,
        }
    }

    /// The account that signs.
    pub fn from(&self) -> Option<Address> {
        match self {
            Self::Calls(content) => content.from,
            Self::Signature(content) => content.from,
        }
    }

    /// When it holds.
    pub fn validity(&self) -> Option<&Validity> {
        match self {
            Self::Calls(content) => Some(&content.validity),
            Self::Signature(content) => content.validity.as_ref(),
        }
    }

    /// What it is said to do.
    pub fn description(&self) -> &Description {
        match self {
            Self::Calls(content) => &content.description,
            Self::Signature(content) => &content.description,
        }
    }

    /// What it is said to move and touch.
    pub fn metadata(&self) -> Option<&Metadata> {
        match self {
            Self::Calls(content) => Some(&content.metadata),
            Self::Signature(content) => content.metadata.as_ref(),
        }
    }
}
