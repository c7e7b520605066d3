//! `description.action` against what the calls or the typed data do (§5.5).
//!
//! An action is contradicted by a movement or a grant that it does not have, and confirmed where the bytes hold all that
//! it is. What a contract does behind a function that is not read may be any action.

use super::decided::{self, is_plain_send};
use super::functions::Function;
use super::moved::{Class, Moved};
use super::pairing::is_burnt;
use super::{ClaimStatus, NotDerivable};
use crate::envelope::content::DecodedContent;
use alloy_primitives::{Address, U256};
use presight_decode::CallNode;
use presight_wire::envelope::{Action, Token};
use serde::Serialize;
use std::collections::BTreeSet;

/// Whether the action is what the bytes do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActionClaim {
    /// Whether it is.
    pub status: ClaimStatus,
    /// What the bytes do instead, or why they do not decide it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl ActionClaim {
    pub(crate) fn not_derivable(why: impl Into<String>) -> Self {
        Self {
            status: NotDerivable,
            detail: Some(why.into()),
        }
    }
}

/// Judges it.
pub(super) fn judge(action: Action, content: &DecodedContent, moved: &[Moved]) -> ActionClaim {
    let deeds = Deeds::of(content, moved);
    let status = deeds.judge(action);
    let detail = match status {
        ClaimStatus::Confirmed => None,
        ClaimStatus::Contradicted => Some(format!("`{}`, while the content {deeds}", action.as_str())),
        NotDerivable => Some("the bytes alone do not decide it".to_owned()),
    };
    ActionClaim { status, detail }
}

/// What the content does, as far as it is read.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a deed of its own")]
struct Deeds {
    /// There is nothing else: every call is of a function that says all it does, or sends the native asset.
    whole: bool,
    /// It makes calls, or lets calls be made, rather than being a permit.
    runs: bool,
    /// Someone else may take tokens of the signer, or of an account that acts here.
    grants: bool,
    /// A signature lets a transfer be made.
    allows: bool,
    /// Tokens change hands, whosever they are.
    transfers: bool,
    /// Tokens leave the signer, or an account that acts here.
    pays: bool,
    /// All that is transferred is destroyed.
    burns: bool,
    /// The receiver's code is run when it gets them.
    notifies: bool,
    /// A right is taken away.
    revokes: bool,
}

impl Deeds {
    fn of(content: &DecodedContent, moved: &[Moved]) -> Self {
        let actors = Actors::of(content);
        let typed = content.decoded.typed_data.as_ref();
        let runs = typed.is_none_or(|typed| !typed.inner.is_empty());
        // What another contract than Permit2 does is not known, nor whether a zero is an item.
        let perhaps = moved.iter().any(Moved::may_be_item_zero);
        let moved: Vec<_> = moved
            .iter()
            .filter(|moved| !moved.foreign && !moved.may_be_item_zero())
            .collect();
        let transfers: Vec<_> = moved
            .iter()
            .filter(|m| m.class == Class::Transfer || (runs && m.class == Class::OneTransfer))
            .filter(|m| m.token != Token::Native || actors.sends.contains(&(m.to, m.units.value())))
            .collect();
        Self {
            whole: !perhaps && decided::is_whole(&content.decoded),
            runs,
            grants: moved.iter().any(|m| {
                m.class == Class::Grant
                    && !m.is_revocation()
                    && (!runs || actors.act(m.from))
                    && actors.is_away(m)
            }),
            allows: !runs && moved.iter().any(|m| m.class == Class::OneTransfer),
            transfers: !transfers.is_empty(),
            pays: transfers.iter().any(|m| actors.act(m.from) && actors.is_away(m)),
            burns: !transfers.is_empty() && transfers.iter().all(|m| is_burnt(m)),
            notifies: transfers
                .iter()
                .any(|m| m.token == Token::Native || matches!(m.function, Function::Item | Function::Items)),
            revokes: moved.iter().any(|m| m.is_revocation()),
        }
    }

    fn judge(self, action: Action) -> ClaimStatus {
        let Self {
            whole,
            runs,
            grants,
            allows,
            transfers,
            pays,
            ..
        } = self;
        // What a signature grants may serve any action that takes tokens.
        let only = whole && runs;
        let (confirmed, contradicted) = match action {
            Action::Other => (false, false),
            Action::Transfer => (
                only && transfers && !grants,
                only && (grants || (self.revokes && !transfers)),
            ),
            Action::Approve => (
                whole && grants && !transfers,
                pays || (only && transfers && !grants && !self.revokes),
            ),
            Action::Permit => (whole && !runs && (grants || allows), pays),
            Action::RevokeApproval => (
                whole && self.revokes && !grants && !transfers && !allows,
                grants || pays || allows || (only && transfers),
            ),
            // They cost nothing but a fee.
            Action::Claim => (false, grants || pays || allows || (only && self.revokes)),
            Action::AdminOp => (false, grants || pays || allows),
            Action::Burn => (
                only && self.burns && !grants,
                only && !self.notifies && (grants || self.revokes || transfers) && !self.burns,
            ),
            // Tokens are sent to an address that deposits or bridges them.
            Action::Deposit | Action::Bridge => (false, only && (grants || self.revokes) && !transfers),
            // They need a call of the protocol, or its code to be run by what it gets.
            Action::Swap
            | Action::Stake
            | Action::Unstake
            | Action::Restake
            | Action::Mint
            | Action::Withdraw
            | Action::Delegate => (false, only && !self.notifies && (grants || pays || self.revokes)),
        };
        match (confirmed, contradicted) {
            (_, true) => ClaimStatus::Contradicted,
            (true, false) => ClaimStatus::Confirmed,
            (false, false) => NotDerivable,
        }
    }
}

impl std::fmt::Display for Deeds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let deeds = [
            (self.grants, "approves"),
            (self.transfers, "transfers"),
            (self.allows, "lets a transfer be made"),
            (self.revokes, "revokes"),
        ];
        let deeds: Vec<_> = deeds
            .iter()
            .filter(|(does, _)| *does)
            .map(|(_, deed)| *deed)
            .collect();
        f.write_str(&deeds.join(" and "))
    }
}

/// The signer and the accounts in whose name calls are made.
struct Actors {
    signer: Address,
    callers: BTreeSet<Address>,
    /// Receivers of the native asset in calls without calldata, with the amounts. With calldata it may be a fee.
    sends: BTreeSet<(Address, Option<U256>)>,
}

impl Actors {
    fn of(content: &DecodedContent) -> Self {
        let signer = content.signer.address();
        let mut actors = Self {
            signer,
            callers: BTreeSet::from([signer]),
            sends: BTreeSet::new(),
        };
        let typed = content.decoded.typed_data.iter().flat_map(|typed| &typed.inner);
        for node in content.decoded.calls.iter().chain(typed) {
            actors.add(node);
        }
        actors
    }

    fn add(&mut self, node: &CallNode) {
        self.callers.insert(node.caller);
        if is_plain_send(node) {
            self.sends.insert((node.to, Some(node.value)));
        }
        node.inner.iter().for_each(|inner| self.add(inner));
    }

    fn act(&self, account: Address) -> bool {
        self.callers.contains(&account)
    }

    fn is_away(&self, moved: &Moved) -> bool {
        moved.to != moved.from && moved.to != self.signer
    }
}
