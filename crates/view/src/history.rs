//! The past of addresses: transfers and EIP-7702 authorizations, up to the pinned block.
//!
//! A history is indexed by address once, when it is read; a lookup is a search in that index, however many records there
//! are.

use alloy_primitives::{Address, B256, U256};
use std::collections::BTreeSet;

/// What is known of the past of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// How far back it goes.
    pub reach: Reach,
    /// Transactions, transfers and creations. `None`: nothing is said of them.
    pub transfers: Option<Part<Transfer>>,
    /// EIP-7702 authorizations, by delegate. `None`: nothing is said of them.
    pub authorizations: Option<Part<Authorization>>,
}

impl History {
    /// The history restricted to what it says of these addresses and these delegates.
    pub(crate) fn restricted(&self, addresses: &BTreeSet<Address>, delegates: &BTreeSet<Address>) -> Self {
        Self {
            reach: self.reach,
            transfers: self.transfers.as_ref().map(|part| part.restricted(addresses)),
            authorizations: self
                .authorizations
                .as_ref()
                .map(|part| part.restricted(delegates)),
        }
    }
}

/// Which blocks a history covers, up to the pinned one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// No record of the covered blocks is missing.
    pub complete: bool,
    /// The first block it covers. `None`: not known.
    pub from_block: Option<u64>,
}

impl Reach {
    /// Whether every record since this block is there.
    pub fn covers(self, since: u64) -> bool {
        self.complete && self.from_block.is_some_and(|first| first <= since)
    }
}

/// A record of a history.
pub trait Record: Clone {
    /// The block it is of.
    fn block(&self) -> u64;

    /// The addresses it is found by.
    fn subjects(&self) -> impl Iterator<Item = Address>;
}

/// Records of one sort in block order, found by address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<T> {
    about: Option<BTreeSet<Address>>,
    records: Vec<T>,
    index: Vec<(Address, usize)>,
}

impl<T: Record> Part<T> {
    /// These records, of any order; records of one block keep theirs. With `about` nothing is known of other addresses than
    /// those.
    pub fn new(mut records: Vec<T>, about: Option<BTreeSet<Address>>) -> Self {
        records.sort_by_key(Record::block);
        let subjects = records.iter().enumerate().flat_map(|(position, record)| {
            record
                .subjects()
                .filter(|subject| about.as_ref().is_none_or(|about| about.contains(subject)))
                .map(move |subject| (subject, position))
        });
        let mut index: Vec<_> = subjects.collect();
        index.sort_unstable();
        index.dedup();
        Self {
            about,
            records,
            index,
        }
    }

    /// The addresses it is about; `None`: every address.
    pub fn about(&self) -> Option<&BTreeSet<Address>> {
        self.about.as_ref()
    }

    /// All records, in block order.
    pub fn records(&self) -> &[T] {
        &self.records
    }

    /// The places of an address' records in [`records`](Self::records); `None` when nothing is known of the address.
    fn places(&self, address: Address) -> Option<&[(Address, usize)]> {
        if self.about.as_ref().is_some_and(|about| !about.contains(&address)) {
            return None;
        }
        let start = self.index.partition_point(|(subject, _)| *subject < address);
        let length = self.index[start..].partition_point(|(subject, _)| *subject == address);
        Some(&self.index[start..start + length])
    }

    fn restricted(&self, addresses: &BTreeSet<Address>) -> Self {
        let mut about = BTreeSet::new();
        let mut kept = BTreeSet::new();
        for address in addresses {
            if let Some(places) = self.places(*address) {
                about.insert(*address);
                kept.extend(places.iter().map(|(_, position)| *position));
            }
        }
        let records = kept.into_iter().map(|position| self.records[position].clone());
        Self::new(records.collect(), Some(about))
    }
}

/// What a history says of one address.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a, T> {
    reach: Reach,
    block: u64,
    records: &'a [T],
    places: &'a [(Address, usize)],
}

impl<'a, T: Record> Records<'a, T> {
    /// What a part says of an address up to this block; `None` when nothing is known of the address.
    pub(crate) fn of(part: &'a Part<T>, reach: Reach, address: Address, block: u64) -> Option<Self> {
        Some(Self {
            reach,
            block,
            records: &part.records,
            places: part.places(address)?,
        })
    }

    /// The blocks that are covered.
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// The records in block order, up to the pinned block.
    pub fn iter(&self) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let (records, block) = (self.records, self.block);
        let of_address = self.places.iter().map(move |(_, position)| &records[*position]);
        of_address.take_while(move |record| record.block() <= block)
    }
}

/// What a [`Transfer`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransferKind {
    /// A transaction, whatever its value.
    Transaction,
    /// Native value moved inside a transaction.
    Internal,
    /// An ERC-20 `Transfer` event.
    Erc20,
    /// An ERC-721 `Transfer` event.
    Erc721,
    /// An ERC-1155 `TransferSingle` event, or one item of a `TransferBatch`.
    Erc1155,
    /// Code deployed; `to` is the new contract.
    Create,
}

impl TransferKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Transaction,
        Self::Internal,
        Self::Erc20,
        Self::Erc721,
        Self::Erc1155,
        Self::Create,
    ];

    /// The word of the view file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transaction => "tx",
            Self::Internal => "internal",
            Self::Erc20 => "erc20",
            Self::Erc721 => "erc721",
            Self::Erc1155 => "erc1155",
            Self::Create => "create",
        }
    }

    /// The kind with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether it is an event of a token. Any contract can emit one, about anybody.
    pub fn is_token(self) -> bool {
        matches!(self, Self::Erc20 | Self::Erc721 | Self::Erc1155)
    }
}

/// A transaction, a transfer or a creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// The block.
    pub block: u64,
    /// The hash of the transaction.
    pub tx: B256,
    /// The index of the event in its block.
    pub log_index: Option<u64>,
    /// What it is.
    pub kind: TransferKind,
    /// Who gives.
    pub from: Address,
    /// Who receives; `None` for a transaction that creates a contract.
    pub to: Option<Address>,
    /// The token.
    pub token: Option<Address>,
    /// Wei, units of the token, or for ERC-721 the item.
    pub value: Option<U256>,
    /// Who sent the transaction, where that is known. Of a transaction it is `from`.
    pub sender: Option<Address>,
}

impl Record for Transfer {
    fn block(&self) -> u64 {
        self.block
    }

    fn subjects(&self) -> impl Iterator<Item = Address> {
        [Some(self.from), self.to, self.sender].into_iter().flatten()
    }
}

/// A tuple of an EIP-7702 authorization list that a transaction carried, applied or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// The block.
    pub block: u64,
    /// The hash of the transaction.
    pub tx: B256,
    /// Who sent the transaction.
    pub sender: Address,
    /// Who signed the tuple.
    pub authority: Address,
    /// The delegate it names.
    pub delegate: Address,
}

impl Record for Authorization {
    fn block(&self) -> u64 {
        self.block
    }

    fn subjects(&self) -> impl Iterator<Item = Address> {
        std::iter::once(self.delegate)
    }
}

/// What a verifier of source code says of a contract (`sourceVerification` of the view file).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verification {
    /// The source gives this code and its metadata.
    Exact,
    /// The source gives this code, its metadata aside.
    Partial,
    /// It has no source that gives this code.
    None,
}

impl Verification {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Partial, Self::None];

    /// The word of the view file and of reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Partial => "partial",
            Self::None => "none",
        }
    }

    /// The word's meaning.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|found| found.as_str() == word)
    }
}
