//! `presight simulate`

mod words;

use crate::args::Simulate;
use crate::exit::{Exit, Failure, print};
use crate::words::{TokenWords, Tokens};
use crate::{door, input};
use anyhow::anyhow;
use presight_exec::effects::{self, Effects};
use presight_exec::simulate::{self, Outcome, Simulation, Surroundings};
use presight_exec::{delegation, reads};
use presight_view::{Lookup, Unread, View};
use presight_wire::envelope::{Content, Envelope, Operation};
use presight_wire::request::{Authorization, Call, Subject};
use presight_wire::{AccountId, ChainId, NotRead, Read, Reason, Refusal, Request};
use serde_json::json;
use std::collections::BTreeSet;

/// Simulates what the request would send and prints what it does.
pub(crate) fn run(args: &Simulate, as_json: bool) -> Result<Exit, Failure> {
    let request = Request::parse(&input::document(&args.request)?)?;
    let decoded = presight_decode::decode(&request)?;
    let sent = Sent::of(&request)?;
    let driven = door::run(&args.door, |view| {
        sent.simulate(view, request.chain(), request.signer(), &decoded.authorities)
    })?;
    match driven.value {
        Ok(told) => {
            if as_json {
                let mut document = told.outcome.to_value();
                document["effects"] = told.effects.to_value();
                print(&document.to_string());
            } else {
                print(words::of(&told, request.chain()).trim_end());
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
    /// What became of each tuple of the authorization list.
    tuples: Vec<String>,
}

/// What a request would send.
struct Sent {
    calls: Vec<Call>,
    list: Vec<Authorization>,
    /// A call that is no transaction's: the code of its target would run in the signer's account.
    delegates: bool,
}

impl Sent {
    fn of(request: &Request) -> Result<Self, Failure> {
        let sent = match &request.subject {
            Subject::Calls(subject) => Self {
                calls: subject.calls.clone(),
                list: subject.authorization_list.clone().unwrap_or_default(),
                delegates: false,
            },
            Subject::Envelope(subject) => Self::of_envelope(&subject.envelope),
        };
        if sent.calls.is_empty() && sent.list.is_empty() {
            let message = "the request sends nothing: it has neither calls nor an authorization list";
            return Err(Refusal::new("nothing-to-simulate", "/subject", message).into());
        }
        Ok(sent)
    }

    fn of_envelope(envelope: &Envelope) -> Self {
        let calls = match &envelope.fields().content {
            Content::Calls(content) => content.calls.as_slice(),
            Content::Signature(_) => &[],
        };
        Self {
            delegates: calls.iter().any(|call| call.operation != Operation::Call),
            calls: calls
                .iter()
                .map(|call| Call {
                    to: call.to,
                    value: call.value.unwrap_or_default(),
                    data: call.data.clone().unwrap_or_default(),
                })
                .collect(),
            list: Vec::new(),
        }
    }

    fn simulate(
        &self,
        view: &View<'_>,
        chain: &ChainId,
        signer: &AccountId,
        authorities: &[Option<alloy_primitives::Address>],
    ) -> Lookup<Told> {
        if self.delegates {
            let note = "a call whose code runs in the signer's account is no transaction of the signer";
            return Err(NotRead::new(Reason::Unsupported).with_note(note).into());
        }
        let simulation = Simulation {
            chain,
            sender: signer.address,
            calls: &self.calls,
            authorization_list: &self.list,
            authorities,
            surroundings: Surroundings::default(),
        };
        let mut simulated = simulate::run(view, &simulation)?;
        let effects = effects::of(&mut simulated)?;
        let applied = delegation::apply(view, chain, signer.address, &self.list, authorities);
        let tuples = applied.tuples().iter().enumerate().map(words::tuple).collect();
        Ok(Told {
            outcome: simulated.outcome,
            tokens: names(view, chain, &effects),
            effects,
            tuples,
        })
    }
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
        .map(|token| {
            let words = TokenWords {
                symbol: reads::symbol(view, chain, token).ok().map(Read::into_value),
                decimals: reads::decimals(view, chain, token).ok().map(Read::into_value),
            };
            (AccountId::new(chain.clone(), token), words)
        })
        .collect()
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
