//! `presight.effects.depends-on`

use super::of_request;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::effects::Difference;
use presight_view::Unread;
use presight_wire::kinds::Group;
use presight_wire::{NotRead, Reason};
use serde_json::{Value, json};

/// What of its surroundings the code looks at that a block may have otherwise, in any of the runs, as a list of words
/// (`timestamp`, `coinbase`, …): empty when it looks at nothing. And, with the param `{ on }`, each of the other
/// surroundings in which the calls were run once more, with whether the effects are others there: `amounts` when only
/// amounts differ, `other`, or `no-difference-seen`. The last says nothing of surroundings that were not tried. Code
/// that behaves in a simulation and not on chain looks at these to tell the two apart.
#[derive(Debug)]
pub struct DependsOn;

impl Kind for DependsOn {
    fn name(&self) -> &'static str {
        "presight.effects.depends-on"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_request(context, entity, |simulated| {
            if simulated.outcome.node.is_some() {
                let note = "a node that executed the calls does not tell what their code looked at";
                return Fact::only(Err(NotRead::new(Reason::Unsupported).with_note(note).into()));
            }
            let looked_at = match &simulated.dependences {
                Ok(dependences) => &dependences.looked_at,
                Err(_) => &simulated.outcome.looked_at,
            };
            let looked_at: Vec<_> = looked_at.iter().map(|seen| seen.as_str()).collect();
            let mut facts = Fact::only(Ok(simulated.read(Value::from(looked_at), None)));
            match &simulated.dependences {
                Err(unread) => facts.extend(Fact::only(Err(unread.clone())).into_iter().map(|fact| Fact {
                    param: Some(json!({ "on": "any" })),
                    ..fact
                })),
                Ok(dependences) => facts.extend(dependences.found.iter().map(|dependence| Fact {
                    param: Some(json!({ "on": dependence.on.as_str() })),
                    reading: match &dependence.what {
                        Difference::NotRead(why) => Err(Unread::NotRead(why.clone())),
                        what => Ok(simulated.read(Value::from(what.as_str()), None)),
                    },
                })),
            }
            facts
        })
    }
}
