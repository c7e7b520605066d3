//! `validUntil` of ERC-4337 operations. The entry point leaves it to the paymaster and to the account: where it is
//! written depends on them. Read is what has a layout that leaves no doubt; of the rest it is said that it was not.

use super::arguments::bytes;
use super::reader::Reader;
use alloy_primitives::{Address, U256};
use serde_json::{Map, Value};

const VALID_UNTIL: &str = "validUntil";

/// Bytes before a paymaster's own data: its address, and in packed operations two gas limits.
const UNPACKED: usize = 20;
const PACKED: usize = 52;
/// The data of ERC-4337's sample verifying paymaster: two words, the times, and a signature, perhaps compact
/// (ERC-2098) or not there yet.
const SAMPLE: [usize; 3] = [64, 64 + 64, 64 + 65];
/// The bytes of a word above a `uint48`.
const ABOVE: [u8; 26] = [0; 26];

/// The functions of the Safe's ERC-4337 module, which reads the time window from the start of the signature:
/// `executeUserOp` and `executeUserOpWithErrorString`.
const SAFE_MODULE: [[u8; 4]; 2] = [[0x7b, 0xb3, 0x74, 0x28], [0x54, 0x1d, 0x63, 0xc8]];

/// What bytes say of an end.
#[derive(Debug, PartialEq, Eq)]
enum End {
    At(U256),
    /// There is no room for one, or it says that there is none.
    None,
    Unknown,
}

/// Reads the members of an operation, or of the message that signs one. Others have no `paymasterAndData`.
pub(super) fn read(members: &Map<String, Value>, reader: &mut Reader) {
    let Some(paymaster) = members.get("paymasterAndData").and_then(bytes) else {
        return;
    };
    let sender = ["sender", "safe"]
        .iter()
        .find_map(|name| members.get(*name)?.as_str());
    let sender = sender.unwrap_or_default();
    match of_paymaster(&paymaster, prefixes(members)) {
        End::At(at) => reader.found.push((VALID_UNTIL, at)),
        End::None => {}
        End::Unknown => {
            let named = paymaster.first_chunk().map(Address::from);
            let named = named.map_or(String::new(), |address| format!(" {address:#x}"));
            reader.unknown.insert(format!(
                "the data of the paymaster{named} of a user operation of {sender} may hold an expiry: no known layout \
                 names its end"
            ));
        }
    }
    let (Some(call), Some(signature)) = (
        members.get("callData").and_then(bytes),
        members.get("signature").and_then(bytes),
    ) else {
        return;
    };
    match of_account(&call, &signature) {
        End::At(at) => reader.found.push((VALID_UNTIL, at)),
        End::None => {}
        End::Unknown => {
            reader.unknown.insert(format!(
                "the signature of a user operation of {sender} may hold an expiry: its layout is the account's own"
            ));
        }
    }
}

/// Packed operations (from entry point 0.7 on) have their gas limits in one word; a message of the Safe's module
/// does not tell.
fn prefixes(members: &Map<String, Value>) -> &'static [usize] {
    if members.contains_key("accountGasLimits") {
        &[PACKED]
    } else if members.contains_key("safe") {
        &[UNPACKED, PACKED]
    } else {
        &[UNPACKED]
    }
}

/// Without a paymaster there is no end. The sample's zero is none either, and the paymaster's code may still have one.
fn of_paymaster(paymaster_and_data: &[u8], prefixes: &[usize]) -> End {
    if paymaster_and_data.is_empty() {
        return End::None;
    }
    let data = prefixes.iter().find_map(|prefix| {
        let data = paymaster_and_data.get(*prefix..)?;
        SAMPLE.contains(&data.len()).then_some(data)
    });
    let window = data.and_then(|data| {
        let time = |word: &[u8]| word.strip_prefix(&ABOVE).map(U256::from_be_slice);
        Some((time(data.get(..32)?)?, time(data.get(32..64)?)?))
    });
    match window {
        Some((until, after)) if !until.is_zero() && after <= until => End::At(until),
        _ => End::Unknown,
    }
}

fn of_account(call: &[u8], signature: &[u8]) -> End {
    let by_safe = call
        .first_chunk()
        .is_some_and(|selector| SAFE_MODULE.contains(selector));
    match (by_safe, signature) {
        (true, [_, _, _, _, _, _, until @ ..]) if until.len() >= 6 => {
            let until = U256::from_be_slice(&until[..6]);
            if until.is_zero() {
                End::None
            } else {
                End::At(until)
            }
        }
        // Not signed yet, or nothing but a signature.
        (_, []) => End::None,
        (false, signature) if signature.len() == 64 => End::None,
        (false, [signature @ .., 0 | 1 | 27 | 28]) if signature.len() == 64 => End::None,
        _ => End::Unknown,
    }
}
