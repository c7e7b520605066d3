//! What the calls of a request do.

pub mod calls;

use crate::door::Door;
use crate::fault::Fault;
use crate::report::token_words;
use crate::words::Tokens;
use presight_decode::Decoded;
use presight_exec::delegation::{self, TupleOutcome};
use presight_exec::effects::{Dependence, Dependences, Effects};
use presight_exec::simulate::Outcome;
use presight_source::Sent;
use presight_view::{Lookup, Unread, View};
use presight_wire::request::Call;
use presight_wire::{AccountId, ChainId, NotRead, Refusal, Request};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A simulation that ran, and what its tokens are called.
#[derive(Debug)]
pub struct Simulated {
    /// How the calls ended.
    pub outcome: Outcome,
    /// What they did.
    pub effects: Effects,
    /// Symbols and decimals, where they were read.
    pub tokens: Tokens,
    /// What the code looked at, and whether the effects are others in other surroundings; `None` where it was not
    /// tried, for a node executed the calls.
    pub dependences: Option<Dependences>,
    /// What became of each tuple of the authorization list.
    pub tuples: Vec<TupleOutcome>,
    sent: Vec<Call>,
}

impl Simulated {
    /// `{ status, gasUsed, reason?, logs, effects, dependsOn, lookedAt, … }`.
    pub fn to_value(&self) -> Value {
        let mut document = self.outcome.to_value();
        calls::name(&mut document, &self.sent, &self.outcome.frames);
        document["effects"] = self.effects.to_value();
        document["dependsOn"] = match &self.dependences {
            Some(tried) => tried.found.iter().map(dependence).collect(),
            None => Value::Null,
        };
        document["lookedAt"] = match &self.dependences {
            Some(tried) => tried.looked_at.iter().map(|seen| seen.as_str()).collect(),
            None => Value::Null,
        };
        document
    }
}

/// Simulates what a request would send, and reads what its words need in the same waves. The inner error is a simulation
/// that did not run, for state was not to be had.
///
/// # Errors
/// `nothing-to-simulate` for a request that sends nothing; as [`Door::run`].
pub fn simulate<D: Door>(
    door: &D,
    request: &Request,
    decoded: &Decoded,
) -> Result<Result<Simulated, NotRead>, D::Error> {
    let sent = Sent::of(request);
    if sent.calls.is_empty() && sent.list.is_empty() {
        let message = "the request sends nothing: it has neither calls nor an authorization list";
        return Err(Fault::from(Refusal::new("nothing-to-simulate", "/subject", message)).into());
    }
    match door.run(|view| run(sent.clone(), view, request, decoded))?.value {
        Ok(simulated) => Ok(Ok(simulated)),
        Err(Unread::NotRead(why)) => Ok(Err(why)),
        Err(Unread::Pending) => Err(Fault::OpenReads.into()),
    }
}

/// The document of a simulation that did not run: `status` is `not-read`.
pub fn not_read(why: &NotRead) -> Value {
    json!({
        "status": "not-read",
        "reason": note(why),
        "notRead": why.reason.as_str(),
        "logs": [],
        "effects": null,
    })
}

/// Why a simulation did not run.
pub fn note(why: &NotRead) -> &str {
    why.note.as_deref().unwrap_or("state was not to be had")
}

fn run(sent: Sent, view: &View<'_>, request: &Request, decoded: &Decoded) -> Lookup<Simulated> {
    let (chain, signer) = (request.chain(), request.signer().address);
    let (list, calls) = (sent.list.clone(), sent.calls.clone());
    // What the bytes name is asked for in the first wave; what is said of it is read below.
    let named = decoded
        .entities
        .tokens
        .iter()
        .filter(|token| token.chain == *chain);
    drop(token_words(view, named));
    let presight_source::Simulated {
        outcome,
        effects,
        dependences,
        ..
    } = sent.simulate(view, request, decoded)?;
    let applied = delegation::apply(view, chain, signer, &list, &decoded.authorities);
    let tuples = applied.tuples().to_vec();
    let tokens = token_words(view, &told(chain, &effects));
    let dependences = match outcome.node {
        Some(_) => None,
        None => Some(dependences?),
    };
    Ok(Simulated {
        tokens,
        outcome,
        effects,
        dependences,
        tuples,
        sent: calls,
    })
}
/// The tokens that are told of.
fn told(chain: &ChainId, effects: &Effects) -> Vec<AccountId> {
    let tokens: BTreeSet<_> = effects
        .transfers
        .iter()
        .map(|transfer| transfer.token)
        .chain(effects.balances.iter().map(|balance| balance.token))
        .chain(effects.allowances.iter().map(|allowance| allowance.token))
        .chain(effects.permit2.iter().map(|allowance| allowance.token))
        .chain(effects.operators.iter().map(|operator| operator.token))
        .chain(effects.items.iter().map(|item| item.token))
        .collect();
    let account = |token| AccountId::new(chain.clone(), token);
    tokens.into_iter().map(account).collect()
}

/// `{ on, effects }`, with `no-difference-seen`, `amounts`, `other` or `not-read`.
fn dependence(dependence: &Dependence) -> Value {
    json!({ "on": dependence.on.as_str(), "effects": dependence.what.as_str() })
}
