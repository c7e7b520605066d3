//! Messages that let an account, or a forwarder, make a call.

use super::effects::Meaning;
use super::form::Form;
use super::item::Item;
use crate::call::{Call, in_name_of, refund};
use crate::model::Operation;
use alloy_primitives::{Address, Bytes, U256};

/// What a message lets be executed.
#[derive(Debug, Default)]
pub(crate) enum Run {
    #[default]
    Nothing,
    /// A call, and the member of the message that holds its calldata.
    Call(Box<Call>, &'static str),
    /// Something that is not a call.
    Unknown,
}

/// What `message` does at `contract`. `None` where the members are not those of such a form.
pub(super) fn of(form: Form, members: &[Item<'_>], contract: Address) -> Option<Meaning> {
    match form {
        Form::SafeTransaction => safe_transaction(members, contract),
        Form::SafeUserOperation => safe_user_operation(members),
        Form::UserOperation => user_operation(members, contract),
        Form::MetaTransaction => meta_transaction(members, contract),
        Form::ForwardRequest => forward_request(members, contract),
        _ => None,
    }
}

/// The owners of a Safe sign what it executes; the Safe is the verifying contract.
fn safe_transaction(members: &[Item<'_>], safe: Address) -> Option<Meaning> {
    let [
        Item::Address(to),
        Item::Uint(value),
        Item::Bytes(data),
        Item::Uint(operation),
        _,
        _,
        Item::Uint(gas_price),
        Item::Address(gas_token),
        Item::Address(refund_receiver),
        _,
    ] = members
    else {
        return None;
    };
    let operation = match operation.try_into() {
        Ok(0_u8) => Some(Operation::Call),
        Ok(1) => Some(Operation::DelegateCall),
        _ => None,
    };
    let run = operation.map_or(Run::Unknown, |operation| {
        call(Call::new(safe, *to, *value, data.clone(), operation), "data")
    });
    let refund = (!gas_price.is_zero()).then(|| refund(safe, *gas_token, *refund_receiver));
    Some(Meaning {
        effects: refund.into_iter().collect(),
        run,
        ..Meaning::default()
    })
}

/// The entry point calls the Safe, whose module checks the signature.
fn safe_user_operation(members: &[Item<'_>]) -> Option<Meaning> {
    let [
        Item::Address(safe),
        _,
        _,
        Item::Bytes(data),
        ..,
        Item::Uint(valid_until),
        Item::Address(entry_point),
    ] = members
    else {
        return None;
    };
    Some(Meaning {
        // Zero is no end.
        deadline: Some(*valid_until).filter(|until| !until.is_zero()),
        run: call(of_entry_point(*entry_point, *safe, data), "callData"),
        ..Meaning::default()
    })
}

fn user_operation(members: &[Item<'_>], entry_point: Address) -> Option<Meaning> {
    let [Item::Address(sender), _, _, Item::Bytes(data), ..] = members else {
        return None;
    };
    Some(Meaning {
        run: call(of_entry_point(entry_point, *sender, data), "callData"),
        ..Meaning::default()
    })
}

fn meta_transaction(members: &[Item<'_>], contract: Address) -> Option<Meaning> {
    let [_, Item::Address(from), Item::Bytes(data)] = members else {
        return None;
    };
    let of_signer = Call::new(*from, contract, U256::ZERO, data.clone(), Operation::Call);
    Some(Meaning {
        owner: Some(("from", *from)),
        run: call(of_signer, "functionSignature"),
        ..Meaning::default()
    })
}

fn forward_request(members: &[Item<'_>], forwarder: Address) -> Option<Meaning> {
    let [
        Item::Address(from),
        Item::Address(to),
        Item::Uint(value),
        _,
        _,
        deadline @ ..,
        Item::Bytes(data),
    ] = members
    else {
        return None;
    };
    let deadline = match deadline {
        [Item::Uint(deadline)] => Some(*deadline),
        _ => None,
    };
    let forwarded = in_name_of(*from, forwarder, *to, *value, data.clone());
    Some(Meaning {
        deadline,
        owner: Some(("from", *from)),
        run: call(forwarded, "data"),
        ..Meaning::default()
    })
}

fn of_entry_point(entry_point: Address, account: Address, data: &Bytes) -> Call {
    Call::new(entry_point, account, U256::ZERO, data.clone(), Operation::Call)
}

fn call(call: Call, data_member: &'static str) -> Run {
    Run::Call(Box::new(call), data_member)
}
