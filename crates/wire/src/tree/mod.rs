//! A JSON document read strictly and without copying: names and strings without escapes are borrowed from the text.
//!
//! [`crate::json`] makes of it a [`Value`], which owns every name; judging a document needs no more than to look at it.

mod fault;
mod number;
mod read;

pub use fault::{Fault, FaultCode};
pub use number::Number;
pub use read::read;
pub(crate) use read::{Part, Rules, read_placing};

use crate::error::push_segment;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// One JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// A string, unescaped.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Tree<'a>>),
    /// An object.
    Object(Members<'a>),
}

/// The members of an object in the order of the document, each name once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Members<'a>(Vec<(Cow<'a, str>, Tree<'a>)>);

impl<'a> Members<'a> {
    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&Tree<'a>> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// Each name with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tree<'a>)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> Tree<'a> {
    /// Borrows a value that was read elsewhere.
    ///
    /// # Errors
    /// [`FaultCode::TooDeep`] beyond `max_depth` nested arrays and objects.
    pub fn of(value: &'a Value, max_depth: usize) -> Result<Self, Fault> {
        let inner = || {
            let message = "arrays and objects are nested deeper than the bound MAX_DEPTH";
            let deeper = max_depth.checked_sub(1);
            deeper.ok_or_else(|| Fault::here(FaultCode::TooDeep, 0, message))
        };
        Ok(match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(Number::of(number)),
            Value::String(text) => Self::String(Cow::Borrowed(text)),
            Value::Array(items) => {
                let depth = inner()?;
                let items = items.iter().map(|item| Self::of(item, depth));
                Self::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let depth = inner()?;
                let members = members
                    .iter()
                    .map(|(name, value)| Ok((Cow::Borrowed(name.as_str()), Self::of(value, depth)?)));
                Self::Object(Members(members.collect::<Result<_, _>>()?))
            }
        })
    }

    /// The value on its own.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.to_json()),
            Self::String(text) => Value::String(text.clone().into_owned()),
            Self::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(members) => Value::Object(members.to_map()),
        }
    }

    /// The member `name` of an object; `None` of anything else.
    pub fn get(&self, name: &str) -> Option<&Tree<'a>> {
        self.as_object()?.get(name)
    }

    /// The members of an object.
    pub fn as_object(&self) -> Option<&Members<'a>> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Tree<'a>]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The value's JSON type, as a message names it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl Members<'_> {
    /// The members on their own.
    pub fn to_map(&self) -> Map<String, Value> {
        self.iter()
            .map(|(name, value)| (name.to_owned(), value.to_value()))
            .collect()
    }
}

/// A place in a document as a chain of segments on the stack: it costs nothing until it is written out.
#[derive(Debug, Clone, Copy)]
pub enum At<'a> {
    /// The whole document.
    Root,
    /// A member of an object.
    Member(&'a At<'a>, &'a str),
    /// An element of an array.
    Index(&'a At<'a>, usize),
}

impl<'a> At<'a> {
    /// The member `name` of the object here.
    pub fn member(&'a self, name: &'a str) -> Self {
        Self::Member(self, name)
    }

    /// The element `index` of the array here.
    pub fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// The RFC 6901 pointer.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        pointer
    }

    /// The recursion is as deep as the document.
    fn write(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Member(parent, name) => {
                parent.write(pointer);
                push_segment(pointer, name);
            }
            Self::Index(parent, index) => {
                parent.write(pointer);
                push_segment(pointer, &index.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests;
