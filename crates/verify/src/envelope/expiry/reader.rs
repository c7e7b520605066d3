//! Collects the expiries along a call tree.

use super::{arguments, swaps};
use alloy_primitives::U256;
use presight_decode::{CallNode, Command};
use std::collections::BTreeSet;

/// What is not understood may hold anything.
const OPAQUE: &str = "not understood in full: it may hold an expiry";

/// What was found so far.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) found: Vec<(&'static str, U256)>,
    /// Functions that the decoder does not know and whose deadline is at a known place.
    foreign: BTreeSet<[u8; 4]>,
    /// Why there may be more.
    pub(super) unknown: BTreeSet<String>,
}

impl Reader {
    pub(super) fn node(&mut self, node: &CallNode) {
        match node.selector {
            Some(selector) if node.signature.is_none() && swaps::is_known(selector) => {
                self.foreign.insert(selector);
            }
            _ if node.opaque => self.not_understood(),
            _ => {}
        }
        arguments::read(&node.args, self);
        self.commands(&node.commands);
        for inner in &node.inner {
            self.node(inner);
        }
    }

    /// Reads the earliest deadline of each foreign function, where its calldata lies inside `data`.
    pub(super) fn foreign_in(&mut self, data: &[u8]) {
        for selector in std::mem::take(&mut self.foreign) {
            match swaps::deadlines(selector, data).min() {
                Some(earliest) => self.found.push(("deadline", earliest)),
                None => self.not_understood(),
            }
        }
    }

    pub(super) fn not_understood(&mut self) {
        self.unknown.insert(OPAQUE.to_owned());
    }

    fn commands(&mut self, commands: &[Command]) {
        for command in commands {
            if command.opaque {
                self.not_understood();
            }
            arguments::read(&command.args, self);
            self.commands(&command.inner);
        }
    }
}
