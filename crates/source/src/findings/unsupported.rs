//! Core kinds this source cannot read yet: listed for every entity of their group, not read, `unsupported`
//! (ERC-8481 §Report: a core kind that applies is never left out).

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::Reason;
use presight_wire::kinds::Group;

/// A kind without a reader.
#[derive(Debug)]
pub struct Unsupported {
    /// The kind's name on the wire.
    pub name: &'static str,
    /// The entities it is about.
    pub group: Group,
}

impl Kind for Unsupported {
    fn name(&self) -> &'static str {
        self.name
    }

    fn group(&self) -> Group {
        self.group
    }

    fn read(&self, _: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        Fact::only(Err(Reason::Unsupported.into()))
    }
}
