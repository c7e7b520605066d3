//! The facts of one report, indexed once: which findings are there about which entity.

use super::terms::Terms;
use super::value::FlatCall;
use crate::language::kind::{self, Absent, KindIndex};
use presight_decode::{CallNode, Decoded};
use presight_wire::kinds::Group;
use presight_wire::report::{AddressEntity, Approval, Entities, EntityRef, Report, Role};
use presight_wire::{AccountId, Request};
use std::collections::HashMap;

/// What a policy is evaluated over. There are two ways to one, so that nobody takes findings for facts by accident.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    pub(crate) report: &'a Report,
    pub(crate) request: &'a Request,
    pub(crate) decoded: &'a Decoded,
    pub(crate) unlisted: Option<&'a Entities>,
}

impl<'a> Input<'a> {
    /// A report this program made itself, of the decoding it made itself.
    pub fn own(report: &'a Report, request: &'a Request, decoded: &'a Decoded) -> Self {
        Self {
            report,
            request,
            decoded,
            unlisted: None,
        }
    }

    /// A report that somebody else made and whose every step of verification passed: `report` and `unlisted` are those
    /// of a verified report (crate `verify`). What it does not list counts as not read (ERC-8481 §Entities).
    pub fn verified(
        report: &'a Report,
        unlisted: &'a Entities,
        request: &'a Request,
        decoded: &'a Decoded,
    ) -> Self {
        Self {
            report,
            request,
            decoded,
            unlisted: Some(unlisted),
        }
    }
}

/// A position in [`Facts::entities`].
pub(crate) type EntityId = usize;

/// One entity and its findings.
#[derive(Debug)]
pub(crate) struct EntityFacts {
    pub(crate) reference: EntityRef,
    /// Kinds and positions of findings, in report order.
    pub(crate) findings: Vec<(KindIndex, usize)>,
    pub(crate) listing: Listing,
}

/// Where an entity is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// The report lists it.
    Report,
    /// Our own decoding finds it, the report does not list it.
    OwnDecoding,
    /// Only a rule asks for it: a spender that is not listed as an address, for one.
    Asked,
}

/// The index.
pub(crate) struct Facts<'a> {
    pub(crate) input: Input<'a>,
    pub(crate) entities: Vec<EntityFacts>,
    pub(crate) calls: Vec<FlatCall<'a>>,
    ids: HashMap<EntityRef, EntityId>,
    /// The approvals, those the report leaves out at the end.
    approvals: Vec<Approval>,
    /// Whether the calls were simulated, or there are none.
    simulated: bool,
    /// The terms of the payment and of the message.
    pub(crate) terms: Terms,
}

/// What a kind's findings about an entity come to.
pub(crate) enum Found {
    /// Positions of the findings; at least one.
    Findings(Vec<usize>),
    /// There are none, and that says that there is nothing.
    Nothing,
    /// There are none, and so it was not read.
    Missing(&'static str),
}

impl<'a> Facts<'a> {
    pub(crate) fn new(input: Input<'a>) -> Self {
        let mut facts = Self {
            input,
            entities: Vec::new(),
            calls: Vec::new(),
            ids: HashMap::new(),
            approvals: input.report.entities.approvals.clone(),
            simulated: input.decoded.calls.is_empty(),
            terms: Terms::of(input.request, input.decoded),
        };
        facts.add_entities(&input.report.entities, 0, Listing::Report);
        if let Some(unlisted) = input.unlisted {
            let first = facts.approvals.len();
            facts.approvals.extend(unlisted.approvals.iter().cloned());
            facts.add_entities(unlisted, first, Listing::OwnDecoding);
        }
        for (position, finding) in input.report.findings.iter().enumerate() {
            let id = facts.add(finding.entity.clone(), Listing::Asked);
            if let Some(index) = kind::by_name(&finding.kind) {
                facts.entities[id].findings.push((index, position));
            }
            facts.simulated |= finding.kind == kind::SIMULATION && !finding.outcome.is_unread();
        }
        for index in 0..facts.approvals.len() {
            let (spender, token) = (
                facts.approvals[index].spender.clone(),
                facts.approvals[index].token.clone(),
            );
            facts.ask_address(spender, Role::Spender);
            facts.ask_address(token.clone(), Role::Token);
            facts.add(EntityRef::Token(token), Listing::Asked);
        }
        for (outer, node) in input.decoded.calls.iter().enumerate() {
            facts.flatten(node, outer);
        }
        if let Some(typed) = &input.decoded.typed_data {
            for node in &typed.inner {
                facts.flatten(node, 0);
            }
        }
        let chain = input.request.chain().clone();
        for index in 0..facts.calls.len() {
            let to = AccountId::new(chain.clone(), facts.calls[index].node.to);
            facts.ask_address(to, Role::Target);
        }
        for transfer in &input.decoded.transfers {
            facts.ask_address(AccountId::new(chain.clone(), transfer.to), Role::Recipient);
        }
        facts
    }

    fn flatten(&mut self, node: &'a CallNode, outer: usize) {
        self.calls.push(FlatCall { node, outer });
        for inner in &node.inner {
            self.flatten(inner, outer);
        }
    }

    fn add_entities(&mut self, entities: &Entities, first_approval: usize, listing: Listing) {
        for token in &entities.tokens {
            self.add(EntityRef::Token(token.clone()), listing);
        }
        for index in 0..entities.approvals.len() {
            self.add(EntityRef::Approval(first_approval + index), listing);
        }
        for address in &entities.addresses {
            self.add(EntityRef::Address(address.clone()), listing);
        }
        if entities.payment {
            self.add(EntityRef::Payment, listing);
        }
        for text in &entities.texts {
            self.add(EntityRef::Text(text.index), listing);
        }
    }

    fn add(&mut self, reference: EntityRef, listing: Listing) -> EntityId {
        if let Some(id) = self.ids.get(&reference) {
            return *id;
        }
        let id = self.entities.len();
        self.ids.insert(reference.clone(), id);
        self.entities.push(EntityFacts {
            reference,
            findings: Vec::new(),
            listing,
        });
        id
    }

    fn ask_address(&mut self, address: AccountId, role: Role) {
        self.add(
            EntityRef::Address(AddressEntity { address, role }),
            Listing::Asked,
        );
    }

    pub(crate) fn id(&self, reference: &EntityRef) -> Option<EntityId> {
        self.ids.get(reference).copied()
    }

    pub(crate) fn address(&self, address: AccountId, role: Role) -> Option<EntityId> {
        self.id(&EntityRef::Address(AddressEntity { address, role }))
    }

    /// The approval with this position, those the report leaves out included.
    pub(crate) fn approval(&self, index: usize) -> Option<&Approval> {
        self.approvals.get(index)
    }

    /// The entities of a group that the report lists or should list.
    pub(crate) fn of_group(&self, group: Group) -> impl Iterator<Item = EntityId> {
        self.entities.iter().enumerate().filter_map(move |(id, entity)| {
            let listed = entity.listing != Listing::Asked;
            (listed && group_of(&entity.reference) == group).then_some(id)
        })
    }

    /// What the report says of a kind about an entity.
    pub(crate) fn find(&self, entity: EntityId, index: KindIndex) -> Found {
        let findings = self.entities[entity].findings.iter();
        let positions: Vec<usize> = findings.filter(|(k, _)| *k == index).map(|(_, at)| *at).collect();
        if !positions.is_empty() {
            return Found::Findings(positions);
        }
        let kind = kind::kind(index);
        // An entity that the report leaves out has no facts at all: nothing about it is nothing known.
        let listed = self.entities[entity].listing == Listing::Report;
        match kind.absent {
            Absent::Nothing if listed => Found::Nothing,
            Absent::NothingIfSimulated if listed && self.simulated => Found::Nothing,
            _ => Found::Missing(kind.name),
        }
    }
}

/// The group of an entity.
pub(crate) fn group_of(reference: &EntityRef) -> Group {
    match reference {
        EntityRef::Token(_) => Group::Token,
        EntityRef::Approval(_) => Group::Approval,
        EntityRef::Address(_) => Group::Address,
        EntityRef::Payment => Group::Payment,
        EntityRef::Text(_) => Group::Text,
    }
}
