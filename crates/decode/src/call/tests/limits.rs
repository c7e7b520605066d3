//! What is beyond the bounds is opaque and flagged.

use super::*;
use crate::call::budget::{MAX_INNER_CALLS, MAX_NESTING};
use crate::call::nested::abi::{Account, Multicall, Multicall3, TargetData};
use crate::call::router::abi::Router;
use alloy_sol_types::SolValue;

fn wrap(data: Bytes) -> Bytes {
    let call = Account::executeCall {
        target: TOKEN,
        value: U256::ZERO,
        data,
    };
    call.abi_encode().into()
}

fn depth(node: &CallNode) -> usize {
    node.inner
        .iter()
        .map(|inner| 1 + depth(inner))
        .max()
        .unwrap_or_default()
}

fn deepest(node: &CallNode) -> &CallNode {
    node.inner.first().map_or(node, deepest)
}

fn nested(levels: usize) -> (CallNode, Collector) {
    decode(TOKEN, (0..levels).fold(approve(1), |data, _| wrap(data)))
}

#[test]
fn depth_is_bounded() {
    let (node, found) = nested(MAX_NESTING);
    assert_eq!(depth(&node), MAX_NESTING);
    assert_eq!(granted(&found), [(TOKEN, TOKEN, 1)]);
    assert!(found.flags.is_empty());

    let (node, found) = nested(MAX_NESTING + 1);
    assert_eq!(depth(&node), MAX_NESTING);
    let last = deepest(&node);
    assert!(last.opaque && last.signature.is_some());
    assert_eq!(last.flags, ["nesting-limit"]);
    assert!(found.flags[0].message.contains("MAX_NESTING"));
    assert!(found.entities.approvals.is_empty());
}

#[test]
fn the_number_of_calls_is_bounded() {
    let calls = |number| {
        let call = TargetData {
            target: TOKEN,
            callData: Bytes::new(),
        };
        let calls = vec![call; number];
        Multicall3::aggregateCall { calls }.abi_encode()
    };
    let (node, found) = decode(OTHER, calls(MAX_INNER_CALLS));
    assert!(!node.opaque && found.flags.is_empty());
    let (node, found) = decode(OTHER, calls(MAX_INNER_CALLS + 1));
    assert_eq!(node.inner.len(), MAX_INNER_CALLS);
    assert!(node.opaque);
    assert_eq!(node.flags, ["nesting-limit"]);
    assert!(found.flags[0].message.contains("MAX_INNER_CALLS"));
}

#[test]
fn router_commands_count_as_calls() {
    let input = Bytes::from((TOKEN, TOKEN, U256::ONE).abi_encode_params());
    let commands = Bytes::from(vec![0x0e; MAX_INNER_CALLS + 1]);
    let call = Router::executeCall {
        inputs: vec![input; commands.len()],
        commands,
    };
    let (node, _) = decode(OTHER, call.abi_encode());
    assert_eq!(node.commands.len(), MAX_INNER_CALLS);
    assert!(node.opaque);
    assert_eq!(node.flags, ["nesting-limit"]);
}

#[test]
fn the_depth_of_sub_plans_is_bounded() {
    let plan = |input: Bytes| {
        let commands = Bytes::from(vec![0x21]);
        Bytes::from((commands, vec![input]).abi_encode_params())
    };
    let input = (0..20).fold(Bytes::new(), |input, _| plan(input));
    let call = Router::executeCall {
        commands: Bytes::from(vec![0x21]),
        inputs: vec![input],
    };
    let (node, _) = decode(OTHER, call.abi_encode());
    let mut depth = 0;
    let mut commands = &node.commands;
    while let Some(command) = commands.first() {
        (depth, commands) = (depth + 1, &command.inner);
    }
    assert_eq!(depth, MAX_NESTING);
    assert_eq!(node.flags, ["nesting-limit"]);
}

/// `multicall(bytes[])` whose parts are all the same bytes of the calldata.
fn overlapping(parts: usize, part: &[u8]) -> Bytes {
    let word = |n: usize| U256::from(n).to_be_bytes::<32>();
    let mut data = Multicall::multicallCall::SELECTOR.to_vec();
    data.extend(word(32));
    data.extend(word(parts));
    data.extend(word(32 * parts).repeat(parts));
    data.extend(word(part.len()));
    data.extend(part);
    data.into()
}

#[test]
fn overlapping_parts_do_not_multiply_without_end() {
    // Twice the calldata may be read from it: a few parts overlap, a thousand do not.
    let (node, found) = decode(TOKEN, overlapping(3, &approve(1)));
    assert_eq!((node.inner.len(), found.grants.len()), (3, 3));
    assert_eq!(node.flags, ["non-canonical-encoding"]);
    let (node, _) = decode(TOKEN, overlapping(400, &[1; 60_000]));
    assert!(node.opaque && node.inner.is_empty());
}
