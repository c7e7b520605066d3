//! Values of expressions, and what there is instead of one.

use super::facts::EntityId;
use super::integer::Integer;
use presight_decode::{CallNode, Order, Refund, Transfer};
use presight_wire::report::EntityRef;
use presight_wire::request::Authorization;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A value. Texts, accounts and addresses differ in their static types only.
#[derive(Debug, Clone)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Integer(Integer),
    Text(Cow<'a, str>),
    Json(&'a Json),
    List(Rc<[Value<'a>]>),
    Report,
    Request,
    /// An approval, address, token, payment or text.
    Entity(EntityId),
    Call(FlatCall<'a>),
    Transfer(&'a Transfer),
    Authorization(&'a Authorization),
    Refund(&'a Refund),
    Order(&'a Order),
    /// A finding, by position in the report.
    Finding(usize),
}

/// A call at any depth of the call tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlatCall<'a> {
    pub(crate) node: &'a CallNode,
    /// Position of the outermost call.
    pub(crate) outer: usize,
}

/// A fact that an expression needed and that was not read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unread {
    /// The entity, in report order.
    pub(crate) entity: EntityId,
    /// The kind's name.
    pub(crate) kind: String,
    /// The finding that says so; none when there is no finding.
    pub(crate) finding: Option<usize>,
}

/// Why there is no value.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    /// These facts were not read. A value that does not depend on them can still come about: `false && unread` is
    /// `false`.
    Unread(BTreeSet<Unread>),
    /// The expression has no value on this report: overflow, a JSON value of another type, a missing member.
    Error(String),
}

pub(crate) type Outcome<T> = Result<T, Stop>;

impl Stop {
    pub(crate) fn error(message: impl Into<String>) -> Self {
        Self::Error(message.into())
    }

    /// Both: an error stays an error.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unread(mut one), Self::Unread(other)) => {
                one.extend(other);
                Self::Unread(one)
            }
            (error @ Self::Error(_), _) | (_, error @ Self::Error(_)) => error,
        }
    }
}

/// What a reason is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// The request as a whole.
    Request,
    /// An entity of the report, or one that it leaves out.
    Entity(EntityRef),
    /// A call, by the position of the outermost call it is or is nested in.
    Call(usize),
    /// A transfer that the request's bytes name, by position.
    Transfer(usize),
}

/// What loading a policy has ruled out; still an error and no panic.
pub(super) fn unreachable_type() -> Stop {
    Stop::error("an expression is not of the type it was checked to be")
}

/// A text made of something.
pub(super) fn text<'a>(text: &impl ToString) -> Value<'a> {
    Value::Text(Cow::Owned(text.to_string()))
}
