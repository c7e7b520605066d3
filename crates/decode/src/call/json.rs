//! Arguments as JSON: addresses and bytes in hex, integers as decimal strings.

use super::abi::{
    AllowanceTransferDetails, PermitBatch, PermitBatchTransferFrom, PermitDetails, PermitSingle,
    PermitTransferFrom, SignatureTransferDetails, TokenPermissions, TokenSpenderPair,
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
}
