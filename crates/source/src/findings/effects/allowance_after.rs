//! `presight.effects.allowance-after`

use super::{decimal, hex, of, put_change};
use crate::context::Context;
use crate::kind::Approved;
use crate::kind::{Entity, Fact, Kind};
use crate::simulation::Simulated;
use alloy_primitives::U256;
use presight_decode::Amount;
use presight_exec::effects::Part;
use presight_exec::simulate::{Change, Status};
use presight_view::Lookup;
use presight_wire::kinds::Group;
use presight_wire::report::Form;
use presight_wire::{NotRead, Read, Reason};
use serde_json::{Value, json};

/// What the simulated calls leave of the allowance: `{ before, after }`, in the smallest unit or `all` and `0` for an
/// approval for all; addresses, the zero address being nobody, for an item of an ERC-721; or `unchanged`, when the
/// call fails and no other writes it. Omitted for what a signature alone grants.
#[derive(Debug)]
pub struct AllowanceAfter;

impl Kind for AllowanceAfter {
    fn name(&self) -> &'static str {
        "presight.effects.allowance-after"
    }

    fn group(&self) -> Group {
        Group::Approval
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Approval(approved) = entity else {
            return Vec::new();
        };
        if approved.approval.call_index.is_none() && !approved.simulated {
            return Vec::new();
        }
        of(context, |simulated| Fact::only(after(simulated, approved)))
    }
}

fn after(simulated: &Simulated, approved: &Approved<'_>) -> Lookup<Read<Value>> {
    let grant = approved.grant;
    let effects = &simulated.effects;
    if let Some(why) = effects.unread.get(&grant.keeper) {
        return Err(why.clone().into());
    }
    let (token, spender) = (approved.approval.token.address, approved.approval.spender.address);
    let parties = (token, grant.owner, spender);
    match approved.approval.form {
        Form::ApprovalForAll => {
            let mut written = effects.operators.iter();
            let written = written.find(|o| (o.token, o.owner, o.operator) == parties);
            let word = |approved| Value::from(if approved { "all" } else { "0" });
            left(simulated, approved, written.map(|o| o.approved.as_ref()), word)
        }
        Form::Permit2Approve | Form::Permit2Permit => {
            let mut written = effects.permit2.iter().filter(|a| a.contract == grant.keeper);
            let written = written.find(|a| (a.token, a.owner, a.spender) == parties);
            left(simulated, approved, written.map(|a| a.amount.as_ref()), decimal)
        }
        Form::Erc20Approve | Form::Erc20Increase | Form::Erc2612Permit => {
            let mut items = effects.items.iter();
            let item = items.find(|item| item.token == token && grant.amount == units(item.id));
            if let Some(item) = item.filter(|item| item.approved.is_some()) {
                return left(simulated, approved, Some(item.approved.as_ref()), hex);
            }
            let mut written = effects.allowances.iter();
            let written = written.find(|a| (a.token, a.owner, a.spender) == parties);
            left(simulated, approved, written.map(|a| a.amount.as_ref()), decimal)
        }
    }
}

fn units(value: U256) -> Amount {
    Amount::Units {
        value,
        max: U256::MAX,
    }
}

/// The outer `None`: nothing was seen to write it. The inner one: its keeper did not answer.
fn left<T: Copy>(
    simulated: &Simulated,
    approved: &Approved<'_>,
    written: Option<Option<&Change<T>>>,
    word: impl Fn(T) -> Value,
) -> Lookup<Read<Value>> {
    let not_read = |why: &str| Err(NotRead::new(Reason::Unavailable).with_note(why).into());
    let ended = approved
        .approval
        .call_index
        .and_then(|index| simulated.outcome.calls.get(index));
    match written {
        Some(Some(change)) => {
            let mut value = json!({});
            put_change(&mut value, change, word);
            Ok(simulated.read(value, None))
        }
        Some(None) => not_read("the contract that keeps it does not answer"),
        None if ended.is_some_and(|end| end.status != Status::Success)
            && !simulated.effects.not_read.contains(&Part::Untold) =>
        {
            Ok(simulated.read(Value::from("unchanged"), None))
        }
        None => not_read("nothing was seen to write it"),
    }
}
