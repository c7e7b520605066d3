//! Who controls a contract: owners, implementations, modules.

use super::claims::{Claim, Controlled, What};
use super::slots::{is_address, to_address, to_word};
use super::{Hearing, Standing};
use crate::simulate::{Change, FrameKind, Outcome};
use alloy_primitives::{Address, U256, keccak256};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What changed about the control of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Controls {
    /// The code it runs by delegation (ERC-1967, ERC-1822, ZeppelinOS, or any slot whose address it ran).
    Implementation,
    /// Who may change the implementation (ERC-1967, ZeppelinOS).
    Admin,
    /// The contract that names the implementation (ERC-1967).
    Beacon,
    /// `owner()`.
    Owner,
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
    /// The facets of a diamond (ERC-2535).
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
    /// The module or owner whose membership changed, 1 for a member and 0 for none; `None` where the value itself
    /// names who controls.
    pub subject: Option<Address>,
    /// Its values, where they were read.
    pub value: Option<Change<U256>>,
    /// How it is known.
    pub standing: Standing,
}

/// Slots with a meaning by their position.
static KNOWN: LazyLock<Vec<(U256, Controls)>> = LazyLock::new(|| {
    let hash = |label: &str| U256::from_be_bytes(keccak256(label).0);
    // ERC-1967 takes one from the hash, so that no pre-image is known.
    let erc1967 = |label: &str| hash(label) - U256::ONE;
    vec![
        (erc1967("eip1967.proxy.implementation"), Controls::Implementation),
        (erc1967("eip1967.proxy.admin"), Controls::Admin),
        (erc1967("eip1967.proxy.beacon"), Controls::Beacon),
        (hash("PROXIABLE"), Controls::Implementation),
        (
            hash("org.zeppelinos.proxy.implementation"),
            Controls::Implementation,
        ),
        (hash("org.zeppelinos.proxy.admin"), Controls::Admin),
        (hash("guard_manager.guard.address"), Controls::Guard),
        (hash("module_manager.module_guard.address"), Controls::ModuleGuard),
        (
            hash("fallback_manager.handler.address"),
            Controls::FallbackHandler,
        ),
    ]
});

/// Slots with a meaning by their position.
pub(super) fn known_slots(hearing: &mut Hearing<'_, '_>) {
    let found: Vec<_> = hearing
        .slots
        .open()
        .iter()
        .filter_map(|open| {
            let (_, what) = KNOWN.iter().find(|(slot, _)| *slot == open.slot)?;
            Some((open.clone(), *what))
        })
        .collect();
    for (open, what) in found {
        hearing.slots.settle(open.contract, open.slot);
        hearing.effects.control.push(Control {
            contract: open.contract,
            what,
            subject: None,
            value: Some(open.change),
            standing: Standing::Observed,
        });
    }
}

/// Changes of control that events tell of, or the contracts when asked, or what they ran.
pub(super) fn told(claims: &[Claim], outcome: &Outcome, hearing: &mut Hearing<'_, '_>) {
    owners(claims, hearing);
    members(claims, hearing);
    thresholds(hearing);
    implementations(outcome, hearing);
    facets(claims, outcome, hearing);
}

/// `owner()` of contracts that say it changed, or whose storage holds an address that did.
fn owners(claims: &[Claim], hearing: &mut Hearing<'_, '_>) {
    let claimed = claims.iter().filter_map(|claim| match claim.what {
        What::Control(Controlled::Owner, to) => Some((claim.contract, to)),
        _ => None,
    });
    let claimed: std::collections::BTreeMap<Address, U256> = claimed.collect();
    let holding = hearing
        .slots
        .open()
        .iter()
        .filter(|open| open.keys.is_empty())
        .map(|open| open.contract);
    let contracts: BTreeSet<Address> = claimed.keys().copied().chain(holding).collect();
    for contract in contracts {
        let answers = hearing.asker.ask(contract, "owner()", &[]);
        let value = answers.words(0);
        let told = claimed.get(&contract);
        let standing = match (&value, told) {
            (None, None) => continue,
            (None, Some(_)) => Standing::Unconfirmed,
            (Some(value), None) if value.before == value.after => continue,
            (Some(_), None) => Standing::Observed,
            (Some(value), Some(told)) if value.after == *told => Standing::Observed,
            (Some(value), Some(_)) if value.before == value.after => Standing::Claimed,
            (Some(_), Some(_)) => Standing::Differs,
        };
        if let Some(value) = value.as_ref().filter(|value| value.before != value.after) {
            settle_address(contract, value, hearing);
        }
        hearing.effects.control.push(Control {
            contract,
            what: Controls::Owner,
            subject: None,
            value,
            standing,
        });
    }
}

/// Settles a slot of no mapping whose lower 160 bits are this address, before and after.
fn settle_address(contract: Address, value: &Change<U256>, hearing: &mut Hearing<'_, '_>) {
    let low = |word: U256| to_address(word & ((U256::ONE << 160) - U256::ONE));
    let found = hearing.slots.open().iter().find(|open| {
        open.contract == contract
            && open.keys.is_empty()
            && low(open.change.before) == to_address(value.before)
            && low(open.change.after) == to_address(value.after)
    });
    if let Some(slot) = found.map(|open| open.slot) {
        hearing.slots.settle(contract, slot);
    }
}

/// The slots of a Safe's mappings of modules and owners.
const SAFE_MODULES: u64 = 1;
const SAFE_OWNERS: u64 = 2;
/// The first and last element of a Safe's linked lists.
const SENTINEL: U256 = U256::ONE;

/// Modules and owners of Safes: of contracts that say they changed, and of those with a mapping where a Safe has
/// it.
fn members(claims: &[Claim], hearing: &mut Hearing<'_, '_>) {
    let claimed: BTreeSet<(Address, Controls, U256)> = claims
        .iter()
        .filter_map(|claim| match claim.what {
            What::Control(Controlled::Module, member) => Some((claim.contract, Controls::Module, member)),
            What::Control(Controlled::SafeOwner, member) => {
                Some((claim.contract, Controls::SafeOwner, member))
            }
            _ => None,
        })
        .collect();
    let linked = hearing.slots.open().iter().flat_map(|open| {
        let what = match (open.base, open.keys.as_slice()) {
            (Some(base), [_]) if base == U256::from(SAFE_MODULES) => Some(Controls::Module),
            (Some(base), [_]) if base == U256::from(SAFE_OWNERS) => Some(Controls::SafeOwner),
            _ => None,
        };
        // An element's slot holds the next one.
        let members = open
            .keys
            .iter()
            .copied()
            .chain([open.change.before, open.change.after]);
        let contract = open.contract;
        members
            .filter(|member| is_address(*member) && *member != SENTINEL)
            .filter_map(move |member| Some((contract, what?, member)))
            .collect::<Vec<_>>()
    });
    let asked: BTreeSet<_> = claimed.iter().copied().chain(linked).collect();
    for (contract, what, member) in asked {
        let question = match what {
            Controls::Module => "isModuleEnabled(address)",
            _ => "isOwner(address)",
        };
        let value = hearing.asker.ask(contract, question, &[member]).words(0);
        let told = claimed.contains(&(contract, what, member));
        let standing = match &value {
            Some(value) if value.before != value.after => Standing::Observed,
            Some(_) if told => Standing::Claimed,
            None if told => Standing::Unconfirmed,
            Some(_) | None => continue,
        };
        if standing == Standing::Observed {
            settle_list(contract, what, member, hearing);
        }
        hearing.effects.control.push(Control {
            contract,
            what,
            subject: Some(to_address(member)),
            value,
            standing,
        });
    }
}

/// Settles the slots of a linked list that name a member.
fn settle_list(contract: Address, what: Controls, member: U256, hearing: &mut Hearing<'_, '_>) {
    let base = U256::from(if what == Controls::Module {
        SAFE_MODULES
    } else {
        SAFE_OWNERS
    });
    let named: Vec<U256> = hearing
        .slots
        .open()
        .iter()
        .filter(|open| open.contract == contract && open.base == Some(base))
        .filter(|open| {
            open.keys.contains(&member) || open.change.before == member || open.change.after == member
        })
        .map(|open| open.slot)
        .collect();
    for slot in named {
        hearing.slots.settle(contract, slot);
    }
}

/// `getThreshold()` of contracts with a small number that changed.
fn thresholds(hearing: &mut Hearing<'_, '_>) {
    const SLOTS: [u64; 2] = [3, 4]; // the number of owners, and how many of them must sign
    let contracts: BTreeSet<Address> = hearing
        .slots
        .open()
        .iter()
        .filter(|open| open.keys.is_empty() && SLOTS.map(U256::from).contains(&open.slot))
        .map(|open| open.contract)
        .collect();
    for contract in contracts {
        let is_safe = hearing
            .effects
            .control
            .iter()
            .any(|control| control.contract == contract && control.what == Controls::SafeOwner);
        let Some(value) = hearing.asker.ask(contract, "getThreshold()", &[]).words(0) else {
            continue;
        };
        if is_safe {
            hearing.slots.settle(contract, U256::from(SLOTS[0]));
        }
        if value.before == value.after {
            continue;
        }
        hearing.slots.settle(contract, U256::from(SLOTS[1]));
        hearing.effects.control.push(Control {
            contract,
            what: Controls::Threshold,
            subject: None,
            value: Some(value),
            standing: Standing::Observed,
        });
    }
}

/// A slot whose address the contract ran by delegation, before it changed or after, names its implementation.
fn implementations(outcome: &Outcome, hearing: &mut Hearing<'_, '_>) {
    let ran: BTreeSet<(Address, U256)> = outcome
        .frames
        .iter()
        .filter(|frame| frame.kind == FrameKind::DelegateCall)
        .map(|frame| (frame.account, to_word(frame.code)))
        .collect();
    let found: Vec<_> = hearing
        .slots
        .open()
        .iter()
        .filter(|open| open.keys.is_empty())
        .filter(|open| {
            [open.change.before, open.change.after]
                .iter()
                .all(|value| value.is_zero() || is_address(*value))
        })
        .filter(|open| {
            ran.contains(&(open.contract, open.change.before))
                || ran.contains(&(open.contract, open.change.after))
        })
        .cloned()
        .collect();
    for open in found {
        hearing.slots.settle(open.contract, open.slot);
        hearing.effects.control.push(Control {
            contract: open.contract,
            what: Controls::Implementation,
            subject: None,
            value: Some(open.change),
            standing: Standing::Observed,
        });
    }
}

/// A diamond keeps its facets in mappings of its own; that its storage changed is what bears the event out.
fn facets(claims: &[Claim], outcome: &Outcome, hearing: &mut Hearing<'_, '_>) {
    let cut: BTreeSet<Address> = claims
        .iter()
        .filter(|claim| matches!(claim.what, What::Control(Controlled::Facets, _)))
        .map(|claim| claim.contract)
        .collect();
    for contract in cut {
        let changed = outcome
            .changes
            .of(contract)
            .is_some_and(|change| !change.storage.is_empty());
        hearing.effects.control.push(Control {
            contract,
            what: Controls::Facets,
            subject: None,
            value: None,
            standing: if changed {
                Standing::Observed
            } else {
                Standing::Claimed
            },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_those_of_the_standards() {
        let slot = |text: &str| text.parse::<U256>().unwrap();
        let known = |text| {
            KNOWN
                .iter()
                .find(|(s, _)| *s == slot(text))
                .map(|(_, what)| *what)
        };
        let cases = [
            (
                "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
                Controls::Implementation,
            ),
            (
                "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103",
                Controls::Admin,
            ),
            (
                "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
                Controls::Beacon,
            ),
            (
                "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
                Controls::Implementation,
            ),
            (
                "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
                Controls::Implementation,
            ),
            (
                "0x10d6a54a4754c8869d6886b5f5d7fbfa5b4522237ea5c60d11bc4e7a1ff9390b",
                Controls::Admin,
            ),
            (
                "0x4a204f620c8c5ccdca3fd54d003badd85ba500436a431f0cbda4f558c93c34c8",
                Controls::Guard,
            ),
            (
                "0x6c9a6c4a39284e37ed1cf53d337577d14212a4870fb976a4366c693b939918d5",
                Controls::FallbackHandler,
            ),
        ];
        for (text, what) in cases {
            assert_eq!(known(text), Some(what), "{text}");
        }
    }
}
