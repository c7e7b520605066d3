//! `presight.effects.control-changes`

use super::{hex, list, of, put_change};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::U256;
use presight_exec::effects::Part;
use presight_wire::kinds::Group;
use serde_json::{Value, json};

/// Changes of who controls a contract: `[{ what, subject?, before?, after?, standing }]`. `what` is `implementation`,
/// `admin`, `beacon`, `owner`, `module`, `safe-owner`, `threshold`, `guard`, `module-guard`, `fallback-handler` or
/// `facets`; `subject` is the module or owner whose membership changes; values are words as hex; `standing` is how it
/// is known ([`presight_exec::effects::Standing`]). About the contract, in the first role it is listed in; omitted
/// where nothing changes.
#[derive(Debug)]
pub struct ControlChanges;

impl Kind for ControlChanges {
    fn name(&self) -> &'static str {
        "presight.effects.control-changes"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Entity::Address(entity) = entity else {
            return Vec::new();
        };
        let addresses = &context.listed.entities.addresses;
        let first = addresses.iter().find(|listed| listed.address == entity.address);
        if entity.address.chain != *context.chain() || first != Some(*entity) {
            return Vec::new();
        }
        let contract = entity.address.address;
        of(context, |simulated| {
            if let Some(why) = simulated.effects.unread.get(&contract) {
                return Fact::only(Err(why.clone().into()));
            }
            let changes = simulated
                .effects
                .control
                .iter()
                .filter(|change| change.contract == contract);
            if changes.clone().next().is_none() {
                return Vec::new();
            }
            let items = changes.map(|change| {
                let mut value = json!({ "what": change.what.as_str(), "standing": change.standing.as_str() });
                if let Some(subject) = change.subject {
                    value["subject"] = hex(subject);
                }
                if let Some(words) = &change.value {
                    put_change(&mut value, words, |word: U256| Value::from(format!("{word:#x}")));
                }
                (true, value)
            });
            list(simulated, Part::Untold, items)
        })
    }
}
