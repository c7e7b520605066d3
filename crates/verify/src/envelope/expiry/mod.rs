//! The expiries that the calls and messages carry themselves, and the buffer below them (§5.4).

mod arguments;
mod reader;
mod swaps;
mod user_operation;

use super::code::{ConsumerCode, Note};
use super::content::{DecodedContent, is_understood};
use super::not_checked::NotChecked;
use alloy_primitives::{Bytes, U256};
use presight_decode::{CallNode, Expiry};
use presight_wire::envelope::{Content, Message};
use reader::Reader;
use serde::{Serialize, Serializer};

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
    /// Calls and messages that may hold others.
    pub(crate) unknown: Vec<NotChecked>,
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
                        all.call(&format!("/content/calls/{index}"), &data, node);
                        all
                    },
                )
            }
            Content::Signature(signature) => Self::of_message(&signature.message, decoded),
        }
    }

    fn call(&mut self, path: &str, data: &Bytes, node: &CallNode) {
        let mut reader = Reader::default();
        reader.node(node);
        reader.foreign_in(data);
        self.add(path, reader);
    }

    fn of_message(message: &Message, content: &DecodedContent) -> Self {
        let (Message::TypedData(document), Some(typed)) = (message, &content.decoded.typed_data) else {
            return Self::default();
        };
        let mut reader = Reader::default();
        if !is_understood(typed) {
            reader.not_understood();
        }
        let deadline = typed.signature_deadline.map(|at| ("deadline", at));
        reader.found.extend(deadline);
        for grant in &content.decoded.grants {
            if let Expiry::At(at) = grant.expiry {
                reader.found.push(("expiration", U256::from(at)));
            }
        }
        if matches!(typed.recognised, Some("user-operation" | "safe-user-operation")) {
            user_operation::read(&document.message, &mut reader);
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
        all.add("/content/message", reader);
        all
    }

    fn add(&mut self, path: &str, reader: Reader) {
        let found = reader.found.into_iter().map(|(argument, at)| OnChainExpiry {
            path: path.to_owned(),
            argument,
            at,
        });
        self.found.extend(found);
        let unknown = reader.unknown.into_iter();
        self.unknown
            .extend(unknown.map(|reason| NotChecked::new(path, reason)));
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
