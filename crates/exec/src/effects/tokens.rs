//! Transfers of tokens, and the balances that changed.

use super::claims::{Claim, What};
use super::reread::Answers;
use super::slots::{is_address, to_address, to_word};
use super::{Hearing, Standing};
use crate::simulate::Change;
use alloy_primitives::{Address, U256, U512};
use std::collections::{BTreeMap, BTreeSet};

/// What a transfer moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asset {
    /// An amount of an ERC-20 token.
    Erc20,
    /// An item of an ERC-721 token.
    Erc721(U256),
    /// An amount of one id of an ERC-1155 token.
    Erc1155(U256),
    /// Native value wrapped, from the zero address, or unwrapped, to it.
    Wrapped,
}

impl Asset {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Erc20 => "erc20",
            Self::Erc721(_) => "erc721",
            Self::Erc1155(_) => "erc1155",
            Self::Wrapped => "wrapped",
        }
    }

    /// The item or id.
    pub fn id(self) -> Option<U256> {
        match self {
            Self::Erc721(id) | Self::Erc1155(id) => Some(id),
            Self::Erc20 | Self::Wrapped => None,
        }
    }
}

/// A transfer that an event tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// The index of the call.
    pub call: usize,
    /// The token.
    pub token: Address,
    /// What moves.
    pub asset: Asset,
    /// Who gives; the zero address for what is made.
    pub from: Address,
    /// Who takes; the zero address for what is unmade.
    pub to: Address,
    /// How much, in the token's smallest unit; 1 for an item.
    pub amount: U256,
    /// How it is known.
    pub standing: Standing,
}

/// A token balance that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBalance {
    /// The token.
    pub token: Address,
    /// The id, of an ERC-1155 token.
    pub id: Option<U256>,
    /// Whose.
    pub account: Address,
    /// In the token's smallest unit.
    pub balance: Change<U256>,
    /// The transfers that events tell of add up to it.
    pub told: bool,
}

/// What events say an account got and gave.
#[derive(Debug, Default)]
struct Flow {
    transferred: Sums,
    wrapped: Sums,
}

#[derive(Debug, Default)]
struct Sums {
    got: U512,
    gave: U512,
}

/// What a balance shows of the events about it.
#[derive(Debug, Clone, Copy)]
struct Shown {
    transferred: Standing,
    /// A `Deposit` or `Withdrawal` may be about anything; it is a transfer when the balance says so.
    wrapped: bool,
}

/// A balance: token, id of an ERC-1155 token, account.
type Holding = (Address, Option<U256>, Address);

/// Transfers that events tell of, held against the balances.
pub(super) fn told(claims: &[Claim], hearing: &mut Hearing<'_, '_>) {
    let mut transfers = claimed(claims);
    let mut flows: BTreeMap<Holding, Flow> = BTreeMap::new();
    let fungible = transfers.iter().filter(|t| !matches!(t.asset, Asset::Erc721(_)));
    for transfer in fungible {
        let id = transfer.asset.id();
        let amount = U512::from(transfer.amount);
        for (account, takes) in [(transfer.from, false), (transfer.to, true)] {
            if account.is_zero() {
                continue;
            }
            let flow = flows.entry((transfer.token, id, account)).or_default();
            let sums = match transfer.asset {
                Asset::Wrapped => &mut flow.wrapped,
                _ => &mut flow.transferred,
            };
            let sum = if takes { &mut sums.got } else { &mut sums.gave };
            *sum = sum.saturating_add(amount);
        }
    }
    let (changed, hearsay): (Vec<_>, Vec<_>) = flows
        .iter()
        .partition(|(holding, _)| hearing.slots.has(holding.0, &keys(holding)));
    let mut shown: BTreeMap<Holding, Shown> = BTreeMap::new();
    for (is_hearsay, flows) in [(false, changed), (true, hearsay)] {
        hearing.asker.rest_on_hearsay(is_hearsay);
        shown.extend(
            flows
                .into_iter()
                .map(|(holding, flow)| (*holding, held_against(*holding, flow, hearing))),
        );
    }
    let owners = owners(&transfers, hearing);
    hearing.asker.rest_on_hearsay(false);
    for transfer in &mut transfers {
        let ends = [transfer.from, transfer.to];
        let mut shown = ends
            .iter()
            .filter_map(|account| shown.get(&(transfer.token, transfer.asset.id(), *account)));
        transfer.standing = match transfer.asset {
            Asset::Erc721(id) => owners.get(&(transfer.token, id)).copied(),
            Asset::Wrapped => shown.all(|shown| shown.wrapped).then_some(Standing::Observed),
            Asset::Erc20 | Asset::Erc1155(_) => shown.map(|shown| shown.transferred).reduce(worse),
        }
        .unwrap_or(Standing::Unconfirmed);
    }
    transfers.retain(|t| t.asset != Asset::Wrapped || t.standing == Standing::Observed);
    supplies(&transfers, hearing);
    hearing.effects.transfers = transfers;
}

/// The keys of a balance's slot.
fn keys((_, id, account): &Holding) -> Vec<U256> {
    id.iter().copied().chain([to_word(*account)]).collect()
}

/// Of what two ends of a transfer show, what is to be said of it.
fn worse(one: Standing, other: Standing) -> Standing {
    if one == other {
        one
    } else if one == Standing::Unconfirmed || other == Standing::Unconfirmed {
        Standing::Unconfirmed
    } else {
        Standing::Differs
    }
}

/// The transfers that events tell of.
fn claimed(claims: &[Claim]) -> Vec<Transfer> {
    let plain: BTreeSet<_> = claims
        .iter()
        .filter_map(|claim| match claim.what {
            What::Transfer { from, to, amount } => Some((claim.contract, from, to, amount)),
            _ => None,
        })
        .collect();
    let transfers = claims.iter().filter_map(|claim| {
        let (asset, from, to, amount) = match claim.what {
            What::Transfer { from, to, amount } => (Asset::Erc20, from, to, amount),
            What::ItemTransfer { from, to, id } => (Asset::Erc721(id), from, to, U256::ONE),
            What::MultiTransfer { from, to, id, amount } => (Asset::Erc1155(id), from, to, amount),
            What::Wrapped { account, amount } => (Asset::Wrapped, Address::ZERO, account, amount),
            What::Unwrapped { account, amount } => (Asset::Wrapped, account, Address::ZERO, amount),
            _ => return None,
        };
        // Some wrappers say it twice; nobody wraps for the zero address.
        if asset == Asset::Wrapped && (from == to || plain.contains(&(claim.contract, from, to, amount))) {
            return None;
        }
        Some(Transfer {
            call: claim.call,
            token: claim.contract,
            asset,
            from,
            to,
            amount,
            standing: Standing::Unconfirmed,
        })
    });
    transfers.collect()
}

/// Holds a balance against the events about it.
fn held_against((token, id, account): Holding, flow: &Flow, hearing: &mut Hearing<'_, '_>) -> Shown {
    let Some(balance) = balance_of(token, id, account, hearing).words(0) else {
        return Shown {
            transferred: Standing::Unconfirmed,
            wrapped: false,
        };
    };
    let Flow { transferred, wrapped } = flow;
    let adds_up = |got: U512, gave: U512| {
        U512::from(balance.before).checked_add(got) == U512::from(balance.after).checked_add(gave)
    };
    let without = adds_up(transferred.got, transferred.gave);
    let with = !without
        && adds_up(
            transferred.got.saturating_add(wrapped.got),
            transferred.gave.saturating_add(wrapped.gave),
        );
    let (told, moved) = (without || with, balance.before != balance.after);
    if moved {
        settle(token, id, account, &balance, hearing);
        hearing.effects.balances.push(TokenBalance {
            token,
            id,
            account,
            balance,
            told,
        });
    }
    let transferred = match (told, moved) {
        (true, _) => Standing::Observed,
        (false, true) => Standing::Differs,
        (false, false) => Standing::Claimed,
    };
    // Wrapping and unwrapping the same amount shows nothing, and nothing speaks against it.
    let even = without && wrapped.got == wrapped.gave;
    Shown {
        transferred,
        wrapped: with || even,
    }
}

fn balance_of(token: Address, id: Option<U256>, account: Address, hearing: &mut Hearing<'_, '_>) -> Answers {
    match id {
        Some(id) => hearing
            .asker
            .ask(token, "balanceOf(address,uint256)", &[to_word(account), id]),
        None => hearing
            .asker
            .ask(token, "balanceOf(address)", &[to_word(account)]),
    }
}

fn settle(
    token: Address,
    id: Option<U256>,
    account: Address,
    balance: &Change<U256>,
    hearing: &mut Hearing<'_, '_>,
) {
    let keys = keys(&(token, id, account));
    hearing.slots.settle_value(token, &keys, balance);
}

/// What the owners of items show of the transfers that events tell of.
fn owners(transfers: &[Transfer], hearing: &mut Hearing<'_, '_>) -> BTreeMap<(Address, U256), Standing> {
    let mut ends: BTreeMap<(Address, U256), (Address, Address)> = BTreeMap::new();
    for transfer in transfers {
        if let Asset::Erc721(id) = transfer.asset {
            ends.entry((transfer.token, id))
                .and_modify(|(_, last)| *last = transfer.to)
                .or_insert((transfer.from, transfer.to));
        }
    }
    let mut standings = BTreeMap::new();
    for ((token, id), (first, last)) in ends {
        let answers = hearing.asker.ask(token, "ownerOf(uint256)", &[id]);
        // An item that is not there has no owner, or the zero address.
        let before = answers.before().map_or(Address::ZERO, to_address);
        let after = answers.after().map_or(Address::ZERO, to_address);
        let standing = if !answers.is_asked() {
            Standing::Unconfirmed
        } else if (before, after) == (first, last) {
            Standing::Observed
        } else if before == after {
            Standing::Claimed
        } else {
            Standing::Differs
        };
        if before != after {
            let owner = Change {
                before: to_word(before),
                after: to_word(after),
            };
            hearing.slots.settle_value(token, &[id], &owner);
            for account in [first, last] {
                let balance = balance_of(token, None, account, hearing).words(0);
                if let Some(balance) = balance.filter(|b| b.before != b.after) {
                    settle(token, None, account, &balance, hearing);
                }
            }
        }
        standings.insert((token, id), standing);
    }
    standings
}

/// What is made or unmade changes the supply.
fn supplies(transfers: &[Transfer], hearing: &mut Hearing<'_, '_>) {
    let tokens: BTreeSet<Address> = transfers
        .iter()
        .filter(|t| t.from.is_zero() || t.to.is_zero())
        .map(|t| t.token)
        .collect();
    for token in tokens {
        let Some(supply) = hearing.asker.ask(token, "totalSupply()", &[]).words(0) else {
            continue;
        };
        let slot = hearing
            .slots
            .open()
            .iter()
            .find(|open| open.contract == token && open.keys.is_empty() && open.change == supply);
        if let Some(slot) = slot.map(|open| open.slot) {
            hearing.slots.settle(token, slot);
        }
    }
}

/// Balances that changed without an event.
pub(super) fn untold(hearing: &mut Hearing<'_, '_>) {
    let known = hearing
        .effects
        .balances
        .iter()
        .map(|b| (b.token, b.id, b.account));
    let known: BTreeSet<Holding> = known.collect();
    let holdings: BTreeSet<Holding> = hearing
        .slots
        .open()
        .iter()
        .flat_map(|open| {
            let contract = open.contract;
            let holdings = match open.keys.as_slice() {
                [account] => vec![(None, *account)],
                [one, other] => vec![(Some(*one), *other), (Some(*other), *one)],
                _ => Vec::new(),
            };
            holdings
                .into_iter()
                .filter(|(_, account)| is_address(*account))
                .map(move |(id, account)| (contract, id, to_address(account)))
        })
        .collect();
    for (token, id, account) in holdings.difference(&known).copied() {
        let balance = balance_of(token, id, account, hearing).words(0);
        if let Some(balance) = balance.filter(|b| b.before != b.after) {
            settle(token, id, account, &balance, hearing);
            hearing.effects.balances.push(TokenBalance {
                token,
                id,
                account,
                balance,
                told: false,
            });
        }
    }
}
