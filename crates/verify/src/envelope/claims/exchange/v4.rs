//! The actions of a V4 swap: money moves where a debt is settled or a credit is taken.

use super::universal::{CONTRACT_BALANCE, argument, exactly, payee};
use super::{Flow, Party, currency};
use crate::envelope::claims::moved::Units;
use alloy_primitives::{Address, B256, Bytes, U256};
use presight_decode::Command;

/// Swaps: what they owe and earn is settled and taken by other actions.
const SWAPS: std::ops::RangeInclusive<u8> = 0x06..=0x09;
const SETTLE: u8 = 0x0b;
const SETTLE_ALL: u8 = 0x0c;
const TAKE: u8 = 0x0e;
const TAKE_ALL: u8 = 0x0f;
const TAKE_PORTION: u8 = 0x10;

/// Whether each action is read.
pub(super) fn is_read(command: &Command) -> bool {
    steps(command).is_some_and(|steps| steps.iter().all(|(action, params)| of(*action, params).is_some()))
}

/// What the actions pay.
pub(super) fn flows(command: &Command) -> Vec<Flow> {
    let steps = steps(command).unwrap_or_default();
    let flows = steps.iter().filter_map(|(action, params)| of(*action, params));
    flows.flatten().collect()
}

fn steps(command: &Command) -> Option<Vec<(u8, Bytes)>> {
    let bytes = |value: &serde_json::Value| value.as_str()?.parse::<Bytes>().ok();
    let actions = bytes(argument(command, "actions")?)?;
    let params = argument(command, "params")?.as_array()?;
    if actions.len() != params.len() {
        return None;
    }
    let steps = actions.iter().zip(params);
    steps
        .map(|(action, params)| Some((*action, bytes(params)?)))
        .collect()
}

/// What an action pays; `None` where it is not understood.
fn of(action: u8, params: &[u8]) -> Option<Option<Flow>> {
    let pulled = |token: Address, units: Units| Flow::pulled(Some(currency(token)), Party::Caller, units);
    let taken =
        |token: Address, to: Party, units: Units| Flow::paid(Some(currency(token)), Party::Pools, to, units);
    let flow = match action {
        SETTLE => {
            let (token, amount, by_user) = (account(params, 0)?, number(params, 1)?, number(params, 2)?);
            let unsaid = amount.is_zero() || amount == CONTRACT_BALANCE;
            let units = if unsaid { Units::Unsaid } else { exactly(amount) };
            // The native asset is paid out of what the router was sent.
            (!by_user.is_zero() && !token.is_zero()).then(|| pulled(token, units))
        }
        SETTLE_ALL => {
            let (token, most) = (account(params, 0)?, number(params, 1)?);
            (!token.is_zero()).then(|| pulled(token, Units::AtMost(most)))
        }
        TAKE => {
            let (token, to, amount) = (account(params, 0)?, account(params, 1)?, number(params, 2)?);
            let units = if amount.is_zero() {
                Units::Unsaid
            } else {
                exactly(amount)
            };
            Some(taken(token, payee(to), units))
        }
        TAKE_ALL => {
            let (token, least) = (account(params, 0)?, number(params, 1)?);
            Some(taken(token, Party::Caller, Units::AtLeast(least)))
        }
        TAKE_PORTION => {
            let (token, to) = (account(params, 0)?, account(params, 1)?);
            Some(taken(token, payee(to), Units::Unsaid))
        }
        action if SWAPS.contains(&action) => None,
        _ => return None,
    };
    Some(flow)
}

/// The argument at this place.
fn number(params: &[u8], index: usize) -> Option<U256> {
    params.get(index * 32..index * 32 + 32).map(U256::from_be_slice)
}

fn account(params: &[u8], index: usize) -> Option<Address> {
    let word = B256::from(number(params, index)?);
    let (padding, address) = word.split_at(12);
    padding
        .iter()
        .all(|byte| *byte == 0)
        .then(|| Address::from_slice(address))
}
