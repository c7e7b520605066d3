//! `presight.effects.unattributed`

use super::{hex, list, of_request, put_change, unread};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::U256;
use presight_exec::effects::Part;
use presight_wire::kinds::Group;
use serde_json::{Value, json};

/// Slots that change and whose meaning is not known: `[{ contract, slot, keys, before, after }]`, words as hex.
/// `keys` are those of the mappings the slot lies in, outermost first, where they were seen; slots under a key of the
/// signer come first. Not read when a contract could not be asked what it holds.
#[derive(Debug)]
pub struct Unattributed;

impl Kind for Unattributed {
    fn name(&self) -> &'static str {
        "presight.effects.unattributed"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_request(context, entity, |simulated| {
            if let Some(why) = unread(simulated) {
                return Fact::only(Err(why.clone().into()));
            }
            let word = |word: U256| Value::from(format!("{word:#066x}"));
            let signer = U256::from_be_bytes(context.signer().into_word().0);
            let items = simulated.effects.unattributed.iter().map(|slot| {
                let mut value = json!({
                    "contract": hex(slot.contract),
                    "slot": word(slot.slot),
                    "keys": slot.keys.iter().map(|key| word(*key)).collect::<Vec<_>>(),
                });
                put_change(&mut value, &slot.change, word);
                (slot.keys.contains(&signer), value)
            });
            list(simulated, Part::Unattributed, items)
        })
    }
}
