//! What every reader sees: the view, the request, its decoding and its simulation.

use crate::config::Config;
use crate::entities::{self, Listed};
use crate::findings::address::on_list;
use crate::findings::text::pattern_match;
use crate::kind::Approved;
use crate::list::List;
use crate::patterns::Set;
use crate::simulation::{Sent, Simulated};
use alloy_primitives::Address;
use presight_decode::Decoded;
use presight_exec::delegation::{AccountCode, Applied, Delegation};
use presight_exec::reads;
use presight_view::{Lookup, Unread, View};
use presight_wire::request::{CallsSubject, Subject};
use presight_wire::{AccountId, At, ChainId, Read, Request};
use std::cell::OnceCell;
use std::rc::Rc;

/// The inputs of a report. A reader takes from here and decides nothing.
#[derive(Debug)]
pub struct Context<'a> {
    /// The door to everything outside the request.
    pub view: &'a View<'a>,
    /// The request.
    pub request: &'a Request,
    /// Its decoding.
    pub decoded: &'a Decoded,
    /// What the source is configured to read from.
    pub config: &'a Config,
    /// What the calls do; `None` for a request without calls.
    pub simulation: Option<Lookup<Simulated>>,
    /// What the report lists.
    pub listed: Listed,
    delegations: Applied<'a>,
    published_lists: OnceCell<Vec<Lookup<Rc<List>>>>,
    pattern_sets: OnceCell<Vec<Lookup<Set>>>,
}

impl<'a> Context<'a> {
    /// Applies the request's authorization list, if it has one, simulates its calls, and keeps the rest.
    pub fn new(view: &'a View<'a>, request: &'a Request, decoded: &'a Decoded, config: &'a Config) -> Self {
        let list = match &request.subject {
            Subject::Calls(CallsSubject {
                authorization_list: Some(list),
                ..
            }) => list.as_slice(),
            _ => &[],
        };
        let delegations = presight_exec::delegation::apply(
            view,
            request.chain(),
            request.signer().address,
            list,
            &decoded.authorities,
        );
        let simulation = simulate(view, request, decoded);
        let ran = simulation
            .as_ref()
            .and_then(|simulation| simulation.as_ref().ok());
        Self {
            view,
            request,
            decoded,
            config,
            listed: entities::of(request, decoded, ran),
            simulation,
            delegations,
            published_lists: OnceCell::new(),
            pattern_sets: OnceCell::new(),
        }
    }

    /// The chain the request executes on.
    pub fn chain(&self) -> &'a ChainId {
        self.request.chain()
    }

    /// The account that would sign.
    pub fn signer(&self) -> Address {
        self.request.signer().address
    }

    /// The block of a chain as findings name it.
    pub fn at(&self, chain: &ChainId) -> Lookup<At> {
        self.view.at(chain)
    }

    /// A value of the request's bytes, holding at the block of the chain it is about when that block is known (I-35).
    pub fn from_request<T>(&self, chain: &ChainId, value: T) -> Lookup<Read<T>> {
        match self.at(chain) {
            Ok(at) => Ok(Read::from_request(value).holding_at(at)),
            Err(Unread::NotRead(_)) => Ok(Read::from_request(value)),
            Err(pending) => Err(pending),
        }
    }

    /// What an approval grants, by the request's bytes or by the simulation.
    pub fn granted<T>(&self, approved: &Approved<'_>, value: T) -> Lookup<Read<T>> {
        match &self.simulation {
            Some(Ok(simulated)) if approved.simulated => {
                Ok(simulated.read(value, approved.approval.call_index))
            }
            _ => self.from_request(&approved.approval.token.chain, value),
        }
    }

    /// What an account's code is once the request's authorization list has been applied (ERC-8481 §Addresses).
    pub fn code_after(&self, account: &AccountId) -> Lookup<Read<AccountCode>> {
        if account.chain == *self.chain() {
            return self.delegations.code_after(account.address);
        }
        let code = reads::code(self.view, &account.chain, account.address)?;
        Ok(code.map(|code| AccountCode::of(&code)))
    }

    /// The configured lists, in their order. They are parsed once.
    pub(crate) fn published_lists(&self) -> &[Lookup<Rc<List>>] {
        self.published_lists.get_or_init(|| {
            let lists = self.config.lists.iter();
            lists
                .map(|configured| on_list::published(self, configured))
                .collect()
        })
    }

    /// The configured sets of patterns, in their order. They are parsed once.
    pub(crate) fn pattern_sets(&self) -> &[Lookup<Set>] {
        self.pattern_sets.get_or_init(|| {
            let sets = self.config.patterns.iter();
            sets.map(|configured| pattern_match::published(self, configured))
                .collect()
        })
    }

    /// Where an authority's delegation points before and after the list (I-27).
    pub fn delegation(&self, authority: Address) -> Lookup<Read<Delegation>> {
        self.delegations.delegation(authority)
    }
}

/// What the calls of the request do, if it has any.
fn simulate(view: &View<'_>, request: &Request, decoded: &Decoded) -> Option<Lookup<Simulated>> {
    let sent = Sent::of(request);
    (!sent.calls.is_empty()).then(|| sent.simulate(view, request, decoded))
}
