//! ERC-4337: the entry point calls each sender with the call data of its operation.

use super::abi::{AccountExecute, PackedUserOperation, UserOperation};
use super::{Frame, Nested};
use crate::call::Call;
use crate::call::function::{EntryPointCall, Function, Reading};
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolCall;

pub(super) fn calls(call: &EntryPointCall, frame: Frame) -> Nested {
    let of = |op: &UserOperation| operation(frame, op.sender, &op.callData);
    let packed = |op: &PackedUserOperation| operation(frame, op.sender, &op.callData);
    match call {
        EntryPointCall::HandleOps(c) => Nested::all(c.ops.iter().map(of)),
        EntryPointCall::HandlePackedOps(c) => Nested::all(c.ops.iter().map(packed)),
        EntryPointCall::HandleAggregatedOps(c) => {
            Nested::all(c.opsPerAggregator.iter().flat_map(|group| &group.userOps).map(of))
        }
        EntryPointCall::HandlePackedAggregatedOps(c) => {
            let groups = c.opsPerAggregator.iter();
            Nested::all(groups.flat_map(|group| &group.userOps).map(packed))
        }
        EntryPointCall::ExecuteUserOp(c) => Nested::one(frame.again(&c.userOp.callData)),
    }
}

fn operation(frame: Frame, sender: Address, data: &Bytes) -> Call {
    frame.call(sender, U256::ZERO, data)
}

/// The call data of an operation that begins with the selector of `executeUserOp` without being its encoding: from
/// version 0.7 on the entry point hands the whole operation to the account, and what the account runs follows the
/// selector (ERC-6900, Kernel).
pub(in crate::call) fn wrapped_user_op(data: &Bytes) -> Option<Reading> {
    type Wrapper = AccountExecute::executeUserOpCall;
    let inner = data.strip_prefix(&Wrapper::SELECTOR)?;
    Some(Reading {
        function: Function::WrappedCall(data.slice_ref(inner)),
        signature: Wrapper::SIGNATURE,
        args: Vec::new(),
        oddities: Vec::new(),
    })
}
