//! EIP-7702 authorization lists applied to the pinned state (I-27).

mod skip;

use crate::reads;
use alloy_primitives::{Address, Bytes};
use presight_view::{HardFork, Lookup, Unread, View};
use presight_wire::request::Authorization;
use presight_wire::{ChainId, NotRead, Read, Reason};
use std::collections::BTreeMap;

pub use skip::Skip;

/// What an account's code is (ERC-8481 §Addresses, `address.code`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountCode {
    /// No code.
    None,
    /// A contract.
    Contract,
    /// A delegation designator (EIP-7702) to this delegate.
    Delegated(Address),
}

impl AccountCode {
    /// What these bytes are: `0xef0100` and an address, exactly, is a delegation.
    pub fn of(code: &[u8]) -> Self {
        match code {
            [] => Self::None,
            [0xef, 0x01, 0x00, delegate @ ..] if delegate.len() == 20 => {
                Self::Delegated(Address::from_slice(delegate))
            }
            _ => Self::Contract,
        }
    }

    /// The delegate, when there is one.
    pub fn delegate(self) -> Option<Address> {
        match self {
            Self::Delegated(delegate) => Some(delegate),
            Self::None | Self::Contract => None,
        }
    }
}

/// What an authorization list does to one account (`address.delegation`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delegation {
    /// The delegate at the block.
    pub before: Option<Address>,
    /// The delegate after the list.
    pub after: Option<Address>,
}

/// What became of one tuple of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TupleOutcome {
    /// It sets or clears its authority's delegation.
    Applied,
    /// It is passed over.
    Skipped(Skip),
    /// State that decides it was not read.
    Unknown(Unread),
}

/// An authorization list, applied.
#[derive(Debug)]
pub struct Applied<'a> {
    view: &'a View<'a>,
    chain: ChainId,
    tuples: Vec<TupleOutcome>,
    authorities: BTreeMap<Address, Authority>,
}

/// One authority as the list is worked through.
#[derive(Debug)]
struct Authority {
    code_at_block: Lookup<Read<Bytes>>,
    code: Lookup<AccountCode>,
    nonce: Lookup<u64>,
    /// Indices of its tuples.
    tuples: Vec<usize>,
}

/// Applies a list to the pinned state as EIP-7702 does, after the sender's nonce was raised and before the calls.
/// `authorities[i]` is the account recovered from the signature of `list[i]`, `None` when it is no valid one.
///
/// Each authority stands alone: state of one that was not read leaves the others as they are. On a chain that does
/// not run Prague's rules, nothing about the authorities is read: `unsupported`.
pub fn apply<'a>(
    view: &'a View<'a>,
    chain: &ChainId,
    sender: Address,
    list: &[Authorization],
    authorities: &[Option<Address>],
) -> Applied<'a> {
    let listed = authorities.iter().flatten().copied();
    let mut applied = Applied {
        view,
        chain: chain.clone(),
        tuples: Vec::new(),
        authorities: BTreeMap::new(),
    };
    match supported(view, chain, list, authorities) {
        Err(unread) => {
            applied
                .authorities
                .extend(listed.map(|address| (address, Authority::unread(&unread))));
            applied.tuples = vec![TupleOutcome::Unknown(unread); list.len()];
        }
        Ok(chain_id) => {
            let at_block = listed.map(|address| (address, Authority::at_block(view, chain, address, sender)));
            applied.authorities.extend(at_block);
            for (tuple, authority) in list.iter().zip(authorities) {
                let outcome = applied.tuple(tuple, *authority, chain_id);
                applied.tuples.push(outcome);
            }
        }
    }
    applied
}

impl Applied<'_> {
    /// What became of each tuple, in the order of the list.
    pub fn tuples(&self) -> &[TupleOutcome] {
        &self.tuples
    }

    /// The delegate of an account before and after the list; equal for an account the list leaves as it is. The
    /// note names the account's tuples by index.
    pub fn delegation(&self, address: Address) -> Lookup<Read<Delegation>> {
        let (code_at_block, after) = self.codes(address)?;
        let before = AccountCode::of(code_at_block.value());
        Ok(code_at_block.map(|_| Delegation {
            before: before.delegate(),
            after: after.delegate(),
        }))
    }

    /// What an account's code is after the list. The evidence is the code at the block, and the note names the
    /// account's tuples by index.
    pub fn code_after(&self, address: Address) -> Lookup<Read<AccountCode>> {
        let (code_at_block, after) = self.codes(address)?;
        Ok(code_at_block.map(|_| after))
    }

    /// The code at the block, and what it is after the list.
    fn codes(&self, address: Address) -> Lookup<(Read<Bytes>, AccountCode)> {
        let Some(authority) = self.authorities.get(&address) else {
            let code = reads::code(self.view, &self.chain, address)?;
            let kind = AccountCode::of(code.value());
            return Ok((code, kind));
        };
        let code = authority.code_at_block.clone()?;
        let after = authority.code.clone()?;
        let note = format!(
            "the result is the account's code before the list; {}",
            self.tuples_in_words(authority)
        );
        Ok((code.with_note(note), after))
    }

    fn tuples_in_words(&self, authority: &Authority) -> String {
        let words = authority
            .tuples
            .iter()
            .map(|index| match self.tuples.get(*index) {
                Some(TupleOutcome::Applied) => format!("tuple {index} applied"),
                Some(TupleOutcome::Skipped(why)) => format!("tuple {index} skipped: {why}"),
                Some(TupleOutcome::Unknown(_)) | None => format!("tuple {index} not read"),
            });
        words.collect::<Vec<_>>().join("; ")
    }

    /// Works through one tuple (EIP-7702 §Behavior, steps 1 to 9).
    fn tuple(&mut self, tuple: &Authorization, authority: Option<Address>, chain_id: u64) -> TupleOutcome {
        let index = self.tuples.len();
        let mut account = authority.and_then(|address| self.authorities.get_mut(&address));
        if let Some(account) = &mut account {
            account.tuples.push(index);
        }
        match (Skip::by_itself(tuple, chain_id), account) {
            (Some(why), _) => TupleOutcome::Skipped(why),
            (None, None) => TupleOutcome::Skipped(Skip::InvalidSignature),
            (None, Some(account)) => account.take(tuple),
        }
    }
}

impl Authority {
    /// Nothing is known of it.
    fn unread(unread: &Unread) -> Self {
        let unread = unread.clone();
        Self {
            code_at_block: Err(unread.clone()),
            code: Err(unread.clone()),
            nonce: Err(unread),
            tuples: Vec::new(),
        }
    }

    /// An account at the block, the sender's nonce raised.
    fn at_block(view: &View<'_>, chain: &ChainId, address: Address, sender: Address) -> Self {
        let code_at_block = reads::code(view, chain, address);
        let code = match &code_at_block {
            Ok(code) => Ok(AccountCode::of(code.value())),
            Err(unread) => Err(unread.clone()),
        };
        let nonce = nonce_at_block(view, chain, address).and_then(|nonce| {
            if address == sender {
                nonce.checked_add(1).ok_or_else(nonce_is_spent)
            } else {
                Ok(nonce)
            }
        });
        Self {
            code_at_block,
            code,
            nonce,
            tuples: Vec::new(),
        }
    }

    /// Applies a tuple that is valid by itself, if the account's state allows it.
    fn take(&mut self, tuple: &Authorization) -> TupleOutcome {
        if self.code == Ok(AccountCode::Contract) {
            return TupleOutcome::Skipped(Skip::AuthorityHasCode);
        }
        if let Ok(found) = self.nonce
            && found != tuple.nonce
        {
            return TupleOutcome::Skipped(Skip::Nonce {
                tuple: tuple.nonce,
                account: found,
            });
        }
        if let Err(unread) = self.code.clone().and(self.nonce.clone()) {
            // Whether it applies is open, and with it what comes after.
            self.code = Err(unread.clone());
            self.nonce = Err(unread.clone());
            return TupleOutcome::Unknown(unread);
        }
        self.code = Ok(if tuple.address.is_zero() {
            AccountCode::None
        } else {
            AccountCode::Delegated(tuple.address)
        });
        self.nonce = tuple.nonce.checked_add(1).ok_or_else(nonce_is_spent);
        TupleOutcome::Applied
    }
}

/// The chain id, when the list can be applied at all.
fn supported(
    view: &View<'_>,
    chain: &ChainId,
    list: &[Authorization],
    authorities: &[Option<Address>],
) -> Lookup<u64> {
    let unsupported = |why: String| NotRead::new(Reason::Unsupported).with_note(why);
    let chain_id = chain
        .evm_id()
        .ok_or_else(|| unsupported(format!("{chain} is not an EVM chain")))?;
    if list.len() != authorities.len() {
        return Err(unsupported("the authorities of the list were not all recovered".into()).into());
    }
    let fork = view.hard_fork(chain)?;
    if fork < HardFork::Prague {
        let why = format!(
            "authorization lists apply from prague on, the chain runs {}",
            fork.as_str()
        );
        return Err(unsupported(why).into());
    }
    Ok(chain_id)
}

fn nonce_at_block(view: &View<'_>, chain: &ChainId, address: Address) -> Lookup<u64> {
    let at = view.at(chain)?;
    view.nonce(chain, address)
        .map_err(|unread| reads::located(unread, "the account's nonce", &at))
}

fn nonce_is_spent() -> Unread {
    NotRead::new(Reason::Unavailable)
        .with_note("the account's nonce is the highest there is")
        .into()
}
