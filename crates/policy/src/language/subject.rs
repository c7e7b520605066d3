//! What a rule is about: it is evaluated once for each of them, with the names it brings.

use super::types::{Record, Type};
use presight_wire::report::Role;

/// What a rule is evaluated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The request as a whole, once.
    Request,
    /// Each approval; `spender` is its spender's address in that role, `token` its token, `token_address` the token's
    /// address in the role `token`.
    Approval,
    /// Each address in each of its roles.
    Address,
    /// Each token.
    Token,
    /// The payment context, when there is one.
    Payment,
    /// Each text.
    Text,
    /// Each call, nested ones included.
    Call,
    /// Each transfer the request's bytes name; `recipient` is its receiver's address in that role.
    Transfer,
}

/// A variable of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The subject itself.
    It,
    /// An address entity that goes with it.
    AddressOf(Role),
    /// The token entity that goes with it.
    TokenOf,
    /// An item of the comprehension at this level, the outermost being 0.
    Item(usize),
    Report,
    Request,
    Approvals,
    Addresses,
    Tokens,
    Texts,
    Findings,
}

const GLOBALS: &[(&str, Variable, Record, bool)] = &[
    ("report", Variable::Report, Record::Report, false),
    ("request", Variable::Request, Record::Request, false),
    ("approvals", Variable::Approvals, Record::Approval, true),
    ("addresses", Variable::Addresses, Record::Address, true),
    ("tokens", Variable::Tokens, Record::Token, true),
    ("texts", Variable::Texts, Record::Text, true),
    ("findings", Variable::Findings, Record::Finding, true),
];

impl Subject {
    /// Every subject.
    pub const ALL: &'static [Self] = &[
        Self::Request,
        Self::Approval,
        Self::Address,
        Self::Token,
        Self::Payment,
        Self::Text,
        Self::Call,
        Self::Transfer,
    ];

    /// Its word in a policy file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Approval => "approval",
            Self::Address => "address",
            Self::Token => "token",
            Self::Payment => "payment",
            Self::Text => "text",
            Self::Call => "call",
            Self::Transfer => "transfer",
        }
    }

    fn own(self) -> &'static [(&'static str, Variable, Record)] {
        const SPENDER: (&str, Variable, Record) =
            ("spender", Variable::AddressOf(Role::Spender), Record::Address);
        const RECIPIENT: (&str, Variable, Record) =
            ("recipient", Variable::AddressOf(Role::Recipient), Record::Address);
        const TARGET: (&str, Variable, Record) =
            ("target", Variable::AddressOf(Role::Target), Record::Address);
        const TOKEN: (&str, Variable, Record) = ("token", Variable::TokenOf, Record::Token);
        const TOKEN_ADDRESS: (&str, Variable, Record) =
            ("token_address", Variable::AddressOf(Role::Token), Record::Address);
        match self {
            Self::Request => &[],
            Self::Approval => &[
                ("approval", Variable::It, Record::Approval),
                SPENDER,
                TOKEN,
                TOKEN_ADDRESS,
            ],
            Self::Address => &[("address", Variable::It, Record::Address)],
            Self::Token => &[("token", Variable::It, Record::Token), TOKEN_ADDRESS],
            Self::Payment => &[("payment", Variable::It, Record::Payment)],
            Self::Text => &[("text", Variable::It, Record::Text)],
            Self::Call => &[("call", Variable::It, Record::Call), TARGET],
            Self::Transfer => &[("transfer", Variable::It, Record::Transfer), RECIPIENT],
        }
    }

    /// The variable with this name and its type.
    pub(crate) fn variable(self, name: &str) -> Option<(Variable, Type)> {
        let own = self.own().iter().find(|(n, ..)| *n == name);
        if let Some((_, variable, record)) = own {
            return Some((*variable, Type::Record(*record)));
        }
        let (_, variable, record, many) = GLOBALS.iter().find(|(n, ..)| *n == name)?;
        let record = Type::Record(*record);
        Some((*variable, if *many { Type::list(record) } else { record }))
    }

    /// The names of its variables.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let own = self.own().iter().map(|(name, ..)| *name);
        own.chain(GLOBALS.iter().map(|(name, ..)| *name)).collect()
    }
}
