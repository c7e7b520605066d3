//! `presight.effects.code-changes`

use super::{hex, list, of_request, put_change};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::delegation::AccountCode;
use presight_exec::effects::Part;
use presight_wire::kinds::Group;
use serde_json::json;

/// Code that appears, changes or goes: `[{ account, before, after, destroyed }]`, with `none`, `contract` or `{
/// delegate }`. The two are equal for a contract that was created in the place of another.
#[derive(Debug)]
pub struct CodeChanges;

impl Kind for CodeChanges {
    fn name(&self) -> &'static str {
        "presight.effects.code-changes"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_request(context, entity, |simulated| {
            let items = simulated.effects.code.iter().map(|change| {
                let mut value = json!({ "account": hex(change.account), "destroyed": change.destroyed });
                put_change(&mut value, &change.code, |code| match code {
                    AccountCode::None => json!("none"),
                    AccountCode::Contract => json!("contract"),
                    AccountCode::Delegated(delegate) => json!({ "delegate": hex(delegate) }),
                });
                (change.account == context.signer(), value)
            });
            list(simulated, Part::Code, items)
        })
    }
}
