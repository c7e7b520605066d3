//! The consumer's policy on delegatecalls (§5.3, §Security Considerations). The validator warns of each.

use super::code::{ConsumerCode, Note};
use super::context::DelegatecallPolicy;
use presight_wire::envelope::{CallsContent, Operation};

/// Notes the delegatecalls that the policy does not let through.
pub(crate) fn judge(content: &CallsContent, policy: &DelegatecallPolicy, notes: &mut Vec<Note>) {
    for (index, call) in content.calls.iter().enumerate() {
        if call.operation != Operation::DelegateCall {
            continue;
        }
        let refusal = match policy {
            DelegatecallPolicy::Warn => None,
            DelegatecallPolicy::Deny => Some("no delegatecall is let through here"),
            DelegatecallPolicy::AllowList(targets) if targets.contains(&call.to) => None,
            DelegatecallPolicy::AllowList(_) => Some("the target is not on the list of those let through"),
            DelegatecallPolicy::RequireSimulation => {
                Some("it has to be simulated first, which is not done here")
            }
        };
        if let Some(message) = refusal {
            let path = format!("/content/calls/{index}/operation");
            notes.push(Note::new(ConsumerCode::DelegatecallRefused, path, message));
        }
    }
}
