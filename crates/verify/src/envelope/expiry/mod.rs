//! The expiries that the calls and messages carry themselves, and the buffer below them (§5.4).

mod arguments;
mod paymaster;
mod swaps;

use super::code::{ConsumerCode, Note};
use super::content::DecodedContent;
use alloy_primitives::{Bytes, U256};
use presight_decode::{CallNode, Command, Expiry};
use presight_wire::envelope::{Content, Message};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// When a chain stops accepting a part of the content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OnChainExpiry {
    /// Pointer to the call or the message.
    pub path: String,
    /// What ends: the name of the argument, as its contract calls it.
    pub argument: &'static str,
    /// Unix seconds.
    #[serde(serialize_with = "decimal")]
    pub at: U256,
}

fn decimal<S: Serializer>(number: &U256, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

/// What was found, and what could not be looked into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expiries {
    /// Every expiry, in the order of the content.
    pub(crate) found: Vec<OnChainExpiry>,
    /// Pointers to calls and messages that were not understood in full: they may hold expiries of their own.
    pub(crate) unknown: Vec<String>,
}

impl Expiries {
    /// Finds them.
    pub(crate) fn of(content: &Content, decoded: &DecodedContent) -> Self {
        match content {
            Content::Calls(calls) => {
                let data = calls
                    .calls
                    .iter()
                    .map(|call| call.data.clone().unwrap_or_default());
                data.zip(&decoded.decoded.calls).enumerate().fold(
                    Self::default(),
                    |mut all, (index, (data, node))| {
                        all.call(format!("/content/calls/{index}"), &data, node);
                        all
                    },
                )
            }
            Content::Signature(signature) => Self::of_message(&signature.message, decoded),
        }
    }

    fn call(&mut self, path: String, data: &Bytes, node: &CallNode) {
        let mut reader = Reader::default();
        reader.node(node);
        reader.foreign_in(data);
        self.add(path, reader);
    }

    fn of_message(message: &Message, content: &DecodedContent) -> Self {
        let (Message::TypedData(document), Some(typed)) = (message, &content.decoded.typed_data) else {
            return Self::default();
        };
        let mut reader = Reader {
            unknown: typed.recognised.is_none(),
            ..Reader::default()
        };
        let deadline = typed.signature_deadline.map(|at| ("deadline", at));
        reader.found.extend(deadline);
        for grant in &content.decoded.grants {
            if let Expiry::At(at) = grant.expiry {
                reader.found.push(("expiration", U256::from(at)));
            }
        }
        if matches!(typed.recognised, Some("user-operation" | "safe-user-operation")) {
            let paymaster = document
                .message
                .get("paymasterAndData")
                .and_then(arguments::bytes);
            let until = paymaster.and_then(|bytes| paymaster::valid_until(&bytes));
            reader.found.extend(until.map(|at| ("validUntil", at)));
        }
        for node in &typed.inner {
            reader.node(node);
        }
        let data = ["data", "callData", "functionSignature"];
        let data = data
            .iter()
            .filter_map(|name| arguments::bytes(document.message.get(*name)?));
        data.for_each(|data| reader.foreign_in(&data));
        let mut all = Self::default();
        all.add("/content/message".to_owned(), reader);
        all
    }

    fn add(&mut self, path: String, reader: Reader) {
        let found = reader.found.into_iter().map(|(argument, at)| OnChainExpiry {
            path: path.clone(),
            argument,
            at,
        });
        self.found.extend(found);
        if reader.unknown {
            self.unknown.push(path);
        }
    }

    /// §5.4: `notAfter` has to lie below the earliest expiry by the buffer.
    pub(crate) fn judge(&self, not_after: i64, buffer: u64, notes: &mut Vec<Note>) {
        let Some(earliest) = self.found.iter().min_by_key(|expiry| expiry.at) else {
            return;
        };
        // The validator lets no negative time through.
        let not_after = U256::from(not_after.unsigned_abs());
        if not_after + U256::from(buffer) > earliest.at {
            let OnChainExpiry { path, argument, at } = earliest;
            let message =
                format!("`{argument}` of {path} ends at {at}: notAfter is not {buffer} seconds before it");
            notes.push(Note::new(
                ConsumerCode::OnChainExpiry,
                "/content/validity/notAfter",
                message,
            ));
        }
    }
}

/// Collects along a call tree.
#[derive(Default)]
struct Reader {
    found: Vec<(&'static str, U256)>,
    /// Functions that the decoder does not know and whose deadline is at a known place.
    foreign: BTreeSet<[u8; 4]>,
    unknown: bool,
}

impl Reader {
    fn node(&mut self, node: &CallNode) {
        match node.selector {
            Some(selector) if node.signature.is_none() && swaps::is_known(selector) => {
                self.foreign.insert(selector);
            }
            _ => self.unknown |= node.opaque && node.inner.is_empty() && node.commands.is_empty(),
        }
        arguments::of(&node.args, &mut self.found);
        self.commands(&node.commands);
        for inner in &node.inner {
            self.node(inner);
        }
    }

    /// Reads the earliest deadline of each foreign function, where its calldata lies inside `data`.
    fn foreign_in(&mut self, data: &[u8]) {
        for selector in &self.foreign {
            let earliest = swaps::deadlines(*selector, data).min();
            self.found.extend(earliest.map(|at| ("deadline", at)));
        }
    }

    fn commands(&mut self, commands: &[Command]) {
        for command in commands {
            self.unknown |= command.opaque && command.inner.is_empty();
            arguments::of(&command.args, &mut self.found);
            self.commands(&command.inner);
        }
    }
}
