//! The consumer's policy on delegatecalls (§5.3, §Security Considerations): the envelope's own, of which the validator
//! warns, and those that its calls or its message make.

use super::code::{ConsumerCode, Note};
use super::content::{DecodedContent, is_understood};
use super::context::DelegatecallPolicy;
use super::not_checked::NotChecked;
use super::simulated::Simulated;
use alloy_primitives::Address;
use presight_decode::CallNode;
use presight_wire::envelope::{Code, Content, Operation};
use std::collections::BTreeSet;

/// Warns of the delegatecalls that the content makes, and notes all those that the policy does not let through. A part
/// that is not understood may make more: where the policy is to refuse any, it is said.
pub(crate) fn judge(
    content: &Content,
    decoded: Option<&DecodedContent>,
    policy: &DelegatecallPolicy,
    simulated: Option<&Simulated>,
    notes: &mut Vec<Note>,
    not_checked: &mut Vec<NotChecked>,
) {
    let mut judge = |target: Address, path: &str| {
        if let Some(why) = refusal(policy, simulated, target) {
            let message = format!("to {target:#x}: {why}");
            notes.push(Note::new(ConsumerCode::DelegatecallRefused, path, message));
        }
    };
    if let Content::Calls(calls) = content {
        for (index, call) in calls.calls.iter().enumerate() {
            if call.operation == Operation::DelegateCall {
                judge(call.to, &format!("/content/calls/{index}/operation"));
            }
        }
    }
    let inside = decoded.map(Inside::of).unwrap_or_default();
    for (place, target) in &inside.found {
        judge(*target, place);
    }
    let warnings = inside.found.iter().map(|(place, target)| {
        let message = format!("inside it, the code of {target:#x} runs as the account itself");
        Note::new(Code::Delegatecall, place.clone(), message)
    });
    notes.extend(warnings);
    let lets_all_through = match policy {
        DelegatecallPolicy::Warn => true,
        DelegatecallPolicy::RequireSimulation => matches!(simulated, Some(Simulated::Succeeded(_))),
        DelegatecallPolicy::Deny | DelegatecallPolicy::AllowList(_) => false,
    };
    if !lets_all_through {
        let reason = "not understood in full: it may make a delegatecall";
        let unknown = inside.unknown.into_iter();
        not_checked.extend(unknown.map(|place| NotChecked::new(place, reason)));
    }
}

fn refusal(policy: &DelegatecallPolicy, simulated: Option<&Simulated>, target: Address) -> Option<String> {
    match policy {
        DelegatecallPolicy::Warn => None,
        DelegatecallPolicy::Deny => Some("no delegatecall is let through here".to_owned()),
        DelegatecallPolicy::AllowList(targets) if targets.contains(&target) => None,
        DelegatecallPolicy::AllowList(_) => {
            Some("the target is not on the list of those let through".to_owned())
        }
        DelegatecallPolicy::RequireSimulation => match simulated {
            Some(Simulated::Succeeded(_)) => None,
            Some(Simulated::Not(why)) => Some(format!("it has to be simulated first: {why}")),
            None => Some("it has to be simulated first".to_owned()),
        },
    }
}

/// The delegatecalls that the calls and the message make, each with its place.
#[derive(Default)]
struct Inside {
    found: BTreeSet<(String, Address)>,
    /// What may make others.
    unknown: BTreeSet<String>,
}

impl Inside {
    fn of(content: &DecodedContent) -> Self {
        let mut inside = Self::default();
        for (index, node) in content.decoded.calls.iter().enumerate() {
            let place = format!("/content/calls/{index}/data");
            if node.opaque {
                inside.unknown.insert(place.clone());
            }
            node.inner.iter().for_each(|node| inside.look(node, &place));
        }
        if let Some(typed) = &content.decoded.typed_data {
            let place = "/content/message";
            if !is_understood(typed) {
                inside.unknown.insert(place.to_owned());
            }
            typed.inner.iter().for_each(|node| inside.look(node, place));
        }
        inside
    }

    fn look(&mut self, node: &CallNode, place: &str) {
        if node.operation == presight_decode::Operation::DelegateCall {
            self.found.insert((place.to_owned(), node.to));
        }
        if node.opaque {
            self.unknown.insert(place.to_owned());
        }
        node.inner.iter().for_each(|inner| self.look(inner, place));
    }
}
