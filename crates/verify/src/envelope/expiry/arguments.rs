//! Expiries among decoded arguments. Their names are those of the interfaces that the decoder knows.

use super::paymaster;
use alloy_primitives::{Bytes, U256};
use presight_wire::hex;
use serde_json::{Map, Value};

/// Adds the expiries of a function's arguments.
pub(super) fn of(args: &[(&'static str, Value)], found: &mut Vec<(&'static str, U256)>) {
    for (name, value) in args {
        member(name, value, found);
    }
}

fn member(name: &str, value: &Value, found: &mut Vec<(&'static str, U256)>) {
    match value {
        Value::String(number) => found.extend(expiry(name, number)),
        Value::Array(items) => items.iter().for_each(|item| member(name, item, found)),
        Value::Object(members) => {
            found.extend(of_user_operation(members));
            for (name, value) in members {
                member(name, value, found);
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

/// The functions of the Safe's ERC-4337 module, which reads the time window from the start of the signature:
/// `executeUserOp` and `executeUserOpWithErrorString`.
const SAFE_MODULE: [[u8; 4]; 2] = [[0x7b, 0xb3, 0x74, 0x28], [0x54, 0x1d, 0x63, 0xc8]];

/// ERC-4337 leaves `validUntil` to the paymaster and the account: where it is depends on them.
fn of_user_operation(members: &Map<String, Value>) -> Vec<(&'static str, U256)> {
    let bytes = |name: &str| members.get(name).and_then(bytes);
    let (Some(paymaster), Some(call), Some(signature)) =
        (bytes("paymasterAndData"), bytes("callData"), bytes("signature"))
    else {
        return Vec::new();
    };
    let by_account = call
        .first_chunk::<4>()
        .filter(|selector| SAFE_MODULE.contains(selector))
        .and_then(|_| signature.get(6..12))
        .map(U256::from_be_slice)
        // Zero is no end.
        .filter(|until| !until.is_zero());
    let by_paymaster = paymaster::valid_until(&paymaster);
    let until = by_account.into_iter().chain(by_paymaster);
    until.map(|at| ("validUntil", at)).collect()
}

/// The bytes of a hex text.
pub(super) fn bytes(value: &Value) -> Option<Bytes> {
    hex::data(value.as_str()?, "").ok()
}
