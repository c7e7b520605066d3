//! The members of records that are no findings: what the request's bytes and the report's own words say.

use super::types::{Record, Type};

/// A member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    IssuedAt,
    Chain,
    Signer,
    Calls,
    Transfers,
    Flags,
    HasTypedData,
    HasPayment,
    Authorizations,
    Refunds,
    Orders,
    Deadline,
    NamesChain,
    Offerer,
    Offered,
    Received,
    Ends,
    Revokes,
    PayTo,
    Asset,
    Timeout,
    Scheme,
    TokenName,
    TokenVersion,
    ChainId,
    Delegate,
    Nonce,
    PrimaryType,
    Form,
    To,
    Amount,
    Selector,
    Function,
    Index,
    Delegatecall,
    Opaque,
    Native,
    Token,
    From,
    IsItem,
    Spender,
    Account,
    Role,
    Source,
    Ref,
    Kind,
    Param,
    Value,
}

/// A member's name, what it is and its type.
type Member = (&'static str, Field, fn() -> Type);

const TEXT: fn() -> Type = || Type::Text;
const BOOL: fn() -> Type = || Type::Bool;
const INTEGER: fn() -> Type = || Type::Integer;
const ACCOUNT: fn() -> Type = || Type::Account;
const ADDRESS: fn() -> Type = || Type::Address;
const JSON: fn() -> Type = || Type::Json;
const TEXTS: fn() -> Type = || Type::list(Type::Text);

/// The members of a record; those that are findings are in [`super::kind`].
pub(crate) fn members(record: Record) -> &'static [Member] {
    match record {
        Record::Report => &[("issued_at", Field::IssuedAt, INTEGER)],
        Record::Request => &[
            ("chain", Field::Chain, TEXT),
            ("signer", Field::Signer, ACCOUNT),
            ("calls", Field::Calls, || Type::list(Type::Record(Record::Call))),
            ("transfers", Field::Transfers, || {
                Type::list(Type::Record(Record::Transfer))
            }),
            ("flags", Field::Flags, TEXTS),
            ("has_typed_data", Field::HasTypedData, BOOL),
            ("has_payment", Field::HasPayment, BOOL),
            ("authorizations", Field::Authorizations, || {
                Type::list(Type::Record(Record::Authorization))
            }),
            ("refunds", Field::Refunds, || {
                Type::list(Type::Record(Record::Refund))
            }),
            ("orders", Field::Orders, || {
                Type::list(Type::Record(Record::Order))
            }),
            ("deadline", Field::Deadline, JSON),
            ("names_chain", Field::NamesChain, BOOL),
            ("token_name", Field::TokenName, JSON),
            ("token_version", Field::TokenVersion, JSON),
            ("primary_type", Field::PrimaryType, TEXT),
            ("form", Field::Form, TEXT),
        ],
        Record::Call => &[
            ("to", Field::To, ACCOUNT),
            ("value", Field::Amount, INTEGER),
            ("selector", Field::Selector, TEXT),
            ("function", Field::Function, TEXT),
            ("index", Field::Index, INTEGER),
            ("delegatecall", Field::Delegatecall, BOOL),
            ("opaque", Field::Opaque, BOOL),
            ("flags", Field::Flags, TEXTS),
            ("revokes", Field::Revokes, BOOL),
        ],
        Record::Transfer => &[
            ("native", Field::Native, BOOL),
            ("token", Field::Token, ACCOUNT),
            ("from", Field::From, ACCOUNT),
            ("to", Field::To, ACCOUNT),
            ("amount", Field::Amount, INTEGER),
            ("is_item", Field::IsItem, BOOL),
        ],
        Record::Authorization => &[
            ("chain_id", Field::ChainId, INTEGER),
            ("delegate", Field::Delegate, ADDRESS),
            ("nonce", Field::Nonce, INTEGER),
        ],
        Record::Refund => &[
            ("native", Field::Native, BOOL),
            ("token", Field::Token, ACCOUNT),
            ("from", Field::From, ACCOUNT),
        ],
        Record::Order => &[
            ("offerer", Field::Offerer, ADDRESS),
            ("offered", Field::Offered, INTEGER),
            ("received", Field::Received, INTEGER),
            ("ends", Field::Ends, INTEGER),
        ],
        Record::Approval => &[
            ("index", Field::Index, INTEGER),
            ("token", Field::Token, ACCOUNT),
            ("spender", Field::Spender, ACCOUNT),
            ("form", Field::Form, TEXT),
        ],
        Record::Address => &[("account", Field::Account, ACCOUNT), ("role", Field::Role, TEXT)],
        Record::Token => &[("account", Field::Account, ACCOUNT)],
        Record::Payment => &[
            ("chain", Field::Chain, JSON),
            ("pay_to", Field::PayTo, JSON),
            ("asset", Field::Asset, JSON),
            ("amount", Field::Amount, JSON),
            ("timeout", Field::Timeout, JSON),
            ("scheme", Field::Scheme, JSON),
            ("token_name", Field::TokenName, JSON),
            ("token_version", Field::TokenVersion, JSON),
        ],
        Record::Text => &[
            ("index", Field::Index, INTEGER),
            ("field", Field::Source, TEXT),
            ("ref", Field::Ref, TEXT),
        ],
        Record::Finding => &[
            ("kind", Field::Kind, TEXT),
            ("param", Field::Param, JSON),
            ("value", Field::Value, JSON),
        ],
        Record::Entry(_) => &[("param", Field::Param, JSON)],
    }
}
