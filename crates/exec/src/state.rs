//! The state a call runs on: the accounts of a view, each member asked for when it is observed.
//!
//! revm loads an account as a whole, and loads accounts whose members nobody looks at (the caller, the receiver of
//! a call). So an account enters the journal with placeholders, and [`Observe`] puts the real member in place
//! before an instruction can see it. The code hash's placeholder is the account's own address, which is how code is
//! found: revm asks for code by its hash.

use crate::chains::{has_another_machine, has_another_precompile, is_ethereum, is_reserved};
use crate::fork::{blob_base_fee, spec_id};
use crate::simulate::{AccountChange, Change, Changes};
use alloy_primitives::map::{AddressMap, AddressSet, U256Map};
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256};
use presight_view::{Block, HardFork, Lookup, Unread, View};
use presight_wire::{ChainId, NotRead, Reason};
use revm::Database;
use revm::bytecode::opcode;
use revm::context::{BlockEnv, CfgEnv, Context, TxEnv};
use revm::database_interface::DBErrorMarker;
use revm::precompile::{PrecompileSpecId, Precompiles};
use revm::state::{Account, AccountInfo, Bytecode, EvmState};

/// The context a call runs in.
pub(crate) type CallContext<'v> = Context<BlockEnv, TxEnv, CfgEnv, ViewState<'v>>;

/// State a call observed and the view does not hold.
#[derive(Debug, thiserror::Error)]
#[error("state that the view does not hold")]
pub(crate) struct Missing(pub(crate) Unread);

impl DBErrorMarker for Missing {}

/// A view's chain as revm's database.
#[derive(Debug)]
pub(crate) struct ViewState<'v> {
    view: &'v View<'v>,
    chain: &'v ChainId,
    pub(crate) block: &'v Block,
    pub(crate) fork: HardFork,
    /// Whether the price that the transaction pays for gas is known.
    pub(crate) gas_price_known: bool,
    precompiles: &'static Precompiles,
    observed: AddressMap<Observed>,
    written: AddressMap<U256Map<U256>>,
    /// Accounts that a transaction created or destroyed: slots that are not written are zero.
    emptied: AddressSet,
}

/// The members of an account that were observed, as the transactions so far left them.
#[derive(Debug, Default)]
struct Observed {
    balance: Option<U256>,
    nonce: Option<u64>,
    /// How often the nonce was raised while it was not observed.
    raised: u64,
    code: Option<Bytecode>,
}

impl<'v> ViewState<'v> {
    /// The chain at its pinned block.
    pub(crate) fn new(view: &'v View<'v>, chain: &'v ChainId) -> Lookup<Self> {
        Self::under(view, chain, view.block(chain)?)
    }

    /// The chain's state at its pinned block, with this header in the place of the block's.
    pub(crate) fn under(view: &'v View<'v>, chain: &'v ChainId, header: &'v Block) -> Lookup<Self> {
        let fork = view.hard_fork(chain)?;
        Ok(Self {
            view,
            chain,
            block: header,
            fork,
            gas_price_known: true,
            precompiles: Precompiles::new(PrecompileSpecId::from_spec_id(spec_id(fork))),
            observed: AddressMap::default(),
            written: AddressMap::default(),
            emptied: AddressSet::default(),
        })
    }

    /// Whether the account can be called as Ethereum calls it. A chain may have precompiles of its own, at low
    /// addresses and without code: calling one of those as an account without code would succeed and return
    /// nothing. And what stands at an address may be no EVM code: `0xef…` (EIP-3541; Stylus programs of Arbitrum's
    /// chains), or any code on a chain with another machine.
    pub(crate) fn ensure_callable(&self, address: Address) -> Result<(), Missing> {
        let reserved = is_reserved(address);
        let unknown = || format!("what {address:#x} does on {} is not known", self.chain);
        if has_another_precompile(self.chain, address) {
            return Err(Missing(
                NotRead::new(Reason::Unsupported).with_note(unknown()).into(),
            ));
        }
        if self.precompiles.contains(&address) || reserved && is_ethereum(self.chain) {
            return Ok(());
        }
        let code = self.code(address)?;
        let note = match code.original_byte_slice() {
            // Arbitrum's chains put INVALID where their precompiles are, for contracts that look for code.
            [] | [opcode::INVALID] if reserved => unknown(),
            [] => return Ok(()),
            _ if has_another_machine(self.chain) => format!("code on {} is no EVM code", self.chain),
            [0xef, 0x01, 0x00, ..] => return Ok(()),
            [0xef, ..] => format!("the code of {address:#x} is no EVM code"),
            _ => return Ok(()),
        };
        Err(Missing(NotRead::new(Reason::Unsupported).with_note(note).into()))
    }

    /// Opcodes beyond Ethereum's are errors there, and may have a meaning elsewhere.
    pub(crate) fn ensure_own_opcodes(&self) -> Result<(), Missing> {
        if is_ethereum(self.chain) {
            return Ok(());
        }
        let note = format!("an opcode is not known, and may be one of {}", self.chain);
        Err(Missing(NotRead::new(Reason::Unsupported).with_note(note).into()))
    }

    /// Contracts of Arbitrum's chains see the number of a block of the parent chain, and a constant for prevRandao.
    /// Such headers have a difficulty, which EIP-3675 has as zero.
    pub(crate) fn ensure_own_numbers(&self) -> Result<(), Missing> {
        let as_ethereum = self.fork < HardFork::Paris
            || self.block.difficulty == Some(U256::ZERO)
            || is_ethereum(self.chain);
        if as_ethereum {
            return Ok(());
        }
        let note = format!("which block a contract sees on {} is not known", self.chain);
        Err(Missing(NotRead::new(Reason::Unsupported).with_note(note).into()))
    }

    /// What a blob costs, for a transaction that pays for it.
    pub(crate) fn ensure_blob_fee(&self, chain_id: u64) -> Result<(), Missing> {
        let known = self
            .block
            .excess_blob_gas
            .and_then(|excess| blob_base_fee(chain_id, self.fork, excess));
        known.map(|_| ()).ok_or_else(|| missing_field("blob base fee"))
    }

    /// Lets an account have another balance than the view says.
    pub(crate) fn pretend_balance(&mut self, address: Address, balance: U256) {
        self.observed.entry(address).or_default().balance = Some(balance);
    }

    /// Takes in what a transaction left, so that the next one finds it, and tells what it changed.
    pub(crate) fn commit(&mut self, left: EvmState) -> Changes {
        let mut changes = Changes::default();
        for (address, account) in left {
            let change = self.commit_account(address, &account);
            changes.add(address, change);
        }
        changes
    }

    fn commit_account(&mut self, address: Address, account: &Account) -> AccountChange {
        let destroyed = account.is_selfdestructed();
        let code_before = if destroyed {
            self.code(address).ok()
        } else {
            self.observed.get(&address).and_then(|o| o.code.clone())
        };
        let observed = self.observed.entry(address).or_default();
        let mut change = AccountChange {
            destroyed,
            ..AccountChange::default()
        };
        let (balance, nonce, code) = if destroyed {
            (U256::ZERO, 0, Some(Bytecode::default()))
        } else {
            (account.info.balance, account.info.nonce, code_left(&account.info))
        };
        match observed.balance {
            Some(before) => {
                change.balance = Change::between(before, balance);
                observed.balance = Some(balance);
            }
            None if destroyed => observed.balance = Some(balance),
            None => {}
        }
        match observed.nonce {
            Some(before) => {
                // Earlier transactions told nothing of the nonce that they raised unobserved.
                let told = before.saturating_sub(std::mem::take(&mut observed.raised));
                change.nonce = Change::between(told, nonce);
                observed.nonce = Some(nonce);
            }
            None if destroyed => observed.nonce = Some(0),
            None => observed.raised = nonce,
        }
        if let (Some(before), Some(after)) = (code_before, code) {
            change.code = Change::between(before.original_bytes(), after.original_bytes());
            observed.code = Some(after);
        }
        if destroyed || account.is_created() {
            self.emptied.insert(address);
        }
        let written = self.written.entry(address).or_default();
        if destroyed {
            written.clear();
        }
        for (slot, value) in account.changed_storage_slots() {
            let after = if destroyed {
                U256::ZERO
            } else {
                value.present_value()
            };
            written.insert(*slot, after);
            if let Some(found) = Change::between(value.original_value(), after) {
                change.storage.insert(*slot, found);
            }
        }
        change
    }

    fn code(&self, address: Address) -> Result<Bytecode, Missing> {
        if let Some(code) = self.observed.get(&address).and_then(|o| o.code.as_ref()) {
            return Ok(code.clone());
        }
        let code = self
            .view
            .code(self.chain, address)
            .map_err(|e| missing(e, || format!("code of {address:#x}")))?;
        Ok(bytecode(code, self.fork))
    }
}

impl Database for ViewState<'_> {
    type Error = Missing;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, Missing> {
        let mut info = AccountInfo {
            code_hash: address.into_word(),
            code: None,
            ..AccountInfo::default()
        };
        if let Some(observed) = self.observed.get(&address) {
            observed.clone_into(&mut info);
        }
        Ok(Some(info))
    }

    fn code_by_hash(&mut self, code_hash: B256) -> Result<Bytecode, Missing> {
        let address = Address::from_word(code_hash);
        // A call of a precompile runs the precompile; nobody looks at its code.
        if self.precompiles.contains(&address) {
            Ok(Bytecode::default())
        } else {
            self.code(address)
        }
    }

    fn storage(&mut self, address: Address, slot: U256) -> Result<U256, Missing> {
        if let Some(value) = self.written.get(&address).and_then(|slots| slots.get(&slot)) {
            return Ok(*value);
        }
        if self.emptied.contains(&address) {
            return Ok(U256::ZERO);
        }
        self.view
            .storage(self.chain, address, slot)
            .map_err(|e| missing(e, || format!("storage slot {slot:#x} of {address:#x}")))
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, Missing> {
        let parent = self
            .block
            .parent_hash
            .filter(|_| number.checked_add(1) == Some(self.block.number));
        match parent {
            Some(hash) => Ok(hash),
            None if number
                > self
                    .view
                    .block(self.chain)
                    .map_or(u64::MAX, |pinned| pinned.number) =>
            {
                let note = format!("block {number} is yet to come");
                Err(Missing(NotRead::new(Reason::Unavailable).with_note(note).into()))
            }
            None => self
                .view
                .block_hash(self.chain, number)
                .map_err(|e| missing(e, || format!("hash of block {number}"))),
        }
    }
}

impl Observed {
    fn clone_into(&self, info: &mut AccountInfo) {
        if let Some(balance) = self.balance {
            info.balance = balance;
        }
        info.nonce = self.nonce.unwrap_or(self.raised);
        if let Some(code) = &self.code {
            info.code_hash = code_hash(code);
            info.code = Some(code.clone());
        }
    }
}

/// Puts the real members of accounts in place, each once, before an instruction sees or changes them.
pub(crate) trait Observe {
    /// Before the balance is read, added to or taken from.
    fn observe_balance(&mut self, address: Address) -> Result<(), Missing>;
    /// Before the nonce is read or raised.
    fn observe_nonce(&mut self, address: Address) -> Result<(), Missing>;
    /// Before the code or its hash is read.
    fn observe_code(&mut self, address: Address) -> Result<(), Missing>;

    /// Before it matters whether the account is empty (EIP-161).
    fn observe_emptiness(&mut self, address: Address) -> Result<(), Missing> {
        self.observe_balance(address)?;
        self.observe_nonce(address)?;
        self.observe_code(address)
    }

    /// The nonce of an account that runs, observed before, as the call has raised it.
    fn nonce_so_far(&self, address: Address) -> u64;

    /// The balance of an account between transactions.
    fn balance_so_far(&mut self, address: Address) -> Result<U256, Missing>;

    /// Whether the account, its emptiness observed, has anything.
    fn is_observed_and_not_empty(&self, address: Address) -> bool;
}

impl Observe for CallContext<'_> {
    fn observe_balance(&mut self, address: Address) -> Result<(), Missing> {
        let state = &mut self.journaled_state.database;
        let observed = state.observed.entry(address).or_default();
        if observed.balance.is_some() {
            return Ok(());
        }
        let balance = state
            .view
            .balance(state.chain, address)
            .map_err(|e| missing(e, || format!("balance of {address:#x}")))?;
        observed.balance = Some(balance);
        if let Some(account) = loaded(self, address) {
            account.info.balance = balance;
        }
        Ok(())
    }

    fn observe_nonce(&mut self, address: Address) -> Result<(), Missing> {
        let state = &mut self.journaled_state.database;
        let observed = state.observed.entry(address).or_default();
        if observed.nonce.is_some() {
            return Ok(());
        }
        let nonce = state
            .view
            .nonce(state.chain, address)
            .map_err(|e| missing(e, || format!("nonce of {address:#x}")))?;
        observed.nonce = Some(nonce.saturating_add(observed.raised));
        if let Some(account) = loaded(self, address) {
            // The caller's was raised from the placeholder, as a transaction raises it.
            account.info.nonce = account.info.nonce.saturating_add(nonce);
        }
        Ok(())
    }

    fn observe_code(&mut self, address: Address) -> Result<(), Missing> {
        let state = &mut self.journaled_state.database;
        if state.observed.get(&address).is_some_and(|o| o.code.is_some()) {
            return Ok(());
        }
        let code = state.code(address)?;
        state.observed.entry(address).or_default().code = Some(code.clone());
        if let Some(account) = loaded(self, address) {
            account.info.code_hash = code_hash(&code);
            account.info.code = Some(code);
        }
        Ok(())
    }

    fn nonce_so_far(&self, address: Address) -> u64 {
        let running = self.journaled_state.inner.state.get(&address);
        running
            .expect("an account that runs was loaded to run")
            .info
            .nonce
    }

    fn balance_so_far(&mut self, address: Address) -> Result<U256, Missing> {
        self.observe_balance(address)?;
        let observed = self.journaled_state.database.observed.get(&address);
        Ok(observed
            .and_then(|o| o.balance)
            .expect("the balance was observed just now"))
    }

    fn is_observed_and_not_empty(&self, address: Address) -> bool {
        self.journaled_state
            .database
            .observed
            .get(&address)
            .is_some_and(|observed| {
                observed.balance.is_some_and(|balance| !balance.is_zero())
                    || observed.nonce.is_some_and(|nonce| nonce != 0)
                    || observed.code.as_ref().is_some_and(|code| !code.is_empty())
            })
    }
}

/// The code an account was left with; `None` when it was never looked at.
fn code_left(info: &AccountInfo) -> Option<Bytecode> {
    match &info.code {
        Some(code) => Some(code.clone()),
        None if info.code_hash == KECCAK256_EMPTY => Some(Bytecode::default()),
        None => None,
    }
}

fn loaded<'c>(context: &'c mut CallContext<'_>, address: Address) -> Option<&'c mut Account> {
    context.journaled_state.inner.state.get_mut(&address)
}

fn code_hash(code: &Bytecode) -> B256 {
    if code.is_empty() {
        KECCAK256_EMPTY
    } else {
        code.hash_slow()
    }
}

/// Delegation designators exist from Prague on (EIP-7702); before, and at any other length, the bytes are code.
fn bytecode(code: Bytes, fork: HardFork) -> Bytecode {
    if fork >= HardFork::Prague
        && let Ok(delegation) = Bytecode::new_eip7702_raw(code.clone())
    {
        return delegation;
    }
    Bytecode::new_legacy(code)
}

/// A miss, with what was missing when nothing is said yet.
fn missing(unread: Unread, what: impl FnOnce() -> String) -> Missing {
    Missing(match unread {
        Unread::NotRead(n) if n.note.is_none() => n.with_note(format!("{} was not read", what())).into(),
        other => other,
    })
}

/// A header field that the view's block does not hold.
pub(crate) fn missing_field(field: &str) -> Missing {
    Missing(
        NotRead::new(Reason::Unavailable)
            .with_note(format!("the block's {field} was not read"))
            .into(),
    )
}
