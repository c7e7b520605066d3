//! Rights that the calls take away.

use super::functions::Function;
use super::moved::{Class, Moved, Units, Unsaid, address, argument, function, place};
use crate::envelope::content::{DecodedContent, Signer};
use alloy_primitives::Address;
use presight_decode::CallNode;
use presight_wire::envelope::Token;
use serde_json::Value;
use std::collections::BTreeSet;

/// Calls that take rights away and are no approvals of a report, those inside others included.
pub(super) fn of(content: &DecodedContent, foreign: &BTreeSet<Option<usize>>) -> Vec<Moved> {
    let mut revocations = Revocations {
        signer: content.signer,
        foreign,
        found: Vec::new(),
    };
    for (index, node) in content.decoded.calls.iter().enumerate() {
        revocations.look(node, Some(index));
    }
    for node in content.decoded.typed_data.iter().flat_map(|typed| &typed.inner) {
        revocations.look(node, None);
    }
    revocations.found
}

struct Revocations<'d> {
    signer: Signer,
    foreign: &'d BTreeSet<Option<usize>>,
    found: Vec<Moved>,
}

impl Revocations<'_> {
    fn look(&mut self, node: &CallNode, call: Option<usize>) {
        let mut take = |class: Class, function: Function, token: Address, spender: Address| {
            self.found.push(Moved {
                class,
                function,
                token: Token::Contract(token),
                from: node.caller,
                to: spender,
                receiver: None,
                units: Units::Unsaid,
                item: None,
                foreign: self.foreign.contains(&call),
                unsaid: Unsaid::default(),
                is_returned: false,
                signer: self.signer,
                path: place(call),
            });
        };
        let named = |name| address(argument(node, name));
        match function(node) {
            Some("setApprovalForAll") if argument(node, "approved") == Some(&Value::Bool(false)) => {
                if let Some(operator) = named("operator") {
                    take(Class::Revocation, Function::Operator, node.to, operator);
                }
            }
            Some("decreaseAllowance") => {
                if let Some(spender) = named("spender") {
                    take(Class::Reduction, Function::Amount, node.to, spender);
                }
            }
            Some("lockdown") => {
                let pairs = argument(node, "approvals").and_then(Value::as_array);
                for pair in pairs.into_iter().flatten() {
                    if let (Some(token), Some(spender)) =
                        (address(pair.get("token")), address(pair.get("spender")))
                    {
                        take(Class::Revocation, Function::Amount, token, spender);
                    }
                }
            }
            _ => {}
        }
        for inner in &node.inner {
            self.look(inner, call);
        }
    }
}
