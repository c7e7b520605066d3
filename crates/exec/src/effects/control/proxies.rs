//! What code a contract runs, or names for others to run.

use super::{Control, Controls};
use crate::effects::Hearing;
use crate::effects::slots::{is_address, to_word};
use crate::simulate::{FrameKind, Outcome};
use alloy_primitives::{Address, U256, keccak256};
use std::collections::BTreeSet;
use std::sync::LazyLock;

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

/// Slots whose code a contract runs, if it is a proxy or a Safe: the singleton's is the first.
pub(in crate::effects) fn pointers() -> impl Iterator<Item = U256> {
    let runs = KNOWN.iter().filter(|(_, what)| {
        matches!(
            what,
            Controls::Implementation | Controls::Beacon | Controls::FallbackHandler
        )
    });
    runs.map(|(slot, _)| *slot).chain([U256::ZERO])
}

/// Slots with a meaning by their position.
pub(in crate::effects) fn known_slots(hearing: &mut Hearing<'_, '_>) {
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
        let control = Control::observed(open.contract, what, open.change);
        hearing.effects.control.push(control);
    }
}

/// A slot whose address the contract ran by delegation, before it changed or after, names its implementation.
pub(super) fn ran(outcome: &Outcome, hearing: &mut Hearing<'_, '_>) {
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
        let control = Control::observed(open.contract, Controls::Implementation, open.change);
        hearing.effects.control.push(control);
    }
}

/// `implementation()` of contracts with an address of no mapping that changed: beacons.
pub(super) fn named(hearing: &mut Hearing<'_, '_>) {
    for contract in holding(hearing) {
        let value = hearing.asker.ask(contract, "implementation()", &[]).words(0);
        if let Some(value) = value.filter(|value| value.before != value.after) {
            hearing.slots.settle_value(contract, &[], &value);
            let control = Control::observed(contract, Controls::Implementation, value);
            hearing.effects.control.push(control);
        }
    }
}

/// Contracts with a slot of no mapping that changed and whose meaning is not known.
pub(super) fn holding(hearing: &Hearing<'_, '_>) -> BTreeSet<Address> {
    let open = hearing.slots.open().iter();
    open.filter(|open| open.keys.is_empty())
        .map(|open| open.contract)
        .collect()
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
