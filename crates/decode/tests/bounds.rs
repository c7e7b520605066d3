//! Hostile calldata costs bounded time, and what is not decoded says so.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use alloy_primitives::{Address, Bytes, U256, hex};
use alloy_sol_types::{SolCall, sol};
use presight_decode::{CallNode, Decoded, MAX_INNER_CALLS, decode};
use presight_wire::Request;
use presight_wire::limits::MAX_CALLDATA_BYTES;
use serde_json::json;
use std::time::{Duration, Instant};

sol! {
    function multicall(bytes[] data);
    function execute(bytes commands, bytes[] inputs);

    struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }
    struct PermitBatch { PermitDetails[] details; address spender; uint256 sigDeadline; }
    function permitBatch(PermitBatch permit, bytes signature);
}

/// The most calldata that fits in one request, as calls of equal data.
fn outcome(data: &[u8]) -> (Decoded, Duration) {
    let account = Address::repeat_byte(0x44);
    let call = json!({ "to": account, "value": "0", "data": hex::encode_prefixed(data) });
    let many = (500 * 1024 / data.len()).clamp(1, 1_000);
    let request = json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:1", "from": format!("eip155:1:{account:#x}"),
            "calls": vec![call; many],
        },
    });
    let request = Request::from_value(request).unwrap();
    let start = Instant::now();
    let decoded = decode(&request).unwrap();
    (decoded, start.elapsed())
}

fn inner(node: &CallNode) -> usize {
    node.commands.len() + node.inner.iter().map(|node| 1 + inner(node)).sum::<usize>()
}

fn word(n: usize) -> [u8; 32] {
    U256::from(n).to_be_bytes()
}

/// `multicall(bytes[])` with `parts` parts that are all the same bytes.
fn overlapping(parts: usize, part: &[u8]) -> Vec<u8> {
    let mut data = multicallCall::SELECTOR.to_vec();
    data.extend(word(32));
    data.extend(word(parts));
    data.extend(word(32 * parts).repeat(parts));
    data.extend(word(part.len()));
    data.extend(part);
    data
}

fn check(what: &str, data: &[u8], flag: Option<&str>) {
    assert!(data.len() <= MAX_CALLDATA_BYTES, "{what}: {} bytes", data.len());
    let (decoded, time) = outcome(data);
    let inside: usize = decoded.calls.iter().map(inner).sum();
    println!(
        "{what}: {inside} inner calls, {} approvals, {time:?}",
        decoded.grants.len()
    );
    assert!(inside <= MAX_INNER_CALLS, "{what}");
    assert!(decoded.grants.len() <= 20_000, "{what}");
    if let Some(flag) = flag {
        assert!(decoded.flags.iter().any(|f| f.code == flag), "{what}");
    }
}

/// Five calls of 100 KB, each in seven others.
#[test]
fn the_bytes_of_inner_calls_are_bounded() {
    let data = (0..7).fold(vec![1; 100_000], |data, _| {
        multicallCall {
            data: vec![data.into()],
        }
        .abi_encode()
    });
    let (decoded, _) = outcome(&data);
    let flags = decoded.flags.iter();
    let places: Vec<_> = flags.clone().map(|f| (f.code, f.pointer.as_str())).collect();
    let place = |index: usize| format!("/subject/calls/{index}/data");
    // The first two calls are within the bound.
    let expected = [place(2), place(3), place(4)];
    assert_eq!(
        places,
        expected.each_ref().map(|place| ("nesting-limit", place.as_str()))
    );
    assert!(flags.clone().all(|flag| flag.message.contains("MAX_INNER_BYTES")));
}

#[test]
fn time_is_bounded() {
    let part: Bytes = vec![0xaa; 1000].into();
    let flat = multicallCall {
        data: vec![part; 100],
    }
    .abi_encode();
    check("many parts", &flat, None);

    let empty = multicallCall {
        data: vec![Bytes::new(); 2_000],
    }
    .abi_encode();
    check("empty parts", &empty, Some("nesting-limit"));

    let deep = (0..200).fold(vec![1; 64], |data, _| {
        multicallCall {
            data: vec![data.into()],
        }
        .abi_encode()
    });
    check("deep", &deep, Some("nesting-limit"));

    let doubling = (0..9).fold(vec![1; 20_000], |data, _| overlapping(2, &data));
    check("overlapping, doubling", &doubling, Some("nesting-limit"));

    let words = multicallCall {
        data: vec![word(1).repeat(1_000).into()],
    }
    .abi_encode();
    check("small calls", &words, None);

    let commands = Bytes::from(vec![0x0e; 500]);
    let inputs = vec![Bytes::from(vec![0; 96]); 500];
    check(
        "router",
        &executeCall { commands, inputs }.abi_encode(),
        Some("nesting-limit"),
    );

    // Every command of a router the same batch of permits.
    let detail = PermitDetails {
        token: Address::repeat_byte(1),
        amount: Default::default(),
        expiration: Default::default(),
        nonce: Default::default(),
    };
    let permit = PermitBatch {
        details: vec![detail; 240],
        spender: Address::repeat_byte(2),
        sigDeadline: U256::MAX,
    };
    let signature = Bytes::new();
    let input = permitBatchCall { permit, signature }.abi_encode()[4..].to_vec();
    let commands = Bytes::from(vec![0x03; 4]);
    let inputs = vec![Bytes::from(input); 4];
    check("permits", &executeCall { commands, inputs }.abi_encode(), None);
}
