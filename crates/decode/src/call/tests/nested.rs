//! Multicalls, batch contracts and accounts: who runs what is inside.

use super::*;
use crate::call::abi::Erc2612;
use crate::call::nested::abi::*;
use alloy_primitives::{B256, hex};

const ACCOUNT: Address = address!("0x4444444444444444444444444444444444444444");

fn parts() -> Vec<Bytes> {
    vec![approve(1), approve(2)]
}

#[test]
fn a_contract_that_calls_itself_keeps_the_caller() {
    let flagged = true;
    let forms = [
        Multicall::multicallCall { data: parts() }.abi_encode(),
        Multicall::tryMulticallCall { data: parts() }.abi_encode(),
        Multicall::batchCall {
            calls: parts(),
            revertOnFail: flagged,
        }
        .abi_encode(),
        Multicall::multicallWithNodeCheckCall {
            nodehash: B256::ZERO,
            data: parts(),
        }
        .abi_encode(),
        MulticallDeadline::multicallCall {
            deadline: U256::MAX,
            data: parts(),
        }
        .abi_encode(),
        MulticallBlockhash::multicallCall {
            previousBlockhash: B256::ZERO,
            data: parts(),
        }
        .abi_encode(),
        MulticallTry::multicallCall {
            requireSuccess: flagged,
            data: parts(),
        }
        .abi_encode(),
        MulticallTry::tryMulticallCall {
            requireSuccess: flagged,
            data: parts(),
        }
        .abi_encode(),
    ];
    for form in forms {
        let (node, found) = decode(TOKEN, form);
        assert!(node.signature.is_some() && !node.opaque && node.flags.is_empty());
        assert_eq!(
            inside(&node),
            [(TOKEN, 0, Operation::Call), (TOKEN, 0, Operation::Call)]
        );
        assert_eq!(granted(&found), [(TOKEN, SIGNER, 1), (TOKEN, SIGNER, 2)]);
        assert_eq!(
            addresses(&found),
            [(TOKEN, "target"), (SPENDER, "spender"), (TOKEN, "token")]
        );
    }
}

#[test]
fn multicall_as_its_bytes_are_on_chain() {
    // multicall(bytes[]) with one part: approve(SPENDER, 7).
    let data = hex!(
        "ac9650d8"
        "0000000000000000000000000000000000000000000000000000000000000020"
        "0000000000000000000000000000000000000000000000000000000000000001"
        "0000000000000000000000000000000000000000000000000000000000000020"
        "0000000000000000000000000000000000000000000000000000000000000044"
        "095ea7b3"
        "0000000000000000000000002222222222222222222222222222222222222222"
        "0000000000000000000000000000000000000000000000000000000000000007"
        "00000000000000000000000000000000000000000000000000000000"
    );
    let (node, found) = decode(TOKEN, data.to_vec());
    assert_eq!(node.signature, Some("multicall(bytes[])"));
    assert_eq!(node.inner[0].signature, Some("approve(address,uint256)"));
    assert_eq!(granted(&found), [(TOKEN, SIGNER, 7)]);
}

#[test]
fn a_batch_contract_calls_in_its_own_name() {
    let pairs = || {
        vec![TargetData {
            target: TOKEN,
            callData: approve(5),
        }]
    };
    let forms = [
        Multicall3::aggregateCall { calls: pairs() }.abi_encode(),
        Multicall3::tryAggregateCall {
            requireSuccess: false,
            calls: pairs(),
        }
        .abi_encode(),
        Multicall3::blockAndAggregateCall { calls: pairs() }.abi_encode(),
        Multicall3::tryBlockAndAggregateCall {
            requireSuccess: false,
            calls: pairs(),
        }
        .abi_encode(),
        Multicall3::aggregate3Call {
            calls: vec![Call3 {
                target: TOKEN,
                allowFailure: true,
                callData: approve(5),
            }],
        }
        .abi_encode(),
        MulticallStructs::multicallCall { calls: pairs() }.abi_encode(),
        MulticallTargets::multicallCall {
            targets: vec![TOKEN],
            data: vec![approve(5)],
        }
        .abi_encode(),
    ];
    for form in forms {
        let (node, found) = decode(OTHER, form);
        assert!(!node.opaque && node.flags.is_empty());
        assert_eq!(inside(&node), [(TOKEN, 0, Operation::Call)]);
        assert_eq!(granted(&found), [(TOKEN, OTHER, 5)]);
        assert_eq!(addresses(&found)[..2], [(OTHER, "target"), (TOKEN, "target")]);
    }
}

#[test]
fn value_inside_is_paid_by_the_batch_contract() {
    let calls = vec![Call3Value {
        target: ACCOUNT,
        allowFailure: false,
        value: U256::from(9),
        callData: Bytes::new(),
    }];
    let (node, found) = decode(OTHER, Multicall3::aggregate3ValueCall { calls }.abi_encode());
    assert_eq!(inside(&node), [(ACCOUNT, 9, Operation::Call)]);
    let paid = &found.transfers[0];
    assert_eq!((paid.token, paid.from, paid.to), (None, OTHER, ACCOUNT));
    assert_eq!(addresses(&found)[2], (ACCOUNT, "recipient"));
}

#[test]
fn an_account_executes_in_its_own_name() {
    let (target, value) = (TOKEN, U256::ZERO);
    let execution = || Execution {
        target,
        value,
        callData: approve(5),
    };
    let (targets, values, data) = (|| vec![TOKEN], || vec![U256::ZERO], || vec![approve(5)]);
    let sequence = || {
        vec![SequenceTransaction {
            delegateCall: false,
            revertOnError: true,
            gasLimit: U256::ZERO,
            target,
            value,
            data: approve(5),
        }]
    };
    let forms = [
        Account::executeCall {
            target,
            value,
            data: approve(5),
        }
        .abi_encode(),
        Account::executeCallCall {
            target,
            value,
            data: approve(5),
        }
        .abi_encode(),
        Account::execute_ncCCall {
            target,
            value,
            data: approve(5),
        }
        .abi_encode(),
        AccountOperation::executeCall {
            target,
            value,
            data: approve(5),
            operation: 0,
        }
        .abi_encode(),
        Account::executeBatchCall {
            targets: targets(),
            data: data(),
        }
        .abi_encode(),
        AccountArrays::executeBatchCall {
            targets: targets(),
            values: values(),
            data: data(),
        }
        .abi_encode(),
        AccountArrays::executeBatchCall {
            targets: targets(),
            values: Vec::new(),
            data: data(),
        }
        .abi_encode(),
        AccountArrays::executeBatchCallCall {
            targets: targets(),
            values: values(),
            data: data(),
        }
        .abi_encode(),
        AccountArrays::executeBatch_y6UCall {
            targets: targets(),
            values: values(),
            data: data(),
        }
        .abi_encode(),
        AccountStructs::executeBatchCall {
            calls: vec![execution()],
        }
        .abi_encode(),
        AccountStructs::executeCall {
            calls: vec![execution()],
        }
        .abi_encode(),
        AccountDataFirst::executeCall {
            calls: vec![DataFirst {
                data: approve(5),
                to: target,
                value,
            }],
        }
        .abi_encode(),
        Ambire::executeCall {
            calls: vec![execution()],
            signature: Bytes::new(),
        }
        .abi_encode(),
        Ambire::executeBySenderCall {
            calls: vec![execution()],
        }
        .abi_encode(),
        Ambire::executeMultipleCall {
            toExec: vec![Batch {
                calls: vec![execution()],
                signature: Bytes::new(),
            }],
        }
        .abi_encode(),
        Sequence::executeCall {
            txs: sequence(),
            nonce: U256::ZERO,
            signature: Bytes::new(),
        }
        .abi_encode(),
        Sequence::selfExecuteCall { txs: sequence() }.abi_encode(),
        Timelock::executeCall {
            target,
            value,
            payload: approve(5),
            predecessor: B256::ZERO,
            salt: B256::ZERO,
        }
        .abi_encode(),
        Timelock::executeBatchCall {
            targets: targets(),
            values: values(),
            payloads: data(),
            predecessor: B256::ZERO,
            salt: B256::ZERO,
        }
        .abi_encode(),
        VaultConnector::batchCall {
            items: vec![BatchItem {
                targetContract: target,
                onBehalfOfAccount: SIGNER,
                value,
                data: approve(5),
            }],
        }
        .abi_encode(),
    ];
    for form in forms {
        let (node, found) = decode(ACCOUNT, form);
        assert!(!node.opaque && node.flags.is_empty(), "{:?}", node.signature);
        assert_eq!(
            inside(&node),
            [(TOKEN, 0, Operation::Call)],
            "{:?}",
            node.signature
        );
        assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)], "{:?}", node.signature);
    }
}

#[test]
fn a_permit_inside_is_an_approval_of_the_signer_or_of_the_account() {
    let permit = |owner| {
        let data = Erc2612::permitCall {
            owner,
            spender: SPENDER,
            value: U256::from(5),
            deadline: U256::MAX,
            v: 27,
            r: B256::ZERO,
            s: B256::ZERO,
        };
        let execute = Account::executeCall {
            target: TOKEN,
            value: U256::ZERO,
            data: data.abi_encode().into(),
        };
        decode(ACCOUNT, execute.abi_encode()).1
    };
    for owner in [SIGNER, ACCOUNT] {
        let found = permit(owner);
        assert_eq!(granted(&found), [(TOKEN, owner, 5)]);
        assert!(found.foreign_permits.is_empty());
    }
    let found = permit(OTHER);
    assert!(found.entities.approvals.is_empty());
    let foreign = &found.foreign_permits[0];
    assert_eq!((foreign.owner, foreign.call_index), (OTHER, Some(3)));
}

#[test]
fn an_account_may_run_itself() {
    let execute = Account::executeCall {
        target: TOKEN,
        value: U256::ZERO,
        data: approve(5),
    };
    let data: Bytes = execute.abi_encode().into();
    let forms = [
        Account::executeWithoutChainIdValidationCall {
            calls: vec![data.clone()],
        }
        .abi_encode(),
        Account::executeWithRuntimeValidationCall {
            data: data.clone(),
            authorization: Bytes::new(),
        }
        .abi_encode(),
        VaultConnector::batchCall {
            items: vec![BatchItem {
                targetContract: ACCOUNT,
                onBehalfOfAccount: SIGNER,
                value: U256::ZERO,
                data,
            }],
        }
        .abi_encode(),
    ];
    for form in forms {
        let (node, found) = decode(ACCOUNT, form);
        assert_eq!(inside(&node), [(ACCOUNT, 0, Operation::Call)]);
        assert_eq!(inside(&node.inner[0]), [(TOKEN, 0, Operation::Call)]);
        assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
    }
}

#[test]
fn a_value_that_stands_for_the_whole_balance_is_no_amount() {
    let items = vec![BatchItem {
        targetContract: OTHER,
        onBehalfOfAccount: SIGNER,
        value: U256::MAX,
        data: Bytes::new(),
    }];
    let (node, found) = decode(ACCOUNT, VaultConnector::batchCall { items }.abi_encode());
    assert_eq!(inside(&node), [(OTHER, 0, Operation::Call)]);
    assert!(node.opaque && found.transfers.is_empty());
    assert_eq!(node.flags, ["nested-not-understood"]);
}

#[test]
fn a_delegated_part_is_foreign_code() {
    let sequence = Sequence::selfExecuteCall {
        txs: vec![SequenceTransaction {
            delegateCall: true,
            revertOnError: true,
            gasLimit: U256::ZERO,
            target: TOKEN,
            value: U256::ZERO,
            data: approve(5),
        }],
    };
    let proxy = DsProxy::executeCall {
        target: TOKEN,
        data: approve(5),
    };
    let numbered = AccountOperation::executeCall {
        target: TOKEN,
        value: U256::ZERO,
        data: approve(5),
        operation: 1,
    };
    for form in [sequence.abi_encode(), proxy.abi_encode(), numbered.abi_encode()] {
        let (node, found) = decode(ACCOUNT, form);
        assert_eq!(inside(&node), [(TOKEN, 0, Operation::DelegateCall)]);
        assert!(node.inner[0].opaque && node.inner[0].signature.is_none());
        assert_eq!(node.inner[0].flags, ["delegatecall"]);
        assert_eq!(addresses(&found), [(ACCOUNT, "target"), (TOKEN, "target")]);
        assert_eq!(found.flags[0].pointer, "/subject/calls/3/data");
    }
}

#[test]
fn arrays_of_different_lengths_show_what_all_of_them_name() {
    let batch = |targets: usize, values: usize, data: usize| {
        AccountArrays::executeBatchCall {
            targets: vec![TOKEN; targets],
            values: vec![U256::ZERO; values],
            data: vec![approve(5); data],
        }
        .abi_encode()
    };
    for (targets, values, data, shown) in [(2, 2, 1, 1), (1, 2, 2, 1), (2, 1, 2, 1), (0, 0, 2, 0)] {
        let (node, found) = decode(ACCOUNT, batch(targets, values, data));
        assert_eq!(node.inner.len(), shown);
        // More values than targets harm nothing.
        let short = !(targets == data && values >= targets);
        assert_eq!(node.opaque, short);
        assert_eq!(node.flags.contains(&"nested-not-understood"), short);
        assert_eq!(granted(&found).len(), shown);
    }
}

#[test]
fn a_signed_call_is_in_the_name_of_its_signer_and_paid_by_the_forwarder() {
    let request = ForwardRequest {
        from: ACCOUNT,
        to: TOKEN,
        value: U256::from(4),
        gas: U256::ZERO,
        nonce: U256::ZERO,
        data: approve(5),
    };
    let forwarded = ForwardRequestData {
        from: ACCOUNT,
        to: TOKEN,
        value: U256::from(4),
        gas: U256::ZERO,
        deadline: Default::default(),
        data: approve(5),
        signature: Bytes::new(),
    };
    let forms = [
        MinimalForwarder::executeCall {
            req: request,
            signature: Bytes::new(),
        }
        .abi_encode(),
        Erc2771Forwarder::executeCall {
            request: forwarded.clone(),
        }
        .abi_encode(),
        Erc2771Forwarder::executeBatchCall {
            requests: vec![forwarded],
            refundReceiver: Address::ZERO,
        }
        .abi_encode(),
    ];
    for form in forms {
        let (node, found) = decode(OTHER, form);
        assert_eq!(inside(&node), [(TOKEN, 4, Operation::Call)]);
        assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
        assert_eq!((found.transfers[0].from, found.transfers[0].to), (OTHER, TOKEN));
    }
    let meta = MetaTransactions::executeMetaTransactionCall {
        userAddress: ACCOUNT,
        functionSignature: approve(5),
        sigR: B256::ZERO,
        sigS: B256::ZERO,
        sigV: 27,
    };
    let (node, found) = decode(TOKEN, meta.abi_encode());
    assert_eq!(inside(&node), [(TOKEN, 0, Operation::Call)]);
    assert_eq!(granted(&found), [(TOKEN, ACCOUNT, 5)]);
}

#[test]
fn a_selector_without_arguments_that_decode_is_no_nested_call() {
    for selector in [
        hex!("ac9650d8"),
        hex!("b61d27f6"),
        hex!("1fad948c"),
        hex!("3593564c"),
    ] {
        let data = [selector.as_slice(), &[0xff; 96]].concat();
        let (node, found) = decode(OTHER, data);
        assert!(node.opaque && node.signature.is_none() && node.inner.is_empty());
        assert_eq!(addresses(&found), [(OTHER, "target")]);
    }
}
