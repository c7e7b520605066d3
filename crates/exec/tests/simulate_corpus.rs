//! Real transactions simulated on their recorded state: status, gas, logs and transfers are what the chain had.
#![allow(clippy::unwrap_used, reason = "a test")]

use alloy_primitives::{Address, B256, Bytes, U256};
use presight_exec::effects::{self, Asset, Effects, Standing, Transfer};
use presight_exec::simulate::{Fees, FrameKind, Simulated, Transaction, run_transaction};
use presight_view::{AccountSnapshot, Answer, Block, ChainSnapshot, HardFork, Snapshot, Unread, View, Want};
use presight_wire::request::Authorization;
use presight_wire::{ChainId, Reason, Timestamp};
use revm::context_interface::transaction::{self as transactions, AuthorizationTr, SignedAuthorization};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Cases that are not simulated, and why.
const UNREAD_BEFORE_SPURIOUS_DRAGON: &str = "is not known before Spurious Dragon";

#[test]
fn recorded_transactions_do_again_what_they_did() {
    let Some(cases) = cases() else { return };
    let (mut same, mut old, mut wrong) = (0, Vec::new(), Vec::new());
    for case in &cases {
        let snapshot = snapshot(case);
        let chain = chain(case);
        let view = View::new(&snapshot);
        match run_transaction(&view, &chain, &transaction(case)) {
            Ok(simulated) => {
                let differences = differences(case, &simulated);
                if differences.is_empty() {
                    same += 1;
                } else {
                    wrong.push(format!("{}: {}", case["id"], differences.join("; ")));
                }
            }
            Err(Unread::NotRead(n))
                if n.reason == Reason::Unsupported
                    && n.note
                        .as_ref()
                        .is_some_and(|note| note.contains(UNREAD_BEFORE_SPURIOUS_DRAGON)) =>
            {
                old.push(case["id"].to_string());
            }
            Err(other) => wrong.push(format!("{}: {other:?}", case["id"])),
        }
    }
    println!(
        "{} transactions: {same} have the recorded status, gas, logs, calls and transfers; {} not read, because an \
         existing empty account cannot be told from none before Spurious Dragon: {old:?}",
        cases.len(),
        old.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(same >= 130, "{same}");
}

#[test]
fn effects_are_the_recorded_ones() {
    let Some(cases) = cases() else { return };
    let mut wrong = Vec::new();
    let mut standings: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut attributed, mut open) = (0, 0);
    for case in &cases {
        let snapshot = snapshot(case);
        let chain = chain(case);
        let view = View::new(&snapshot);
        let Ok(mut simulated) = run_transaction(&view, &chain, &transaction(case)) else {
            continue;
        };
        let effects = effects::of(&mut simulated).unwrap();
        open += effects.unattributed.len();
        attributed += simulated.outcome.changes.slots().count() - effects.unattributed.len();
        let transfers = effects.transfers.iter().map(|t| ("transfer", t.standing));
        let allowances = effects.allowances.iter().map(|a| ("allowance", a.standing));
        for (what, standing) in transfers.chain(allowances) {
            *standings.entry((what, standing.as_str())).or_default() += 1;
        }
        wrong.extend(wrong_effects(case, &effects));
    }
    println!("{standings:?}; {attributed} slots attributed, {open} not");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn wrong_effects(case: &Value, effects: &Effects) -> Vec<String> {
    let facts = &case["expected"]["facts"];
    let list = |name: &str| facts[name].as_array().cloned().unwrap_or_default();
    let mut wrong = Vec::new();
    // The record keeps the first transfers of a transaction that has many.
    let told = list("transfers");
    let transfers: Vec<Value> = effects
        .transfers
        .iter()
        .filter(|transfer| transfer.asset != Asset::Wrapped)
        .map(as_recorded)
        .collect();
    let count = facts["transferCount"].as_u64().unwrap_or(0);
    let same = told.iter().zip(&transfers).all(|(told, found)| {
        let mut told = told.clone();
        told.as_object_mut().unwrap().remove("operator");
        told == *found
    });
    if !same || transfers.len() as u64 != count || told.len() > transfers.len() {
        wrong.push(format!("{}: transfers {told:?} {transfers:?}", case["id"]));
    }
    for approval in list("approvals") {
        let found = effects.allowances.iter().any(|allowance| {
            allowance.token == address(&approval["token"])
                && allowance.owner == address(&approval["owner"])
                && allowance.spender == address(&approval["spender"])
        });
        if !found {
            wrong.push(format!("{}: no {approval}", case["id"]));
        }
    }
    for approval in list("approvalForAll") {
        let found = effects.operators.iter().any(|operator| {
            operator.token == address(&approval["collection"])
                && operator.operator == address(&approval["operator"])
                && operator.told == approval["approved"].as_bool()
                && operator.standing == Standing::Observed
        });
        if !found {
            wrong.push(format!("{}: no {approval}", case["id"]));
        }
    }
    wrong
}

fn as_recorded(transfer: &Transfer) -> Value {
    let token = format!("{:#x}", transfer.token);
    let amount = format!("{:#x}", transfer.amount);
    let mut value = json!({
        "from": format!("{:#x}", transfer.from),
        "to": format!("{:#x}", transfer.to),
    });
    let members = match transfer.asset {
        Asset::Erc721(id) => vec![("collection", token), ("tokenId", format!("{id:#x}"))],
        Asset::Erc1155(id) => vec![("erc1155", token), ("id", format!("{id:#x}")), ("amount", amount)],
        Asset::Erc20 | Asset::Wrapped => vec![("token", token), ("amount", amount)],
    };
    for (name, word) in members {
        value[name] = json!(word);
    }
    value
}

#[test]
fn without_any_one_recorded_value_the_same_or_not_read() {
    let Some(cases) = cases() else { return };
    let (mut same, mut not_read) = (0, 0);
    let small = cases
        .iter()
        .filter(|case| case["prestate"].as_object().unwrap().len() < 5)
        .filter(|case| case["spec"] != "FRONTIER" && case["spec"] != "HOMESTEAD");
    for case in small {
        let whole = snapshot(case);
        let chain = chain(case);
        let transaction = transaction(case);
        let view = View::new(&whole);
        let truth = run_transaction(&view, &chain, &transaction).unwrap().outcome;
        let used: Vec<_> = view.used().into_iter().collect();
        let mut closed = whole.clone();
        closed.closed = Some(Reason::Unavailable);
        let held = closed.chains.get_mut(&chain).unwrap();
        held.complete = false;
        for want in &used {
            fill(held, &whole, want);
        }
        for want in &used {
            let mut less = closed.clone();
            if !drop_read(less.chains.get_mut(&chain).unwrap(), want) {
                continue;
            }
            let view = View::new(&less);
            match run_transaction(&view, &chain, &transaction) {
                Ok(simulated) => {
                    assert_eq!(
                        simulated.outcome.logs, truth.logs,
                        "{} without {want:?}",
                        case["id"]
                    );
                    assert_eq!(
                        simulated.outcome.changes, truth.changes,
                        "{} without {want:?}",
                        case["id"]
                    );
                    assert_eq!(
                        simulated.outcome.gas_used, truth.gas_used,
                        "{} without {want:?}",
                        case["id"]
                    );
                    same += 1;
                }
                Err(Unread::NotRead(n)) => {
                    assert!(n.note.is_some(), "{} without {want:?}", case["id"]);
                    not_read += 1;
                }
                Err(Unread::Pending) => panic!("a closed view has nothing to ask for"),
            }
        }
    }
    println!("without one value: {same} the same, {not_read} not read");
    assert!(not_read > 300, "{not_read}");
}

fn differences(case: &Value, simulated: &Simulated<'_>) -> Vec<String> {
    let expected = &case["expected"];
    let outcome = &simulated.outcome;
    let mut found = Vec::new();
    let mut differ = |what: &str, expected: &Value, got: Value| {
        if *expected != got {
            found.push(format!("{what}: recorded {expected}, simulated {got}"));
        }
    };
    let status = u8::from(outcome.status.as_str() == "success");
    differ("status", &expected["status"], json!(status));
    differ("gas", &expected["gasUsed"], json!(outcome.gas_used));
    let logs = outcome.logs.iter().map(
        |log| json!({ "address": format!("{:#x}", log.address), "topics": log.topics, "data": log.data }),
    );
    differ("logs", &expected["logs"], logs.collect());
    let calls = expected["calls"].as_array().unwrap();
    let recorded = calls
        .iter()
        .map(|call| json!([call["depth"], call["type"], call["ok"]]));
    let frames = outcome
        .frames
        .iter()
        .filter(|frame| frame.kind != FrameKind::SelfDestruct)
        .map(|frame| json!([frame.depth, frame.kind.as_str(), frame.success]));
    differ("calls", &recorded.collect(), frames.collect());
    let moved: U256 = calls
        .iter()
        .filter(|call| call["type"] == "CALL")
        .filter_map(|call| call.get("value"))
        .map(|value| value.as_str().unwrap().parse::<U256>().unwrap())
        .fold(U256::ZERO, |sum, value| sum + value);
    let simulated = outcome
        .frames
        .iter()
        .filter(|frame| frame.kind == FrameKind::Call)
        .fold(U256::ZERO, |sum, frame| sum + frame.value);
    differ("value of calls", &json!(moved), json!(simulated));
    found
}

fn transaction(case: &Value) -> Transaction {
    let tx = &case["tx"];
    let optional = |name: &str| tx.get(name).filter(|value| !value.is_null());
    let number = |name: &str| optional(name).map(|value| quantity(value).to::<u128>());
    let fees = match (number("maxFeePerGas"), number("gasPrice")) {
        (Some(max), _) => Fees::Dynamic {
            max,
            max_priority: number("maxPriorityFeePerGas").unwrap(),
        },
        (None, price) => Fees::Price(price.unwrap()),
    };
    let list: Vec<_> = tx["authorizationList"].as_array().cloned().unwrap_or_default();
    Transaction {
        sender: address(&tx["from"]),
        to: optional("to").map(address),
        value: quantity(&tx["value"]),
        data: optional("data").map_or(Bytes::new(), |data| data.as_str().unwrap().parse().unwrap()),
        gas: quantity(&tx["gas"]).to(),
        nonce: quantity(&tx["nonce"]).to(),
        fees,
        access_list: optional("accessList").map(|list| {
            let items = list.as_array().unwrap().iter();
            items
                .map(|item| {
                    let keys = item["storageKeys"].as_array().unwrap().iter();
                    (address(&item["address"]), keys.map(word).collect())
                })
                .collect()
        }),
        authorization_list: list
            .iter()
            .map(|tuple| Authorization {
                chain_id: quantity(&tuple["chainId"]),
                address: address(&tuple["address"]),
                nonce: quantity(&tuple["nonce"]).to(),
                y_parity: quantity(&tuple["yParity"]).to(),
                r: quantity(&tuple["r"]),
                s: quantity(&tuple["s"]),
            })
            .collect(),
        authorities: list.iter().map(authority).collect(),
        blobs: optional("blobVersionedHashes")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(word)
            .collect(),
        max_fee_per_blob_gas: number("maxFeePerBlobGas").unwrap_or(0),
    }
}

/// Puts what a complete view answers in place of what it does not list.
fn fill(held: &mut ChainSnapshot, whole: &Snapshot, want: &Want) {
    let view = View::new(whole);
    let mut account = |at: &Address| held.accounts.entry(*at).or_default().clone();
    let (at, filled) = match want {
        Want::Balance(c, a) => (
            a,
            AccountSnapshot {
                balance: Some(Answer::Known(view.balance(c, *a).unwrap())),
                ..account(a)
            },
        ),
        Want::Nonce(c, a) => (
            a,
            AccountSnapshot {
                nonce: Some(Answer::Known(view.nonce(c, *a).unwrap())),
                ..account(a)
            },
        ),
        Want::Code(c, a) => (
            a,
            AccountSnapshot {
                code: Some(Answer::Known(view.code(c, *a).unwrap())),
                ..account(a)
            },
        ),
        Want::Storage(c, a, slot) => {
            let mut filled = account(a);
            filled
                .storage
                .insert(*slot, Answer::Known(view.storage(c, *a, *slot).unwrap()));
            (a, filled)
        }
        _ => return,
    };
    held.accounts.insert(*at, filled);
}

/// Takes one value out; false when it is not one of the state.
fn drop_read(held: &mut ChainSnapshot, want: &Want) -> bool {
    let mut account = |at: &Address| held.accounts.remove(at).unwrap_or_default();
    let (at, less) = match want {
        Want::Balance(_, a) => (
            a,
            AccountSnapshot {
                balance: None,
                ..account(a)
            },
        ),
        Want::Nonce(_, a) => (
            a,
            AccountSnapshot {
                nonce: None,
                ..account(a)
            },
        ),
        Want::Code(_, a) => (
            a,
            AccountSnapshot {
                code: None,
                ..account(a)
            },
        ),
        Want::Storage(_, a, slot) => {
            let mut less = account(a);
            less.storage.remove(slot);
            (a, less)
        }
        _ => return false,
    };
    held.accounts.insert(*at, less);
    true
}

/// The account a tuple's signature recovers to.
fn authority(tuple: &Value) -> Option<Address> {
    let inner = transactions::Authorization {
        chain_id: quantity(&tuple["chainId"]),
        address: address(&tuple["address"]),
        nonce: quantity(&tuple["nonce"]).to(),
    };
    let parity = quantity(&tuple["yParity"]).to();
    SignedAuthorization::new_unchecked(inner, parity, quantity(&tuple["r"]), quantity(&tuple["s"]))
        .authority()
}

fn chain(case: &Value) -> ChainId {
    ChainId::evm(case["chain"].as_u64().unwrap())
}

/// The recorded state; everything else is empty.
fn snapshot(case: &Value) -> Snapshot {
    let json = &case["block"];
    let optional = |name: &str| json.get(name).filter(|value| !value.is_null());
    let block = Block {
        number: number(&json["number"]).to(),
        timestamp: number(&json["timestamp"]).to(),
        base_fee_per_gas: optional("baseFee").map(|fee| number(fee).to()),
        gas_limit: Some(number(&json["gasLimit"]).to()),
        miner: Some(optional("coinbase").map_or(Address::ZERO, address)),
        difficulty: Some(optional("difficulty").map_or(U256::ZERO, number)),
        mix_hash: Some(optional("prevRandao").map_or(B256::ZERO, word)),
        excess_blob_gas: Some(optional("excessBlobGas").map_or(0, |excess| number(excess).to())),
        ..Block::default()
    };
    let spec = case["spec"].as_str().unwrap().to_lowercase();
    let mut held = ChainSnapshot::new(Answer::Known(block), HardFork::parse(&spec).unwrap());
    held.complete = true;
    for (at, account) in case["prestate"].as_object().unwrap() {
        let code = account["code"].as_str().unwrap_or("0x");
        let storage = account["storage"].as_object().into_iter().flatten();
        held.accounts.insert(
            at.parse().unwrap(),
            AccountSnapshot {
                balance: Some(Answer::Known(account.get("balance").map_or(U256::ZERO, quantity))),
                nonce: Some(Answer::Known(account["nonce"].as_u64().unwrap_or(0))),
                code: Some(Answer::Known(code.parse().unwrap())),
                storage: storage
                    .map(|(slot, value)| (slot.parse().unwrap(), Answer::Known(quantity(value))))
                    .collect(),
            },
        );
    }
    for (number, hash) in case["blockHashes"].as_object().into_iter().flatten() {
        held.block_hashes
            .insert(number.parse().unwrap(), Answer::Known(word(hash)));
    }
    let mut snapshot = Snapshot::new(Timestamp(0));
    snapshot.closed = Some(Reason::Unavailable);
    snapshot.chains.insert(chain(case), held);
    snapshot
}

fn cases() -> Option<Vec<Value>> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/evm"));
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("skipped: corpus absent");
        return None;
    };
    let files = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("index.json"));
    let mut cases: Vec<Value> = files
        .map(|path| serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap())
        .collect();
    cases.sort_by_key(|case| case["id"].to_string());
    assert!(cases.len() > 100, "{}", cases.len());
    Some(cases)
}

fn address(value: &Value) -> Address {
    value.as_str().unwrap().parse().unwrap()
}

fn word(value: &Value) -> B256 {
    value.as_str().unwrap().parse().unwrap()
}

fn quantity(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

/// A JSON number or a quantity.
fn number(value: &Value) -> U256 {
    value.as_u64().map_or_else(|| quantity(value), U256::from)
}
