//! Accounts that are analysed: one of a view, and one that has only its delegation.

use crate::world::World;
use alloy_primitives::{Address, Bytes, U256, address};
use presight_view::{Lookup, View};
use presight_wire::{ChainId, NotRead, Reason};
use std::collections::BTreeMap;

/// Leading zero bytes of an address that somebody looked for.
const MINED_ZEROS: usize = 3;

/// An account of a view.
#[derive(Debug)]
pub struct ViewAccount<'v> {
    view: &'v View<'v>,
    chain: &'v ChainId,
    account: Address,
    chain_id: u64,
    number: u64,
    timestamp: u64,
    /// What a complete chain does not list counts as zero, in slots whose place is not known too.
    whole: bool,
}

impl<'v> ViewAccount<'v> {
    /// The account at the pinned block.
    ///
    /// # Errors
    /// The block is not held; `unsupported` for a chain that is not an EVM chain.
    pub fn new(view: &'v View<'v>, chain: &'v ChainId, account: Address) -> Lookup<Self> {
        let chain_id = chain.evm_id().ok_or_else(|| {
            NotRead::new(Reason::Unsupported).with_note(format!("{chain} is not an EVM chain"))
        })?;
        Ok(Self {
            view,
            chain,
            account,
            chain_id,
            number: view.block(chain)?.number,
            timestamp: view.block(chain)?.timestamp,
            whole: false,
        })
    }

    /// Takes the slots that a complete chain lists for all there are. A witness does not keep that, so a finding
    /// does not rest on it.
    #[must_use]
    pub fn with_whole_storage(mut self) -> Self {
        self.whole = true;
        self
    }
}

impl World for ViewAccount<'_> {
    fn account(&self) -> Address {
        self.account
    }

    fn code(&self, address: Address) -> Lookup<Bytes> {
        self.view.code(self.chain, address)
    }

    fn slot(&self, slot: U256) -> Lookup<U256> {
        self.view.storage(self.chain, self.account, slot)
    }

    fn all_slots(&self) -> Option<BTreeMap<U256, U256>> {
        if !self.whole {
            return None;
        }
        self.view.all_storage(self.chain, self.account)
    }

    fn chain_id(&self) -> u64 {
        self.chain_id
    }

    fn number(&self) -> Option<u64> {
        Some(self.number)
    }

    fn timestamp(&self) -> u64 {
        self.timestamp
    }
}

/// An account that nothing is known of but its delegation: its storage is empty. Without a view the code of others
/// is not known; an address that the delegate names as a caller is taken for one without code, unless it was mined,
/// as those of contracts are.
#[derive(Debug)]
pub struct FreshAccount<'v> {
    others: Option<ViewAccount<'v>>,
    delegate: Address,
    code: Bytes,
}

impl<'v> FreshAccount<'v> {
    /// The account's address.
    pub const ADDRESS: Address = address!("0xac5c0a7e0d7702acc07702a5c0a7e0d7702ac5c0");
    /// Where the delegate is, when nothing says where.
    pub const DELEGATE: Address = address!("0xde1e6a7e7702de1e6a7e7702de1e6a7e7702de1e");

    /// An account that delegates to this code, at this address, among the accounts of a view.
    pub fn new(delegate: Address, code: Bytes, others: Option<ViewAccount<'v>>) -> Self {
        Self {
            others,
            delegate,
            code,
        }
    }
}

impl World for FreshAccount<'_> {
    fn account(&self) -> Address {
        Self::ADDRESS
    }

    fn code(&self, address: Address) -> Lookup<Bytes> {
        match &self.others {
            _ if address == self.delegate => Ok(self.code.clone()),
            // Nobody has code there.
            None if address.is_zero() => Ok(Bytes::new()),
            Some(others) => others.code(address),
            None => {
                let note = format!("the code of {address:#x} is not given");
                Err(NotRead::new(Reason::Unavailable).with_note(note).into())
            }
        }
    }

    fn has_code(&self, address: Address) -> Lookup<bool> {
        match &self.others {
            Some(others) => others.has_code(address),
            None if address.starts_with(&[0; MINED_ZEROS]) => {
                let note = format!("whether {address:#x} has code is not given");
                Err(NotRead::new(Reason::Unavailable).with_note(note).into())
            }
            None => Ok(false),
        }
    }

    fn slot(&self, _: U256) -> Lookup<U256> {
        Ok(U256::ZERO)
    }

    fn all_slots(&self) -> Option<BTreeMap<U256, U256>> {
        Some(BTreeMap::new())
    }

    fn chain_id(&self) -> u64 {
        self.others.as_ref().map_or(1, World::chain_id)
    }

    fn number(&self) -> Option<u64> {
        self.others.as_ref().and_then(World::number)
    }

    fn timestamp(&self) -> u64 {
        // Any time will do where none is given: 2026-09-21.
        self.others.as_ref().map_or(1_790_000_001, World::timestamp)
    }
}
