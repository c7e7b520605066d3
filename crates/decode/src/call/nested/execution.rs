//! The execution modes of ERC-7579 and ERC-7821.

use super::abi::Execution;
use super::{Frame, Nested, SELF_TARGET};
use crate::call::calldata;
use crate::model::Operation;
use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::sol_data;

/// ERC-7579: the first byte of a mode.
const SINGLE: u8 = 0x00;
const BATCH: u8 = 0x01;
const DELEGATECALL: u8 = 0xff;
/// ERC-7821: bytes 6 to 9 of the mode of a batch of batches.
const BATCH_OF_BATCHES: [u8; 4] = [0x78, 0x21, 0x00, 0x02];

/// The calls of `execute(mode, data)`. Whether a failed call reverts the others, the second byte of the mode, does
/// not matter here.
pub(super) fn calls(mode: B256, data: &Bytes, frame: Frame) -> Nested {
    let calls = match mode[0] {
        SINGLE => single(data, frame),
        BATCH if mode[6..10] == BATCH_OF_BATCHES => batches(data, frame),
        BATCH => batch(data, frame),
        DELEGATECALL => delegated(data, frame),
        _ => None,
    };
    calls.unwrap_or_else(Nested::not_understood)
}

/// `target (20) ‖ value (32) ‖ data`.
fn single(packed: &Bytes, frame: Frame) -> Option<Nested> {
    let (target, rest) = packed.split_first_chunk::<20>()?;
    let (value, data) = rest.split_first_chunk::<32>()?;
    let value = U256::from_be_bytes(*value);
    let call = frame.call(Address::from(*target), value, &packed.slice_ref(data));
    Some(Nested::one(call))
}

/// `target (20) ‖ data`.
fn delegated(packed: &Bytes, frame: Frame) -> Option<Nested> {
    let (target, data) = packed.split_first_chunk::<20>()?;
    let data = packed.slice_ref(data);
    let call = frame.run(Address::from(*target), U256::ZERO, &data, Operation::DelegateCall);
    Some(Nested::one(call))
}

/// `abi.encode(calls)`, or `abi.encode(calls, opData)`: the calls are found by the first word in both.
fn batch(data: &[u8], frame: Frame) -> Option<Nested> {
    let (calls,) = calldata::decode::<(sol_data::Array<Execution>,)>(data)?;
    let mut nested = Nested::default();
    for Execution {
        target,
        value,
        callData,
    } in &calls
    {
        let target = if target.is_zero() {
            nested.oddities = vec![SELF_TARGET];
            frame.account()
        } else {
            *target
        };
        nested.calls.push(frame.call(target, *value, callData));
    }
    Some(nested)
}

/// `abi.encode(bytes[])`, each a batch. A batch that cannot be read does not hide the others.
fn batches(data: &[u8], frame: Frame) -> Option<Nested> {
    let (batches,) = calldata::decode::<(sol_data::Array<sol_data::Bytes>,)>(data)?;
    let mut nested = Nested::default();
    for data in &batches {
        nested.append(batch(data, frame).unwrap_or_else(Nested::not_understood));
    }
    nested.oddities.sort_by_key(|oddity| oddity.code);
    nested.oddities.dedup();
    Some(nested)
}
