//! MultiSend of Safe: calls packed one after another.

use super::{Frame, NOT_UNDERSTOOD, Nested, SELF_TARGET, operation};
use crate::call::Call;
use crate::call::calldata::Oddity;
use crate::call::loads::MAX_MISSING;
use alloy_primitives::{Address, Bytes, U256, address};

/// MultiSend and MultiSendCallOnly as Safe deploys them, versions 1.1.1 to 1.4.1 and, last, 1.5.0.
pub(super) const DEPLOYMENTS: [Address; 13] = [
    address!("0x8D29bE29923b68abfDD21e541b9374737B49cdAD"),
    address!("0xA238CBeb142c10Ef7Ad8442C6D1f9E89e07e7761"),
    address!("0x998739BFdAAdde7C933B942a68053933098f9EDa"),
    address!("0x0dFcccB95225ffB03c6FBB2559B530C2B7C8A912"),
    address!("0x40A2aCCbd92BCA938b02010E17A5b8929b49130D"),
    address!("0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B"),
    address!("0xf220D3b4DFb23C4ade8C88E526C1353AbAcbC38F"),
    address!("0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526"),
    address!("0x309D0B190FeCCa8e1D5D8309a16F7e3CB133E885"),
    address!("0x9641d764fc13c8B624c04430C7356C1C7C8102e2"),
    address!("0x0408EF011960d02349d50286D20531229BCef773"),
    V1_5,
    V1_5_CALL_ONLY,
];

// From 1.5.0 on the zero address stands for the account.
const V1_5: Address = address!("0x218543288004CD07832472D464648173c77D7eB7");
const V1_5_CALL_ONLY: Address = address!("0xA83c336B20401Af773B6219BA5027174338D1836");

/// The contract copies the list and reads zeros beyond it, so that what is cut off runs all the same.
const SHORT_TRANSACTIONS: Oddity = Oddity::of_data(
    "short-transactions",
    "the packed calls end within the last one; missing bytes are read as zeros",
);
/// What a call takes before its data.
const HEAD: usize = 1 + 20 + 32 + 32;

/// Reads `operation (1) ‖ to (20) ‖ value (32) ‖ length (32) ‖ data`, repeated. What is missing of the last
/// call is zeros; what comes before a part that is not understood is still shown.
pub(super) fn calls(transactions: &Bytes, frame: Frame) -> Nested {
    let mut nested = Nested::default();
    let mut rest = transactions.clone();
    while !rest.is_empty() {
        let Some((call, length)) = first(&rest, frame) else {
            nested.oddities.push(NOT_UNDERSTOOD);
            break;
        };
        if length > rest.len() {
            nested.oddities.push(SHORT_TRANSACTIONS);
        }
        rest = rest.slice(length.min(rest.len())..);
        nested.calls.push(call);
    }
    if matches!(frame.to, V1_5 | V1_5_CALL_ONLY) {
        for call in nested.calls.iter_mut().filter(|call| call.to.is_zero()) {
            call.to = frame.account();
            if !nested.oddities.contains(&SELF_TARGET) {
                nested.oddities.push(SELF_TARGET);
            }
        }
    }
    nested
}

/// The first packed call, and how many bytes it takes, missing ones included.
fn first(bytes: &Bytes, frame: Frame) -> Option<(Call, usize)> {
    let head = padded(bytes, HEAD);
    let (number, rest) = head.split_first()?;
    let (to, rest) = rest.split_first_chunk::<20>()?;
    let (value, rest) = rest.split_first_chunk::<32>()?;
    let length = rest.first_chunk::<32>()?;
    let length = usize::try_from(U256::from_be_bytes(*length)).ok()?;
    let end = HEAD.checked_add(length)?;
    if end.saturating_sub(bytes.len()) > MAX_MISSING {
        return None;
    }
    let data = padded(bytes, end).slice(HEAD..);
    let value = U256::from_be_bytes(*value);
    let call = frame.run(Address::from(*to), value, &data, operation(*number)?);
    Some((call, end))
}

/// The bytes up to `end`, with zeros for what is missing.
fn padded(bytes: &Bytes, end: usize) -> Bytes {
    if end <= bytes.len() {
        return bytes.slice(..end);
    }
    let mut whole = bytes.to_vec();
    whole.resize(end, 0);
    whole.into()
}
