//! `presight.effects.hidden-approvals`

use super::{hex, list, of_token, unread};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::effects::Part;
use presight_wire::kinds::Group;
use serde_json::json;

/// Approvals of the token that the request's bytes do not show and the simulation does: `[{ approval, owner, spender,
/// form, callIndex? }]`, with their positions in `entities.approvals`. The form is that of the function that was
/// called, or, where none was, of the function with the same effect.
#[derive(Debug)]
pub struct HiddenApprovals;

impl Kind for HiddenApprovals {
    fn name(&self) -> &'static str {
        "presight.effects.hidden-approvals"
    }

    fn group(&self) -> Group {
        Group::Token
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        of_token(context, entity, |simulated, token| {
            if let Some(why) = unread(simulated) {
                return Fact::only(Err(why.clone().into()));
            }
            let listed = &context.listed;
            let approvals = listed.entities.approvals.iter().zip(&listed.grants).enumerate();
            let hidden = approvals.skip(listed.first_simulated);
            let items = hidden.filter(|(_, (approval, _))| approval.token.address == token);
            let items = items.map(|(index, (approval, grant))| {
                let mut value = json!({
                    "approval": index,
                    "owner": hex(grant.owner),
                    "spender": hex(approval.spender.address),
                    "form": approval.form.as_str(),
                });
                if let Some(call) = approval.call_index {
                    value["callIndex"] = call.into();
                }
                (grant.owner == context.signer(), value)
            });
            list(simulated, Part::Untold, items)
        })
    }
}
