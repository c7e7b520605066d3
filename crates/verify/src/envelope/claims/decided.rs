//! Whether the bytes decide everything that the content moves and grants, as far as contracts do what their functions
//! are named for.

use super::moved::{foreign, function};
use crate::envelope::content::is_understood;
use presight_decode::{CallNode, Decoded, Operation};

/// Functions of the token standards and of Permit2: what they do is in their arguments.
const DECIDED: [&str; 17] = [
    "transfer",
    "transferFrom",
    "safeTransferFrom",
    "safeBatchTransferFrom",
    "approve",
    "increaseAllowance",
    "decreaseAllowance",
    "setApprovalForAll",
    "permit",
    "transferWithAuthorization",
    "receiveWithAuthorization",
    "cancelAuthorization",
    "lockdown",
    "invalidateNonces",
    "invalidateUnorderedNonces",
    "permitTransferFrom",
    "permitWitnessTransferFrom",
];

/// Whether they decide every movement. A plain value transfer does not: the receiver's code may do anything.
pub(super) fn is_decided(decoded: &Decoded) -> bool {
    every_call(decoded, &says_all)
}

/// Whether they decide everything that the signer does: a plain value transfer is what it is.
pub(super) fn is_whole(decoded: &Decoded) -> bool {
    every_call(decoded, &|node| says_all(node) || is_plain_send(node))
}

/// Whether the call does nothing but send the native asset.
pub(super) fn is_plain_send(node: &CallNode) -> bool {
    let no_calldata = !node.opaque && node.selector.is_none();
    no_calldata && node.operation == Operation::Call && !node.value.is_zero()
}

fn says_all(node: &CallNode) -> bool {
    function(node).is_some_and(|name| DECIDED.contains(&name))
}

fn every_call(decoded: &Decoded, holds: &impl Fn(&CallNode) -> bool) -> bool {
    let understood = match &decoded.typed_data {
        None => !decoded.calls.is_empty(),
        Some(typed) => is_understood(typed) && typed.inner.iter().all(|node| every_inner(node, holds)),
    };
    understood && foreign(decoded).is_empty() && decoded.calls.iter().all(|node| every_inner(node, holds))
}

fn every_inner(node: &CallNode, holds: &impl Fn(&CallNode) -> bool) -> bool {
    if node.opaque || !node.commands.is_empty() {
        return false;
    }
    if node.inner.is_empty() {
        holds(node)
    } else {
        function(node).is_some() && node.inner.iter().all(|inner| every_inner(inner, holds))
    }
}
