//! Read or not read: the type every fact has.
//!
//! A value exists only together with what it was read from; otherwise there is a reason. There is no default.

use crate::caip::{AccountId, ChainId};
use alloy_primitives::{B256, Bytes, U256};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The block a finding holds at (ERC-8481 §Report, `at`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The chain.
    pub chain: ChainId,
    /// The chain's own block number.
    pub block: u64,
}

impl Serialize for At {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(Some(2))?;
        m.serialize_entry("chainId", &self.chain)?;
        m.serialize_entry("block", &self.block.to_string())?;
        m.end()
    }
}

/// What a fact rests on (ERC-8481 §Report, `Evidence`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evidence {
    /// A transaction.
    Tx {
        /// Its chain.
        chain: ChainId,
        /// Its hash.
        hash: B256,
    },
    /// A log of a transaction.
    Log {
        /// Its chain.
        chain: ChainId,
        /// The transaction's hash.
        tx: B256,
        /// The log's index in its block.
        log_index: u64,
    },
    /// A contract call executed at a block, or, with empty `data`, the account's code (I-16).
    Call {
        /// The block the call ran on.
        at: At,
        /// The account called.
        to: AccountId,
        /// The calldata that was executed.
        data: Bytes,
        /// What came back.
        result: Bytes,
    },
    /// A Launch Observations entry.
    Observation {
        /// The registry.
        registry: AccountId,
        /// The observation's identifier.
        observation_id: U256,
    },
    /// A document, by the `keccak256` of its bytes.
    Document {
        /// Where it was read.
        uri: String,
        /// `keccak256` of its bytes.
        hash: B256,
    },
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_map(None)?;
        match self {
            Self::Tx { chain, hash } => {
                m.serialize_entry("type", "tx")?;
                m.serialize_entry("chainId", chain)?;
                m.serialize_entry("hash", hash)?;
            }
            Self::Log { chain, tx, log_index } => {
                m.serialize_entry("type", "log")?;
                m.serialize_entry("chainId", chain)?;
                m.serialize_entry("tx", tx)?;
                m.serialize_entry("logIndex", log_index)?;
            }
            Self::Call { at, to, data, result } => {
                m.serialize_entry("type", "call")?;
                m.serialize_entry("chainId", &at.chain)?;
                m.serialize_entry("block", &at.block.to_string())?;
                m.serialize_entry("to", to)?;
                m.serialize_entry("data", data)?;
                m.serialize_entry("result", result)?;
            }
            Self::Observation {
                registry,
                observation_id,
            } => {
                m.serialize_entry("type", "observation")?;
                m.serialize_entry("registry", registry)?;
                m.serialize_entry("observationId", &observation_id.to_string())?;
            }
            Self::Document { uri, hash } => {
                m.serialize_entry("type", "document")?;
                m.serialize_entry("uri", uri)?;
                m.serialize_entry("hash", hash)?;
            }
        }
        m.end()
    }
}

/// Why a fact was not read (ERC-8481 §Report; chosen as I-15 says).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// This source cannot read it at all here.
    Unsupported,
    /// It could, but the data was not to be had: node error, reverted call, undefined value.
    Unavailable,
    /// A scan did not reach far enough.
    Incomplete,
    /// The request did not ask for it.
    NotRequested,
    /// It was not paid for.
    PaymentRequired,
    /// The request's time budget ended first.
    Timeout,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 6] = [
        Self::Unsupported,
        Self::Unavailable,
        Self::Incomplete,
        Self::NotRequested,
        Self::PaymentRequired,
        Self::Timeout,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Unavailable => "unavailable",
            Self::Incomplete => "incomplete",
            Self::NotRequested => "not-requested",
            Self::PaymentRequired => "payment-required",
            Self::Timeout => "timeout",
        }
    }

    /// The reason with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.as_str() == word)
    }
}

/// A value that was read, with the block it holds at and what it rests on. The fields are private: the only
/// ways to build one say where the value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read<T> {
    value: T,
    at: Option<At>,
    evidence: Vec<Evidence>,
    note: Option<String>,
}

impl<T> Read<T> {
    /// A value read from chain state.
    ///
    /// # Panics
    /// When `evidence` is empty: a value of the chain without evidence is a bug of the reader.
    pub fn from_chain(value: T, at: At, evidence: Vec<Evidence>) -> Self {
        assert!(
            !evidence.is_empty(),
            "a value read from the chain carries its evidence"
        );
        Self {
            value,
            at: Some(at),
            evidence,
            note: None,
        }
    }

    /// A value computed from the bytes of the request alone: no block, no evidence but the request.
    pub fn from_request(value: T) -> Self {
        Self {
            value,
            at: None,
            evidence: Vec::new(),
            note: None,
        }
    }

    /// A value computed from a document that was fetched.
    pub fn from_document(value: T, uri: String, hash: B256) -> Self {
        Self {
            value,
            at: None,
            evidence: vec![Evidence::Document { uri, hash }],
            note: None,
        }
    }

    /// A value that follows from the records of a history up to a block. What rests on there being no record has no
    /// evidence to name.
    pub fn from_history(value: T, at: At, records: Vec<Evidence>) -> Self {
        Self {
            value,
            at: Some(at),
            evidence: records,
            note: None,
        }
    }

    /// A value of the request's bytes whose meaning holds at a block (I-35).
    #[must_use]
    pub fn holding_at(mut self, at: At) -> Self {
        self.at = Some(at);
        self
    }

    /// Another value that follows from this one and nothing else.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Read<U> {
        Read {
            value: f(self.value),
            at: self.at,
            evidence: self.evidence,
            note: self.note,
        }
    }

    /// A value that follows from this one and another: evidence of both, in order.
    pub fn zip<U>(self, other: Read<U>) -> Read<(T, U)> {
        let mut evidence = self.evidence;
        evidence.extend(other.evidence);
        Read {
            value: (self.value, other.value),
            at: self.at.or(other.at),
            evidence,
            note: self.note.or(other.note),
        }
    }

    /// Adds the one line on how it was read.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// The value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The value, alone.
    pub fn into_value(self) -> T {
        self.value
    }

    /// The block it holds at.
    pub fn at(&self) -> Option<&At> {
        self.at.as_ref()
    }

    /// What it rests on.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// The line on how it was read.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

/// A fact that was not read: the reason, and where it is known, the block and what was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRead {
    /// Why.
    pub reason: Reason,
    /// The block it would have held at.
    pub at: Option<At>,
    /// What was seen on the way, such as the reverted call.
    pub evidence: Vec<Evidence>,
    /// One line on what stopped it.
    pub note: Option<String>,
}

impl NotRead {
    /// Not read, for this reason.
    pub fn new(reason: Reason) -> Self {
        Self {
            reason,
            at: None,
            evidence: Vec::new(),
            note: None,
        }
    }

    /// Adds the one line on what stopped it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Adds the block it would have held at.
    #[must_use]
    pub fn holding_at(mut self, at: At) -> Self {
        self.at = Some(at);
        self
    }
}

impl From<Reason> for NotRead {
    fn from(reason: Reason) -> Self {
        Self::new(reason)
    }
}

/// A fact: read, or not read. Never a default.
pub type Reading<T> = Result<Read<T>, NotRead>;
