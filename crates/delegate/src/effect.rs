//! What a path does with what the account has.

use crate::expr::{Id, Store};

/// A thing that a path did.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Effect {
    pub(crate) what: What,
    /// It may happen more often than it is listed.
    pub(crate) repeats: bool,
}

/// What was done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum What {
    /// A call with value or to a function that may move something.
    Call { to: Id, value: Id, data: Data },
    /// Code that is not known ran as the account.
    Delegate { to: Id, data: Data },
    /// A contract was created with value.
    Create { value: Id },
    /// The whole balance was sent.
    SelfDestruct { to: Id },
    /// The account called itself, or may have: everything that it lets itself do with this data. The data as a
    /// term, when it is known.
    EnterSelf(Inner, Option<Id>),
    /// It ran its own code again for the same caller.
    Again,
}

/// The data of a call of the account to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Inner {
    /// No data.
    Empty,
    /// Any arguments of this function.
    Function(u32),
    /// Any data.
    Any,
}

/// The data of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Data {
    /// The first four bytes as a number; none when there is no data.
    pub(crate) selector: Option<Id>,
    /// The words after them, as far as they are looked at.
    pub(crate) words: Vec<Id>,
    /// All of it, when it is known as a term.
    pub(crate) whole: Option<Id>,
}

/// A slot that a path wrote, with the bits it may have changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SlotWrite {
    pub(crate) slot: Id,
    pub(crate) value: Id,
    /// All bits, unless some are known to be as before.
    pub(crate) changed: alloy_primitives::U256,
    pub(crate) transient: bool,
}

/// How a function is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    /// Moves tokens of the account: the places of recipient and amount among the words.
    Transfer { to: usize, amount: usize },
    /// Moves an item, or several.
    Item,
    /// Lets another move tokens.
    Grant,
    /// Turns wrapped native tokens into native ones of the account.
    Unwrap,
    /// Nothing known.
    Other,
}

/// The functions that move or grant (ERC-20, ERC-721, ERC-1155, ERC-777, Permit2, wrapped native).
pub(crate) fn function(selector: u32) -> Function {
    match selector {
        0xa9059cbb => Function::Transfer { to: 0, amount: 1 },
        0x23b872dd => Function::Transfer { to: 1, amount: 2 },
        0x9bd9bbc6 => Function::Transfer { to: 0, amount: 1 },
        0x62ad1b83 | 0x36c78516 => Function::Transfer { to: 1, amount: 2 },
        0x42842e0e | 0xb88d4fde | 0xf242432a | 0x2eb2c2d6 => Function::Item,
        0x095ea7b3 | 0x39509351 | 0xa22cb465 | 0xd505accf | 0x959b8c3f | 0x87517c45 => Function::Grant,
        0x2e1a7d4d => Function::Unwrap,
        _ => Function::Other,
    }
}

impl Data {
    /// What the call could ask of the account itself.
    pub(crate) fn inner(&self, store: &Store) -> Inner {
        match (self.selector, self.fixed_selector(store)) {
            (None, _) => Inner::Empty,
            (_, Some(selector)) => Inner::Function(selector),
            _ => Inner::Any,
        }
    }

    /// The selector, when it is fixed.
    pub(crate) fn fixed_selector(&self, store: &Store) -> Option<u32> {
        self.selector
            .and_then(|id| store.value(id))
            .and_then(|value| u32::try_from(value).ok())
    }
}
