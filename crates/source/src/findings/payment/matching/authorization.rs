//! The payment that would be signed or sent against the requirements.

use super::{Pair, Sides, pair};
use crate::payment::signed::{self, Paid};
use alloy_primitives::{Address, U256};
use presight_wire::{NotRead, Read, Reason};
use serde_json::Value;

/// `authorization.to=payTo`: of several payments the first receiver that is not `payTo` (I-43).
pub(super) fn to(sides: &Sides<'_>) -> Pair {
    let pay_to = sides.requirements.pay_to()?;
    compared(sides, |paid| {
        let pay_to = pay_to?;
        let to: Vec<Address> = paid.iter().map(receiver).collect::<Result<_, _>>()?;
        let other = to.into_iter().find(|to| *to != pay_to.value);
        let left = other.unwrap_or(pay_to.value);
        Ok(pair(format!("{left:#x}"), pay_to.text, other.is_none()))
    })
}

/// `authorization.value=amount`: of several payments the sum to `payTo` (I-43).
pub(super) fn value(sides: &Sides<'_>) -> Pair {
    let amount = sides.requirements.amount()?;
    compared(sides, |paid| {
        let amount = amount?;
        let left = match paid {
            [one] => one.amount,
            several => {
                let pay_to = sides
                    .requirements
                    .pay_to()
                    .ok_or_else(|| unavailable("no `payTo` says whose payments to add up"))??;
                sum(several, pay_to.value)?
            }
        };
        Ok(pair(left.to_string(), amount.text, left == amount.value))
    })
}

fn compared(sides: &Sides<'_>, compare: impl FnOnce(&[Paid]) -> Result<Value, NotRead>) -> Pair {
    let paid = match signed::payments(sides.context, &sides.requirements) {
        Ok(paid) if paid.is_empty() => return None,
        Ok(paid) => paid,
        Err(not_read) => return Some(Err(not_read.into())),
    };
    let value = match compare(&paid) {
        Ok(value) => value,
        Err(not_read) => return Some(Err(not_read.into())),
    };
    let read = Read::from_request(value);
    Some(Ok(match paid.as_slice() {
        [_] => read,
        several => read.with_note(listed(several)),
    }))
}

fn sum(paid: &[Paid], to: Address) -> Result<U256, NotRead> {
    let mut sum = U256::ZERO;
    for paid in paid {
        if receiver(paid)? == to {
            sum = sum
                .checked_add(paid.amount)
                .ok_or_else(|| unavailable("the payments add up to more than 2^256"))?;
        }
    }
    Ok(sum)
}

/// Who is paid, where the bytes say it.
fn receiver(paid: &Paid) -> Result<Address, NotRead> {
    paid.to.ok_or_else(|| {
        NotRead::new(Reason::Unsupported).with_note("Permit2: whoever may take it chooses who is paid")
    })
}

/// Payments that a note spells out.
const MAX_NAMED: usize = 8;

fn listed(paid: &[Paid]) -> String {
    let named: Vec<String> = paid
        .iter()
        .take(MAX_NAMED)
        .map(|paid| match paid.to {
            Some(to) => format!("{} to {to:#x}", paid.amount),
            None => format!("{} to whom its spender chooses", paid.amount),
        })
        .collect();
    let more = match paid.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} payments: {}{more}", paid.len(), named.join(", "))
}

fn unavailable(why: &str) -> NotRead {
    NotRead::new(Reason::Unavailable).with_note(why)
}
