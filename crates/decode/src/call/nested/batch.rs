//! Contracts that make a list of calls in their own name, or in that of the account that delegatecalls them:
//! Multicall3 and its relatives, and MultiSend.

use super::abi::TargetData;
use super::{Frame, Nested, multi_send, zip};
use crate::call::function::BatchCall;
use alloy_primitives::{Address, U256, address};

/// Multicall3, at the same address on every chain it is deployed on by its authors.
pub(super) const MULTICALL3: Address = address!("0xcA11bde05977b3631167028862bE2a173976CA11");

pub(super) fn calls(call: &BatchCall, frame: Frame) -> Nested {
    let pairs = |calls: &[TargetData]| {
        Nested::all(
            calls
                .iter()
                .map(|c| frame.call(c.target, U256::ZERO, &c.callData)),
        )
    };
    match call {
        BatchCall::Aggregate(c) => pairs(&c.calls),
        BatchCall::TryAggregate(c) => pairs(&c.calls),
        BatchCall::BlockAndAggregate(c) => pairs(&c.calls),
        BatchCall::TryBlockAndAggregate(c) => pairs(&c.calls),
        BatchCall::Structs(c) => pairs(&c.calls),
        BatchCall::Aggregate3(c) => {
            let calls = c.calls.iter();
            Nested::all(calls.map(|c| frame.call(c.target, U256::ZERO, &c.callData)))
        }
        BatchCall::Aggregate3Value(c) => {
            let calls = c.calls.iter();
            Nested::all(calls.map(|c| frame.call(c.target, c.value, &c.callData)))
        }
        BatchCall::Targets(c) => zip(frame, &c.targets, &[], &c.data),
        BatchCall::MultiSend(c) => multi_send::calls(&c.transactions, frame),
    }
}
