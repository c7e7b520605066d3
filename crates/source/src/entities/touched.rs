//! Addresses and tokens that the simulation shows.

use super::Found;
use alloy_primitives::{Address, B256, U256, b256};
use presight_exec::effects::{Controls, Standing};
use presight_wire::report::{AddressEntity, Role};
use presight_wire::{AccountId, ChainId};

/// `Transfer(address,address,uint256)` and `Approval(address,address,uint256)`
const TOKEN_EVENTS: [B256; 2] = [
    b256!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"),
    b256!("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"),
];

/// An address in a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Touched {
    pub(super) address: Address,
    role: Role,
}

impl Touched {
    pub(super) fn token(address: Address) -> Self {
        Self {
            address,
            role: Role::Token,
        }
    }

    pub(super) fn entity(self, chain: &ChainId) -> AddressEntity {
        AddressEntity {
            address: AccountId::new(chain.clone(), self.address),
            role: self.role,
        }
    }
}

/// Contracts whose control changes (`target`) and who gets it (`spender`), receivers of native value, spenders,
/// receivers of tokens, tokens.
pub(super) fn find(found: &mut Found<'_>) {
    control(found);
    native(found);
    spenders(found);
    transfers(found);
    events(found);
}

impl Found<'_> {
    fn touch(&mut self, role: Role, address: Address, own: bool, standing: Standing) {
        if !address.is_zero() {
            self.addresses
                .add(Touched { address, role }, own, is_observed(standing));
        }
    }

    fn is_actor(&self, address: Address) -> bool {
        self.actors.contains(&address)
    }
}

/// Whether the state bears it out, if not all of it.
fn is_observed(standing: Standing) -> bool {
    matches!(standing, Standing::Observed | Standing::Differs)
}

/// Whoever is put in control may take what the contract holds.
fn control(found: &mut Found<'_>) {
    for control in &found.simulated.effects.control {
        let own = found.is_actor(control.contract);
        found.touch(Role::Target, control.contract, own, control.standing);
        let named = match control.what {
            Controls::Threshold | Controls::Facets => None,
            // Membership: the member that is one now.
            Controls::Module | Controls::SafeOwner => {
                let left = control.value.as_ref().is_some_and(|value| value.after.is_zero());
                control.subject.filter(|_| !left)
            }
            _ => control.value.as_ref().and_then(|value| address(value.after)),
        };
        if let Some(named) = named {
            found.touch(Role::Spender, named, own, control.standing);
        }
    }
}

fn address(word: U256) -> Option<Address> {
    (word.bit_len() <= 160).then(|| Address::from_word(word.into()))
}

fn native(found: &mut Found<'_>) {
    let simulated = found.simulated;
    for frame in simulated.outcome.standing_frames() {
        if !frame.value.is_zero() && frame.caller != frame.account && found.is_actor(frame.caller) {
            found.touch(Role::Recipient, frame.account, true, Standing::Observed);
        }
    }
    for change in &simulated.effects.native {
        if change.balance.after > change.balance.before {
            found.touch(Role::Recipient, change.account, false, Standing::Observed);
        }
    }
}

fn spenders(found: &mut Found<'_>) {
    let effects = &found.simulated.effects;
    let real = |standing| standing != Standing::Claimed;
    for allowance in effects
        .allowances
        .iter()
        .filter(|a| real(a.standing) && a.is_raised())
    {
        let own = found.is_actor(allowance.owner);
        found.touch(Role::Spender, allowance.spender, own, allowance.standing);
        found
            .tokens
            .add(allowance.token, own, is_observed(allowance.standing));
    }
    for allowance in effects.permit2.iter().filter(|a| real(a.standing)) {
        let raised = allowance.amount.as_ref().is_none_or(|a| a.after > a.before);
        let own = found.is_actor(allowance.owner);
        if raised {
            found.touch(Role::Spender, allowance.spender, own, allowance.standing);
        }
        found
            .tokens
            .add(allowance.token, own, is_observed(allowance.standing));
    }
    for operator in effects.operators.iter().filter(|o| real(o.standing)) {
        let approved = operator.approved.as_ref().map(|a| a.after).or(operator.told);
        let own = found.is_actor(operator.owner);
        if approved == Some(true) {
            found.touch(Role::Spender, operator.operator, own, operator.standing);
        }
        found
            .tokens
            .add(operator.token, own, is_observed(operator.standing));
    }
    for item in effects.items.iter().filter(|i| real(i.standing)) {
        if let Some(approved) = item.approved.as_ref().map(|a| a.after).or(item.told) {
            found.touch(Role::Spender, approved, false, item.standing);
        }
        found.tokens.add(item.token, false, is_observed(item.standing));
    }
}

fn transfers(found: &mut Found<'_>) {
    let effects = &found.simulated.effects;
    for balance in &effects.balances {
        let own = found.is_actor(balance.account);
        if !own && balance.balance.after > balance.balance.before {
            found.touch(Role::Recipient, balance.account, false, Standing::Observed);
        }
        found.tokens.add(balance.token, own, true);
    }
    for transfer in effects
        .transfers
        .iter()
        .filter(|t| t.standing != Standing::Claimed)
    {
        let gives = found.is_actor(transfer.from);
        found.touch(Role::Recipient, transfer.to, gives, transfer.standing);
        let own = (gives || found.is_actor(transfer.to)) && transfer.standing == Standing::Observed;
        found
            .tokens
            .add(transfer.token, own, is_observed(transfer.standing));
    }
}

/// Each contract that emits an ERC-20 event, whatever it says (ERC-8481 §Entities).
fn events(found: &mut Found<'_>) {
    for log in &found.simulated.outcome.logs {
        if log
            .topics
            .first()
            .is_some_and(|topic| TOKEN_EVENTS.contains(topic))
        {
            found.tokens.add(log.address, false, false);
        }
    }
}
