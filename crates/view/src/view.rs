//! The core's side of the door.

use crate::executed::Executed;
use crate::hard_fork::HardFork;
use crate::history::{Authorization, History, Records, Transfer, Verification};
use crate::node_execution::{NodeExecution, NodeRequest};
use crate::snapshot::{Answer, Block, ChainSnapshot, Document, Snapshot};
use crate::want::{CallHint, Want};
use alloy_primitives::{Address, B256, Bytes, U256};
use presight_wire::{At, ChainId, NotRead, Reason, Timestamp};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// Why a lookup gave no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// Not held yet; noted as a want. The rim will fetch it and run again.
    Pending,
    /// Not to be had, for this reason.
    NotRead(NotRead),
}

impl From<Reason> for Unread {
    fn from(reason: Reason) -> Self {
        Self::NotRead(reason.into())
    }
}

impl From<NotRead> for Unread {
    fn from(not_read: NotRead) -> Self {
        Self::NotRead(not_read)
    }
}

/// A value, or why there is none.
pub type Lookup<T> = Result<T, Unread>;

/// A snapshot lent to the core. Notes every read, and every miss as a [`Want`].
#[derive(Debug)]
pub struct View<'a> {
    snapshot: &'a Snapshot,
    wants: RefCell<BTreeSet<Want>>,
    expected: RefCell<BTreeSet<Want>>,
    used: RefCell<BTreeSet<Want>>,
    executed: Executed,
    /// How many more misses of account state are stood in for; none, except to look ahead.
    stand_ins: Cell<usize>,
    stop: Option<Stop<'a>>,
}

/// Whether the time is over.
#[derive(Clone, Copy)]
struct Stop<'a>(&'a dyn Fn() -> bool);

impl fmt::Debug for Stop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stop")
    }
}

/// What stands in for a balance that is not held, where the core looks ahead: enough for what is sent, and no overflow.
const AMPLE: U256 = U256::from_limbs([0, 1 << 36, 0, 0]);

impl<'a> View<'a> {
    /// A view of this snapshot.
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot,
            wants: RefCell::default(),
            expected: RefCell::default(),
            used: RefCell::default(),
            executed: Executed::default(),
            stand_ins: Cell::new(0),
            stop: None,
        }
    }

    /// As [`View::new`], while code is executed only as long as `is_over` says no.
    pub fn until(snapshot: &'a Snapshot, is_over: &'a dyn Fn() -> bool) -> Self {
        Self {
            stop: Some(Stop(is_over)),
            ..Self::new(snapshot)
        }
    }

    /// As [`View::until`], but it gives something in the place of account state that is not held, this many times. What
    /// is made of it is worth nothing but for its wants (see [`crate::ahead`]).
    pub(crate) fn standing_in(
        snapshot: &'a Snapshot,
        stand_ins: usize,
        is_over: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            stand_ins: Cell::new(stand_ins),
            ..Self::until(snapshot, is_over)
        }
    }

    /// Asked before code is executed.
    ///
    /// # Errors
    /// Not read, `timeout`, when the time of the request is over.
    pub fn ensure_time(&self) -> Lookup<()> {
        if self.stop.is_some_and(|stop| stop.0()) {
            let note = "the time budget of the request ended before the code was executed";
            return Err(NotRead::new(Reason::Timeout).with_note(note).into());
        }
        Ok(())
    }

    /// What was missing, in order; empty when the core has everything it asked for.
    pub fn into_wants(self) -> BTreeSet<Want> {
        self.wants.into_inner()
    }

    /// Reads that were not made and are likely to be, in order.
    pub(crate) fn expected(&self) -> BTreeSet<Want> {
        self.expected.borrow().clone()
    }

    /// Every read that was made, held or not: what a witness must contain.
    pub fn used(&self) -> BTreeSet<Want> {
        self.used.borrow().clone()
    }

    /// The contract calls of this run.
    pub fn executed(&self) -> &Executed {
        &self.executed
    }

    /// The time the report is made at.
    pub fn clock(&self) -> Timestamp {
        self.snapshot.clock
    }

    /// The pinned block of a chain.
    pub fn block(&self, chain: &ChainId) -> Lookup<&'a Block> {
        Ok(self.pinned(chain)?.1)
    }

    /// The pinned block as findings name it.
    pub fn at(&self, chain: &ChainId) -> Lookup<At> {
        Ok(At {
            chain: chain.clone(),
            block: self.block(chain)?.number,
        })
    }

    /// The rules of a chain.
    pub fn hard_fork(&self, chain: &ChainId) -> Lookup<HardFork> {
        Ok(self.chain(chain)?.hard_fork)
    }

    /// Balance in wei.
    pub fn balance(&self, chain: &ChainId, address: Address) -> Lookup<U256> {
        let held = self.chain(chain)?;
        let answer = held.accounts.get(&address).and_then(|a| a.balance.as_ref());
        let found = self.lookup(Want::Balance(chain.clone(), address), answer, held.complete);
        self.or_stand_in(found, AMPLE)
    }

    /// Nonce.
    pub fn nonce(&self, chain: &ChainId, address: Address) -> Lookup<u64> {
        let held = self.chain(chain)?;
        let answer = held.accounts.get(&address).and_then(|a| a.nonce.as_ref());
        let found = self.lookup(Want::Nonce(chain.clone(), address), answer, held.complete);
        self.or_stand_in(found, 0)
    }

    /// Code; empty for an account without code.
    pub fn code(&self, chain: &ChainId, address: Address) -> Lookup<Bytes> {
        let held = self.chain(chain)?;
        let answer = held.accounts.get(&address).and_then(|a| a.code.as_ref());
        let found = self.lookup(Want::Code(chain.clone(), address), answer, held.complete);
        self.or_stand_in(found, Bytes::new())
    }

    /// One storage slot.
    pub fn storage(&self, chain: &ChainId, address: Address, slot: U256) -> Lookup<U256> {
        let held = self.chain(chain)?;
        let answer = held.accounts.get(&address).and_then(|a| a.storage.get(&slot));
        let found = self.lookup(Want::Storage(chain.clone(), address, slot), answer, held.complete);
        self.or_stand_in(found, U256::ZERO)
    }

    /// All slots of an account that are not zero, when the chain is held completely (a development chain's dump).
    /// Not a read that a witness keeps: what a finding rests on is read slot by slot.
    pub fn all_storage(&self, chain: &ChainId, address: Address) -> Option<BTreeMap<U256, U256>> {
        let held = self.snapshot.chains.get(chain).filter(|held| held.complete)?;
        let slots = held.accounts.get(&address).map(|account| &account.storage);
        slots
            .into_iter()
            .flatten()
            .filter(|(_, answer)| answer.known() != Some(&U256::ZERO))
            .map(|(slot, answer)| answer.known().map(|value| (*slot, *value)))
            .collect()
    }

    /// The hash of the canonical block with this number.
    pub fn block_hash(&self, chain: &ChainId, number: u64) -> Lookup<B256> {
        let (held, block) = self.pinned(chain)?;
        if block.number == number {
            return Ok(block.hash);
        }
        let answer = held.block_hashes.get(&number);
        self.lookup(Want::BlockHash(chain.clone(), number), answer, false)
    }

    /// The canonical block with this number. Blocks after the pinned one are not read.
    pub fn header(&self, chain: &ChainId, number: u64) -> Lookup<Block> {
        let (held, block) = self.pinned(chain)?;
        if block.number == number {
            return Ok(block.clone());
        }
        if block.number < number {
            let note = format!("block {number} comes after the pinned block {}", block.number);
            return Err(NotRead::new(Reason::Unavailable).with_note(note).into());
        }
        let answer = held.headers.get(&number);
        self.lookup(Want::Header(chain.clone(), number), answer, false)
    }

    /// What a node says that calls do. Not read, `unsupported`, where no node of the chain is to be asked.
    pub fn node_execution(&self, chain: &ChainId, request: NodeRequest) -> Lookup<&'a NodeExecution> {
        let Some(held) = &self.chain(chain)?.node_executions else {
            let note = format!("no node of {chain} is asked to execute calls");
            return Err(NotRead::new(Reason::Unsupported).with_note(note).into());
        };
        let request = Arc::new(request);
        let want = Want::NodeExecution(chain.clone(), request.clone());
        self.used.borrow_mut().insert(want.clone());
        match held.get(&request) {
            Some(Answer::Known(execution)) => Ok(execution),
            Some(Answer::Failed(reason)) => Err((*reason).into()),
            None => Err(self.miss(want)),
        }
    }

    /// The transactions and transfers of an address, and the creation of its code, up to the pinned block. No node is
    /// asked for them: not read where the snapshot was not given a history.
    pub fn history(&self, chain: &ChainId, address: Address) -> Lookup<Records<'a, Transfer>> {
        let (history, block) = self.past(chain, Want::History(chain.clone(), address))?;
        let part = history.transfers.as_ref();
        part.and_then(|part| Records::of(part, history.reach, address, block))
            .ok_or_else(|| self.absent())
    }

    /// The EIP-7702 authorizations for a delegate up to the pinned block, as far as [`history`](Self::history) goes.
    pub fn authorizations(&self, chain: &ChainId, delegate: Address) -> Lookup<Records<'a, Authorization>> {
        let (history, block) = self.past(chain, Want::Authorizations(chain.clone(), delegate))?;
        let part = history.authorizations.as_ref();
        part.and_then(|part| Records::of(part, history.reach, delegate, block))
            .ok_or_else(|| self.absent())
    }

    /// What the verifiers of source code that the snapshot has answers of say of a contract; `None` from one that says
    /// nothing of it. No node is asked.
    pub fn source_verification(
        &self,
        chain: &ChainId,
        address: Address,
    ) -> Lookup<BTreeMap<&'a str, Option<Verification>>> {
        let held = self.chain(chain)?;
        self.used
            .borrow_mut()
            .insert(Want::SourceVerification(chain.clone(), address));
        let verifiers = held.source_verification.iter().flatten();
        Ok(verifiers
            .map(|(verifier, contracts)| (verifier.as_str(), contracts.get(&address).copied()))
            .collect())
    }

    /// The document with which an interface answers at a URL, "not found" included: what it says of its question is the
    /// reader's to check.
    pub fn answer(&self, url: &str) -> Lookup<Document> {
        let held = self.snapshot.documents.get(url);
        self.lookup(Want::Answer(url.to_owned()), held, false)
    }

    /// A document by its URL.
    pub fn document(&self, url: &str) -> Lookup<Document> {
        self.lookup(
            Want::Document(url.to_owned()),
            self.snapshot.documents.get(url),
            false,
        )
    }

    /// Tells the rim that this call is about to be executed, so that it may prefetch what the call touches.
    /// Changes no answer.
    pub fn hint_call(&self, chain: &ChainId, to: Address, data: &Bytes) {
        self.hint_sent(chain, Address::ZERO, to, U256::ZERO, data);
    }

    /// Tells the rim that this call is about to be executed from an account and with value.
    pub fn hint_sent(&self, chain: &ChainId, from: Address, to: Address, value: U256, data: &Bytes) {
        if self.snapshot.closed.is_none() {
            let hint = CallHint {
                from,
                to,
                value,
                data: data.clone(),
            };
            self.wants
                .borrow_mut()
                .insert(Want::CallHint(chain.clone(), hint));
        }
    }

    /// Tells the rim that a slot is likely to be read, so that it may prefetch it. Changes no answer, and is no read.
    pub fn expect_slot(&self, chain: &ChainId, address: Address, slot: U256) {
        if self.snapshot.closed.is_none() {
            let want = Want::Storage(chain.clone(), address, slot);
            self.expected.borrow_mut().insert(want);
        }
    }

    fn chain(&self, chain: &ChainId) -> Lookup<&'a ChainSnapshot> {
        Ok(self.pinned(chain)?.0)
    }

    /// A chain whose block is known. Without the block nothing of the chain can be read.
    fn pinned(&self, chain: &ChainId) -> Lookup<(&'a ChainSnapshot, &'a Block)> {
        let want = Want::Block(chain.clone());
        self.used.borrow_mut().insert(want.clone());
        let held = self.snapshot.chains.get(chain).ok_or_else(|| self.miss(want))?;
        match &held.block {
            Answer::Known(block) => Ok((held, block)),
            Answer::Failed(reason) => Err((*reason).into()),
        }
    }

    /// The history of a chain, and the pinned block.
    fn past(&self, chain: &ChainId, want: Want) -> Lookup<(&'a History, u64)> {
        let (held, block) = self.pinned(chain)?;
        self.used.borrow_mut().insert(want);
        match &held.history {
            Some(Answer::Known(history)) => Ok((history, block.number)),
            Some(Answer::Failed(reason)) => Err((*reason).into()),
            None => Err(self.absent()),
        }
    }

    /// Why what nobody is asked for is not there.
    fn absent(&self) -> Unread {
        self.snapshot.closed.unwrap_or(Reason::Unavailable).into()
    }

    fn lookup<T: Clone + Default>(
        &self,
        want: Want,
        answer: Option<&Answer<T>>,
        complete: bool,
    ) -> Lookup<T> {
        self.used.borrow_mut().insert(want.clone());
        match answer {
            Some(Answer::Known(value)) => Ok(value.clone()),
            Some(Answer::Failed(reason)) => Err((*reason).into()),
            None if complete => Ok(T::default()),
            None => Err(self.miss(want)),
        }
    }

    /// What was found; where the core looks ahead, something else for what is not held yet.
    fn or_stand_in<T>(&self, found: Lookup<T>, stand_in: T) -> Lookup<T> {
        match (found, self.stand_ins.get().checked_sub(1)) {
            (Err(Unread::Pending), Some(left)) => {
                self.stand_ins.set(left);
                Ok(stand_in)
            }
            (found, _) => found,
        }
    }

    fn miss(&self, want: Want) -> Unread {
        match self.snapshot.closed {
            Some(reason) => reason.into(),
            None => {
                self.wants.borrow_mut().insert(want);
                Unread::Pending
            }
        }
    }
}
