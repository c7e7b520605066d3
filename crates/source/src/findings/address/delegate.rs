//! `erc.presign.address.delegate-single-caller` and `erc.presign.address.delegate-unbounded-outflow`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::Address;
use presight_delegate as delegate;
use presight_exec::delegation::AccountCode;
use presight_exec::reads;
use presight_view::{Lookup, Unread};
use presight_wire::kinds::Group;
use presight_wire::{AccountId, Evidence, NotRead, Read, Reason};
use serde_json::Value;

/// Whether every function of the delegate that can move value is for one fixed address and for no other outsider.
/// Read only when the analysis established it (ERC-8481 §Addresses); about the delegate after the request's list.
#[derive(Debug)]
pub struct SingleCaller;

/// Whether an outsider can send the account's whole balance, of native value or a token, to a recipient it chooses
/// in one call. `false` is no bound on what several calls send.
#[derive(Debug)]
pub struct UnboundedOutflow;

impl Kind for SingleCaller {
    fn name(&self) -> &'static str {
        "erc.presign.address.delegate-single-caller"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        read(context, entity, |analysis| {
            (&analysis.single_caller, analysis.callers.as_slice())
        })
    }
}

impl Kind for UnboundedOutflow {
    fn name(&self) -> &'static str {
        "erc.presign.address.delegate-unbounded-outflow"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        read(context, entity, |analysis| {
            (&analysis.unbounded_outflow, analysis.outflow.as_slice())
        })
    }
}

/// One of the facts of a delegated account; nothing for an account that is not delegated.
fn read(
    context: &Context<'_>,
    entity: &Entity<'_>,
    of: impl Fn(&delegate::Analysis) -> (&delegate::Fact, &[delegate::Witness]),
) -> Vec<Fact> {
    let Entity::Address(address) = entity else {
        return Vec::new();
    };
    let account = &address.address;
    let code = match context.code_after(account) {
        Ok(code) => code,
        // Whether it applies was not read: neither was it (I-13).
        Err(unread) => return Fact::only(Err(unread)),
    };
    let AccountCode::Delegated(to) = *code.value() else {
        return Vec::new();
    };
    let found = analysed(context, account, to, &code);
    Fact::only(found.and_then(|(analysis, rests_on)| {
        let (fact, witnesses) = of(&analysis);
        reading(account, fact, witnesses, &analysis, &rests_on)
    }))
}

/// Who outside can make a delegate move something.
pub(super) enum Caller {
    /// This one address and nobody else.
    Only(Address),
    /// Nobody, or more than one.
    NotOne,
}

/// The only outsider whom the delegate of a delegated account obeys. Not read where `delegate-single-caller` is not.
pub(super) fn only_caller(context: &Context<'_>, account: &AccountId) -> Lookup<Caller> {
    let code = context.code_after(account)?;
    let AccountCode::Delegated(to) = *code.value() else {
        return Err(Reason::Unavailable.into());
    };
    let (analysis, _) = analysed(context, account, to, &code)?;
    match (&analysis.single_caller, analysis.callers.as_slice()) {
        (delegate::Fact::Read(false), _) => Ok(Caller::NotOne),
        (delegate::Fact::Read(true), [witness]) => Ok(Caller::Only(witness.call.caller)),
        _ => Err(Reason::Incomplete.into()),
    }
}

/// The analysis, and the codes it is of.
fn analysed(
    context: &Context<'_>,
    account: &AccountId,
    to: Address,
    code: &Read<AccountCode>,
) -> Lookup<(delegate::Analysis, Read<()>)> {
    let runtime = reads::code(context.view, &account.chain, to)?;
    let world = delegate::ViewAccount::new(context.view, &account.chain, account.address)?;
    let analysis = delegate::analyse(&world, to, runtime.value(), delegate::Limits::default())?;
    Ok((analysis, code.clone().zip(runtime).map(|_| ())))
}

fn reading(
    account: &AccountId,
    fact: &delegate::Fact,
    witnesses: &[delegate::Witness],
    analysis: &delegate::Analysis,
    rests_on: &Read<()>,
) -> Lookup<Read<Value>> {
    let at = rests_on.at().cloned();
    let mut evidence = rests_on.evidence().to_vec();
    let Some(block) = at else {
        return Err(Reason::Unavailable.into());
    };
    match fact {
        delegate::Fact::Read(value) => {
            let callers: Vec<String> = witnesses
                .iter()
                .map(|w| format!("{:#x}", w.call.caller))
                .collect();
            evidence.extend(witnesses.iter().map(|witness| Evidence::Call {
                at: block.clone(),
                to: account.clone(),
                data: witness.call.data.clone(),
                result: witness.result.clone(),
            }));
            let mut note = analysis.note.clone();
            if !callers.is_empty() {
                note = format!(
                    "{note}; executed with balances of our own, as calls of {}",
                    callers.join(" and ")
                );
            }
            Ok(Read::from_chain(Value::Bool(*value), block, evidence).with_note(note))
        }
        delegate::Fact::NotRead(why) => Err(Unread::NotRead(NotRead {
            reason: Reason::Incomplete,
            at: Some(block),
            evidence,
            note: Some(why.clone()),
        })),
    }
}
