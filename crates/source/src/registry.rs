//! Every finding kind this source knows, in report order. One line a kind.

use crate::findings::unsupported::{Scope, Unsupported};
use crate::findings::{address, approval, permit, text};
use crate::kind::Kind;
use presight_wire::kinds::Group;

const fn unsupported(name: &'static str, group: Group, scope: Scope) -> Unsupported {
    Unsupported { name, group, scope }
}

/// The kinds: those of ERC-8481 in the order of its text, then this source's own under `presight.`.
pub static KINDS: &[&dyn Kind] = &[
    &unsupported("erc.presign.token.observation", Group::Token, Scope::Every),
    &unsupported("erc.presign.token.issuer-listing", Group::Token, Scope::Every),
    &unsupported("erc.presign.token.oracle-deviation", Group::Token, Scope::Every),
    &approval::amount::Amount,
    &approval::unlimited::Unlimited,
    &approval::share_of_supply::ShareOfSupply,
    &approval::expiry::Expiry,
    &approval::current_allowance::CurrentAllowance,
    &address::code::Code,
    &unsupported(
        "erc.presign.address.delegate-single-caller",
        Group::Address,
        Scope::Delegated,
    ),
    &unsupported(
        "erc.presign.address.delegate-unbounded-outflow",
        Group::Address,
        Scope::Delegated,
    ),
    &unsupported(
        "erc.presign.address.delegate-authorizations",
        Group::Address,
        Scope::Delegated,
    ),
    &address::delegation::Delegation,
    &unsupported(
        "erc.presign.address.first-seen-block",
        Group::Address,
        Scope::Every,
    ),
    &unsupported(
        "erc.presign.address.source-verified",
        Group::Address,
        Scope::WithCode,
    ),
    &unsupported(
        "erc.presign.address.prior-transfers",
        Group::Address,
        Scope::Every,
    ),
    &unsupported("erc.presign.address.lookalike", Group::Address, Scope::Every),
    &unsupported("erc.presign.address.on-list", Group::Address, Scope::Every),
    &unsupported("erc.presign.payment.match", Group::Payment, Scope::Every),
    &unsupported("erc.presign.payment.payee-binding", Group::Payment, Scope::Payee),
    &text::control_chars::ControlChars,
    &text::mixed_script::MixedScript,
    &text::addresses::Addresses,
    &unsupported("erc.presign.text.pattern-match", Group::Text, Scope::Every),
    &approval::item::Item,
    &permit::keeper::Keeper,
    &permit::transfer::Transfer,
    &permit::other_owner::OtherOwner,
];

#[cfg(test)]
mod tests {
    use super::KINDS;
    use presight_wire::kinds::CORE;

    #[test]
    fn the_core_kinds_come_first_and_in_the_order_of_the_specification() {
        let registered: Vec<_> = KINDS.iter().map(|k| (k.name(), k.group())).collect();
        let core: Vec<_> = CORE.iter().map(|k| (k.name, k.group)).collect();
        assert_eq!(registered[..core.len()], core[..]);
        assert!(
            registered[core.len()..]
                .iter()
                .all(|(name, _)| name.starts_with("presight."))
        );
    }
}
