//! JSON to a tree with places. The document is read strictly first; then its text is walked once more for the places.

use super::{Data, Node};
use crate::error::Fault;
use crate::limits::MAX_POLICY_DEPTH;
use presight_wire::tree::{self, Number, Tree};

pub(super) fn parse(text: &str) -> Result<Node, Fault> {
    let tree = tree::read(text.as_bytes(), MAX_POLICY_DEPTH)
        .map_err(|fault| Fault::new("json-syntax", fault.offset, fault.message))?;
    Places { text, at: 0 }.node(&tree)
}

/// Walks a text that is known to be the tree's.
struct Places<'a> {
    text: &'a str,
    at: usize,
}

impl Places<'_> {
    fn node(&mut self, tree: &Tree<'_>) -> Result<Node, Fault> {
        self.skip_between();
        let offset = self.at;
        let data = match tree {
            Tree::Null => Data::Null,
            Tree::Bool(value) => Data::Bool(*value),
            Tree::String(text) => Data::Text(text.to_string()),
            Tree::Number(number) => Data::Integer(integer(*number, offset)?),
            Tree::Array(items) => {
                self.at += 1;
                let items = items.iter().map(|item| self.node(item));
                let items = items.collect::<Result<_, _>>()?;
                self.skip_between();
                Data::List(items)
            }
            Tree::Object(members) => {
                self.at += 1;
                let mut placed = Vec::with_capacity(members.len());
                for (name, value) in members.iter() {
                    self.skip_between();
                    self.skip_scalar();
                    placed.push((name.to_owned(), self.node(value)?));
                }
                self.skip_between();
                Data::Table(placed)
            }
        };
        match data {
            Data::List(_) | Data::Table(_) => self.at += 1,
            _ => self.skip_scalar(),
        }
        Ok(Node {
            offset,
            end: self.at,
            data,
        })
    }

    /// Over white space, commas and colons.
    fn skip_between(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':');
        self.at += rest.iter().take_while(|byte| between(byte)).count();
    }

    /// Over a string, a number or a word.
    fn skip_scalar(&mut self) {
        let bytes = &self.text.as_bytes()[self.at..];
        let mut length = 1;
        if bytes.first() == Some(&b'"') {
            while length < bytes.len() && bytes[length] != b'"' {
                length += if bytes[length] == b'\\' { 2 } else { 1 };
            }
            length += 1;
        } else {
            let ends = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}');
            length = bytes.iter().take_while(|byte| !ends(byte)).count();
        }
        self.at = (self.at + length).min(self.text.len());
    }
}

fn integer(number: Number, offset: usize) -> Result<String, Fault> {
    match number.integer() {
        Some(integer) => Ok(integer.to_string()),
        None => Err(Fault::new(
            "bad-integer",
            offset,
            "an integer expected; beyond 2^53 it is written as a string",
        )),
    }
}
