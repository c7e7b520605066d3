//! Safe: its owners' transactions, and those of its modules.

use super::{Frame, Nested, operation};
use crate::call::function::SafeCall;
use alloy_primitives::{Address, Bytes, U256};

pub(super) fn calls(call: &SafeCall, frame: Frame) -> Nested {
    match call {
        SafeCall::Transaction(c) => one(frame, c.to, c.value, &c.data, c.operation),
        SafeCall::Module(c) => one(frame, c.to, c.value, &c.data, c.operation),
        SafeCall::ModuleReturnData(c) => one(frame, c.to, c.value, &c.data, c.operation),
        SafeCall::UserOp(c) => one(frame, c.to, c.value, &c.data, c.operation),
        SafeCall::UserOpErrorString(c) => one(frame, c.to, c.value, &c.data, c.operation),
    }
}

/// A call of the account by its numbered operation.
pub(super) fn one(frame: Frame, to: Address, value: U256, data: &Bytes, number: u8) -> Nested {
    match operation(number) {
        Some(operation) => Nested::one(frame.run(to, value, data, operation)),
        None => Nested::not_understood(),
    }
}
