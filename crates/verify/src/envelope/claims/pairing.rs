//! Which decoded movement each claimed one means.

use super::functions::Function;
use super::moved::{Class, Moved, Units};
use crate::envelope::content::Signer;
use alloy_primitives::{Address, U256, address};
use presight_wire::envelope::{Decimal, MovementKind, Standard, Token, TokenMovement};

/// Where tokens are sent to be lost.
const BURNT: Address = address!("0x000000000000000000000000000000000000dEaD");

/// A decoded movement, and the members in which the claimed one differs.
#[derive(Debug, Clone)]
pub(super) struct Pair<'m> {
    pub(super) moved: &'m Moved,
    pub(super) members: Vec<&'static str>,
}

impl Pair<'_> {
    /// Why the bytes do not decide whether the claim is so.
    pub(super) fn doubt(&self, claim: &TokenMovement) -> Option<&'static str> {
        match self.moved.class {
            _ if self.moved.foreign => Some("it is up to a contract that is not the canonical Permit2"),
            _ if self.members.is_empty() && self.moved.is_of_unnamed() => {
                Some("the content does so for the account that signs, which it does not name")
            }
            _ if !self.members.is_empty() => None,
            _ if self.moved.may_be_item_zero() => {
                Some("of an ERC-721 it is item 0, of an ERC-20 nothing; the bytes do not say which")
            }
            _ if self.moved.unsaid.token => Some("the bytes do not name the token"),
            _ if claim.from != self.moved.from && self.moved.unsaid.from => {
                Some("the bytes do not name the account that pays")
            }
            _ if claim.to != self.moved.to && self.moved.unsaid.to => {
                Some("the bytes do not name the account that is paid")
            }
            _ if self.moved.units.is_other_than(&claim.amount) => Some("the bytes only bound the amount"),
            Class::Grant if self.moved.function == Function::AddedAmount => {
                Some("an allowance is raised; what it comes to is not in the bytes")
            }
            Class::Transfer | Class::OneTransfer if self.moved.units == Units::Unsaid => {
                Some("the bytes do not name the amount")
            }
            Class::Refund => Some("what a Safe pays for gas is known when the gas is used"),
            Class::Reduction => Some("an allowance is reduced; what is left of it is not in the bytes"),
            Class::Revocation if claim.token_id.is_some() => {
                Some("an operator is dismissed; an approval of the item itself is not touched")
            }
            _ => None,
        }
    }
}

/// The pairs, each movement in one at most.
#[derive(Debug)]
pub(super) struct Pairing<'m> {
    /// For each claimed movement.
    pub(super) pairs: Vec<Option<Pair<'m>>>,
    /// The decoded ones that no claim means.
    pub(super) unclaimed: Vec<&'m Moved>,
}

impl<'m> Pairing<'m> {
    /// Pairs what is equal, then what differs least. `decided`: the bytes hold every movement there is.
    pub(super) fn new(claims: &[TokenMovement], moved: &'m [Moved], signer: Signer, decided: bool) -> Self {
        let mut pairs = vec![None; claims.len()];
        let mut taken = vec![false; moved.len()];
        for (pair, claim) in pairs.iter_mut().zip(claims) {
            let equal = |moved: &Moved| {
                Differences::between(claim, moved, signer).count() == 0 && moved.unsaid_of(claim) == 0
            };
            let found = moved
                .iter()
                .zip(&mut taken)
                .find(|(moved, taken)| !**taken && equal(moved));
            if let Some((moved, taken)) = found {
                *taken = true;
                *pair = Some(Pair {
                    moved,
                    members: Vec::new(),
                });
            }
        }
        let mut candidates = Vec::new();
        for (claim_index, claim) in claims
            .iter()
            .enumerate()
            .filter(|(index, _)| pairs[*index].is_none())
        {
            for (moved_index, moved) in moved.iter().enumerate().filter(|(index, _)| !taken[*index]) {
                let differences = Differences::between(claim, moved, signer);
                if differences.are_near(moved.class, decided) {
                    let apart = (differences.count(), moved.unsaid_of(claim));
                    candidates.push((apart, claim_index, moved_index, differences));
                }
            }
        }
        candidates.sort_by_key(|(apart, claim, moved, _)| (*apart, *claim, *moved));
        for (_, claim, index, differences) in candidates {
            if pairs[claim].is_none() && !taken[index] {
                taken[index] = true;
                pairs[claim] = Some(Pair {
                    moved: &moved[index],
                    members: differences.members(),
                });
            }
        }
        let unclaimed = moved.iter().zip(taken).filter(|(_, taken)| !taken);
        Self {
            pairs,
            unclaimed: unclaimed.map(|(moved, _)| moved).collect(),
        }
    }
}

/// The members of a claimed movement that differ from a decoded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Differences {
    token: bool,
    standard: bool,
    kind: bool,
    from: bool,
    to: bool,
    amount: bool,
    token_id: bool,
    unlimited: bool,
}

impl Differences {
    fn between(claim: &TokenMovement, moved: &Moved, signer: Signer) -> Self {
        let to = |address: Address| signer.may_be(address, claim.to);
        Self {
            token: claim.token != moved.token && !moved.unsaid.token,
            standard: !is_standard(claim.standard, moved),
            kind: !is_kind(claim, moved),
            from: !moved.unsaid.from && !signer.may_be(moved.from, claim.from),
            to: !moved.unsaid.to && !to(moved.to) && !moved.receiver.is_some_and(to),
            amount: !is_amount(claim, moved),
            token_id: !is_item(claim, moved),
            unlimited: !is_bounded_alike(claim, moved),
        }
    }

    fn has_other_quantity(self) -> bool {
        self.amount || self.token_id || self.unlimited
    }

    /// How far they are apart.
    fn count(self) -> usize {
        [
            self.token || self.standard,
            self.kind,
            self.from,
            self.to,
            self.has_other_quantity(),
        ]
        .into_iter()
        .filter(|differs| *differs)
        .count()
    }

    /// Whether the claim means this movement and is wrong about it. Where the bytes do not hold every movement, a
    /// transfer to another place may be made by code that is not read; a grant is made by the calls alone.
    fn are_near(self, class: Class, decided: bool) -> bool {
        let count = self.count();
        if decided {
            return count <= 2 && !(self.token && self.kind);
        }
        match class {
            Class::Transfer => count == 0 || (count == 1 && self.has_other_quantity()),
            _ => count == 0 || (count == 1 && !self.token && !self.from),
        }
    }

    fn members(self) -> Vec<&'static str> {
        let members = [
            (self.token, "token"),
            (self.standard && !self.token, "standard"),
            (self.kind, "kind"),
            (self.from, "from"),
            (self.to, "to"),
            (self.amount, "amount"),
            (self.token_id, "tokenId"),
            (self.unlimited, "isUnlimited"),
        ];
        members
            .iter()
            .filter(|(differs, _)| *differs)
            .map(|(_, name)| *name)
            .collect()
    }
}

/// Whether the receiver is nobody.
pub(super) fn is_burnt(moved: &Moved) -> bool {
    moved.to.is_zero() || moved.to == BURNT
}

fn is_kind(claim: &TokenMovement, moved: &Moved) -> bool {
    match (moved.class, claim.kind) {
        (Class::Transfer | Class::Refund | Class::OneTransfer, MovementKind::Transfer)
        | (Class::OneTransfer, MovementKind::Permit | MovementKind::Approve)
        | (Class::Grant, MovementKind::Approve | MovementKind::Permit)
        | (Class::Revocation | Class::Reduction, MovementKind::Revoke | MovementKind::Approve) => true,
        // Of an item, `approve` names another holder of the right: it takes it away where it names nobody.
        (Class::Grant, MovementKind::Revoke) if claim.standard == Standard::Erc721 => moved.to.is_zero(),
        // Nothing added takes nothing away.
        (Class::Grant, MovementKind::Revoke) => {
            moved.is_revocation() && moved.function != Function::AddedAmount
        }
        (Class::Transfer, MovementKind::Burn) => is_burnt(moved),
        (Class::Transfer, MovementKind::Mint) => moved.from.is_zero(),
        _ => false,
    }
}

/// Whether a token of the standard has such a function.
fn is_standard(standard: Standard, moved: &Moved) -> bool {
    match (standard, moved.token) {
        (standard, _) if moved.unsaid.token => standard == Standard::Erc20,
        (Standard::Native, token) => token == Token::Native,
        (_, Token::Native) => false,
        (standard, Token::Contract(_)) => moved.function.is_of(standard),
    }
}

/// Amounts from here on are written for no bound by tokens that count in 96 bits.
const LARGE: U256 = U256::from_limbs([u64::MAX, u32::MAX as u64, 0, 0]);

/// Whether a grant is said to have a bound when it has one. Saying of a large one that it has none hides nothing.
fn is_bounded_alike(claim: &TokenMovement, moved: &Moved) -> bool {
    let large = matches!(moved.units, Units::Exactly { value, .. } if value >= LARGE);
    let unlimited = moved.is_unlimited() && !is_one_item(claim, moved);
    match claim.is_unlimited {
        // What is added is the least of what it comes to.
        Some(true) if moved.function == Function::AddedAmount => true,
        Some(true) if moved.class == Class::Transfer => false,
        Some(true) => unlimited || (large && !is_one_item(claim, moved)),
        Some(false) => moved.class == Class::Transfer || !unlimited,
        _ => true,
    }
}

/// Whether the claim is of an ERC-721's item, and the movement may be.
fn is_one_item(claim: &TokenMovement, moved: &Moved) -> bool {
    claim.standard == Standard::Erc721
        && moved.function.is_of(Standard::Erc721)
        && matches!(moved.units, Units::Exactly { .. })
}

/// Whether the amounts agree. An item is one, everything is no amount, and an unlimited grant may be written as any
/// maximum.
fn is_amount(claim: &TokenMovement, moved: &Moved) -> bool {
    let claimed = claim.amount.to_u256();
    match moved.units {
        Units::All => claim.is_unlimited.is_some() || claimed == Some(U256::MAX),
        Units::AtMost(bound) => claimed.is_some_and(|claimed| claimed <= bound),
        Units::AtLeast(bound) => claimed.is_none_or(|claimed| claimed >= bound),
        Units::Unsaid => {
            moved.class != Class::Revocation
                || claim.kind == MovementKind::Revoke
                || claimed == Some(U256::ZERO)
        }
        Units::Exactly { .. } if is_one_item(claim, moved) => {
            claimed == Some(U256::ONE) || (claim.kind == MovementKind::Revoke && claimed == Some(U256::ZERO))
        }
        Units::Exactly { value, .. } => {
            let Some(claimed) = claimed else {
                return false;
            };
            let unlimited = claim.is_unlimited == Some(true) && moved.is_unlimited();
            let raised = moved.function == Function::AddedAmount && moved.class == Class::Grant;
            claimed == value || ((unlimited || raised) && claimed > value)
        }
    }
}

/// Whether the items agree. `approve`, `transferFrom` and the like name an item of an ERC-721 contract as they name an
/// amount of others; an operator may take every item.
fn is_item(claim: &TokenMovement, moved: &Moved) -> bool {
    let claimed = claim.token_id.as_ref().map(Decimal::to_u256);
    match (moved.item, moved.units) {
        (Some(item), _) => claimed.is_none_or(|claimed| claimed == Some(item)),
        (None, Units::All) => claimed.is_none(),
        (None, Units::Exactly { value, .. }) if claim.standard == Standard::Erc721 => {
            claimed.is_none_or(|claimed| claimed == Some(value))
        }
        (None, _) if matches!(claim.standard, Standard::Erc20 | Standard::Native) => claimed.is_none(),
        (None, _) => true,
    }
}
