//! `presight.effects.operator-changes`

use super::{decimal, hex, list, of_token, put_change};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::effects::Part;
use presight_wire::kinds::Group;
use serde_json::{Value, json};

/// Approvals for all and of single items (ERC-721, ERC-1155) that were written: `[{ owner, operator, before, after
/// }]` with true and false, and `[{ id, before, after }]` with the approved address, the zero address being nobody.
/// Those of the signer come first.
#[derive(Debug)]
pub struct OperatorChanges;

impl Kind for OperatorChanges {
    fn name(&self) -> &'static str {
        "presight.effects.operator-changes"
    }

    fn group(&self) -> Group {
        Group::Token
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_token(context, entity, |simulated, token| {
            let effects = &simulated.effects;
            let operators = effects.operators.iter().filter(|o| o.token == token);
            let operators = operators.filter_map(|operator| {
                let mut value = json!({ "owner": hex(operator.owner), "operator": hex(operator.operator) });
                put_change(&mut value, operator.approved.as_ref()?, Value::from);
                Some((context.listed.actors.contains(&operator.owner), value))
            });
            let items = effects.items.iter().filter(|item| item.token == token);
            let items = items.filter_map(|item| {
                let mut value = json!({ "id": decimal(item.id) });
                put_change(&mut value, item.approved.as_ref()?, hex);
                Some((false, value))
            });
            list(simulated, Part::Untold, operators.chain(items))
        })
    }
}
