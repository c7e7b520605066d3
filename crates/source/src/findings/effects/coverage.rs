//! `presight.effects.coverage`

use super::{hex, of_request};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_view::Unread;
use presight_wire::kinds::Group;
use presight_wire::{NotRead, Reason};
use serde_json::{Value, json};

/// `all` when everything the simulation shows is in the report. Otherwise not read, `incomplete` where a bound was
/// hit, and once more for each bound that was hit, with the param `{ bound }`, and each contract that could not be
/// asked about its state, with the param `{ contract }` and the reason.
#[derive(Debug)]
pub struct Coverage;

impl Kind for Coverage {
    fn name(&self) -> &'static str {
        "presight.effects.coverage"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_request(context, entity, |simulated| {
            let bounds = simulated.outcome.bounds.iter().map(|bound| {
                (
                    bound.to_string(),
                    format!("{bound} was hit: what lies beyond is missing"),
                )
            });
            let left_out = context
                .listed
                .left_out
                .iter()
                .map(|words| (words.clone(), words.clone()));
            let missing: Vec<Fact> = bounds
                .chain(left_out)
                .map(|(bound, note)| Fact {
                    param: Some(json!({ "bound": bound })),
                    reading: Err(NotRead::new(Reason::Incomplete).with_note(note).into()),
                })
                .collect();
            let unread = simulated.effects.unread.iter().map(|(contract, why)| Fact {
                param: Some(json!({ "contract": hex(*contract) })),
                reading: Err(why.clone().into()),
            });
            let untold = simulated.effects.not_read.iter().map(|part| {
                let note = "the node that executed the calls does not tell it";
                Fact {
                    param: Some(json!({ "part": part.as_str() })),
                    reading: Err(NotRead::new(Reason::Unsupported).with_note(note).into()),
                }
            });
            let missing: Vec<Fact> = missing.into_iter().chain(unread).chain(untold).collect();
            // A bound makes it incomplete; without one it lacks what could not be had.
            let reason = missing.first().and_then(|fact| match &fact.reading {
                Err(Unread::NotRead(why)) => Some(why.reason),
                _ => None,
            });
            let mut facts = Fact::only(match reason {
                None => Ok(simulated.read(Value::from("all"), None)),
                Some(reason) => Err(reason.into()),
            });
            facts.extend(missing);
            facts
        })
    }
}
