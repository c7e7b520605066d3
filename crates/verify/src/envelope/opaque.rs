//! What is not understood: it may move or grant anything, and no claim was compared with it (§5.5).

use super::claims::is_exchange;
use super::code::{ConsumerCode, Note};
use super::content::{DecodedContent, is_understood};
use super::not_checked::NotChecked;
use presight_decode::{CallNode, Operation};
use std::collections::BTreeSet;

const REASON: &str = "not understood in full: it may move or grant";
/// Oddities of a call that warn of it already.
const TOLD: [&str; 3] = ["undecodable-arguments", "nested-not-understood", "delegatecall"];
/// Those of a message.
const MESSAGE_TOLD: [&str; 2] = ["unrecognised-permit", "nested-not-understood"];

/// A call without arguments names no account and no amount: it is listed, and not warned of.
const SELECTOR_BYTES: usize = 4;

/// Lists each call and message that is not understood in full, and warns of those that nothing else warns of.
pub(crate) fn judge(content: &DecodedContent, notes: &mut Vec<Note>, not_checked: &mut Vec<NotChecked>) {
    let decoded = &content.decoded;
    let mut opaque = Opaque::default();
    for (index, node) in decoded.calls.iter().enumerate() {
        opaque.look(node, &format!("/content/calls/{index}/data"));
    }
    if let Some(typed) = &decoded.typed_data {
        let place = "/content/message";
        if !is_understood(typed) {
            let told = decoded.flags.iter().any(|flag| MESSAGE_TOLD.contains(&flag.code));
            opaque.add(place, told);
        }
        typed.inner.iter().for_each(|node| opaque.look(node, place));
    }
    not_checked.extend(opaque.all.into_iter().map(|place| NotChecked::new(place, REASON)));
    notes.extend(opaque.untold.into_iter().map(|place| {
        let message = "what it moves and grants is not read, and no claim was compared with it";
        Note::new(ConsumerCode::OpaqueCall, place, message)
    }));
}

#[derive(Default)]
struct Opaque {
    all: BTreeSet<String>,
    /// Those that nothing else warns of.
    untold: BTreeSet<String>,
}

impl Opaque {
    fn look(&mut self, node: &CallNode, place: &str) {
        if node.opaque && !is_exchange(node) {
            let flagged = node.flags.iter().any(|flag| TOLD.contains(flag));
            let is_told = flagged || node.operation == Operation::DelegateCall;
            self.add(place, is_told || node.data.len() <= SELECTOR_BYTES);
        }
        node.inner.iter().for_each(|inner| self.look(inner, place));
    }

    fn add(&mut self, place: &str, told: bool) {
        self.all.insert(place.to_owned());
        if !told {
            self.untold.insert(place.to_owned());
        }
    }
}
