//! Core kinds this source cannot read yet: listed for every entity they apply to, not read, `unsupported`
//! (ERC-8481 §Report: a core kind that applies is never left out).

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::delegation::AccountCode;
use presight_view::Unread;
use presight_wire::Reason;
use presight_wire::kinds::Group;

/// A kind without a reader.
#[derive(Debug)]
pub struct Unsupported {
    /// The kind's name on the wire.
    pub name: &'static str,
    /// The entities it is about.
    pub group: Group,
    /// Which of them.
    pub scope: Scope,
}

/// Which entities of the group a kind applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every one.
    Every,
    /// Accounts with code, delegated ones included (I-42).
    WithCode,
    /// Accounts whose code is an EIP-7702 delegation.
    Delegated,
}

impl Kind for Unsupported {
    fn name(&self) -> &'static str {
        self.name
    }

    fn group(&self) -> Group {
        self.group
    }

    fn is_read(&self) -> bool {
        false
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let unsupported = || Fact::only(Err(Reason::Unsupported.into()));
        let (Scope::WithCode | Scope::Delegated, Entity::Address(address)) = (self.scope, entity) else {
            return unsupported();
        };
        match context.code_after(&address.address) {
            Ok(code) => match (self.scope, code.value()) {
                (Scope::WithCode, AccountCode::Contract) | (_, AccountCode::Delegated(_)) => unsupported(),
                _ => Vec::new(),
            },
            // Whether it applies was not read: neither was it (I-13).
            Err(Unread::NotRead(why)) => Fact::only(Err(Unread::NotRead(why))),
            Err(Unread::Pending) => Fact::only(Err(Unread::Pending)),
        }
    }
}
