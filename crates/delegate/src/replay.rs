//! Calls that are executed: what is claimed of a caller is what happened here.

use crate::world::World;
use alloy_primitives::map::HashMap;
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256, address, keccak256};
use presight_view::Unread;
use revm::bytecode::Bytecode;
use revm::context::result::ExecutionResult;
use revm::context::{BlockEnv, Context, TxEnv};
use revm::database_interface::DBErrorMarker;
use revm::primitives::TxKind;
use revm::primitives::hardfork::SpecId;
use revm::state::{AccountInfo, EvmState};
use revm::{Database, ExecuteEvm, MainBuilder, MainContext};
use std::collections::BTreeSet;

/// The gas of a replayed call.
const GAS: u64 = 15_000_000;
/// What a caller has.
const PURSE: u128 = 1 << 90;
/// A token that stands for any (`contracts/Probe.sol`).
pub const TOKEN: Address = address!("0x70c3a15b9d2e4f86071bd5a3c6e89f24d01b57e3");
/// Contracts that send the whole balance of whoever runs their code to each of the two recipients.
pub(crate) const DRAINERS: [Address; 2] = [
    address!("0x0d4ae2c1f7b35869a0c2d4e81f6b3579ace0d214"),
    address!("0x9b81f3570ac6e2d48f105b7c3ae69d24f0817cb5"),
];
/// The slot of `Probe.balanceOf`, and that of `Probe.touched`.
const BALANCES: u8 = 0;
const TOUCHED: u8 = 1;

/// A call of the account from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Who calls.
    pub caller: Address,
    /// Wei that it sends along.
    pub value: U256,
    /// The data.
    pub data: Bytes,
}

/// What a replayed call did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replayed {
    pub(crate) result: Bytes,
    /// Something of the account was moved or given away.
    pub(crate) moved: bool,
    /// Wei that an address got, for the recipients.
    pub(crate) native: [U256; 2],
    /// Tokens that the recipients got.
    pub(crate) tokens: [U256; 2],
}

/// The setting of a replay.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) delegate: Address,
    pub(crate) code: Bytes,
    pub(crate) balance: U256,
    pub(crate) token_balance: U256,
    /// Addresses whose code is replaced by the token's.
    pub(crate) tokens: Vec<Address>,
    pub(crate) recipients: [Address; 2],
    /// Accounts whose code is not known: a call that meets one is not executed.
    pub(crate) not_known: BTreeSet<Address>,
}

/// What a call may find around it.
#[derive(Debug, Clone, Copy)]
struct Surroundings {
    number: u64,
    timestamp: u64,
    beneficiary: Address,
    base_fee: u64,
    gas_price: u128,
    gas_limit: u64,
    randomness: u64,
}

/// Two blocks a call may come in: what only one of them lets pass is not shown.
fn surroundings(world: &dyn World) -> [Surroundings; 2] {
    let (first, second) = world
        .number()
        .map_or((1, 1 << 40), |number| (number, number.saturating_add(1)));
    let timestamp = world.timestamp();
    [
        Surroundings {
            number: first,
            timestamp,
            beneficiary: address!("0x5b1869d9a4c187f2eaa108f3062412ecf0526b24"),
            base_fee: 1_300_000_007,
            gas_price: 2_100_000_011,
            gas_limit: 2 * GAS,
            randomness: 0x7c15_9e37_79b9_7f4a,
        },
        Surroundings {
            number: second,
            timestamp: timestamp.saturating_add(12),
            beneficiary: address!("0xa4e2c5f09b63d817f6b0c1d2e39475a86f0d1b2c"),
            base_fee: 37_000_000_002,
            gas_price: 41_500_000_000,
            gas_limit: 4 * GAS + 1,
            randomness: 0x4f6c_dd1d_2545_f491,
        },
    ]
}

/// Executes a call. None when it did not succeed, looked at what is not known, or does something else in another
/// block.
pub(crate) fn replay(world: &dyn World, setting: &Setting, call: &Call) -> Option<Replayed> {
    let [now, next] = surroundings(world);
    let done = replay_in(world, setting, call, now)?;
    if !done.moved {
        return Some(done);
    }
    let again = replay_in(world, setting, call, next)?;
    let same = again.moved && again.native == done.native && again.tokens == done.tokens;
    same.then_some(done)
}

fn replay_in(world: &dyn World, setting: &Setting, call: &Call, around: Surroundings) -> Option<Replayed> {
    let state = ReplayState::new(world, setting, call.caller, around.beneficiary);
    let before = state.balances(setting);
    let context = Context::mainnet()
        .with_db(state)
        .with_block(BlockEnv {
            timestamp: U256::from(around.timestamp),
            number: U256::from(around.number),
            beneficiary: around.beneficiary,
            basefee: around.base_fee,
            prevrandao: Some(keccak256(around.randomness.to_be_bytes())),
            gas_limit: around.gas_limit,
            ..BlockEnv::default()
        })
        .modify_cfg_chained(|cfg| {
            cfg.set_spec_and_mainnet_gas_params(SpecId::OSAKA);
            cfg.chain_id = world.chain_id();
            cfg.disable_nonce_check = true;
            cfg.disable_eip3607 = true;
            cfg.disable_base_fee = true;
            cfg.disable_fee_charge = true;
        });
    let tx = TxEnv {
        caller: call.caller,
        kind: TxKind::Call(world.account()),
        value: call.value,
        data: call.data.clone(),
        gas_limit: GAS,
        gas_price: around.gas_price,
        chain_id: Some(world.chain_id()),
        ..TxEnv::default()
    };
    let done = context.build_mainnet().transact(tx).ok()?;
    let ExecutionResult::Success { output, .. } = done.result else {
        return None;
    };
    Some(judge(
        world.account(),
        setting,
        call,
        &before,
        &done.state,
        output.into_data(),
    ))
}

/// Balances before a call: the account's and the recipients' wei.
struct Balances {
    recipients: [U256; 2],
}

fn judge(
    account: Address,
    setting: &Setting,
    call: &Call,
    before: &Balances,
    state: &EvmState,
    result: Bytes,
) -> Replayed {
    let balance = |of: Address, otherwise: U256| state.get(&of).map_or(otherwise, |a| a.info.balance);
    let left = balance(account, setting.balance);
    let mut moved = left < setting.balance && call.caller != account;
    let mut native = [U256::ZERO; 2];
    let mut tokens = [U256::ZERO; 2];
    for (index, recipient) in setting.recipients.iter().enumerate() {
        let spent = if *recipient == call.caller {
            call.value
        } else {
            U256::ZERO
        };
        let after = balance(*recipient, before.recipients[index]).saturating_add(spent);
        // What the caller sent along is not the account's.
        native[index] = after
            .saturating_sub(before.recipients[index])
            .saturating_sub(call.value);
    }
    for token in std::iter::once(&TOKEN).chain(&setting.tokens) {
        let Some(contract) = state.get(token) else {
            continue;
        };
        let value = |base: u8, of: Address| {
            let slot = contract.storage.get(&mapping(of, base));
            slot.map(revm::state::EvmStorageSlot::present_value)
        };
        moved |= value(TOUCHED, account).is_some_and(|v| !v.is_zero());
        moved |= value(BALANCES, account).is_some_and(|v| v < setting.token_balance);
        for (index, recipient) in setting.recipients.iter().enumerate() {
            let got = value(BALANCES, *recipient).unwrap_or_default();
            tokens[index] = tokens[index].max(got);
        }
    }
    Replayed {
        result,
        moved,
        native,
        tokens,
    }
}

/// The slot of a mapping's entry.
fn mapping(key: Address, slot: u8) -> U256 {
    let mut bytes = [0; 64];
    bytes[12..32].copy_from_slice(key.as_slice());
    bytes[63] = slot;
    keccak256(bytes).into()
}

/// The world with what a replay puts into it.
struct ReplayState<'w> {
    world: &'w dyn World,
    accounts: HashMap<Address, (U256, Bytecode)>,
    tokens: Vec<Address>,
    not_known: BTreeSet<Address>,
    account: Address,
    token_balance: U256,
}

impl<'w> ReplayState<'w> {
    fn new(world: &'w dyn World, setting: &Setting, caller: Address, beneficiary: Address) -> Self {
        let account = world.account();
        let plain = |code: &[u8]| Bytecode::new_legacy(Bytes::copy_from_slice(code));
        let mut accounts = HashMap::default();
        accounts.insert(setting.delegate, (U256::ZERO, plain(&setting.code)));
        let mut tokens = setting.tokens.clone();
        tokens.push(TOKEN);
        for token in &tokens {
            accounts.insert(*token, (U256::ZERO, plain(&probe())));
        }
        for (drainer, recipient) in DRAINERS.into_iter().zip(setting.recipients) {
            accounts.insert(drainer, (U256::ZERO, plain(&drainer_code(recipient))));
        }
        for recipient in setting.recipients {
            accounts.insert(recipient, (U256::ZERO, Bytecode::new()));
        }
        accounts.insert(caller, (U256::from(PURSE), Bytecode::new()));
        accounts.insert(
            account,
            (setting.balance, Bytecode::new_eip7702(setting.delegate)),
        );
        accounts.insert(beneficiary, (U256::ZERO, Bytecode::new()));
        Self {
            world,
            accounts,
            tokens,
            not_known: setting.not_known.clone(),
            account,
            token_balance: setting.token_balance,
        }
    }

    fn balances(&self, setting: &Setting) -> Balances {
        let of = |address: Address| {
            self.accounts
                .get(&address)
                .map_or(U256::ZERO, |(balance, _)| *balance)
        };
        Balances {
            recipients: setting.recipients.map(of),
        }
    }
}

/// A value that a replay looked at and that is not known.
#[derive(Debug)]
struct NotKnown;

impl std::fmt::Display for NotKnown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not known")
    }
}

impl std::error::Error for NotKnown {}
impl DBErrorMarker for NotKnown {}

impl From<Unread> for NotKnown {
    fn from(_: Unread) -> Self {
        Self
    }
}

impl Database for ReplayState<'_> {
    type Error = NotKnown;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, NotKnown> {
        let (balance, code) = match self.accounts.get(&address) {
            Some((balance, code)) => (*balance, code.clone()),
            None if self.not_known.contains(&address) => return Err(NotKnown),
            None if !self.world.has_code(address)? => (U256::ZERO, Bytecode::new()),
            None => {
                let code = self.world.code(address)?;
                let code = Bytecode::new_raw_checked(code).map_err(|_| NotKnown)?;
                (U256::ZERO, code)
            }
        };
        let code_hash = if code.is_empty() {
            KECCAK256_EMPTY
        } else {
            code.hash_slow()
        };
        Ok(Some(AccountInfo {
            balance,
            nonce: 0,
            code_hash,
            code: Some(code),
            ..AccountInfo::default()
        }))
    }

    fn code_by_hash(&mut self, _: B256) -> Result<Bytecode, NotKnown> {
        Err(NotKnown)
    }

    fn storage(&mut self, address: Address, slot: U256) -> Result<U256, NotKnown> {
        if address == self.account {
            return Ok(self.world.slot(slot)?);
        }
        if self.tokens.contains(&address) {
            let held = slot == mapping(self.account, BALANCES);
            return Ok(if held { self.token_balance } else { U256::ZERO });
        }
        Err(NotKnown)
    }

    fn block_hash(&mut self, _: u64) -> Result<B256, NotKnown> {
        Err(NotKnown)
    }
}

/// The code of the token.
fn probe() -> Vec<u8> {
    alloy_primitives::hex::decode(include_str!("../contracts/Probe.hex").trim())
        .expect("a test decodes the file that is built in")
}

/// Sends the whole balance of whoever runs it to an address.
fn drainer_code(recipient: Address) -> Vec<u8> {
    // CALL(gas, recipient, SELFBALANCE, 0, 0, 0, 0)
    let mut code = vec![0x5f, 0x5f, 0x5f, 0x5f, 0x47, 0x73];
    code.extend_from_slice(recipient.as_slice());
    code.extend_from_slice(&[0x5a, 0xf1, 0x00]);
    code
}
