//! `PresignReport` (ERC-8481 §Report).

pub mod check;
mod read;
pub mod sign;
mod write;

use crate::caip::{AccountId, ChainId};
use crate::error::Refusal;
use crate::jcs;
use crate::json::{self, Numbers};
use crate::limits::{MAX_DEPTH, MAX_REPORT_BYTES};
use crate::reading::{At, Evidence, Reason};
use crate::time::Timestamp;
use alloy_primitives::{B256, Bytes, U256};
use serde_json::Value;

/// A report. What is built here is serialised with [`Report::to_value`]; what is received is read with
/// [`ReceivedReport::parse`], and its hash is taken over the JSON as received.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Names the exact request.
    pub subject_digest: B256,
    /// Names the request's context.
    pub context_digest: B256,
    /// The chain the request executes on.
    pub chain: ChainId,
    /// The account that would sign the request.
    pub signer: AccountId,
    /// Who made the report.
    pub source: Source,
    /// When.
    pub issued_at: Timestamp,
    /// The source's own bound on its use.
    pub expires_at: Option<Timestamp>,
    /// Every block a finding holds at.
    pub blocks: Vec<BlockRef>,
    /// What the source took the request to touch.
    pub entities: Entities,
    /// The facts.
    pub findings: Vec<Finding>,
    /// The source's method version.
    pub method: String,
    /// URL of a fuller report; not covered by `reportHash`.
    pub detail: Option<String>,
    /// EIP-712 signature by `source.signer`; `None` for a report that is not signed yet.
    pub signature: Option<Bytes>,
}

/// Who made the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// ERC-8004 identity registry.
    pub registry: AccountId,
    /// The identity's number.
    pub agent_id: U256,
    /// The account that signs reports.
    pub signer: AccountId,
}

/// One entry of `blocks`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockRef {
    /// The chain.
    pub chain: ChainId,
    /// The block's number.
    pub block: u64,
    /// The block's hash.
    pub hash: B256,
}

/// What the request touches (ERC-8481 §Entities), in the order of I-9.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entities {
    /// Tokens.
    pub tokens: Vec<AccountId>,
    /// Approvals.
    pub approvals: Vec<Approval>,
    /// Addresses with their roles; an address with several roles is listed once per role.
    pub addresses: Vec<AddressEntity>,
    /// Whether the request carried payment context.
    pub payment: bool,
    /// Texts.
    pub texts: Vec<TextEntity>,
}

/// One approval the request grants.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Approval {
    /// The token.
    pub token: AccountId,
    /// Who may spend.
    pub spender: AccountId,
    /// How it is granted.
    pub form: Form,
    /// Index in `calls`, when the approval is a call or nested in one.
    pub call_index: Option<usize>,
}

/// How an approval is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `approve(address,uint256)`.
    Erc20Approve,
    /// `increaseAllowance(address,uint256)`.
    Erc20Increase,
    /// ERC-2612 or DAI `Permit`.
    Erc2612Permit,
    /// Permit2 `approve(address,address,uint160,uint48)`.
    Permit2Approve,
    /// Permit2 `PermitSingle` or one detail of a `PermitBatch`.
    Permit2Permit,
    /// `setApprovalForAll(address,bool)` with `true`.
    ApprovalForAll,
}

/// One address in one role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AddressEntity {
    /// The address.
    pub address: AccountId,
    /// Its role.
    pub role: Role,
}

/// What an address does in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The `to` of a call.
    Target,
    /// The spender of an approval.
    Spender,
    /// The receiver of native value or of a token transfer.
    Recipient,
    /// The payment's `payTo`.
    PayTo,
    /// The quote's issuer.
    QuoteIssuer,
    /// A listed token.
    Token,
    /// The authority of an EIP-7702 tuple (I-10).
    Authority,
}

/// One text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEntity {
    /// Its number; findings refer to it.
    pub index: usize,
    /// Where it came from.
    pub field: String,
    /// The object it belongs to.
    pub reference: Option<String>,
    /// `keccak256` of its UTF-8 bytes; zero for a name that was not read (I-33).
    pub digest: B256,
}

/// One typed fact about one entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The kind.
    pub kind: String,
    /// What it is about.
    pub entity: EntityRef,
    /// What distinguishes findings of one kind about one entity.
    pub param: Option<Value>,
    /// The value, or why there is none.
    pub outcome: Outcome,
    /// The block it holds at.
    pub at: Option<At>,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// One line on how it was read.
    pub note: Option<String>,
}

/// `value` xor `reason`.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Read.
    Read(Value),
    /// Not read.
    NotRead(Reason),
}

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EntityRef {
    /// A token.
    Token(AccountId),
    /// `entities.approvals[i]`.
    Approval(usize),
    /// An address in a role.
    Address(AddressEntity),
    /// The payment.
    Payment,
    /// The text with this `index`.
    Text(usize),
}

impl Outcome {
    /// Whether it was not read.
    pub fn is_unread(&self) -> bool {
        matches!(self, Self::NotRead(_))
    }

    /// Whether it was read, as this word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Read(Value::String(text)) if text == word)
    }
}

macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $type {
            /// Every variant.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
            /// The variant with this word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.as_str() == word)
            }
        }
    };
}

words!(Form {
    Erc20Approve = "erc20-approve",
    Erc20Increase = "erc20-increase",
    Erc2612Permit = "erc2612-permit",
    Permit2Approve = "permit2-approve",
    Permit2Permit = "permit2-permit",
    ApprovalForAll = "approval-for-all",
});

words!(Role {
    Target = "target",
    Spender = "spender",
    Recipient = "recipient",
    PayTo = "payTo",
    QuoteIssuer = "quote-issuer",
    Token = "token",
    Authority = "authority",
});

impl Report {
    /// The report as JSON (ERC-8481 §Report): addresses in lower case, integers as I-11 says.
    pub fn to_value(&self) -> Value {
        write::report(self)
    }

    /// `digest` of the report without `signature` and `detail` (I-7).
    pub fn hash(&self) -> B256 {
        hash_of(&self.to_value())
    }
}

impl EntityRef {
    /// The reference as JSON, as it stands in a finding.
    pub fn to_value(&self) -> Value {
        write::entity(self)
    }
}

impl Entities {
    /// The entities as JSON, as they stand in a report.
    pub fn to_value(&self) -> Value {
        write::entities(self)
    }
}

/// `reportHash` of a report as received: `digest` without `signature` and `detail` (I-7).
pub fn hash_of(report: &Value) -> B256 {
    jcs::digest_without(report, &["signature", "detail"])
}

/// A report as received.
#[derive(Debug, Clone)]
pub struct ReceivedReport {
    /// The JSON as received.
    pub value: Value,
    /// Its typed form.
    pub report: Report,
}

impl ReceivedReport {
    /// Reads a report document strictly; the structural rules are [`check::check`]'s. A report without a signature
    /// is read too: whether it is signed is for the caller to ask.
    ///
    /// # Errors
    /// As [`json::parse_bounded`] and [`Self::from_value`].
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.len() > MAX_REPORT_BYTES {
            let message = format!(
                "{} bytes of report; MAX_REPORT_BYTES is {MAX_REPORT_BYTES}",
                bytes.len()
            );
            return Err(Refusal::new("too-large", "", message));
        }
        Self::from_value(json::parse_bounded(
            bytes,
            Numbers::Exact,
            MAX_REPORT_BYTES,
            MAX_DEPTH,
        )?)
    }

    /// Reads a report from a value that strict reading produced. Members the ERC does not name are let pass and
    /// kept in `value`, because `reportHash` covers them; letter case of addresses is not looked at (I-8).
    ///
    /// # Errors
    /// What is wrong with the first member that cannot be read, and its place.
    pub fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Self {
            report: read::report(&value)?,
            value,
        })
    }

    /// `reportHash` of the JSON as received (I-7).
    pub fn hash(&self) -> B256 {
        hash_of(&self.value)
    }
}

#[cfg(test)]
mod tests;
