//! Safe and MultiSend.

use super::*;
use crate::call::nested::abi::{MultiSend, Multicall3, Safe, TargetData};

const SAFE: Address = address!("0x4444444444444444444444444444444444444444");
const MULTI_SEND: Address = address!("0x40A2aCCbd92BCA938b02010E17A5b8929b49130D");
const MULTI_SEND_V1_5: Address = address!("0x218543288004CD07832472D464648173c77D7eB7");

fn transaction(to: Address, data: Bytes, operation: u8) -> Safe::execTransactionCall {
    Safe::execTransactionCall {
        to,
        value: U256::ZERO,
        data,
        operation,
        safeTxGas: U256::ZERO,
        baseGas: U256::ZERO,
        gasPrice: U256::ZERO,
        gasToken: Address::ZERO,
        refundReceiver: Address::ZERO,
        signatures: Bytes::new(),
    }
}

/// One call in MultiSend's packed form.
fn packed(operation: u8, to: Address, value: u64, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![operation];
    bytes.extend(to);
    bytes.extend(U256::from(value).to_be_bytes::<32>());
    bytes.extend(U256::from(data.len()).to_be_bytes::<32>());
    bytes.extend(data);
    bytes
}

fn multi_send(transactions: Vec<u8>) -> Bytes {
    let transactions = transactions.into();
    MultiSend::multiSendCall { transactions }.abi_encode().into()
}

#[test]
fn what_a_safe_executes_is_of_the_safe() {
    let module = |operation| Safe::execTransactionFromModuleCall {
        to: TOKEN,
        value: U256::ZERO,
        data: approve(5),
        operation,
    };
    let forms = [
        transaction(TOKEN, approve(5), 0).abi_encode(),
        module(0).abi_encode(),
        Safe::execTransactionFromModuleReturnDataCall {
            to: TOKEN,
            value: U256::ZERO,
            data: approve(5),
            operation: 0,
        }
        .abi_encode(),
        Safe::executeUserOpCall {
            to: TOKEN,
            value: U256::ZERO,
            data: approve(5),
            operation: 0,
        }
        .abi_encode(),
        Safe::executeUserOpWithErrorStringCall {
            to: TOKEN,
            value: U256::ZERO,
            data: approve(5),
            operation: 0,
        }
        .abi_encode(),
    ];
    for form in forms {
        let (node, found) = decode(SAFE, form);
        assert_eq!(inside(&node), [(TOKEN, 0, Operation::Call)]);
        assert!(!node.opaque && node.flags.is_empty());
        assert_eq!(granted(&found), [(TOKEN, SAFE, 5)]);
        let expected = [
            (SAFE, "target"),
            (TOKEN, "target"),
            (SPENDER, "spender"),
            (TOKEN, "token"),
        ];
        assert_eq!(addresses(&found), expected);
    }
}

#[test]
fn value_a_safe_sends_comes_from_the_safe() {
    let mut call = transaction(OTHER, Bytes::new(), 0);
    call.value = U256::from(8);
    let (_, found) = decode(SAFE, call.abi_encode());
    let sent = &found.transfers[0];
    assert_eq!((sent.from, sent.to, sent.amount), (SAFE, OTHER, U256::from(8)));
}

#[test]
fn foreign_code_run_by_a_safe_is_not_read_by_its_selector() {
    let (node, found) = decode(SAFE, transaction(TOKEN, approve(5), 1).abi_encode());
    assert_eq!(inside(&node), [(TOKEN, 0, Operation::DelegateCall)]);
    assert!(node.inner[0].opaque && node.inner[0].signature.is_none());
    assert_eq!(node.inner[0].flags, ["delegatecall"]);
    assert!(found.entities.approvals.is_empty() && found.entities.tokens.is_empty());
    assert_eq!(found.flags[0].pointer, "/subject/calls/3/data");
}

#[test]
fn an_operation_that_does_not_exist_is_not_understood() {
    for operation in [2, 3, 255] {
        let (node, found) = decode(SAFE, transaction(TOKEN, approve(5), operation).abi_encode());
        assert!(node.opaque && node.inner.is_empty());
        assert_eq!(node.flags, ["nested-not-understood"]);
        assert_eq!(addresses(&found), [(SAFE, "target")]);
    }
}

#[test]
fn multi_send_runs_in_the_name_of_the_safe() {
    let calls = [packed(0, OTHER, 3, &[]), packed(0, TOKEN, 0, &approve(5))].concat();
    let (node, found) = decode(SAFE, transaction(MULTI_SEND, multi_send(calls), 1).abi_encode());
    let sender = &node.inner[0];
    assert_eq!(
        (sender.signature, sender.operation),
        (Some("multiSend(bytes)"), Operation::DelegateCall)
    );
    assert!(!sender.opaque && sender.flags.is_empty());
    assert_eq!(
        inside(sender),
        [(OTHER, 3, Operation::Call), (TOKEN, 0, Operation::Call)]
    );
    assert_eq!(granted(&found), [(TOKEN, SAFE, 5)]);
    assert_eq!((found.transfers[0].from, found.transfers[0].to), (SAFE, OTHER));
}

#[test]
fn multi_send_at_an_unknown_address_is_shown_and_said_to_be_foreign() {
    let calls = multi_send(packed(0, TOKEN, 0, &approve(5)));
    let (node, found) = decode(SAFE, transaction(OTHER, calls, 1).abi_encode());
    assert!(node.inner[0].opaque);
    assert_eq!(node.inner[0].flags, ["delegatecall"]);
    assert_eq!(granted(&found), [(TOKEN, SAFE, 5)]);
}

#[test]
fn multi_send_that_is_called_calls_in_its_own_name() {
    let (_, found) = decode(MULTI_SEND, multi_send(packed(0, TOKEN, 0, &approve(5))));
    assert_eq!(granted(&found), [(TOKEN, MULTI_SEND, 5)]);
}

#[test]
fn foreign_code_inside_multi_send_is_flagged() {
    let calls = [packed(1, OTHER, 0, &approve(5)), packed(0, TOKEN, 0, &approve(6))].concat();
    let (node, found) = decode(SAFE, transaction(MULTI_SEND, multi_send(calls), 1).abi_encode());
    assert_eq!(
        inside(&node.inner[0]),
        [(OTHER, 0, Operation::DelegateCall), (TOKEN, 0, Operation::Call)]
    );
    assert_eq!(node.inner[0].inner[0].flags, ["delegatecall"]);
    assert_eq!(granted(&found), [(TOKEN, SAFE, 6)]);
}

#[test]
fn what_is_cut_off_the_last_call_is_read_as_zeros() {
    let whole = [
        packed(0, TOKEN, 0, &approve(5)),
        packed(0, TOKEN, 0, &approve(0x600)),
    ]
    .concat();
    let run = |cut| {
        let calls = multi_send(whole[..whole.len() - cut].to_vec());
        let (node, found) = decode(SAFE, transaction(MULTI_SEND, calls, 1).abi_encode());
        assert_eq!(node.inner[0].flags, ["short-transactions"], "{cut}");
        assert_eq!(node.inner[0].inner.len(), 2, "{cut}");
        (node.inner[0].inner[1].clone(), found)
    };
    for (cut, amount) in [(1, 0x600), (2, 0), (32, 0)] {
        let (_, found) = run(cut);
        assert_eq!(
            granted(&found),
            [(TOKEN, SAFE, 5), (TOKEN, SAFE, amount)],
            "{cut}"
        );
    }
    // Into the selector, the length, the value, the target.
    for (cut, to, bytes) in [
        (67, TOKEN, 68),
        (69, TOKEN, 0),
        (100, TOKEN, 0),
        (152, Address::ZERO, 0),
    ] {
        let (last, found) = run(cut);
        assert_eq!((last.to, last.data.len()), (to, bytes), "{cut}");
        assert_eq!(granted(&found), [(TOKEN, SAFE, 5)], "{cut}");
    }
}

#[test]
fn a_length_beyond_all_bytes_is_not_understood() {
    for bytes in [53..85, 81..85, 82..83] {
        let mut endless = packed(0, TOKEN, 0, &approve(5));
        endless[bytes].fill(0xff);
        let (node, _) = decode(MULTI_SEND, multi_send(endless));
        assert!(node.opaque && node.inner.is_empty());
        assert_eq!(node.flags, ["nested-not-understood"]);
    }
}

#[test]
fn the_zero_address_is_the_safe_from_version_1_5_on() {
    let calls = packed(0, Address::ZERO, 0, &approve(5));
    let run = |code| decode(SAFE, transaction(code, multi_send(calls.clone()), 1).abi_encode()).0;
    let node = run(MULTI_SEND_V1_5);
    assert_eq!(inside(&node.inner[0]), [(SAFE, 0, Operation::Call)]);
    assert_eq!(node.inner[0].flags, ["zero-address-target"]);
    let node = run(MULTI_SEND);
    assert_eq!(inside(&node.inner[0]), [(Address::ZERO, 0, Operation::Call)]);
    assert!(node.inner[0].flags.is_empty());
}

#[test]
fn multicall3_may_be_run_by_delegatecall_as_well() {
    let multicall3 = address!("0xcA11bde05977b3631167028862bE2a173976CA11");
    let calls = vec![TargetData {
        target: TOKEN,
        callData: approve(5),
    }];
    let data = Multicall3::aggregateCall { calls }.abi_encode();
    let (node, found) = decode(SAFE, transaction(multicall3, data.into(), 1).abi_encode());
    assert!(node.inner[0].flags.is_empty());
    assert_eq!(granted(&found), [(TOKEN, SAFE, 5)]);
}

#[test]
fn a_refund_names_who_is_paid_and_in_what() {
    let mut call = transaction(OTHER, Bytes::new(), 0);
    call.refundReceiver = SPENDER;
    call.gasToken = TOKEN;
    let (_, found) = decode(SAFE, call.abi_encode());
    assert_eq!(addresses(&found), [(SAFE, "target"), (OTHER, "target")]);

    call.gasPrice = U256::ONE;
    let (_, found) = decode(SAFE, call.abi_encode());
    let paid = [(SPENDER, "recipient"), (TOKEN, "token")];
    assert_eq!(addresses(&found)[1..3], paid);
    // How much is not in the bytes.
    assert!(found.transfers.is_empty());
}
