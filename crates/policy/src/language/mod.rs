//! The language of conditions and messages: CEL's grammar, checked against the vocabulary of a report before anything
//! is evaluated.

pub(crate) mod check;
pub(crate) mod expression;
pub(crate) mod field;
pub(crate) mod function;
pub(crate) mod kind;
pub(crate) mod message;
pub(crate) mod parse;
pub(crate) mod subject;
pub(crate) mod types;
pub(crate) mod vocabulary;
