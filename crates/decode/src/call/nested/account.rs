//! Accounts that execute what their owner or an entry point gives them: the `execute` family.

use super::abi::{BatchItem, Execution, SequenceTransaction};
use super::{Frame, NOT_UNDERSTOOD, Nested, execution, safe, zip};
use crate::call::Call;
use crate::call::function::AccountCall;
use crate::model::Operation;
use alloy_primitives::{Bytes, U256};

pub(super) fn calls(call: &AccountCall, calldata: &Bytes, frame: Frame) -> Nested {
    match call {
        AccountCall::Execute(c) => Nested::one(frame.call(c.target, c.value, &c.data)),
        AccountCall::ExecuteCall(c) => Nested::one(frame.call(c.target, c.value, &c.data)),
        AccountCall::ExecuteNcC(c) => Nested::one(frame.call(c.target, c.value, &c.data)),
        AccountCall::ExecuteOperation(c) => safe::one(frame, c.target, c.value, &c.data, c.operation),
        AccountCall::Batch(c) => zip(frame, &c.targets, &[], &c.data),
        AccountCall::BatchValues(c) => zip(frame, &c.targets, &c.values, &c.data),
        AccountCall::BatchCall(c) => zip(frame, &c.targets, &c.values, &c.data),
        AccountCall::BatchY6U(c) => zip(frame, &c.targets, &c.values, &c.data),
        AccountCall::BatchStructs(c) => each(frame, &c.calls),
        AccountCall::ExecuteStructs(c) => each(frame, &c.calls),
        AccountCall::ExecuteDataFirst(c) => {
            let calls = c.calls.iter();
            Nested::all(calls.map(|c| frame.call(c.to, c.value, &c.data)))
        }
        AccountCall::WithoutChainId(c) => {
            Nested::all(c.calls.iter().map(|data| frame.call(frame.to, U256::ZERO, data)))
        }
        AccountCall::RuntimeValidation(c) => Nested::one(frame.again(&c.data)),
        AccountCall::Mode(c) => execution::calls(c.mode, &c.executionCalldata, calldata, frame),
        AccountCall::ModeFromExecutor(c) => execution::calls(c.mode, &c.executionCalldata, calldata, frame),
        AccountCall::Ambire(c) => each(frame, &c.calls),
        AccountCall::AmbireBySender(c) => each(frame, &c.calls),
        AccountCall::AmbireMultiple(c) => {
            let calls = c.toExec.iter().flat_map(|batch| &batch.calls);
            Nested::all(calls.map(|c| frame.call(c.target, c.value, &c.callData)))
        }
        AccountCall::Sequence(c) => sequence(frame, &c.txs),
        AccountCall::SequenceSelf(c) => sequence(frame, &c.txs),
        AccountCall::Timelock(c) => Nested::one(frame.call(c.target, c.value, &c.payload)),
        AccountCall::TimelockBatch(c) => zip(frame, &c.targets, &c.values, &c.payloads),
        AccountCall::DsProxy(c) => {
            Nested::one(frame.run(c.target, U256::ZERO, &c.data, Operation::DelegateCall))
        }
        AccountCall::VaultConnector(c) => connector(frame, &c.items),
    }
}

fn each(frame: Frame, calls: &[Execution]) -> Nested {
    Nested::all(calls.iter().map(|c| frame.call(c.target, c.value, &c.callData)))
}

fn sequence(frame: Frame, txs: &[SequenceTransaction]) -> Nested {
    let run = |tx: &SequenceTransaction| -> Call {
        let operation = if tx.delegateCall {
            Operation::DelegateCall
        } else {
            Operation::Call
        };
        frame.run(tx.target, tx.value, &tx.data, operation)
    };
    Nested::all(txs.iter().map(run))
}

/// The Ethereum Vault Connector. Its calls to itself keep the caller, and the largest value stands for its whole
/// balance.
fn connector(frame: Frame, items: &[BatchItem]) -> Nested {
    let mut nested = Nested::default();
    for item in items {
        if item.value == U256::MAX && !nested.oddities.contains(&NOT_UNDERSTOOD) {
            nested.oddities.push(NOT_UNDERSTOOD);
        }
        let value = if item.value == U256::MAX {
            U256::ZERO
        } else {
            item.value
        };
        nested.calls.push(if item.targetContract == frame.to {
            frame.again(&item.data)
        } else {
            frame.call(item.targetContract, value, &item.data)
        });
    }
    nested
}
