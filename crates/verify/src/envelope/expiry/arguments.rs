//! Expiries among decoded arguments. Their names are those of the interfaces that the decoder knows.

use super::reader::Reader;
use super::user_operation;
use alloy_primitives::{Bytes, U256};
use presight_wire::hex;
use serde_json::Value;

/// Adds the expiries of a function's arguments.
pub(super) fn read(args: &[(&'static str, Value)], reader: &mut Reader) {
    for (name, value) in args {
        member(name, value, reader);
    }
}

fn member(name: &str, value: &Value, reader: &mut Reader) {
    match value {
        Value::String(number) => reader.found.extend(expiry(name, number)),
        Value::Array(items) => items.iter().for_each(|item| member(name, item, reader)),
        Value::Object(members) => {
            user_operation::read(members, reader);
            for (name, value) in members {
                member(name, value, reader);
            }
        }
        _ => {}
    }
}

fn expiry(name: &str, number: &str) -> Option<(&'static str, U256)> {
    let (name, zero_is_none) = match name {
        // ERC-2612, multicalls, Uniswap's routers, Permit2's transfers, forwarders.
        "deadline" => ("deadline", false),
        // Permit2's allowances: when the signature, and when the allowance ends. 0 is the block it is set in (I-26).
        "sigDeadline" => ("sigDeadline", false),
        "expiration" => ("expiration", true),
        // ERC-3009.
        "validBefore" => ("validBefore", false),
        // DAI: 0 is no end.
        "expiry" => ("expiry", true),
        _ => return None,
    };
    let at = U256::from_str_radix(number, 10).ok()?;
    (!(zero_is_none && at.is_zero())).then_some((name, at))
}

/// The bytes of a hex text.
pub(super) fn bytes(value: &Value) -> Option<Bytes> {
    hex::data(value.as_str()?, "").ok()
}
