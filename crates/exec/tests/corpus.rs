//! Reads on the recorded state of real transactions, which holds little more than what the transaction touched:
//! each gives what plain revm gives on the same state, or is not read, and never a default.
#![allow(clippy::unwrap_used, reason = "a test")]

use alloy_primitives::{Address, B256, Bytes, U256};
use presight_exec::reads;
use presight_view::{
    AccountSnapshot, Answer, Block, ChainSnapshot, HardFork, Lookup, Snapshot, Unread, View,
};
use presight_wire::{ChainId, Evidence, Read, Reason, Timestamp};
use revm::context::result::ExecutionResult;
use revm::context::{BlockEnv, CfgEnv, Context, TxEnv};
use revm::context_interface::block::BlobExcessGasAndPrice;
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::TxKind;
use revm::primitives::hardfork::SpecId;
use revm::state::{AccountInfo, Bytecode};
use revm::{DatabaseRef, ExecuteCommitEvm, ExecuteEvm, MainBuilder, MainContext};
use serde_json::Value;
use std::path::PathBuf;

/// One recorded transaction.
struct Case {
    json: Value,
    spec: SpecId,
    fork: HardFork,
    db: CacheDB<EmptyDB>,
}

#[test]
fn reads_on_recorded_state_are_true_or_not_read() {
    let Some(cases) = cases() else { return };
    let (mut read, mut not_read) = (0, 0);
    for case in &cases {
        let snapshot = case.snapshot();
        let view = View::new(&snapshot);
        let contracts = case
            .db
            .cache
            .accounts
            .iter()
            .filter(|(_, a)| !a.info.is_empty_code_hash());
        for (contract, _) in contracts {
            for evidence in case.every_read(&view, *contract) {
                match evidence {
                    Ok(calls) => {
                        calls.iter().for_each(|call| case.assert_true(call));
                        read += 1;
                    }
                    Err(reason) => {
                        assert_eq!(reason, Reason::Unavailable);
                        not_read += 1;
                    }
                }
            }
        }
        assert!(view.into_wants().is_empty());
    }
    println!(
        "{} cases: {read} reads equal plain revm's, {not_read} not read",
        cases.len()
    );
    assert!(read > 500 && not_read > 500, "{read} {not_read}");
}

#[test]
fn allowances_around_real_approvals() {
    let Some(cases) = cases() else { return };
    let (mut before, mut after, mut dropped) = (0, 0, 0);
    for case in cases.iter().filter(|case| case.is_approve()) {
        let approval = &case.json["expected"]["facts"]["approvals"][0];
        let [token, owner, spender] = ["token", "owner", "spender"].map(|k| address(&approval[k]));
        let chain = case.chain();
        let allowance = |snapshot: &Snapshot| {
            let view = View::new(snapshot);
            reads::allowance(&view, &chain, token, owner, spender)
        };

        // The transaction touched what the allowance is in, so the record holds it.
        let recorded = case.snapshot();
        let read = allowance(&recorded).unwrap();
        case.assert_true(&read.evidence()[0]);
        before += 1;

        let moved = case.executed();
        let read = allowance(&moved.snapshot()).unwrap();
        assert_eq!(
            *read.value(),
            quantity(&approval["amount"]),
            "{}",
            case.json["id"]
        );
        after += 1;

        // Without any one of the recorded slots: the same, or not read.
        let recorded = moved.snapshot();
        let slots: Vec<_> = recorded.chains[&chain]
            .accounts
            .iter()
            .flat_map(|(a, s)| s.storage.keys().map(|k| (*a, *k)))
            .collect();
        let mut open = 0;
        for (account, slot) in slots {
            let mut less = recorded.clone();
            let accounts = &mut less.chains.get_mut(&chain).unwrap().accounts;
            accounts.get_mut(&account).unwrap().storage.remove(&slot);
            match allowance(&less) {
                Ok(same) => assert_eq!(same, read),
                Err(Unread::NotRead(n)) if n.reason == Reason::Unavailable => open += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        assert!(open > 0, "{}", case.json["id"]);
        dropped += open;
    }
    println!(
        "{before} allowances before, {after} after equal the recorded approval, {dropped} without a slot not read"
    );
    assert!(after >= 15, "{after}");
}

#[test]
fn operators_around_real_approvals_for_all() {
    let Some(cases) = cases() else { return };
    let mut read = 0;
    for case in cases.iter().filter(|case| case.selector() == "0xa22cb465") {
        let approval = &case.json["expected"]["facts"]["approvalForAll"][0];
        let [token, owner, operator] = ["collection", "owner", "operator"].map(|k| address(&approval[k]));
        let snapshot = case.executed().snapshot();
        let view = View::new(&snapshot);
        let after = reads::is_approved_for_all(&view, &case.chain(), token, owner, operator).unwrap();
        assert_eq!(Some(*after.value()), approval["approved"].as_bool());
        read += 1;
    }
    assert!(read >= 4, "{read}");
}

impl Case {
    fn read(json: Value) -> Option<Self> {
        let fork = HardFork::parse(json["spec"].as_str().unwrap())?;
        let spec = revm_name(json["spec"].as_str().unwrap()).parse().unwrap();
        let mut db = CacheDB::new(EmptyDB::default());
        for (address, account) in json["prestate"].as_object().unwrap() {
            let address: Address = address.parse().unwrap();
            let code: Bytes = account["code"].as_str().unwrap_or("0x").parse().unwrap();
            let code = Bytecode::new_raw(code);
            let info = AccountInfo {
                balance: account.get("balance").map_or(U256::ZERO, quantity),
                nonce: account["nonce"].as_u64().unwrap_or(0),
                code_hash: code.hash_slow(),
                code: Some(code),
                ..AccountInfo::default()
            };
            db.insert_account_info(address, info);
            for (slot, value) in account["storage"].as_object().into_iter().flatten() {
                let slot = slot.parse().unwrap();
                db.insert_account_storage(address, slot, quantity(value)).unwrap();
            }
        }
        for (number, hash) in json["blockHashes"].as_object().into_iter().flatten() {
            let hash: B256 = hash.as_str().unwrap().parse().unwrap();
            db.cache.block_hashes.insert(number.parse().unwrap(), hash);
        }
        Some(Self { json, spec, fork, db })
    }

    fn chain(&self) -> ChainId {
        ChainId::evm(self.json["chain"].as_u64().unwrap())
    }

    fn selector(&self) -> &str {
        self.json["tx"]["data"]
            .as_str()
            .and_then(|data| data.get(..10))
            .unwrap_or("0x")
    }

    fn is_approve(&self) -> bool {
        self.selector() == "0x095ea7b3" && self.json["expected"]["status"] == 1
    }

    /// The recorded state, closed; with the slots that `db` was asked for.
    fn snapshot(&self) -> Snapshot {
        let env = self.block();
        let block = Block {
            number: env.number.to(),
            timestamp: env.timestamp.to(),
            base_fee_per_gas: Some(env.basefee),
            gas_limit: Some(env.gas_limit),
            miner: Some(env.beneficiary),
            difficulty: Some(env.difficulty),
            mix_hash: env.prevrandao,
            ..Block::default()
        };
        let mut held = ChainSnapshot::new(Answer::Known(block), self.fork);
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
        let mut snapshot = Snapshot::new(Timestamp(0));
        snapshot.closed = Some(Reason::Unavailable);
        snapshot.chains.insert(self.chain(), held);
        snapshot
    }

    fn block(&self) -> BlockEnv {
        let block = &self.json["block"];
        BlockEnv {
            number: number(&block["number"]),
            timestamp: number(&block["timestamp"]),
            beneficiary: block.get("coinbase").map_or(Address::ZERO, address),
            gas_limit: number(&block["gasLimit"]).to(),
            basefee: block.get("baseFee").map_or(0, |fee| number(fee).to()),
            difficulty: block.get("difficulty").map_or(U256::ZERO, number),
            prevrandao: Some(
                block
                    .get("prevRandao")
                    .and_then(Value::as_str)
                    .map_or(B256::ZERO, |r| r.parse().unwrap()),
            ),
            blob_excess_gas_and_price: Some(BlobExcessGasAndPrice {
                excess_blob_gas: 0,
                blob_gasprice: 1,
            }),
            slot_num: 0,
        }
    }

    /// What plain revm gives for a call on the recorded state, everything else empty.
    fn eth_call(&self, to: Address, data: &Bytes) -> ExecutionResult {
        let block = self.block();
        let tx = TxEnv {
            caller: Address::ZERO,
            kind: TxKind::Call(to),
            data: data.clone(),
            gas_limit: block.gas_limit.min(1 << 24),
            chain_id: None,
            ..TxEnv::default()
        };
        let mut evm = Context::mainnet()
            .with_db(self.db.clone())
            .with_block(block)
            .with_cfg(self.cfg())
            .build_mainnet();
        evm.transact(tx).unwrap().result
    }

    /// The case after its transaction.
    fn executed(&self) -> Self {
        let tx = &self.json["tx"];
        let mut db = self.db.clone();
        let env = TxEnv {
            caller: address(&tx["from"]),
            kind: TxKind::Call(address(&tx["to"])),
            data: tx["data"].as_str().unwrap().parse().unwrap(),
            gas_limit: quantity(&tx["gas"]).to(),
            nonce: quantity(&tx["nonce"]).to(),
            chain_id: None,
            ..TxEnv::default()
        };
        let mut evm = Context::mainnet()
            .with_db(&mut db)
            .with_block(self.block())
            .with_cfg(self.cfg())
            .build_mainnet();
        assert!(
            evm.transact_commit(env).unwrap().is_success(),
            "{}",
            self.json["id"]
        );
        Self {
            json: self.json.clone(),
            spec: self.spec,
            fork: self.fork,
            db,
        }
    }

    fn cfg(&self) -> CfgEnv {
        let mut cfg = CfgEnv::new_with_spec(self.spec).with_chain_id(self.chain().evm_id().unwrap());
        cfg.disable_base_fee = true;
        cfg.disable_nonce_check = true;
        cfg
    }

    /// An executed call gives the same in plain revm.
    fn assert_true(&self, evidence: &Evidence) {
        let Evidence::Call { to, data, result, .. } = evidence else {
            panic!("{evidence:?}")
        };
        // Code stands for a call that halted (I-16).
        if data.is_empty() {
            assert!(!result.is_empty(), "{}: {to}", self.json["id"]);
            return;
        }
        let plain = match self.eth_call(to.address, data) {
            ExecutionResult::Success { output, .. } => output.into_data(),
            ExecutionResult::Revert { output, .. } => output,
            ExecutionResult::Halt { .. } => Bytes::new(),
        };
        assert_eq!(*result, plain, "{}: {to} {data}", self.json["id"]);
    }

    /// The evidence of each read of a contract that was read.
    fn every_read(&self, view: &View<'_>, contract: Address) -> Vec<Result<Vec<Evidence>, Reason>> {
        fn evidence<T>(lookup: Lookup<Read<T>>) -> Result<Vec<Evidence>, Reason> {
            match lookup {
                Ok(read) => Ok(read.evidence().to_vec()),
                Err(Unread::NotRead(n)) => Err(n.reason),
                Err(Unread::Pending) => panic!("a closed view has nothing to ask for"),
            }
        }
        let chain = self.chain();
        let from = address(&self.json["tx"]["from"]);
        vec![
            evidence(reads::total_supply(view, &chain, contract)),
            evidence(reads::decimals(view, &chain, contract)),
            evidence(reads::name(view, &chain, contract)),
            evidence(reads::symbol(view, &chain, contract)),
            evidence(reads::balance_of(view, &chain, contract, from)),
            evidence(reads::is_erc721(view, &chain, contract)),
            evidence(reads::owner_of(view, &chain, contract, U256::ONE)),
            evidence(reads::is_valid_signature(
                view,
                &chain,
                contract,
                B256::ZERO,
                &[0; 65],
            )),
        ]
    }
}

fn cases() -> Option<Vec<Case>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/evm"));
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("skipped: corpus absent");
        return None;
    };
    let files = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("index.json"));
    let cases: Vec<_> = files
        .filter_map(|path| Case::read(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()))
        .collect();
    assert!(cases.len() > 100, "{}", cases.len());
    Some(cases)
}

/// `SPURIOUS_DRAGON` is `Spurious` to revm, and so on.
fn revm_name(spec: &str) -> String {
    let word = spec.split('_').next().unwrap();
    word[..1].to_uppercase() + &word[1..].to_lowercase()
}

fn address(value: &Value) -> Address {
    value.as_str().unwrap().parse().unwrap()
}

fn quantity(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

/// A JSON number or a quantity.
fn number(value: &Value) -> U256 {
    value.as_u64().map_or_else(|| quantity(value), U256::from)
}
