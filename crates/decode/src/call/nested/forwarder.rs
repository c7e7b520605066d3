//! Calls that another account signed and the request submits (ERC-2771 and its forerunners): to the called contract
//! they come from the account that signed.

use super::{Frame, Nested};
use crate::call::Call;
use crate::call::function::ForwarderCall;
use crate::model::Operation;
use alloy_primitives::{Address, Bytes, U256};

pub(super) fn calls(call: &ForwarderCall, frame: Frame) -> Nested {
    let of = |caller, to, value, data: &Bytes| in_name_of(caller, frame.to, to, value, data.clone());
    match call {
        ForwarderCall::MetaTransaction(c) => {
            Nested::one(of(c.userAddress, frame.to, U256::ZERO, &c.functionSignature))
        }
        ForwarderCall::Minimal(c) => Nested::one(of(c.req.from, c.req.to, c.req.value, &c.req.data)),
        ForwarderCall::Forward(c) => {
            let request = &c.request;
            Nested::one(of(request.from, request.to, request.value, &request.data))
        }
        ForwarderCall::ForwardBatch(c) => {
            let requests = c.requests.iter();
            Nested::all(requests.map(|r| of(r.from, r.to, r.value, &r.data)))
        }
    }
}

/// A call in the name of `caller` that `forwarder` makes and pays for.
pub(crate) fn in_name_of(caller: Address, forwarder: Address, to: Address, value: U256, data: Bytes) -> Call {
    Call {
        payer: forwarder,
        ..Call::new(caller, to, value, data, Operation::Call)
    }
}
