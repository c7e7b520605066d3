//! What the request would send, simulated on the same view as everything else: once a run, for all readers.

use alloy_primitives::{B256, Bytes, keccak256};
use presight_decode::Decoded;
use presight_exec::effects::{self, Dependences, Effects};
use presight_exec::simulate::{CallEnd, Caveat, Outcome, Simulation, Surroundings};
use presight_view::{Lookup, View};
use presight_wire::envelope::{Content, Envelope, Operation};
use presight_wire::report::Role;
use presight_wire::request::{Authorization, Call, Subject};
use presight_wire::{AccountId, Evidence, NotRead, Read, Reason, Request, jcs};
use serde_json::json;

/// Bytes of calldata and results that the evidence of one simulated fact shows. Where the calls are longer, they are
/// named by the hash of what would have been shown.
pub const MAX_SHOWN_BYTES: usize = 1024;

/// What a request would send.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The authorization list (EIP-7702).
    pub list: Vec<Authorization>,
    /// A call that is no transaction's: the code of its target would run in the signer's account.
    delegates: bool,
}

impl Sent {
    /// The calls of a request; none for one that only signs.
    pub fn of(request: &Request) -> Self {
        match &request.subject {
            Subject::Calls(subject) => Self {
                calls: subject.calls.clone(),
                list: subject.authorization_list.clone().unwrap_or_default(),
                delegates: false,
            },
            Subject::Envelope(subject) => Self::of_envelope(&subject.envelope),
        }
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

    /// Runs the calls.
    ///
    /// # Errors
    /// As [`effects::run`]; not read, `unsupported`, for a call by delegatecall, which no transaction makes.
    pub fn simulate(self, view: &View<'_>, request: &Request, decoded: &Decoded) -> Lookup<Simulated> {
        if self.delegates {
            let note = "a call whose code runs in the signer's account is no transaction of the signer";
            return Err(NotRead::new(Reason::Unsupported).with_note(note).into());
        }
        let chain = request.chain();
        let entities = &decoded.entities;
        let targets = entities.addresses.iter().filter(|a| a.role == Role::Target);
        let called = targets.map(|target| &target.address).chain(&entities.tokens);
        let here = called.filter(|account| account.chain == *chain);
        effects::expect(view, chain, here.map(|account| account.address));
        let simulation = Simulation {
            chain,
            sender: request.signer().address,
            calls: &self.calls,
            authorization_list: &self.list,
            authorities: &decoded.authorities,
            surroundings: Surroundings::default(),
        };
        let (outcome, effects) = effects::run(view, &simulation)?;
        let dependences = if outcome.node.is_some() {
            let note = "a node executes in its own surroundings alone";
            Err(NotRead::new(Reason::Unsupported).with_note(note).into())
        } else {
            effects::depends_on(view, &simulation, &outcome, &effects)
        };
        Ok(Simulated {
            outcome,
            effects,
            dependences,
            sent: self.calls,
        })
    }
}

/// A simulation that ran.
#[derive(Debug)]
pub struct Simulated {
    /// How the calls ended, and what they left.
    pub outcome: Outcome,
    /// What they did.
    pub effects: Effects,
    /// Whether they do the same in other surroundings.
    pub dependences: Lookup<Dependences>,
    sent: Vec<Call>,
}

impl Simulated {
    /// A fact that rests on one simulated call, or on all of them.
    pub fn read<T>(&self, value: T, call: Option<usize>) -> Read<T> {
        let (first, last) = match call {
            Some(index) => (index, index + 1),
            None => (0, self.sent.len()),
        };
        let ran = self.sent.iter().zip(&self.outcome.calls);
        let ran: Vec<_> = ran.take(last).skip(first).collect();
        let read = Read::from_chain(value, self.outcome.at.clone(), self.evidence(&ran));
        match self.outcome.node {
            Some(method) => read.with_note(Caveat::NodesWord(method).to_string()),
            None => read,
        }
    }

    /// The only call there is.
    pub fn only_call(&self) -> Option<usize> {
        (self.sent.len() == 1).then_some(0)
    }

    fn evidence(&self, ran: &[(&Call, &CallEnd)]) -> Vec<Evidence> {
        if let Some(method) = self.outcome.node {
            return vec![Evidence::Document {
                uri: format!("presight:node-execution:{}", method.as_str()),
                hash: digest(ran),
            }];
        }
        let bytes = |(call, end): &(&Call, &CallEnd)| call.data.len().saturating_add(end.output.len());
        let total = ran.iter().map(bytes).fold(0, usize::saturating_add);
        if total > MAX_SHOWN_BYTES || ran.is_empty() {
            return vec![Evidence::Document {
                uri: "presight:simulated-calls".to_owned(),
                hash: digest(ran),
            }];
        }
        let shown = ran.iter().map(|(call, end)| Evidence::Call {
            at: self.outcome.at.clone(),
            to: AccountId::new(self.outcome.at.chain.clone(), call.to),
            data: call.data.clone(),
            result: end.output.clone(),
        });
        shown.collect()
    }
}

/// `keccak256` of the canonical bytes of `[{ to, value, data, status, result }]`.
fn digest(ran: &[(&Call, &CallEnd)]) -> B256 {
    let hex = |bytes: &Bytes| bytes.to_string();
    let calls = ran.iter().map(|(call, end)| {
        json!({
            "to": format!("{:#x}", call.to),
            "value": call.value.to_string(),
            "data": hex(&call.data),
            "status": end.status.as_str(),
            "result": hex(&end.output),
        })
    });
    keccak256(jcs::canonical(&calls.collect()))
}
