//! What the approvals grant (ERC-8481 §Approvals).

pub mod amount;
pub mod current_allowance;
pub mod expiry;
pub mod item;
pub mod owner_balance;
pub mod share_of_supply;
pub mod unlimited;

use crate::context::Context;
use crate::kind::Approved;
use alloy_primitives::U256;
use presight_decode::Amount;
use presight_exec::reads;
use presight_view::Lookup;
use presight_wire::report::Form;
use presight_wire::{NotRead, Read, Reason};

/// What the second argument of an approval means at the block.
pub(super) enum Argument {
    /// An amount of base units.
    Amount(Amount),
    /// The identifier of one ERC-721 item (I-36).
    Item(U256),
}

/// Whether an approval grants an amount or an item. Only for a plain `approve` does that depend on the contract
/// at the block (ERC-165); every other form says so itself.
pub(super) fn argument(context: &Context<'_>, approved: &Approved<'_>) -> Lookup<Read<Argument>> {
    let Approved { approval, grant, .. } = *approved;
    let (Form::Erc20Approve, Amount::Units { value, .. }) = (approval.form, grant.amount) else {
        return context.granted(approved, Argument::Amount(grant.amount));
    };
    let probe = reads::is_erc721(context.view, &approval.token.chain, approval.token.address)?;
    let granted = context.granted(approved, ())?.zip(probe);
    Ok(if granted.value().1 {
        granted
            .map(|_| Argument::Item(value))
            .with_note("the token is an ERC-721 (ERC-165)")
    } else {
        granted
            .map(|_| Argument::Amount(grant.amount))
            .with_note("the token is no ERC-721 (ERC-165)")
    })
}

/// The granted amount, where the approval grants one.
pub(super) fn amount(context: &Context<'_>, approved: &Approved<'_>) -> Lookup<Read<Amount>> {
    let argument = argument(context, approved)?;
    match *argument.value() {
        Argument::Amount(amount) => Ok(argument.map(|_| amount)),
        Argument::Item(_) => Err(item_not_amount(&argument).into()),
    }
}

fn item_not_amount(argument: &Read<Argument>) -> NotRead {
    NotRead {
        reason: Reason::Unsupported,
        at: argument.at().cloned(),
        evidence: argument.evidence().to_vec(),
        note: Some("the token is an ERC-721: the argument of approve is an item, not an amount".into()),
    }
}
