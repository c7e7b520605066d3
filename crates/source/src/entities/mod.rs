//! What a report lists: the entities of the request's bytes, then those that only the simulation shows (I-9).
//!
//! A grant of the signer, or of an account that makes calls in its name, is an approval: by the function that was
//! called for it anywhere in the call tree, or by the state it left. Everything else of the simulation is listed as
//! addresses and tokens. Those that what the signer owns is about come before any bound; of the others
//! [`MAX_OTHERS`] are listed, so that a contract cannot drown a report.

mod approvals;
mod listing;
mod touched;

use crate::simulation::Simulated;
use alloy_primitives::Address;
use presight_decode::{CallNode, Decoded, Grant};
use presight_wire::report::{AddressEntity, Entities};
use presight_wire::{AccountId, Request};
use std::collections::{BTreeSet, HashSet};

pub use listing::{MAX_OTHERS, MAX_OWN};

use approvals::Shown;
use listing::Candidates;
use touched::Touched;

/// The entities of a report.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Without the names of tokens.
    pub entities: Entities,
    /// What each approval grants.
    pub grants: Vec<Grant>,
    /// Approvals from here on are from the simulation.
    pub first_simulated: usize,
    /// The signer, and the accounts that make calls in its name.
    pub actors: BTreeSet<Address>,
    /// What is not listed, in words that name the bound.
    pub left_out: Vec<String>,
}

/// The entities of the request, and of its simulation where it ran.
pub fn of(request: &Request, decoded: &Decoded, simulated: Option<&Simulated>) -> Listed {
    let mut listed = Listed {
        entities: decoded.entities.clone(),
        grants: decoded.grants.clone(),
        first_simulated: decoded.grants.len(),
        actors: actors(request, decoded),
        left_out: Vec::new(),
    };
    if let Some(simulated) = simulated {
        let mut found = Found {
            simulated,
            actors: &listed.actors.clone(),
            approvals: Candidates::default(),
            addresses: Candidates::default(),
            tokens: Candidates::default(),
        };
        approvals::find(decoded, &mut found);
        touched::find(&mut found);
        found.list(request, &mut listed);
    }
    listed
}

/// What the simulation shows, in order.
struct Found<'s> {
    simulated: &'s Simulated,
    /// The signer, and accounts that make calls in its name.
    actors: &'s BTreeSet<Address>,
    approvals: Candidates<Shown>,
    addresses: Candidates<Touched>,
    tokens: Candidates<Address>,
}

/// The signer, and the accounts whose calls the request's bytes name: a Safe, an ERC-4337 account, a batch contract.
fn actors(request: &Request, decoded: &Decoded) -> BTreeSet<Address> {
    fn callers(node: &CallNode, found: &mut BTreeSet<Address>) {
        if !node.inner.is_empty() {
            found.insert(node.to);
        }
        for inner in &node.inner {
            callers(inner, found);
        }
    }
    let mut found = BTreeSet::from([request.signer().address]);
    for node in &decoded.calls {
        callers(node, &mut found);
    }
    found.extend(decoded.grants.iter().map(|grant| grant.owner));
    found
}

impl Found<'_> {
    fn list(self, request: &Request, listed: &mut Listed) {
        let chain = request.chain();
        let approvals = self.approvals.bounded("approvals", &mut listed.left_out);
        for shown in approvals {
            listed.entities.approvals.push(shown.entity(chain));
            listed.grants.push(shown.granted.grant);
        }
        let signer = request.signer().address;
        let mut roles: HashSet<AddressEntity> = listed.entities.addresses.iter().cloned().collect();
        let is_new = |touched: &Touched| touched.address != signer && !roles.contains(&touched.entity(chain));
        let addresses = self
            .addresses
            .only(is_new)
            .bounded("addresses", &mut listed.left_out);
        let mut add = |touched: Touched, listed: &mut Listed| {
            let entity = touched.entity(chain);
            if roles.insert(entity.clone()) {
                listed.entities.addresses.push(entity);
            }
        };
        for touched in addresses {
            add(touched, listed);
        }
        let known: BTreeSet<Address> = listed
            .entities
            .tokens
            .iter()
            .filter(|token| token.chain == *chain)
            .map(|token| token.address)
            .collect();
        let tokens = self.tokens.only(|token| !known.contains(token));
        for token in tokens.bounded("tokens", &mut listed.left_out) {
            listed.entities.tokens.push(AccountId::new(chain.clone(), token));
            add(Touched::token(token), listed);
        }
    }
}
