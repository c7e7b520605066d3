//! `presight.effects.recipients`

use super::{decimal, hex, list, of_token};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::{Address, U256, U512};
use presight_exec::effects::{Part, Standing};
use presight_wire::kinds::Group;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Who receives the token from whom: `[{ from, to, id?, amount, standing }]`, amounts of one pair added up, what
/// leaves the signer first. The zero address makes and unmakes. Transfers that the token's own answers deny are
/// `presight.effects.claimed`.
#[derive(Debug)]
pub struct Recipients;

impl Kind for Recipients {
    fn name(&self) -> &'static str {
        "presight.effects.recipients"
    }

    fn group(&self) -> Group {
        Group::Token
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_token(context, entity, |simulated, token| {
            let mut sums: BTreeMap<(Address, Address, Option<U256>, Standing), U512> = BTreeMap::new();
            let transfers = simulated.effects.transfers.iter();
            for transfer in transfers.filter(|t| t.token == token && t.standing != Standing::Claimed) {
                let key = (transfer.from, transfer.to, transfer.asset.id(), transfer.standing);
                let sum = sums.entry(key).or_default();
                *sum = sum.saturating_add(U512::from(transfer.amount));
            }
            let items = sums.into_iter().map(|((from, to, id, standing), amount)| {
                let mut value = json!({
                    "from": hex(from),
                    "to": hex(to),
                    "amount": Value::from(amount.to_string()),
                    "standing": standing.as_str(),
                });
                if let Some(id) = id {
                    value["id"] = decimal(id);
                }
                (context.listed.actors.contains(&from), value)
            });
            list(simulated, Part::Untold, items)
        })
    }
}
