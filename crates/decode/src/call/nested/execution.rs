//! The execution modes of ERC-7579 and ERC-7821.

use super::abi::Execution;
use super::{Frame, Nested, SELF_TARGET};
use crate::call::budget::Budget;
use crate::call::calldata::{self, Oddity};
use crate::call::loads::{Loads, SELECTOR, WORD};
use crate::model::Operation;
use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::sol_data;

/// ERC-7579: the first byte of a mode.
const SINGLE: u8 = 0x00;
const BATCH: u8 = 0x01;
const DELEGATECALL: u8 = 0xff;
/// ERC-7821: bytes 6 to 9 of the mode of a batch of batches.
const BATCH_OF_BATCHES: [u8; 4] = [0x78, 0x21, 0x00, 0x02];

/// Solady's ERC7821 reads a batch in assembly, without a check of where its offsets point.
const UNCHECKED_OFFSETS: Oddity = Oddity::of_data(
    "unchecked-offsets",
    "the batch points outside its bytes: an account that does not check its offsets makes these calls, others revert",
);

/// The calls of `execute(mode, data)`. Whether a failed call reverts the others, the second byte of the mode, does
/// not matter here.
pub(super) fn calls(mode: B256, data: &Bytes, calldata: &Bytes, frame: Frame) -> Nested {
    let loads = Loads(calldata);
    let place = || loads.argument(U256::from(SELECTOR), 1);
    let calls = match mode[0] {
        SINGLE => single(data, frame),
        BATCH if mode[6..10] == BATCH_OF_BATCHES => batches(data, loads, place(), frame),
        BATCH => {
            batch(data, frame).or_else(|| unchecked_batch(loads, place(), &mut Budget::default(), frame))
        }
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
    for call in &calls {
        nested.execute(call.target, call.value, &call.callData, frame);
    }
    Some(nested)
}

/// The batch at `place` of the calldata as it is read without checks; what is beyond the budget is left out. An
/// account that checks would revert, so it is not understood for sure.
fn unchecked_batch(loads: Loads<'_>, place: U256, budget: &mut Budget, frame: Frame) -> Option<Nested> {
    let array = place.wrapping_add(loads.word(place));
    let count = usize::try_from(loads.word(array)).ok()?;
    let elements = array.wrapping_add(WORD);
    let mut nested = Nested::not_understood();
    for index in 0..count {
        let offset = loads.word(elements.wrapping_add(U256::from(index) * WORD));
        let call = elements.wrapping_add(offset);
        let member = |index: u64| call.wrapping_add(U256::from(index) * WORD);
        let data = call.wrapping_add(loads.word(member(2)));
        let target = Address::from_word(loads.word(call).into());
        // The account runs out of memory here.
        let Some(data) = loads.bytes(data.wrapping_add(WORD), loads.word(data)) else {
            break;
        };
        if budget.enter(0, data.len()).is_err() {
            break;
        }
        nested.execute(target, loads.word(member(1)), &data, frame);
    }
    if !nested.calls.is_empty() {
        nested.oddities.push(UNCHECKED_OFFSETS);
    }
    Some(nested)
}

/// `abi.encode(bytes[])` at `place` of the calldata, each a batch. A batch that cannot be read does not hide the others.
fn batches(data: &[u8], loads: Loads<'_>, place: U256, frame: Frame) -> Option<Nested> {
    let (batches,) = calldata::decode::<(sol_data::Array<sol_data::Bytes>,)>(data)?;
    let mut nested = Nested::default();
    let mut budget = Budget::default();
    for (index, data) in batches.iter().enumerate() {
        let batch = batch(data, frame)
            .or_else(|| unchecked_batch(loads, loads.element(place, 0, index), &mut budget, frame));
        nested.append(batch.unwrap_or_else(Nested::not_understood));
    }
    nested.oddities.sort_by_key(|oddity| oddity.code);
    nested.oddities.dedup();
    Some(nested)
}

impl Nested {
    /// Adds a call of a batch, in which the zero address is the account itself (ERC-7821).
    fn execute(&mut self, target: Address, value: U256, data: &Bytes, frame: Frame) {
        let target = if target.is_zero() {
            if !self.oddities.contains(&SELF_TARGET) {
                self.oddities.push(SELF_TARGET);
            }
            frame.account()
        } else {
            target
        };
        self.calls.push(frame.call(target, value, data));
    }
}
