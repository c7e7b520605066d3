//! `presight.effects.claimed`

use super::{decimal, hex, listed, of_token, unread};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::effects::Standing;
use presight_wire::kinds::Group;
use serde_json::json;

/// What events of the token, or of a Permit2 contract about it, say and the state does not bear out: `[{ event, …,
/// standing }]` with `event` `transfer` (`from`, `to`, `id?`, `amount`), `allowance` (`owner`, `spender`, `keeper?`,
/// `amount?`), `operator` (`owner`, `operator`, `approved`) or `item` (`id`, `approved`). The standing is `claimed,
/// not observed`, `claimed, not confirmed` when the contract does not answer, or `differs`.
#[derive(Debug)]
pub struct Claimed;

impl Kind for Claimed {
    fn name(&self) -> &'static str {
        "presight.effects.claimed"
    }

    fn group(&self) -> Group {
        Group::Token
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_token(context, entity, |simulated, token| {
            if let Some(why) = unread(simulated) {
                return Fact::only(Err(why.clone().into()));
            }
            let effects = &simulated.effects;
            let is_own = |account| context.listed.actors.contains(account);
            let denied = |standing| standing != Standing::Observed;
            let transfers = effects
                .transfers
                .iter()
                .filter(|t| t.token == token && denied(t.standing));
            let transfers = transfers.map(|t| {
                let mut value = json!({
                    "event": "transfer",
                    "from": hex(t.from),
                    "to": hex(t.to),
                    "amount": decimal(t.amount),
                    "standing": t.standing.as_str(),
                });
                if let Some(id) = t.asset.id() {
                    value["id"] = decimal(id);
                }
                (is_own(&t.from) || is_own(&t.to), value)
            });
            let allowances = effects
                .allowances
                .iter()
                .filter(|a| a.token == token && denied(a.standing));
            let allowances = allowances.map(|a| {
                let mut value = json!({
                    "event": "allowance",
                    "owner": hex(a.owner),
                    "spender": hex(a.spender),
                    "standing": a.standing.as_str(),
                });
                if let Some(told) = a.told {
                    value["amount"] = decimal(told);
                }
                (is_own(&a.owner), value)
            });
            let permit2 = effects
                .permit2
                .iter()
                .filter(|a| a.token == token && denied(a.standing));
            let permit2 = permit2.map(|a| {
                let value = json!({
                    "event": "allowance",
                    "owner": hex(a.owner),
                    "spender": hex(a.spender),
                    "keeper": hex(a.contract),
                    "standing": a.standing.as_str(),
                });
                (is_own(&a.owner), value)
            });
            let operators = effects
                .operators
                .iter()
                .filter(|o| o.token == token && denied(o.standing));
            let operators = operators.map(|o| {
                let value = json!({
                    "event": "operator",
                    "owner": hex(o.owner),
                    "operator": hex(o.operator),
                    "approved": o.told,
                    "standing": o.standing.as_str(),
                });
                (is_own(&o.owner), value)
            });
            let items = effects
                .items
                .iter()
                .filter(|i| i.token == token && denied(i.standing));
            let items = items.map(|i| {
                let value = json!({
                    "event": "item",
                    "id": decimal(i.id),
                    "approved": i.told.map(hex),
                    "standing": i.standing.as_str(),
                });
                (false, value)
            });
            listed(
                simulated,
                transfers
                    .chain(allowances)
                    .chain(permit2)
                    .chain(operators)
                    .chain(items),
            )
        })
    }
}
