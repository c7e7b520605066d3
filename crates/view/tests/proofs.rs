//! Proofs: what holds is read, what does not is named and not read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alloy_consensus::Header;
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_trie::proof::ProofRetainer;
use alloy_trie::{EMPTY_ROOT_HASH, HashBuilder, KECCAK_EMPTY, Nibbles, TrieAccount};
use presight_view::file::{self, Proofs};
use presight_view::proof::{AccountProof, ProofError, SlotProof};
use presight_view::{AccountSnapshot, Answer, Block, ChainSnapshot, HardFork, Snapshot, Subject, View};
use presight_wire::node::Node;
use presight_wire::{ChainId, Reason, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The root of a trie, and the nodes that lead to a key.
fn trie(leaves: &BTreeMap<B256, Vec<u8>>, key: B256) -> (B256, Vec<Bytes>) {
    let retainer = ProofRetainer::new(vec![Nibbles::unpack(key)]);
    let mut builder = HashBuilder::default().with_proof_retainer(retainer);
    for (key, leaf) in leaves {
        builder.add_leaf(Nibbles::unpack(key), leaf);
    }
    let root = builder.root();
    let nodes = builder.take_proof_nodes().into_nodes_sorted();
    (root, nodes.into_iter().map(|(_, node)| node).collect())
}

const CODE: &[u8] = &[0x60, 0x01];

fn contract() -> Address {
    Address::repeat_byte(0xc0)
}

/// The storage of the contract: slot n holds n, for n from 1 to 40.
fn slot(number: u64) -> (B256, SlotProof) {
    let leaves = (1..=40_u64)
        .map(|n| {
            (
                keccak256(B256::from(U256::from(n))),
                alloy_rlp::encode(U256::from(n)),
            )
        })
        .collect();
    let (root, proof) = trie(&leaves, keccak256(B256::from(U256::from(number))));
    let value = if (1..=40).contains(&number) {
        U256::from(number)
    } else {
        U256::ZERO
    };
    (root, SlotProof { value, proof })
}

/// A state of 50 plain accounts and the contract, and the proof of an account in it.
fn proved(address: Address, slots: &[u64]) -> (B256, AccountProof) {
    let (storage_root, _) = slot(1);
    let plain = |n: u8| TrieAccount {
        nonce: u64::from(n),
        balance: U256::from(n),
        ..TrieAccount::default()
    };
    let mut accounts: BTreeMap<Address, TrieAccount> =
        (1..=50_u8).map(|n| (Address::repeat_byte(n), plain(n))).collect();
    accounts.insert(
        contract(),
        TrieAccount {
            nonce: 1,
            balance: U256::from(7),
            storage_root,
            code_hash: keccak256(CODE),
        },
    );
    let leaves = accounts
        .iter()
        .map(|(a, account)| (keccak256(a), alloy_rlp::encode(account)))
        .collect();
    let (root, account_proof) = trie(&leaves, keccak256(address));
    let account = accounts.get(&address).copied().unwrap_or_default();
    let proof = AccountProof {
        balance: account.balance,
        nonce: account.nonce,
        code_hash: account.code_hash,
        storage_hash: account.storage_root,
        account_proof,
        storage: slots.iter().map(|n| (U256::from(*n), slot(*n).1)).collect(),
    };
    (root, proof)
}

#[test]
fn a_true_proof_holds() {
    let (root, proof) = proved(contract(), &[1, 40, 41]);
    assert_eq!(proof.verify(contract(), root), Ok(()));
    let (root, proof) = proved(Address::repeat_byte(9), &[]);
    assert_eq!(proof.verify(Address::repeat_byte(9), root), Ok(()));
}

#[test]
fn an_absent_account_is_proved_empty() {
    let absent = Address::repeat_byte(0xee);
    let (root, mut proof) = proved(absent, &[]);
    assert_eq!(
        (proof.code_hash, proof.storage_hash),
        (KECCAK_EMPTY, EMPTY_ROOT_HASH)
    );
    proof.storage.insert(
        U256::ZERO,
        SlotProof {
            value: U256::ZERO,
            proof: vec![],
        },
    );
    assert_eq!(proof.verify(absent, root), Ok(()));
    proof.storage.insert(
        U256::ZERO,
        SlotProof {
            value: U256::from(1),
            proof: vec![],
        },
    );
    assert!(matches!(proof.verify(absent, root), Err(ProofError::Slot { .. })));
    proof.balance = U256::from(1);
    assert!(matches!(proof.verify(absent, root), Err(ProofError::Account(_))));
}

#[test]
fn a_leaf_that_holds_zero_shows_zero_and_nothing_else() {
    let slot = U256::from(3);
    let key = keccak256(B256::from(slot));
    let (storage_hash, nodes) = trie(&[(key, alloy_rlp::encode(U256::ZERO))].into(), key);
    let account = TrieAccount {
        storage_root: storage_hash,
        ..TrieAccount::default()
    };
    let key = keccak256(contract());
    let (root, account_proof) = trie(&[(key, alloy_rlp::encode(account))].into(), key);
    let holding = |value| AccountProof {
        balance: U256::ZERO,
        nonce: 0,
        code_hash: KECCAK_EMPTY,
        storage_hash,
        account_proof: account_proof.clone(),
        storage: [(
            slot,
            SlotProof {
                value,
                proof: nodes.clone(),
            },
        )]
        .into(),
    };
    assert_eq!(holding(U256::ZERO).verify(contract(), root), Ok(()));
    assert!(holding(U256::from(1)).verify(contract(), root).is_err());
}

#[test]
fn an_empty_string_at_the_end_of_a_proof_shows_nothing() {
    let (root, mut proof) = proved(contract(), &[1, 41]);
    proof
        .storage
        .get_mut(&U256::from(41))
        .unwrap()
        .proof
        .push(Bytes::new());
    assert_eq!(proof.verify(contract(), root), Ok(()));
    proof.storage.get_mut(&U256::from(41)).unwrap().proof = vec![Bytes::new()];
    assert!(matches!(
        proof.verify(contract(), root),
        Err(ProofError::Slot { .. })
    ));
}

#[test]
fn a_false_proof_does_not_hold() {
    let (root, proof) = proved(contract(), &[1, 41]);
    let refused = |change: fn(&mut AccountProof)| {
        let mut changed = proof.clone();
        change(&mut changed);
        assert_ne!(changed, proof);
        changed.verify(contract(), root).unwrap_err()
    };
    let account: [fn(&mut AccountProof); 8] = [
        |p| p.balance += U256::from(1),
        |p| p.nonce += 1,
        |p| p.code_hash = KECCAK_EMPTY,
        |p| p.storage_hash = EMPTY_ROOT_HASH,
        |p| drop(p.account_proof.pop()),
        |p| p.account_proof.clear(),
        |p| drop(p.account_proof.remove(0)),
        |p| {
            (p.balance, p.nonce, p.code_hash, p.storage_hash) = Default::default();
            (p.code_hash, p.storage_hash) = (KECCAK_EMPTY, EMPTY_ROOT_HASH);
        },
    ];
    for change in account {
        assert!(matches!(refused(change), ProofError::Account(_)));
    }
    let slots: [fn(&mut AccountProof); 5] = [
        |p| p.storage.get_mut(&U256::from(1)).unwrap().value = U256::from(2),
        |p| p.storage.get_mut(&U256::from(1)).unwrap().value = U256::ZERO,
        |p| p.storage.get_mut(&U256::from(41)).unwrap().value = U256::from(1),
        |p| drop(p.storage.get_mut(&U256::from(1)).unwrap().proof.pop()),
        |p| p.storage.get_mut(&U256::from(41)).unwrap().proof.clear(),
    ];
    for change in slots {
        assert!(matches!(refused(change), ProofError::Slot { .. }));
    }
    assert!(
        proof.verify(Address::repeat_byte(9), root).is_err(),
        "of another account"
    );
    assert!(
        proof.verify(contract(), B256::repeat_byte(1)).is_err(),
        "of another state"
    );
}

#[test]
fn json_round_trips_and_zero_hashes_mean_empty() {
    let (_, proof) = proved(contract(), &[1, 41]);
    let value = proof.to_json(contract());
    assert_eq!(
        AccountProof::from_json(&Node::root(&value)),
        Ok((contract(), proof))
    );
    let mut absent = proved(Address::repeat_byte(0xee), &[])
        .1
        .to_json(Address::repeat_byte(0xee));
    absent["codeHash"] = json!(B256::ZERO);
    absent["storageHash"] = json!(B256::ZERO);
    let (_, read) = AccountProof::from_json(&Node::root(&absent)).unwrap();
    assert_eq!(
        (read.code_hash, read.storage_hash),
        (KECCAK_EMPTY, EMPTY_ROOT_HASH)
    );
}

/// A snapshot of the contract under a whole header, every value proved.
fn snapshot() -> Snapshot {
    let (state_root, proof) = proved(contract(), &[1, 41]);
    let header = Header {
        number: 17,
        state_root,
        timestamp: 1_700_000_000,
        ..Header::default()
    };
    let block = Block {
        number: 17,
        hash: header.hash_slow(),
        timestamp: 1_700_000_000,
        gas_limit: Some(0),
        miner: Some(Address::ZERO),
        difficulty: Some(U256::ZERO),
        mix_hash: Some(B256::ZERO),
        parent_hash: Some(B256::ZERO),
        state_root: Some(state_root),
        ..Block::default()
    };
    let account = AccountSnapshot {
        balance: Some(Answer::Known(U256::from(7))),
        nonce: Some(Answer::Known(1)),
        code: Some(Answer::Known(Bytes::from_static(CODE))),
        storage: [
            (U256::from(1), Answer::Known(U256::from(1))),
            (U256::from(41), Answer::Known(U256::ZERO)),
        ]
        .into(),
    };
    let mut chain = ChainSnapshot::new(Answer::Known(block), HardFork::Prague);
    chain.header = Some(header);
    chain.accounts.insert(contract(), account);
    chain.proofs.insert(contract(), proof);
    let mut snapshot = Snapshot::new(Timestamp(1_796_040_000));
    snapshot.closed = Some(Reason::Unavailable);
    snapshot.chains.insert(ChainId::evm(1), chain);
    snapshot
}

/// The file of the proved snapshot with one member changed.
fn with(pointer: &str, value: Value) -> file::ViewFile {
    let mut json: Value = serde_json::from_str(&file::to_json(&snapshot())).unwrap();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match json.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        object => drop(object.as_object_mut().unwrap().insert(name.into(), value)),
    }
    file::parse(json.to_string().as_bytes()).unwrap()
}

#[test]
fn a_proved_file_round_trips_as_valid() {
    let file = file::parse(file::to_json(&snapshot()).as_bytes()).unwrap();
    assert_eq!((file.proofs, file.problems), (Proofs::Valid, vec![]));
    assert_eq!(file.snapshot, snapshot());
}

#[test]
fn what_differs_from_its_proof_is_not_read() {
    let account = format!("/chains/0/accounts/{:#x}", contract());
    let word = |n: u64| format!("{:#x}", B256::from(U256::from(n)));
    for (pointer, value) in [
        (format!("{account}/balance"), json!("0x8")),
        (format!("{account}/nonce"), json!("0x0")),
        (format!("{account}/code"), json!("0x6002")),
        (format!("{account}/code"), json!("0x")),
        (format!("{account}/storage/{}", word(1)), json!("0x2")),
        (format!("{account}/storage/{}", word(41)), json!("0x1")),
        ("/chains/0/proofs/0/balance".into(), json!("0x8")),
        ("/chains/0/proofs/0/accountProof/0".into(), json!("0xc0")),
        ("/chains/0/proofs/0/accountProof".into(), json!([])),
        ("/chains/0/proofs/0/storageProof/0/value".into(), json!("0x2")),
        ("/chains/0/block/stateRoot".into(), json!(B256::repeat_byte(5))),
        ("/chains/0/block/hash".into(), json!(B256::repeat_byte(5))),
        ("/chains/0/block/gasUsed".into(), json!("0x5")),
    ] {
        let file = with(&pointer, value);
        assert_eq!(file.proofs, Proofs::Invalid, "{pointer}");
        assert!(
            file.problems
                .iter()
                .any(|p| p.code == "proof-invalid"
                    && p.subject == Subject::Account(ChainId::evm(1), contract())),
            "{pointer}"
        );
        let view = View::new(&file.snapshot);
        let chain = ChainId::evm(1);
        assert_eq!(
            view.balance(&chain, contract()),
            Err(Reason::Unavailable.into()),
            "{pointer}"
        );
        assert_eq!(
            view.code(&chain, contract()),
            Err(Reason::Unavailable.into()),
            "{pointer}"
        );
        assert_eq!(
            view.storage(&chain, contract(), U256::from(1)),
            Err(Reason::Unavailable.into()),
            "{pointer}"
        );
        assert_eq!(
            view.storage(&chain, contract(), U256::from(3)),
            Err(Reason::Unavailable.into()),
            "{pointer}"
        );
    }
}

#[test]
fn a_false_proof_in_a_complete_chain_leaves_nothing_to_default() {
    let mut json: Value = serde_json::from_str(&file::to_json(&snapshot())).unwrap();
    json["chains"][0]["complete"] = json!(true);
    json["chains"][0]["proofs"][0]["nonce"] = json!("0x2");
    let file = file::parse(json.to_string().as_bytes()).unwrap();
    let view = View::new(&file.snapshot);
    assert_eq!(
        view.storage(&ChainId::evm(1), contract(), U256::from(3)),
        Err(Reason::Unavailable.into())
    );
    assert_eq!(
        view.balance(&ChainId::evm(1), Address::ZERO),
        Err(Reason::Unavailable.into())
    );
}

/// The file of the proved snapshot, said to be complete, with the whole storage of the contract listed and then
/// changed.
fn complete(change: impl Fn(&mut Value)) -> file::ViewFile {
    let mut whole = snapshot();
    let chain = whole.chains.get_mut(&ChainId::evm(1)).unwrap();
    chain.complete = true;
    let storage = &mut chain.accounts.get_mut(&contract()).unwrap().storage;
    storage.extend((1..=40).map(|n| (U256::from(n), Answer::Known(U256::from(n)))));
    let mut json: Value = serde_json::from_str(&file::to_json(&whole)).unwrap();
    change(&mut json["chains"][0]);
    file::parse(json.to_string().as_bytes()).unwrap()
}

/// A member of the contract's account, or all of it for an empty name, taken out of a chain.
fn unlist(chain: &mut Value, name: &str) {
    let account = format!("{:#x}", contract());
    let accounts = chain["accounts"].as_object_mut().unwrap();
    match name {
        "" => drop(accounts.remove(&account).unwrap()),
        name => drop(accounts[&account].as_object_mut().unwrap().remove(name).unwrap()),
    }
}

/// One slot taken out of the contract's storage.
fn unlist_slot(chain: &mut Value, slot: u64) {
    let account = &mut chain["accounts"][format!("{:#x}", contract())];
    let slot = B256::from(U256::from(slot)).to_string();
    account["storage"].as_object_mut().unwrap().remove(&slot).unwrap();
}

#[test]
fn what_a_complete_chain_does_not_list_is_empty_where_no_proof_says_otherwise() {
    let chain = ChainId::evm(1);
    let whole = complete(|_| ());
    assert_eq!((whole.proofs, whole.problems), (Proofs::Partial, vec![]));
    let view = View::new(&whole.snapshot);
    assert_eq!(
        view.storage(&chain, contract(), U256::from(40)),
        Ok(U256::from(40))
    );
    assert_eq!(view.storage(&chain, contract(), U256::from(99)), Ok(U256::ZERO));
    assert_eq!(view.code(&chain, Address::ZERO), Ok(Bytes::new()));

    let absent = Address::repeat_byte(0xee);
    let proved_absent = complete(|chain| {
        let proof = proved(absent, &[]).1.to_json(absent);
        chain["proofs"].as_array_mut().unwrap().push(proof);
    });
    assert_eq!(proved_absent.problems, []);
    let view = View::new(&proved_absent.snapshot);
    assert_eq!(view.balance(&chain, absent), Ok(U256::ZERO));
}

#[test]
fn what_is_said_to_be_not_read_is_no_claim_of_a_complete_chain() {
    let chain = ChainId::evm(1);
    let file = complete(|chain| {
        let address = format!("{:#x}", contract());
        unlist(chain, "code");
        unlist_slot(chain, 41);
        chain["notRead"] = json!([
            { "read": "code", "account": address, "reason": "timeout" },
            { "read": "storage", "account": address, "slot": "0x29", "reason": "timeout" },
        ]);
    });
    assert_eq!(file.problems, []);
    let view = View::new(&file.snapshot);
    assert_eq!(view.code(&chain, contract()), Err(Reason::Timeout.into()));
    assert_eq!(
        view.storage(&chain, contract(), U256::from(41)),
        Err(Reason::Timeout.into())
    );
    assert_eq!(view.balance(&chain, contract()), Ok(U256::from(7)));
}

#[test]
fn what_a_complete_chain_does_not_list_is_not_empty_against_its_proof() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 8] = [
        ("the account", |chain| unlist(chain, "")),
        ("all accounts", |chain| {
            drop(chain.as_object_mut().unwrap().remove("accounts"));
        }),
        ("its balance", |chain| unlist(chain, "balance")),
        ("its nonce", |chain| unlist(chain, "nonce")),
        ("its code", |chain| unlist(chain, "code")),
        ("its storage", |chain| unlist(chain, "storage")),
        ("a proved slot", |chain| unlist_slot(chain, 1)),
        ("a slot that only the storage hash shows", |chain| {
            unlist_slot(chain, 2);
        }),
    ];
    for (unlisted, change) in changes {
        let file = complete(change);
        assert_eq!(file.proofs, Proofs::Invalid, "{unlisted}");
        assert!(
            file.problems
                .iter()
                .any(|p| p.code == "proof-invalid"
                    && p.subject == Subject::Account(ChainId::evm(1), contract())),
            "{unlisted}"
        );
        let view = View::new(&file.snapshot);
        let chain = ChainId::evm(1);
        let unavailable = Reason::Unavailable;
        assert_eq!(
            view.balance(&chain, contract()),
            Err(unavailable.into()),
            "{unlisted}"
        );
        assert_eq!(
            view.nonce(&chain, contract()),
            Err(unavailable.into()),
            "{unlisted}"
        );
        assert_eq!(
            view.code(&chain, contract()),
            Err(unavailable.into()),
            "{unlisted}"
        );
        for slot in [1, 2, 99].map(U256::from) {
            let read = view.storage(&chain, contract(), slot);
            assert_eq!(read, Err(unavailable.into()), "{unlisted}, slot {slot}");
        }
    }
}

#[test]
fn a_value_without_proof_among_proven_ones_is_invalid_and_named() {
    let chain = || Subject::Chain(ChainId::evm(1));
    let account = |address| Subject::Account(ChainId::evm(1), address);
    let stranger = Address::repeat_byte(1);
    let other = with(
        &format!("/chains/0/accounts/{stranger:#x}"),
        json!({ "balance": "0x1" }),
    );
    let slot = with(
        &format!("/chains/0/accounts/{:#x}/storage/0x3", contract()),
        json!("0x3"),
    );
    let headless = with("/chains/0/block/gasUsed", Value::Null);
    for (file, subject) in [
        (other, account(stranger)),
        (slot, account(contract())),
        (headless, chain()),
    ] {
        assert_eq!(file.proofs, Proofs::Invalid);
        let [problem] = &file.problems[..] else {
            panic!("{:?}", file.problems)
        };
        assert_eq!((problem.code, &problem.subject), ("proof-missing", &subject));
    }
}

#[test]
fn what_no_proof_can_show_leaves_the_proofs_partial() {
    let hash = json!({ "0x1": B256::repeat_byte(9).to_string() });
    let file = with("/chains/0/blockHashes", hash);
    assert_eq!((file.proofs, file.problems.len()), (Proofs::Partial, 0));
}

#[test]
fn real_proofs_of_mainnet_hold_and_altered_ones_do_not() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/proofs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: corpus absent");
        return;
    };
    let (mut accounts, mut slots) = (0, 0);
    for entry in entries {
        let path = entry.unwrap().path();
        if path.ends_with("index.json") {
            continue;
        }
        let case: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let root: B256 = case["block"]["stateRoot"].as_str().unwrap().parse().unwrap();
        let (address, proof) = AccountProof::from_json(&Node::root(&case["proof"])).unwrap();
        assert_eq!(proof.verify(address, root), Ok(()), "{}", path.display());
        let mut richer = proof.clone();
        richer.balance += U256::from(1);
        assert!(richer.verify(address, root).is_err(), "{}", path.display());
        for slot in proof.storage.keys() {
            let mut altered = proof.clone();
            altered.storage.get_mut(slot).unwrap().value ^= U256::from(1);
            assert!(
                altered.verify(address, root).is_err(),
                "{} {slot}",
                path.display()
            );
        }
        accounts += 1;
        slots += proof.storage.len();
    }
    println!("{accounts} accounts and {slots} slots of mainnet verified");
    assert!(accounts >= 20 && slots > 20);
}
