//! Contracts that run each part on themselves by delegatecall, which keeps the caller.

use super::{Frame, Nested};
use crate::call::function::MulticallCall;

pub(super) fn calls(call: &MulticallCall, frame: Frame) -> Nested {
    let data = match call {
        MulticallCall::Plain(c) => &c.data,
        MulticallCall::Try(c) => &c.data,
        MulticallCall::Boring(c) => &c.calls,
        MulticallCall::NodeCheck(c) => &c.data,
        MulticallCall::Deadline(c) => &c.data,
        MulticallCall::Blockhash(c) => &c.data,
        MulticallCall::RequireSuccess(c) => &c.data,
        MulticallCall::TryRequireSuccess(c) => &c.data,
    };
    Nested::all(data.iter().map(|data| frame.again(data)))
}
