//! `presight.effects.balance-changes`

use super::{decimal, hex, list, of_token, put_change};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::effects::Part;
use presight_wire::kinds::Group;
use serde_json::json;

/// Balances of the token that change for the signer, and for accounts that make calls in its name: `[{ account, id?,
/// before, after, told }]`; `id` is that of an ERC-1155 token, and `told` whether the events add up to the change. An
/// empty list: none was seen to change.
#[derive(Debug)]
pub struct BalanceChanges;

impl Kind for BalanceChanges {
    fn name(&self) -> &'static str {
        "presight.effects.balance-changes"
    }

    fn group(&self) -> Group {
        Group::Token
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_token(context, entity, |simulated, token| {
            let changes =
                simulated.effects.balances.iter().filter(|balance| {
                    balance.token == token && context.listed.actors.contains(&balance.account)
                });
            let items = changes.map(|change| {
                let mut value = json!({ "account": hex(change.account), "told": change.told });
                if let Some(id) = change.id {
                    value["id"] = decimal(id);
                }
                put_change(&mut value, &change.balance, decimal);
                (change.account == context.signer(), value)
            });
            list(simulated, Part::Untold, items)
        })
    }
}
