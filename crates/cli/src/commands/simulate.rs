//! `presight simulate`

mod calls;
mod words;

use crate::args::Simulate;
use crate::exit::{Exit, Failure, print, say};
use crate::words::{TokenWords, Tokens};
use crate::{door, input};
use alloy_primitives::Address;
use anyhow::anyhow;
use presight_exec::effects::{Dependence, Effects};
use presight_exec::simulate::Outcome;
use presight_exec::{delegation, reads};
use presight_source::{Sent, Simulated};
use presight_view::{Lookup, Unread, View};
use presight_wire::{AccountId, ChainId, NotRead, Read, Refusal, Request};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Simulates what the request would send and prints what it does.
pub(crate) fn run(args: &Simulate, as_json: bool) -> Result<Exit, Failure> {
    let request = Request::parse(&input::document(&args.request)?)?;
    let decoded = presight_decode::decode(&request)?;
    let sent = Sent::of(&request);
    if sent.calls.is_empty() && sent.list.is_empty() {
        let message = "the request sends nothing: it has neither calls nor an authorization list";
        return Err(Refusal::new("nothing-to-simulate", "/subject", message).into());
    }
    let driven = door::run(&args.door, |view| tell(sent.clone(), view, &request, &decoded))?;
    match driven.value {
        Ok(told) => {
            if as_json {
                let mut document = told.outcome.to_value();
                calls::name(&mut document, &sent.calls, &told.outcome.frames);
                document["effects"] = told.effects.to_value();
                document["dependsOn"] = match &told.dependences {
                    Some(found) => found.iter().map(dependence).collect(),
                    None => Value::Null,
                };
                print(&document.to_string());
            } else {
                say(words::of(&told, request.chain()).trim_end());
            }
            Ok(Exit::Clean)
        }
        Err(Unread::NotRead(why)) => {
            print(&not_read(&why, as_json));
            Ok(Exit::NotEvaluated)
        }
        Err(Unread::Pending) => Err(anyhow!("the view was left with open reads").into()),
    }
}

/// A simulation that ran, and what its tokens are called.
struct Told {
    outcome: Outcome,
    effects: Effects,
    tokens: Tokens,
    /// Whether the effects are others in other surroundings; `None` where it was not tried, for a node executed the
    /// calls.
    dependences: Option<Vec<Dependence>>,
    /// What became of each tuple of the authorization list.
    tuples: Vec<String>,
}

/// Runs the calls, and reads what the words need in the same waves.
fn tell(sent: Sent, view: &View<'_>, request: &Request, decoded: &presight_decode::Decoded) -> Lookup<Told> {
    let (chain, signer) = (request.chain(), request.signer().address);
    let list = sent.list.clone();
    // What the bytes name is asked for in the first wave; what is said of it is read below.
    for token in decoded
        .entities
        .tokens
        .iter()
        .filter(|token| token.chain == *chain)
    {
        drop(name(view, chain, token.address));
    }
    let Simulated {
        outcome,
        effects,
        dependences,
        ..
    } = sent.simulate(view, request, decoded)?;
    let applied = delegation::apply(view, chain, signer, &list, &decoded.authorities);
    let tuples = applied.tuples().iter().enumerate().map(words::tuple).collect();
    let tokens = names(view, chain, &effects);
    let dependences = match outcome.node {
        Some(_) => None,
        None => Some(dependences?),
    };
    Ok(Told {
        tokens,
        outcome,
        effects,
        dependences,
        tuples,
    })
}

/// Symbols and decimals of the tokens that are told of, where they are read.
fn names(view: &View<'_>, chain: &ChainId, effects: &Effects) -> Tokens {
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
    tokens
        .into_iter()
        .map(|token| (AccountId::new(chain.clone(), token), name(view, chain, token)))
        .collect()
}

fn name(view: &View<'_>, chain: &ChainId, token: Address) -> TokenWords {
    TokenWords {
        symbol: reads::symbol(view, chain, token).ok().map(Read::into_value),
        decimals: reads::decimals(view, chain, token).ok().map(Read::into_value),
    }
}

/// `{ on, effects }`, with `same`, `amounts`, `other` or `not-read`.
fn dependence(dependence: &Dependence) -> Value {
    json!({ "on": dependence.on.as_str(), "effects": dependence.what.as_str() })
}

fn not_read(why: &NotRead, as_json: bool) -> String {
    let note = why.note.as_deref().unwrap_or("state was not to be had");
    if as_json {
        return json!({
            "status": "not-read",
            "reason": note,
            "notRead": why.reason.as_str(),
            "logs": [],
            "effects": null,
        })
        .to_string();
    }
    format!(
        "not read ({}): {}",
        why.reason.as_str(),
        crate::words::printable(note)
    )
}
