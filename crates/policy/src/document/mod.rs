//! A policy file as a tree whose every value knows its place: TOML or JSON.

mod json;
mod toml;

use crate::error::{Fault, shown};
use crate::limits::MAX_POLICY_BYTES;
use alloy_primitives::U256;
use serde_json::{Map, Value};

/// A value with its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// First byte of the value in the file.
    pub(crate) offset: usize,
    /// One past its last byte.
    pub(crate) end: usize,
    pub(crate) data: Data,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    /// An integer as written.
    Integer(String),
    Text(String),
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

/// Reads a policy file: JSON when it starts with `{`, TOML otherwise.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    if text.len() > MAX_POLICY_BYTES {
        let message = format!("{} bytes; MAX_POLICY_BYTES is {MAX_POLICY_BYTES}", text.len());
        return Err(Fault::new("too-large", 0, message));
    }
    if text.trim_start().starts_with('{') {
        json::parse(text)
    } else {
        toml::parse(text)
    }
}

impl Node {
    fn kind(&self) -> &'static str {
        match self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Integer(_) => "an integer",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Table(_) => "a table",
        }
    }

    fn expected(&self, what: &str) -> Fault {
        Fault::new(
            "bad-type",
            self.offset,
            format!("{what} expected, found {}", self.kind()),
        )
    }

    pub(crate) fn text(&self) -> Result<&str, Fault> {
        match &self.data {
            Data::Text(text) => Ok(text),
            _ => Err(self.expected("a string")),
        }
    }

    pub(crate) fn boolean(&self) -> Result<bool, Fault> {
        match self.data {
            Data::Bool(value) => Ok(value),
            _ => Err(self.expected("a boolean")),
        }
    }

    pub(crate) fn list(&self) -> Result<&[Node], Fault> {
        match &self.data {
            Data::List(items) => Ok(items),
            _ => Err(self.expected("a list")),
        }
    }

    /// The table, when it has no other members than these.
    pub(crate) fn table(&self, members: &[&str]) -> Result<Table<'_>, Fault> {
        let table = self.open_table()?;
        match table.members.iter().find(|(name, _)| !members.contains(&&**name)) {
            Some((name, node)) => {
                let message = format!("unknown member {}; known: {}", shown(name), members.join(", "));
                Err(Fault::new("unknown-member", node.offset, message))
            }
            None => Ok(table),
        }
    }

    /// The table, whatever its members are called.
    pub(crate) fn open_table(&self) -> Result<Table<'_>, Fault> {
        match &self.data {
            Data::Table(members) => Ok(Table {
                offset: self.offset,
                members,
            }),
            _ => Err(self.expected("a table")),
        }
    }

    /// An integer from 0 to 2^256 - 1: an integer, or a string of one.
    pub(crate) fn unsigned(&self) -> Result<U256, Fault> {
        let (Data::Integer(written) | Data::Text(written)) = &self.data else {
            return Err(self.expected("an integer"));
        };
        unsigned(&written.replace('_', "")).ok_or_else(|| {
            let message = format!("{NO_INTEGER}, found {}", shown(written));
            Fault::new("bad-integer", self.offset, message)
        })
    }

    /// The value as JSON; integers beyond 2^53 have to be strings.
    pub(crate) fn to_json(&self) -> Result<Value, Fault> {
        Ok(match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::from(*value),
            Data::Text(text) => Value::from(text.as_str()),
            Data::Integer(written) => {
                let digits = written.replace('_', "");
                let integer = match digits.strip_prefix("0x") {
                    Some(digits) => i64::from_str_radix(digits, 16),
                    None => digits.parse(),
                };
                let integer = integer.map_err(|_| {
                    Fault::new(
                        "bad-integer",
                        self.offset,
                        "integers of this size are written as strings",
                    )
                })?;
                Value::from(integer)
            }
            Data::List(items) => Value::Array(items.iter().map(Self::to_json).collect::<Result<_, _>>()?),
            Data::Table(members) => {
                let mut object = Map::new();
                for (name, node) in members {
                    object.insert(name.clone(), node.to_json()?);
                }
                Value::Object(object)
            }
        })
    }
}

/// What is said of a text that is no integer.
pub(crate) const NO_INTEGER: &str =
    "an integer from 0 to 2^256 - 1 expected, in decimal or as 0x and hex digits";

/// An integer from 0 to 2^256 - 1 as it is written: decimal digits, or `0x` and hex digits.
pub(crate) fn unsigned(text: &str) -> Option<U256> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let fits = !digits.is_empty() && digits.len() <= 78 && digits.chars().all(|digit| digit.is_digit(radix));
    fits.then(|| U256::from_str_radix(digits, radix.into()).ok())
        .flatten()
}

/// A table's members.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) offset: usize,
    pub(crate) members: &'a [(String, Node)],
}

impl<'a> Table<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&'a Node> {
        self.members.iter().find(|(n, _)| n == name).map(|(_, node)| node)
    }

    pub(crate) fn required(&self, name: &str) -> Result<&'a Node, Fault> {
        self.get(name)
            .ok_or_else(|| Fault::new("missing-member", self.offset, format!("`{name}` is missing")))
    }

    /// The items of a list member; none when it is absent.
    pub(crate) fn items(&self, name: &str, max: usize, limit: &str) -> Result<&'a [Node], Fault> {
        let Some(node) = self.get(name) else {
            return Ok(&[]);
        };
        let items = node.list()?;
        bounded(items.len(), max, limit, node.offset)?;
        Ok(items)
    }
}

/// Refuses more than a limit allows.
pub(crate) fn bounded(count: usize, max: usize, limit: &str, offset: usize) -> Result<(), Fault> {
    if count > max {
        let message = format!("{count} of them; {limit} is {max}");
        return Err(Fault::new("too-many", offset, message));
    }
    Ok(())
}
