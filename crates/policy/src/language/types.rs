//! The types of expressions.

use super::kind::KindIndex;
use std::fmt;

/// The type of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    Bool,
    /// An exact integer of at most 256 bits and a sign.
    Integer,
    Text,
    /// A CAIP-10 account, in lower case.
    Account,
    /// A 20-byte address in hex, in lower case.
    Address,
    Null,
    /// A value of a finding whose shape is only known when it is there.
    Json,
    /// A list; the type of its items is known.
    List(Box<Type>),
    Record(Record),
}

/// What has members with fixed names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    Report,
    Request,
    Call,
    Transfer,
    /// A tuple of the request's EIP-7702 authorization list.
    Authorization,
    /// What a Safe pays for gas.
    Refund,
    /// A marketplace order that the request signs.
    Order,
    Approval,
    Address,
    Token,
    Payment,
    Text,
    Finding,
    /// One finding of a kind that may have several about one entity: its `param` and its `value`.
    Entry(KindIndex),
}

impl Type {
    pub(crate) fn list(item: Self) -> Self {
        Self::List(Box::new(item))
    }

    /// Whether values of this type print in one word or line.
    pub(crate) fn is_printable(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Record(_) | Self::Null)
    }
}

impl Record {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Request => "request",
            Self::Call => "call",
            Self::Transfer => "transfer",
            Self::Authorization => "authorization",
            Self::Refund => "refund",
            Self::Order => "order",
            Self::Approval => "approval",
            Self::Address => "address",
            Self::Token => "token",
            Self::Payment => "payment",
            Self::Text => "text",
            Self::Finding => "finding",
            Self::Entry(_) => "finding of a kind",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("a boolean"),
            Self::Integer => f.write_str("an integer"),
            Self::Text => f.write_str("a text"),
            Self::Account => f.write_str("an account"),
            Self::Address => f.write_str("an address"),
            Self::Null => f.write_str("null"),
            Self::Json => f.write_str("a JSON value"),
            Self::List(item) => write!(f, "a list whose items are {item}"),
            Self::Record(record) => write!(f, "record `{}`", record.name()),
        }
    }
}
