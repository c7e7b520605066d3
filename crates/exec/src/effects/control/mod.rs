//! Who controls a contract: owners, implementations, modules.

mod diamond;
mod owners;
mod proxies;
mod safe;

use super::claims::Claim;
use super::{Hearing, Standing};
use crate::simulate::{Change, Outcome};
use alloy_primitives::{Address, B256, U256};

pub(super) use proxies::{known_slots, pointers};

/// What changed about the control of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Controls {
    /// The code it runs by delegation (ERC-1967, ERC-1822, ZeppelinOS, or any slot whose address it ran), or that it
    /// names for others to run: `implementation()` of a beacon.
    Implementation,
    /// Who may change the implementation (ERC-1967, ZeppelinOS).
    Admin,
    /// The contract that names the implementation (ERC-1967).
    Beacon,
    /// `owner()`.
    Owner,
    /// Who may become the owner: `pendingOwner()`.
    PendingOwner,
    /// A role and who has it: `hasRole(bytes32,address)`.
    Role,
    /// A module of a Safe, which may send anything from it.
    Module,
    /// An owner of a Safe.
    SafeOwner,
    /// How many owners of a Safe must sign.
    Threshold,
    /// The guard of a Safe.
    Guard,
    /// The guard of a Safe's modules.
    ModuleGuard,
    /// The fallback handler of a Safe.
    FallbackHandler,
    /// The facet of a diamond's function (ERC-2535).
    Facets,
}

impl Controls {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Implementation => "implementation",
            Self::Admin => "admin",
            Self::Beacon => "beacon",
            Self::Owner => "owner",
            Self::PendingOwner => "pending-owner",
            Self::Role => "role",
            Self::Module => "module",
            Self::SafeOwner => "safe-owner",
            Self::Threshold => "threshold",
            Self::Guard => "guard",
            Self::ModuleGuard => "module-guard",
            Self::FallbackHandler => "fallback-handler",
            Self::Facets => "facets",
        }
    }
}

/// A change of who controls a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The contract.
    pub contract: Address,
    /// What changed.
    pub what: Controls,
    /// The module, owner or holder of a role whose membership changed, 1 for a member and 0 for none; `None` where the
    /// value itself names who controls.
    pub subject: Option<Address>,
    /// The role, or the selector of a diamond's function in its first four bytes.
    pub of: Option<B256>,
    /// Its values, where they were read.
    pub value: Option<Change<U256>>,
    /// How it is known.
    pub standing: Standing,
}

impl Control {
    /// A value that names who controls, as the state bears it out.
    fn observed(contract: Address, what: Controls, value: Change<U256>) -> Self {
        Self {
            contract,
            what,
            subject: None,
            of: None,
            value: Some(value),
            standing: Standing::Observed,
        }
    }
}

/// Changes of control that events tell of, or the contracts when asked, or what they ran.
pub(super) fn told(claims: &[Claim], outcome: &Outcome, hearing: &mut Hearing<'_, '_>) {
    owners::told(claims, hearing);
    safe::members(claims, hearing);
    safe::thresholds(hearing);
    proxies::ran(outcome, hearing);
    proxies::named(hearing);
    owners::pending(hearing);
    owners::roles(claims, hearing);
    diamond::facets(claims, outcome, hearing);
}
