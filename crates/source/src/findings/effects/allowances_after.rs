//! `presight.effects.allowances-after`

use super::{decimal, hex, list, of_token, put_change, unread};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::effects::Part;
use presight_wire::kinds::Group;
use serde_json::{Value, json};

/// Allowances of the token that were written: `[{ owner, spender, keeper?, before, after, expiration? }]`, those of
/// the signer first. `keeper` is the Permit2 contract that holds the allowance, and `expiration` its end afterwards,
/// in Unix seconds. What the token or the keeper does not confirm is `presight.effects.claimed`.
#[derive(Debug)]
pub struct AllowancesAfter;

impl Kind for AllowancesAfter {
    fn name(&self) -> &'static str {
        "presight.effects.allowances-after"
    }

    fn group(&self) -> Group {
        Group::Token
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_token(context, entity, |simulated, token| {
            if let Some(why) = unread(simulated) {
                return Fact::only(Err(why.clone().into()));
            }
            let is_own = |owner| context.listed.actors.contains(owner);
            let effects = &simulated.effects;
            let allowances = effects.allowances.iter().filter(|a| a.token == token);
            let kept = allowances.filter_map(|allowance| {
                let mut value = json!({ "owner": hex(allowance.owner), "spender": hex(allowance.spender) });
                put_change(&mut value, allowance.amount.as_ref()?, decimal);
                Some((is_own(&allowance.owner), value))
            });
            let permit2 = effects.permit2.iter().filter(|a| a.token == token);
            let permit2 = permit2.filter_map(|allowance| {
                let mut value = json!({
                    "owner": hex(allowance.owner),
                    "spender": hex(allowance.spender),
                    "keeper": hex(allowance.contract),
                });
                put_change(&mut value, allowance.amount.as_ref()?, decimal);
                if let Some(expiration) = &allowance.expiration {
                    value["expiration"] = Value::from(expiration.after.to_string());
                }
                Some((is_own(&allowance.owner), value))
            });
            list(simulated, Part::Untold, kept.chain(permit2))
        })
    }
}
