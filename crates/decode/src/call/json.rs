//! Arguments as JSON: addresses and bytes in hex, integers as decimal strings.

use super::abi::{
    AllowanceTransferDetails, PermitBatch, PermitBatchTransferFrom, PermitDetails, PermitSingle,
    PermitTransferFrom, SignatureTransferDetails, TokenPermissions, TokenSpenderPair,
};
use super::nested::abi::{
    Batch, BatchItem, Call3, Call3Value, DataFirst, Execution, ForwardRequest, ForwardRequestData,
    PackedOpsPerAggregator, PackedUserOperation, SequenceTransaction, TargetData, UserOperation,
    UserOpsPerAggregator,
};
use alloy_primitives::{Address, B256, Bytes, Uint};
use serde_json::{Value, json};

pub(crate) trait Json {
    fn json(&self) -> Value;
}

macro_rules! as_text {
    ($($type:ty => $format:literal),+) => {
        $(impl Json for $type {
            fn json(&self) -> Value {
                Value::String(format!($format, self))
            }
        })+
    };
}

as_text!(Address => "{:#x}", B256 => "{:#x}", Bytes => "{}", String => "{}");

impl<const BITS: usize, const LIMBS: usize> Json for Uint<BITS, LIMBS> {
    fn json(&self) -> Value {
        Value::String(self.to_string())
    }
}

impl Json for u8 {
    fn json(&self) -> Value {
        Value::from(*self)
    }
}

impl Json for bool {
    fn json(&self) -> Value {
        Value::Bool(*self)
    }
}

impl<T: Json> Json for Vec<T> {
    fn json(&self) -> Value {
        self.iter().map(Json::json).collect()
    }
}

macro_rules! as_object {
    ($($type:ty { $($member:ident),+ })+) => {
        $(impl Json for $type {
            fn json(&self) -> Value {
                json!({ $(stringify!($member): self.$member.json()),+ })
            }
        })+
    };
}

as_object! {
    PermitDetails { token, amount, expiration, nonce }
    PermitSingle { details, spender, sigDeadline }
    PermitBatch { details, spender, sigDeadline }
    AllowanceTransferDetails { from, to, amount, token }
    TokenSpenderPair { token, spender }
    TokenPermissions { token, amount }
    PermitTransferFrom { permitted, nonce, deadline }
    PermitBatchTransferFrom { permitted, nonce, deadline }
    SignatureTransferDetails { to, requestedAmount }
    TargetData { target, callData }
    Call3 { target, allowFailure, callData }
    Call3Value { target, allowFailure, value, callData }
    Execution { target, value, callData }
    DataFirst { data, to, value }
    Batch { calls, signature }
    SequenceTransaction { delegateCall, revertOnError, gasLimit, target, value, data }
    BatchItem { targetContract, onBehalfOfAccount, value, data }
    UserOperation {
        sender, nonce, initCode, callData, callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas,
        maxPriorityFeePerGas, paymasterAndData, signature
    }
    PackedUserOperation {
        sender, nonce, initCode, callData, accountGasLimits, preVerificationGas, gasFees, paymasterAndData,
        signature
    }
    UserOpsPerAggregator { userOps, aggregator, signature }
    PackedOpsPerAggregator { userOps, aggregator, signature }
    ForwardRequest { from, to, value, gas, nonce, data }
    ForwardRequestData { from, to, value, gas, deadline, data, signature }
}
