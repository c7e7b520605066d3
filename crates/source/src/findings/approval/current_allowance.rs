//! `erc.presign.approval.current-allowance`

use super::amount;
use crate::context::Context;
use crate::kind::{Approved, Entity, Fact, Kind};
use presight_exec::reads;
use presight_view::Lookup;
use presight_wire::kinds::Group;
use presight_wire::report::Form;
use presight_wire::{NotRead, Read, Reason, Timestamp};
use serde_json::Value;

/// The allowance the spender already holds from the signer at the block (from the account whose allowance it is, when a
/// nested call grants that of a Safe or another account, which the note names), in base units as a decimal string;
/// for an approval for all `"all"` or `"0"` (I-25). An expired Permit2 allowance is the stored amount, and the
/// note names its expiration (I-39).
#[derive(Debug)]
pub struct CurrentAllowance;

impl Kind for CurrentAllowance {
    fn name(&self) -> &'static str {
        "erc.presign.approval.current-allowance"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        let grant = approved.grant;
        let held = current(context, approved);
        Fact::only(if grant.owner == context.signer() {
            held
        } else {
            held.map(|held| {
                held.with_note(format!(
                    "the allowance of {:#x}, which makes the call",
                    grant.owner
                ))
            })
        })
    }
}

fn current(context: &Context<'_>, approved: &Approved<'_>) -> Lookup<Read<Value>> {
    let Approved { approval, grant, .. } = *approved;
    let (view, chain) = (context.view, &approval.token.chain);
    let (owner, token, spender) = (grant.owner, approval.token.address, approval.spender.address);
    match approval.form {
        Form::ApprovalForAll => {
            let all = reads::is_approved_for_all(view, chain, token, owner, spender)?;
            Ok(all.map(|all| Value::from(if all { "all" } else { "0" })))
        }
        Form::Permit2Approve | Form::Permit2Permit if !grant.keeper_named => {
            let note = "the request does not name the Permit2 that keeps the allowance";
            Err(NotRead::new(Reason::Unsupported).with_note(note).into())
        }
        Form::Permit2Approve | Form::Permit2Permit => {
            let held = reads::permit2_allowance(view, chain, grant.keeper, owner, token, spender)?;
            let (expiration, now) = (held.value().expiration, view.block(chain)?.timestamp);
            let held = held.map(|held| Value::from(held.amount.to_string()));
            Ok(if expiration < now {
                let ended = i64::try_from(expiration)
                    .map_or_else(|_| expiration.to_string(), |s| Timestamp(s).to_string());
                held.with_note(format!("the stored allowance expired at {expiration} ({ended})"))
            } else {
                held
            })
        }
        Form::Erc20Approve | Form::Erc20Increase | Form::Erc2612Permit => {
            // Both are asked for before either may fail, so that one wave fetches what both need.
            let is_amount = amount(context, approved);
            let held = reads::allowance(view, chain, token, owner, spender);
            let (_, held) = (is_amount?, held?);
            Ok(held.map(|held| Value::from(held.to_string())))
        }
    }
}
