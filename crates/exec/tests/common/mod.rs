//! A little chain: test contracts deployed and called by plain revm, then taken as a snapshot.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(missing_docs, clippy::unwrap_used, reason = "a test helper")]

pub mod random;

use alloy_primitives::{Address, B256, Bytes, U256, address, keccak256};
use presight_view::{AccountSnapshot, Answer, Block, ChainSnapshot, HardFork, Snapshot, View, Want};
use presight_wire::{ChainId, Reason, Timestamp};
use revm::context::result::{ExecutionResult, Output};
use revm::context::{BlockEnv, CfgEnv, Context, TxEnv};
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::TxKind;
use revm::primitives::hardfork::SpecId;
use revm::state::{AccountInfo, Bytecode};
use revm::{DatabaseRef, ExecuteCommitEvm, ExecuteEvm, MainBuilder, MainContext};
use std::collections::{BTreeMap, BTreeSet};

pub const DEPLOYER: Address = address!("0x00000000000000000000000000000000000d0000");
pub const CHAIN: u64 = 31337;

pub fn chain() -> ChainId {
    ChainId::evm(CHAIN)
}

#[derive(Clone)]
pub struct World {
    pub db: CacheDB<EmptyDB>,
    pub block: Block,
    nonce: u64,
}

impl World {
    pub fn new() -> Self {
        let mut db = CacheDB::new(EmptyDB::default());
        let funds = AccountInfo::from_balance(U256::from(10).pow(U256::from(20)));
        db.insert_account_info(DEPLOYER, funds);
        let block = Block {
            number: 1_000,
            hash: B256::repeat_byte(0xb0),
            timestamp: 1_700_000_000,
            base_fee_per_gas: Some(7),
            gas_limit: Some(30_000_000),
            miner: Some(Address::repeat_byte(0xc0)),
            difficulty: Some(U256::ZERO),
            mix_hash: Some(B256::repeat_byte(0x77)),
            parent_hash: Some(block_hash(999)),
            state_root: None,
            excess_blob_gas: Some(0),
        };
        Self { db, block, nonce: 0 }
    }

    /// Gives an account a balance.
    pub fn fund(&mut self, address: Address, balance: U256) {
        self.db
            .insert_account_info(address, AccountInfo::from_balance(balance));
    }

    /// Deploys a compiled contract with its encoded constructor arguments.
    pub fn deploy(&mut self, name: &str, args: &[u8], value: u64) -> Address {
        self.create_with(&creation(name), args, value)
    }

    /// Deploys a contract by its creation code.
    pub fn create(&mut self, creation: &[u8], args: &[u8]) -> Address {
        self.create_with(creation, args, 0)
    }

    fn create_with(&mut self, creation: &[u8], args: &[u8], value: u64) -> Address {
        let data = [creation, args].concat();
        match self.run(DEPLOYER, TxKind::Create, data.into(), value) {
            ExecutionResult::Success {
                output: Output::Create(_, Some(address)),
                ..
            } => address,
            other => panic!("not deployed: {other:?}"),
        }
    }

    /// Sends a transaction that must succeed.
    pub fn send(&mut self, to: Address, data: Bytes) {
        let result = self.run(DEPLOYER, TxKind::Call(to), data, 0);
        assert!(result.is_success(), "{result:?}");
    }

    fn run(&mut self, from: Address, kind: TxKind, data: Bytes, value: u64) -> ExecutionResult {
        let mut evm = Context::mainnet()
            .with_db(&mut self.db)
            .with_cfg(CfgEnv::new_with_spec(SpecId::OSAKA).with_chain_id(CHAIN))
            .build_mainnet();
        let tx = TxEnv {
            caller: from,
            kind,
            data,
            value: U256::from(value),
            nonce: self.nonce,
            gas_limit: 10_000_000,
            gas_price: 0,
            chain_id: Some(CHAIN),
            ..TxEnv::default()
        };
        self.nonce += 1;
        evm.transact_commit(tx).unwrap()
    }

    /// What `eth_call` gives, by plain revm on the whole state.
    pub fn eth_call(&self, to: Address, data: &Bytes) -> ExecutionResult {
        let block = BlockEnv {
            number: U256::from(self.block.number),
            beneficiary: self.block.miner.unwrap(),
            timestamp: U256::from(self.block.timestamp),
            gas_limit: self.block.gas_limit.unwrap(),
            basefee: self.block.base_fee_per_gas.unwrap(),
            prevrandao: self.block.mix_hash,
            ..BlockEnv::default()
        };
        let mut cfg = CfgEnv::new_with_spec(SpecId::OSAKA).with_chain_id(CHAIN);
        cfg.disable_base_fee = true;
        cfg.disable_nonce_check = true;
        let mut db = self.db.clone();
        db.cache.block_hashes = (700..1_000).map(|n| (U256::from(n), block_hash(n))).collect();
        let mut evm = Context::mainnet()
            .with_db(db)
            .with_block(block)
            .with_cfg(cfg)
            .build_mainnet();
        let tx = TxEnv {
            caller: Address::ZERO,
            kind: TxKind::Call(to),
            data: data.clone(),
            gas_limit: 1 << 24,
            chain_id: None,
            ..TxEnv::default()
        };
        evm.transact(tx).unwrap().result
    }

    /// The whole state as a snapshot in which what is not listed is empty.
    pub fn complete(&self) -> Snapshot {
        let mut held = ChainSnapshot::new(Answer::Known(self.block.clone()), HardFork::Osaka);
        held.complete = true;
        for (address, account) in &self.db.cache.accounts {
            let code = self
                .db
                .code_by_hash_ref(account.info.code_hash)
                .unwrap()
                .original_bytes();
            held.accounts.insert(
                *address,
                AccountSnapshot {
                    balance: Some(Answer::Known(account.info.balance)),
                    nonce: Some(Answer::Known(account.info.nonce)),
                    code: Some(Answer::Known(code)),
                    storage: account
                        .storage
                        .iter()
                        .map(|(k, v)| (*k, Answer::Known(*v)))
                        .collect(),
                },
            );
        }
        held.block_hashes = (700..1_000).map(|n| (n, Answer::Known(block_hash(n)))).collect();
        let mut snapshot = Snapshot::new(Timestamp(1_700_000_012));
        snapshot.chains.insert(chain(), held);
        snapshot
    }

    /// A snapshot that holds the block alone.
    pub fn bare(&self, closed: Option<Reason>) -> Snapshot {
        let mut snapshot = Snapshot::new(Timestamp(1_700_000_012));
        let held = ChainSnapshot::new(Answer::Known(self.block.clone()), HardFork::Osaka);
        snapshot.chains.insert(chain(), held);
        snapshot.closed = closed;
        snapshot
    }
}

/// The canonical hash of a block of the little chain.
pub fn block_hash(number: u64) -> B256 {
    keccak256(number.to_be_bytes())
}

/// Copies one read from a complete snapshot into another.
pub fn fill(snapshot: &mut Snapshot, from: &Snapshot, want: &Want) {
    let view = View::new(from);
    let held = snapshot.chains.get_mut(&chain()).unwrap();
    match want {
        Want::Balance(c, a) => account(held, *a).balance = Some(Answer::Known(view.balance(c, *a).unwrap())),
        Want::Nonce(c, a) => account(held, *a).nonce = Some(Answer::Known(view.nonce(c, *a).unwrap())),
        Want::Code(c, a) => account(held, *a).code = Some(Answer::Known(view.code(c, *a).unwrap())),
        Want::Storage(c, a, slot) => {
            let value = view.storage(c, *a, *slot).unwrap();
            account(held, *a).storage.insert(*slot, Answer::Known(value));
        }
        Want::BlockHash(c, n) => {
            held.block_hashes
                .insert(*n, Answer::Known(view.block_hash(c, *n).unwrap()));
        }
        Want::Block(_) | Want::CallHint(..) => {}
        other => panic!("a call does not want {other:?}"),
    }
}

/// Takes one read out of a snapshot.
pub fn drop_read(snapshot: &mut Snapshot, want: &Want) {
    let held = snapshot.chains.get_mut(&chain()).unwrap();
    match want {
        Want::Balance(_, a) => account(held, *a).balance = None,
        Want::Nonce(_, a) => account(held, *a).nonce = None,
        Want::Code(_, a) => account(held, *a).code = None,
        Want::Storage(_, a, slot) => drop(account(held, *a).storage.remove(slot)),
        Want::BlockHash(_, n) => drop(held.block_hashes.remove(n)),
        other => panic!("{other:?} is not a read of state"),
    }
}

fn account(held: &mut ChainSnapshot, address: Address) -> &mut AccountSnapshot {
    held.accounts.entry(address).or_default()
}

/// The wants of a view that are reads of state.
pub fn state_wants(wants: BTreeSet<Want>) -> BTreeSet<Want> {
    wants
        .into_iter()
        .filter(|w| !matches!(w, Want::CallHint(..) | Want::Block(_)))
        .collect()
}

/// A call's data: a signature and its words.
pub fn calldata(signature: &str, words: &[U256]) -> Bytes {
    let words = words.iter().flat_map(U256::to_be_bytes::<32>);
    keccak256(signature)[..4].iter().copied().chain(words).collect()
}

pub fn word(address: Address) -> U256 {
    address.into_word().into()
}

/// The constructor arguments of `Token`.
pub fn token_args(name: &str, symbol: &str, decimals: u8, supply: U256) -> Vec<u8> {
    let text = |t: &str| {
        let mut out = U256::from(t.len()).to_be_bytes::<32>().to_vec();
        out.extend(t.as_bytes());
        out.resize(32 + t.len().next_multiple_of(32), 0);
        out
    };
    let (name, symbol) = (text(name), text(symbol));
    let head = [
        U256::from(128),
        U256::from(128 + name.len()),
        U256::from(decimals),
        supply,
    ];
    head.iter()
        .flat_map(U256::to_be_bytes::<32>)
        .chain(name)
        .chain(symbol)
        .collect()
}

fn creation(name: &str) -> Bytes {
    artifacts()[name].clone()
}

fn artifacts() -> BTreeMap<String, Bytes> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contracts/test/artifacts.json");
    let artifacts: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let contracts = artifacts["contracts"].as_object().unwrap();
    contracts
        .iter()
        .map(|(n, c)| (n.clone(), c["creation"].as_str().unwrap().parse().unwrap()))
        .collect()
}

/// An account with this code and nothing else.
pub fn with_code(code: Bytes) -> AccountInfo {
    let code = Bytecode::new_raw(code);
    AccountInfo::from_bytecode(code)
}
