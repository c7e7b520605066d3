//! What a finding kind is.

use crate::context::Context;
use presight_decode::Grant;
use presight_view::Lookup;
use presight_wire::AccountId;
use presight_wire::Read;
use presight_wire::kinds::Group;
use presight_wire::report::{AddressEntity, Approval, EntityRef, TextEntity};
use serde_json::Value;

/// One finding kind: a name and a reader. To add one, write a module under `findings/` and a line in
/// [`crate::registry`].
pub trait Kind: Sync {
    /// The kind's name on the wire.
    fn name(&self) -> &'static str;

    /// The entities it is about.
    fn group(&self) -> Group;

    /// Whether this source reads it at all. One that is not read is listed all the same, as `unsupported`.
    fn is_read(&self) -> bool {
        true
    }

    /// What it says about one entity; empty when the kind does not apply to it.
    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact>;
}

/// An approval with what it grants.
#[derive(Debug, Clone, Copy)]
pub struct Approved<'a> {
    /// Its position in `entities.approvals`.
    pub index: usize,
    /// The entity.
    pub approval: &'a Approval,
    /// What it grants.
    pub grant: &'a Grant,
    /// The request's bytes do not show it, the simulation does.
    pub simulated: bool,
}

/// An entity of the request with what a reader needs to know about it.
#[derive(Debug, Clone)]
pub enum Entity<'a> {
    /// A token.
    Token(&'a AccountId),
    /// An approval.
    Approval(Approved<'a>),
    /// An address in a role.
    Address(&'a AddressEntity),
    /// The payment context.
    Payment,
    /// A text.
    Text {
        /// The entity.
        entity: &'a TextEntity,
        /// The text itself.
        text: &'a Lookup<Read<String>>,
    },
}

impl Entity<'_> {
    /// The group of the entity.
    pub fn group(&self) -> Group {
        match self {
            Self::Token(_) => Group::Token,
            Self::Approval(_) => Group::Approval,
            Self::Address(_) => Group::Address,
            Self::Payment => Group::Payment,
            Self::Text { .. } => Group::Text,
        }
    }

    /// How findings refer to it.
    pub fn reference(&self) -> EntityRef {
        match self {
            Self::Token(token) => EntityRef::Token((*token).clone()),
            Self::Approval(approved) => EntityRef::Approval(approved.index),
            Self::Address(address) => EntityRef::Address((*address).clone()),
            Self::Payment => EntityRef::Payment,
            Self::Text { entity, .. } => EntityRef::Text(entity.index),
        }
    }
}

/// One fact a kind says about an entity.
#[derive(Debug, Clone)]
pub struct Fact {
    /// What distinguishes it from others of the kind about the same entity.
    pub param: Option<Value>,
    /// The value, or why there is none.
    pub reading: Lookup<Read<Value>>,
}

impl Fact {
    /// The one fact of a kind without `param`.
    pub fn only(reading: Lookup<Read<Value>>) -> Vec<Self> {
        vec![Self { param: None, reading }]
    }
}
