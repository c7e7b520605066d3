//! A checked expression: every name found, every type known.

use super::field::Field;
use super::function::Function;
use super::kind::KindIndex;
use super::subject::Variable;
use super::types::Type;
use alloy_primitives::U256;

/// An expression with its type.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    pub(crate) operation: Operation,
    pub(crate) of: Type,
}

/// What an expression does.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Bool(bool),
    Integer(U256),
    Text(String),
    Null,
    List(Vec<Expression>),
    /// A parameter of the policy, by position.
    Parameter(usize),
    Variable(Variable),
    Field(Box<Expression>, Field),
    /// The finding, or the findings, of a kind about an entity.
    Fact(Box<Expression>, KindIndex),
    /// A member or an item of a JSON value.
    Inside(Box<Expression>, Box<Expression>),
    /// An item of a list.
    Item(Box<Expression>, Box<Expression>),
    /// Whether a JSON object has a member.
    Has(Box<Expression>, String),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// Of integers.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// Of two values of one type.
    Equal(Box<Expression>, Box<Expression>),
    /// Of a JSON value and a typed one: equal when the JSON value is one of that type and equal.
    EqualJson(Box<Expression>, Box<Expression>, Target),
    Arithmetic(Arithmetic, Box<Expression>, Box<Expression>),
    /// Whether a list holds a value.
    In(Box<Expression>, Box<Expression>, Matching),
    /// A JSON value as one of a type; an error when it is none.
    Convert(Box<Expression>, Target),
    Each(Quantifier, Box<Expression>, Box<Expression>),
    Call(Function, Vec<Expression>),
}

/// How a value is compared with the items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matching {
    /// They are of one type.
    Same,
    /// The value is JSON, and the items are of a type.
    JsonValue(Target),
    /// The items are JSON, and the value is of a type.
    JsonItems(Target),
}

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An operation on integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// What is done with each item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Exists,
    All,
    ExistsOne,
    Filter,
    Map,
}

/// What a JSON value is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Bool,
    Integer,
    Text,
    Account,
    Address,
    Null,
    /// A JSON value itself; only to compare it with another.
    Json,
}
