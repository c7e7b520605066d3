//! `presight.effects.native-changes`

use super::{decimal, hex, list, of_request, put_change};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::effects::Part;
use presight_wire::kinds::Group;
use serde_json::json;

/// Balances of the native asset that change, fees aside: `[{ account, before, after }]`, the signer's first.
#[derive(Debug)]
pub struct NativeChanges;

impl Kind for NativeChanges {
    fn name(&self) -> &'static str {
        "presight.effects.native-changes"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_request(context, entity, |simulated| {
            let items = simulated.effects.native.iter().map(|change| {
                let mut value = json!({ "account": hex(change.account) });
                put_change(&mut value, &change.balance, decimal);
                (change.account == context.signer(), value)
            });
            list(simulated, Part::Native, items)
        })
    }
}
