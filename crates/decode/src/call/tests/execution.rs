//! The modes of ERC-7579 and ERC-7821.

use super::*;
use crate::call::nested::abi::{Erc7579, Execution};
use alloy_primitives::{B256, hex};
use alloy_sol_types::SolValue;

const ACCOUNT: Address = address!("0x4444444444444444444444444444444444444444");

fn mode(start: &[u8]) -> B256 {
    B256::right_padding_from(start)
}

fn execute(mode: B256, data: impl Into<Bytes>) -> (CallNode, Collector) {
    let call = Erc7579::executeCall {
        mode,
        executionCalldata: data.into(),
    };
    decode(ACCOUNT, call.abi_encode())
}

fn executions(targets: &[Address]) -> Vec<Execution> {
    let execution = |target: &Address| Execution {
        target: *target,
        value: U256::from(2),
        callData: approve(5),
    };
    targets.iter().map(execution).collect()
}

const BATCH: [u8; 1] = [0x01];
const BATCH_TRY: [u8; 2] = [0x01, 0x01];
const BATCH_OP_DATA: [u8; 10] = hex!("01000000000078210001");
const BATCH_OF_BATCHES: [u8; 10] = hex!("01000000000078210002");

#[test]
fn a_single_execution_is_packed() {
    let packed = [TOKEN.as_slice(), &U256::from(7).to_be_bytes::<32>(), &approve(5)].concat();
    let (node, found) = execute(mode(&[]), packed.clone());
    assert_eq!(inside(&node), [(TOKEN, 7, Operation::Call)]);
    assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
    assert_eq!((found.transfers[0].from, found.transfers[0].to), (ACCOUNT, TOKEN));

    let (node, _) = execute(mode(&[]), packed[..51].to_vec());
    assert!(node.opaque && node.inner.is_empty());
    assert_eq!(node.flags, ["nested-not-understood"]);

    let executor = Erc7579::executeFromExecutorCall {
        mode: mode(&[]),
        executionCalldata: packed.into(),
    };
    let (_, found) = decode(ACCOUNT, executor.abi_encode());
    assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
}

#[test]
fn a_batch_is_read_with_and_without_op_data() {
    let calls = executions(&[TOKEN, OTHER]);
    let bare = (calls.clone(),).abi_encode_params();
    let with = (calls, Bytes::from(vec![1, 2, 3])).abi_encode_params();
    for (mode, data) in [
        (mode(&BATCH), &bare),
        (mode(&BATCH_TRY), &bare),
        (mode(&BATCH_OP_DATA), &bare),
        (mode(&BATCH_OP_DATA), &with),
    ] {
        let (node, found) = execute(mode, data.clone());
        assert!(!node.opaque && node.flags.is_empty());
        assert_eq!(
            inside(&node),
            [(TOKEN, 2, Operation::Call), (OTHER, 2, Operation::Call)]
        );
        assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5), (OTHER, ACCOUNT, 5)]);
    }
}

#[test]
fn erc7821_batch_as_its_bytes_are() {
    // execute(0x01…, abi.encode([(TOKEN, 0, approve(SPENDER, 9))])) to the signer itself.
    let data = hex!(
        "e9ae5c53"
        "0100000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000040"
        "0000000000000000000000000000000000000000000000000000000000000140"
        "0000000000000000000000000000000000000000000000000000000000000020"
        "0000000000000000000000000000000000000000000000000000000000000001"
        "0000000000000000000000000000000000000000000000000000000000000020"
        "0000000000000000000000001111111111111111111111111111111111111111"
        "0000000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000060"
        "0000000000000000000000000000000000000000000000000000000000000044"
        "095ea7b3"
        "0000000000000000000000002222222222222222222222222222222222222222"
        "0000000000000000000000000000000000000000000000000000000000000009"
        "00000000000000000000000000000000000000000000000000000000"
    );
    let (node, found) = decode(SIGNER, data.to_vec());
    assert_eq!(node.signature, Some("execute(bytes32,bytes)"));
    assert!(!node.opaque && node.flags.is_empty());
    assert_eq!(granted(&found), [(TOKEN, SIGNER, 9)]);
}

#[test]
fn the_zero_address_in_a_batch_is_the_account() {
    let data = (executions(&[Address::ZERO, TOKEN]),).abi_encode_params();
    let (node, found) = execute(mode(&BATCH), data);
    assert_eq!(
        inside(&node),
        [(ACCOUNT, 2, Operation::Call), (TOKEN, 2, Operation::Call)]
    );
    assert_eq!(node.flags, ["zero-address-target"]);
    assert_eq!(found.flags[0].code, "zero-address-target");
}

#[test]
fn a_bad_batch_does_not_hide_the_others() {
    let good = Bytes::from((executions(&[TOKEN]),).abi_encode_params());
    let bad = Bytes::from(vec![0xff; 64]);
    let batches = vec![good.clone(), bad.clone(), bad, good];
    let (node, found) = execute(mode(&BATCH_OF_BATCHES), (batches,).abi_encode_params());
    assert_eq!(inside(&node).len(), 2);
    assert_eq!(granted(&found).len(), 2);
    assert!(node.opaque);
    assert_eq!(node.flags, ["nested-not-understood"]);
}

#[test]
fn a_delegated_execution_is_foreign_code() {
    let packed = [TOKEN.as_slice(), &approve(5)].concat();
    let (node, found) = execute(mode(&[0xff]), packed);
    assert_eq!(inside(&node), [(TOKEN, 0, Operation::DelegateCall)]);
    assert_eq!(node.inner[0].flags, ["delegatecall"]);
    assert!(found.entities.approvals.is_empty());
}

#[test]
fn what_no_mode_allows_is_not_understood() {
    let batch = (executions(&[TOKEN]),).abi_encode_params();
    for (mode, data) in [
        (mode(&[0x02]), batch.clone()),
        (mode(&[0xfe]), batch.clone()),
        (mode(&BATCH_OF_BATCHES), vec![0xff; 32]),
        (mode(&[0xff]), vec![1; 19]),
        (mode(&BATCH), Vec::new()),
    ] {
        let (node, found) = execute(mode, data);
        assert!(node.opaque && node.inner.is_empty());
        assert_eq!(node.flags, ["nested-not-understood"]);
        assert_eq!(found.flags[0].pointer, "/subject/calls/3/data");
        assert_eq!(addresses(&found), [(ACCOUNT, "target")]);
    }
}

/// An account that does not check its offsets follows them where they wrap around: the list comes after its call here.
#[test]
fn offsets_that_wrap_around_are_followed() {
    let word = |value: u64| U256::from(value).to_be_bytes::<32>();
    let back = U256::ZERO.wrapping_sub(U256::from(256)).to_be_bytes::<32>();
    let mut call = [
        &TOKEN.into_word()[..],
        &word(2),
        &word(96),
        &word(68),
        &approve(5),
    ]
    .concat();
    call.resize(224, 0);
    let data = [&word(256)[..], &call, &word(1), &back].concat();
    let (node, found) = execute(mode(&BATCH), data.clone());
    assert_eq!(inside(&node), [(TOKEN, 2, Operation::Call)]);
    assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
    assert!(node.opaque, "an account that checks reverts");
    assert_eq!(node.flags, ["nested-not-understood", "unchecked-offsets"]);

    let batches = vec![
        Bytes::from((executions(&[OTHER]),).abi_encode_params()),
        data.into(),
    ];
    let (node, found) = execute(mode(&BATCH_OF_BATCHES), (batches,).abi_encode_params());
    assert_eq!(granted(&found), [(OTHER, ACCOUNT, 5), (TOKEN, ACCOUNT, 5)]);
    assert!(node.opaque);
}

#[test]
fn a_batch_that_goes_on_behind_its_bytes_is_followed() {
    let batch = (executions(&[TOKEN]),).abi_encode_params();
    let call = Erc7579::executeCall {
        mode: mode(&BATCH),
        executionCalldata: batch.into(),
    };
    let mut data = call.abi_encode();
    data[4 + 64..4 + 96].fill(0); // the length of the batch
    let (node, found) = decode(ACCOUNT, data.clone());
    assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
    let flags = ["trailing-bytes", "nested-not-understood", "unchecked-offsets"];
    assert_eq!(node.flags, flags);

    // What is cut off the end is zeros: the amount here.
    data.truncate(data.len() - 28 - 32);
    let (_, found) = decode(ACCOUNT, data);
    assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 0)]);
}

#[test]
fn lists_that_run_over_are_bounded() {
    let word = |value: u64| U256::from(value).to_be_bytes::<32>();
    let calldata = |count: U256| {
        let list = [&word(32)[..], &count.to_be_bytes::<32>()].concat();
        execute(mode(&BATCH), list).0
    };
    for count in [U256::from(100_000), U256::MAX] {
        let node = calldata(count);
        assert!(
            node.opaque && node.flags.contains(&"nested-not-understood"),
            "{count}"
        );
        assert!(node.inner.len() <= crate::MAX_INNER_CALLS);
    }
}
