//! ERC-4337: operations of accounts.

use super::*;
use crate::call::nested::abi::*;
use alloy_primitives::{B256, hex};

const ENTRY_POINT: Address = address!("0x0000000071727De22E5E9d8BAf0edAc6f37da032");
const ACCOUNT: Address = address!("0x4444444444444444444444444444444444444444");

fn execute() -> Bytes {
    let call = Account::executeCall {
        target: TOKEN,
        value: U256::ZERO,
        data: approve(5),
    };
    call.abi_encode().into()
}

fn operation(data: Bytes) -> UserOperation {
    UserOperation {
        sender: ACCOUNT,
        nonce: U256::ZERO,
        initCode: Bytes::new(),
        callData: data,
        callGasLimit: U256::ZERO,
        verificationGasLimit: U256::ZERO,
        preVerificationGas: U256::ZERO,
        maxFeePerGas: U256::ZERO,
        maxPriorityFeePerGas: U256::ZERO,
        paymasterAndData: Bytes::new(),
        signature: Bytes::new(),
    }
}

fn packed(data: Bytes) -> PackedUserOperation {
    PackedUserOperation {
        sender: ACCOUNT,
        nonce: U256::ZERO,
        initCode: Bytes::new(),
        callData: data,
        accountGasLimits: B256::ZERO,
        preVerificationGas: U256::ZERO,
        gasFees: B256::ZERO,
        paymasterAndData: Bytes::new(),
        signature: Bytes::new(),
    }
}

fn handle(data: Bytes) -> (CallNode, Collector) {
    let call = EntryPointV7::handleOpsCall {
        ops: vec![packed(data)],
        beneficiary: OTHER,
    };
    decode(ENTRY_POINT, call.abi_encode())
}

#[test]
fn an_operation_is_of_its_sender() {
    let beneficiary = OTHER;
    let forms = [
        EntryPointV6::handleOpsCall {
            ops: vec![operation(execute())],
            beneficiary,
        }
        .abi_encode(),
        EntryPointV7::handleOpsCall {
            ops: vec![packed(execute())],
            beneficiary,
        }
        .abi_encode(),
        EntryPointV6::handleAggregatedOpsCall {
            opsPerAggregator: vec![UserOpsPerAggregator {
                userOps: vec![operation(execute())],
                aggregator: OTHER,
                signature: Bytes::new(),
            }],
            beneficiary,
        }
        .abi_encode(),
        EntryPointV7::handleAggregatedOpsCall {
            opsPerAggregator: vec![PackedOpsPerAggregator {
                userOps: vec![packed(execute())],
                aggregator: OTHER,
                signature: Bytes::new(),
            }],
            beneficiary,
        }
        .abi_encode(),
    ];
    for form in forms {
        let (node, found) = decode(ENTRY_POINT, form);
        assert!(!node.opaque && node.flags.is_empty());
        assert_eq!(inside(&node), [(ACCOUNT, 0, Operation::Call)]);
        assert_eq!(node.inner[0].signature, Some("execute(address,uint256,bytes)"));
        assert_eq!(inside(&node.inner[0]), [(TOKEN, 0, Operation::Call)]);
        assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
        let targets = [(ENTRY_POINT, "target"), (ACCOUNT, "target"), (TOKEN, "target")];
        assert_eq!(addresses(&found)[..3], targets);
    }
}

#[test]
fn an_operation_handed_over_as_a_whole_is_read_behind_its_selector() {
    let wrapped = [hex!("8dd7712f").as_slice(), &execute()].concat();
    let (node, found) = handle(wrapped.clone().into());
    let account = &node.inner[0];
    assert_eq!(account.selector, Some(hex!("8dd7712f")));
    assert!(!account.opaque);
    assert_eq!(inside(account), [(ACCOUNT, 0, Operation::Call)]);
    assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);

    // The same, as the entry point calls the account.
    for data in [Bytes::from(wrapped), execute()] {
        let call = AccountExecute::executeUserOpCall {
            userOp: packed(data),
            userOpHash: B256::ZERO,
        };
        let (_, found) = decode(ACCOUNT, call.abi_encode());
        assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
    }
}

#[test]
fn an_operation_of_unknown_call_data_is_an_opaque_call() {
    let (node, found) = handle(vec![1, 2, 3, 4, 5].into());
    assert!(!node.opaque && node.inner[0].opaque);
    assert_eq!(addresses(&found), [(ENTRY_POINT, "target"), (ACCOUNT, "target")]);
    let (node, _) = handle(Bytes::new());
    assert!(!node.inner[0].opaque);
}
