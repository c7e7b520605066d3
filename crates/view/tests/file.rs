//! The view file: what it says, what it refuses, and that nothing is lost or added on the way.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use alloy_primitives::{Address, B256, Bytes, U256, bytes};
use presight_view::file::{self, MAX_VIEW_BYTES, MAX_VIEW_COMMAS, Proofs};
use presight_view::history::{Authorization, History, Part, Reach, Transfer, TransferKind, Verification};
use presight_view::{
    AccountSnapshot, Answer, Block, ChainSnapshot, Document, HardFork, Snapshot, Unread, View, run_recorded,
};
use presight_wire::{ChainId, Reason, Timestamp};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::Arc;

const EXAMPLE: &str = include_str!("example.json");
const MALFORMED: &str = include_str!("malformed.json");

fn unread(reason: Reason) -> Unread {
    reason.into()
}

#[test]
fn the_example_reads_as_it_says() {
    let file = file::parse(EXAMPLE.as_bytes()).unwrap();
    assert_eq!((file.proofs, file.problems.len()), (Proofs::Absent, 0));
    let view = View::new(&file.snapshot);
    let (mainnet, dump, failed) = (ChainId::evm(1), ChainId::evm(10), ChainId::evm(137));
    let account = Address::repeat_byte(0xaa);

    assert_eq!(view.clock(), Timestamp(1_796_040_000));
    let block = view.block(&mainnet).unwrap();
    assert_eq!((block.number, block.timestamp), (22_500_000, 1_746_612_311));
    assert_eq!(
        (block.base_fee_per_gas, block.state_root),
        (Some(1_000_000_000), None)
    );
    assert_eq!(view.hard_fork(&mainnet), Ok(HardFork::Prague));
    assert_eq!(
        view.balance(&mainnet, account),
        Ok(U256::from(10).pow(U256::from(18)))
    );
    assert_eq!(view.nonce(&mainnet, account), Ok(3));
    assert_eq!(view.code(&mainnet, account), Ok(bytes!("6001")));
    assert_eq!(view.storage(&mainnet, account, U256::ZERO), Ok(U256::from(5)));
    assert_eq!(view.storage(&mainnet, account, U256::from(255)), Ok(U256::ZERO));
    assert_eq!(view.block_hash(&mainnet, 22_499_999), Ok(B256::repeat_byte(0x22)));

    // What an incomplete chain does not hold is not read, and what failed keeps its reason.
    assert_eq!(
        view.storage(&mainnet, account, U256::from(1)),
        Err(unread(Reason::Unavailable))
    );
    assert_eq!(
        view.storage(&mainnet, account, U256::from(7)),
        Err(unread(Reason::Timeout))
    );
    assert_eq!(
        view.balance(&mainnet, Address::ZERO),
        Err(unread(Reason::Unavailable))
    );
    assert_eq!(view.block_hash(&mainnet, 1), Err(unread(Reason::Unavailable)));
    assert_eq!(view.balance(&failed, account), Err(unread(Reason::Timeout)));
    assert_eq!(view.hard_fork(&failed), Err(unread(Reason::Timeout)));
    assert_eq!(view.block(&ChainId::evm(5)), Err(unread(Reason::Unavailable)));

    // What a complete chain does not list is empty; other blocks are no state.
    assert_eq!(view.storage(&dump, account, U256::from(1)), Ok(U256::ZERO));
    assert_eq!(view.code(&dump, account), Ok(Bytes::new()));
    assert_eq!(view.block_hash(&dump, 0), Err(unread(Reason::Unavailable)));

    let list = view.document("https://example.org/list.json").unwrap();
    assert_eq!(
        (list.content_type.as_deref(), list.bytes),
        (Some("application/json"), bytes!("5b5d"))
    );
    assert_eq!(
        view.document("https://example.org/gone"),
        Err(unread(Reason::Unavailable))
    );
    assert_eq!(view.document("ipfs://bafy"), Err(unread(Reason::Unsupported)));
    assert_eq!(
        view.document("https://example.org/other"),
        Err(unread(Reason::Unavailable))
    );
    assert!(view.into_wants().is_empty(), "a closed view asks for nothing");
}

#[test]
fn writing_the_example_loses_nothing_and_is_stable() {
    let snapshot = file::parse(EXAMPLE.as_bytes()).unwrap().snapshot;
    let written = file::to_json(&snapshot);
    assert_eq!(file::parse(written.as_bytes()).unwrap().snapshot, snapshot);
    assert_eq!(file::to_json(&snapshot), written);
    let value: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(value["chains"][0]["history"]["fromBlock"], "0x0");
    assert!(value["chains"][0]["accounts"]["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"].is_object());
}

#[test]
fn a_compressed_file_reads_the_same() {
    let snapshot = file::parse(EXAMPLE.as_bytes()).unwrap().snapshot;
    let packed = file::to_zstd(&snapshot).unwrap();
    assert_eq!(file::parse(&packed).unwrap().snapshot, snapshot);
    assert_eq!(
        file::parse(&packed[..packed.len() - 5]).unwrap_err().code,
        "bad-zstd"
    );
}

#[test]
fn a_small_file_that_unpacks_to_much_is_refused() {
    let mut bomb = zstd::Encoder::new(Vec::new(), 1).unwrap();
    let spaces = std::io::repeat(b' ').take(MAX_VIEW_BYTES as u64 + 1);
    std::io::copy(&mut std::io::BufReader::with_capacity(1 << 20, spaces), &mut bomb).unwrap();
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < MAX_VIEW_BYTES / 100);
    for file in [bomb, vec![b' '; MAX_VIEW_BYTES + 1]] {
        let refusal = file::parse(&file).unwrap_err();
        assert_eq!(refusal.code, "view-too-large");
        assert!(refusal.message.contains("MAX_VIEW_BYTES"), "{refusal}");
    }
}

#[test]
fn a_file_of_very_many_values_is_refused_before_they_are_in_memory() {
    let refusal =
        file::parse(&[b"[0".as_slice(), &b",0".repeat(MAX_VIEW_COMMAS + 1), b"]"].concat()).unwrap_err();
    assert_eq!(refusal.code, "view-too-large");
    assert!(refusal.message.contains("MAX_VIEW_COMMAS"), "{refusal}");
}

#[test]
fn a_refusal_never_carries_control_characters_of_the_file() {
    const RAW: &str = "0x\u{1b}]0;\u{7}\r\n\u{9b}";
    let strings = [
        "/format",
        "/clock",
        "/chains/0/chainId",
        "/chains/0/spec",
        "/chains/0/block/number",
        "/chains/0/block/hash",
        "/chains/0/block/miner",
        "/chains/0/history",
        "/chains/0/complete",
        "/documents",
        "/notRead/0/read",
        "/notRead/0/reason",
        "/chains/0/notRead/0/read",
        "/chains/0/notRead/0/account",
        "/chains/0/notRead/0/reason",
    ];
    let mut refused = 0;
    for pointer in strings {
        let mut file: Value = serde_json::from_str(EXAMPLE).unwrap();
        let Some(place) = file.pointer_mut(pointer) else {
            panic!("{pointer}")
        };
        *place = RAW.into();
        refused += usize::from(quiet(&file));
    }
    for parent in [
        "",
        "/chains/0",
        "/chains/0/accounts",
        "/chains/0/blockHashes",
        "/chains/0/headers",
        "/chains/0/accounts/0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "/chains/0/accounts/0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/storage",
    ] {
        let mut file: Value = serde_json::from_str(EXAMPLE).unwrap();
        file.pointer_mut(parent)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .insert(RAW.into(), RAW.into());
        refused += usize::from(quiet(&file));
    }
    let document = |content| serde_json::json!({ "https://a.example": { "base64": content } });
    let mut file: Value = serde_json::from_str(EXAMPLE).unwrap();
    file["documents"] = document(RAW);
    refused += usize::from(quiet(&file));
    assert_eq!(refused, strings.len() + 8);
}

/// Whether the file is refused; the words for people must be printable as they are. The pointer is the file's own.
fn quiet(file: &Value) -> bool {
    match file::parse(file.to_string().as_bytes()) {
        Ok(_) => false,
        Err(refusal) => {
            assert!(!refusal.message.contains(char::is_control), "{refusal:?}");
            true
        }
    }
}

#[test]
fn a_malformed_file_is_refused_with_its_place() {
    let cases: Vec<Value> = serde_json::from_str(MALFORMED).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let text = case["text"]
            .as_str()
            .map_or_else(|| edited(case), ToOwned::to_owned);
        let expected = (case["code"].as_str().unwrap(), case["pointer"].as_str().unwrap());
        match file::parse(text.as_bytes()) {
            Err(refusal) if (refusal.code, refusal.pointer.as_str()) == expected => {}
            other => wrong.push(format!("{}: {:?}", case["name"], other.map(|_| "read"))),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    println!("{} malformed view files refused", cases.len());
}

/// The example with one member set or removed.
fn edited(case: &Value) -> String {
    let mut file: Value = serde_json::from_str(EXAMPLE).unwrap();
    let set = case.get("set");
    let pointer = set.or(case.get("remove")).unwrap().as_str().unwrap();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = file.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match set {
        Some(_) => parent.insert(name.into(), case["to"].clone()),
        None => parent.remove(name),
    };
    file.to_string()
}

fn answer<T: std::fmt::Debug + Clone>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Answer<T>> {
    let reason = proptest::sample::select(&Reason::ALL[..]);
    prop_oneof![4 => value.prop_map(Answer::Known), 1 => reason.prop_map(Answer::Failed)]
}

fn word() -> impl Strategy<Value = U256> {
    any::<[u8; 32]>().prop_map(U256::from_be_bytes)
}

fn hash() -> impl Strategy<Value = B256> {
    any::<[u8; 32]>().prop_map(B256::from)
}

fn address() -> impl Strategy<Value = Address> {
    any::<[u8; 20]>().prop_map(Address::from)
}

fn code() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..40).prop_map(Bytes::from)
}

prop_compose! {
    fn block()(
        (number, hash, timestamp) in (any::<u64>(), hash(), any::<u64>()),
        base_fee_per_gas in any::<Option<u64>>(),
        gas_limit in any::<Option<u64>>(),
        miner in proptest::option::of(address()),
        difficulty in proptest::option::of(word()),
        mix_hash in proptest::option::of(hash()),
        parent_hash in proptest::option::of(self::hash()),
        state_root in proptest::option::of(self::hash()),
        excess_blob_gas in any::<Option<u64>>(),
    ) -> Block {
        Block {
            number, hash, timestamp, base_fee_per_gas, gas_limit, miner, difficulty, mix_hash, parent_hash,
            state_root, excess_blob_gas,
        }
    }
}

prop_compose! {
    fn account()(
        balance in proptest::option::of(answer(word())),
        nonce in proptest::option::of(answer(any::<u64>())),
        code in proptest::option::of(answer(code())),
        storage in btree_map(word(), answer(word()), 0..5),
    ) -> AccountSnapshot {
        AccountSnapshot { balance, nonce, code, storage }
    }
}

prop_compose! {
    fn transfer()(
        (block, tx, kind) in (0..30u64, hash(), proptest::sample::select(&TransferKind::ALL[..])),
        log_index in any::<Option<u64>>(),
        (from, to) in (few(), few()),
        token in proptest::option::of(address()),
        value in proptest::option::of(word()),
        sender in proptest::option::of(few()),
    ) -> Transfer {
        let sender = if kind == TransferKind::Transaction { Some(from) } else { sender };
        Transfer { block, tx, log_index, kind, from, to: Some(to), token, value, sender }
    }
}

prop_compose! {
    fn authorization()(
        (block, tx) in (0..30u64, hash()),
        (sender, authority, delegate) in (few(), few(), few()),
    ) -> Authorization {
        Authorization { block, tx, sender, authority, delegate }
    }
}

/// One of four addresses, so that records share them.
fn few() -> impl Strategy<Value = Address> {
    (0..4u8).prop_map(Address::repeat_byte)
}

prop_compose! {
    fn history()(
        complete in any::<bool>(),
        from_block in any::<Option<u64>>(),
        transfers in vec(transfer(), 0..8),
        authorizations in vec(authorization(), 0..4),
    ) -> Arc<History> {
        Arc::new(History {
            reach: Reach { complete, from_block },
            transfers: Some(Part::new(transfers, None)),
            authorizations: Some(Part::new(authorizations, None)),
        })
    }
}

fn verification() -> impl Strategy<Value = BTreeMap<String, BTreeMap<Address, Verification>>> {
    let found = proptest::sample::select(&Verification::ALL[..]);
    btree_map("[a-z]{1,9}", btree_map(few(), found, 0..3), 1..3)
}

prop_compose! {
    fn chain()(
        block in answer(block()),
        hard_fork in proptest::sample::select(&HardFork::ALL[..]),
        complete in any::<bool>(),
        accounts in btree_map(address(), account(), 0..4),
        block_hashes in btree_map(any::<u64>(), answer(hash()), 0..3),
        history in proptest::option::of(answer(history())),
        source_verification in proptest::option::of(verification()),
    ) -> ChainSnapshot {
        ChainSnapshot {
            complete, accounts, block_hashes, history, source_verification,
            ..ChainSnapshot::new(block, hard_fork)
        }
    }
}

prop_compose! {
    fn snapshot()(
        clock in -62_135_596_800_i64..253_402_300_799,
        chains in btree_map(any::<u64>().prop_map(ChainId::evm), chain(), 0..3),
        documents in btree_map("[ -~]{0,20}", answer((any::<Option<String>>(), code())), 0..3),
    ) -> Snapshot {
        let document = |(content_type, bytes): &(Option<String>, Bytes)| Document {
            content_type: content_type.clone(),
            bytes: bytes.clone(),
        };
        let documents = documents.into_iter().map(|(url, answer)| (url, answer.map(document))).collect();
        Snapshot { clock: Timestamp(clock), chains, documents, closed: Some(Reason::Unavailable) }
    }
}

/// Reads a little of everything there is, and of what there is not.
fn everything(snapshot: &Snapshot) -> impl Fn(&View<'_>) -> Vec<String> + use<> {
    let chains: Vec<_> = snapshot
        .chains
        .iter()
        .map(|(id, held)| (id.clone(), held.clone()))
        .collect();
    let urls: Vec<String> = snapshot
        .documents
        .keys()
        .cloned()
        .chain(["none".to_owned()])
        .collect();
    move |view| {
        let mut seen = vec![format!("{:?}", view.block(&ChainId::evm(3)))];
        for (id, held) in &chains {
            seen.push(format!("{:?} {:?}", view.block(id), view.hard_fork(id)));
            for (address, account) in held
                .accounts
                .iter()
                .map(|(a, held)| (*a, held.clone()))
                .chain([Default::default()])
            {
                seen.push(format!("{:?}", view.balance(id, address)));
                seen.push(format!(
                    "{:?} {:?}",
                    view.nonce(id, address),
                    view.code(id, address)
                ));
                for slot in account.storage.keys().copied().chain([U256::MAX]) {
                    seen.push(format!("{:?}", view.storage(id, address, slot)));
                }
            }
            for address in (0..4).map(Address::repeat_byte) {
                let transfers = view
                    .history(id, address)
                    .map(|records| (records.reach(), records.iter().cloned().collect::<Vec<_>>()));
                let authorizations = view
                    .authorizations(id, address)
                    .map(|records| records.iter().cloned().collect::<Vec<_>>());
                let verified = view.source_verification(id, address);
                seen.push(format!("{transfers:?} {authorizations:?} {verified:?}"));
            }
            for number in held.block_hashes.keys().copied().chain([17]) {
                seen.push(format!("{:?}", view.block_hash(id, number)));
            }
        }
        seen.extend(urls.iter().map(|url| format!("{:?}", view.document(url))));
        seen
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_the_same(snapshot in snapshot()) {
        let written = file::to_json(&snapshot);
        let read = file::parse(written.as_bytes()).unwrap();
        prop_assert_eq!(&read.snapshot, &snapshot);
        prop_assert_eq!(file::to_json(&read.snapshot), written);
    }

    #[test]
    fn a_run_on_the_witness_sees_the_same(mut snapshot in snapshot(), closed in proptest::sample::select(&Reason::ALL[..])) {
        snapshot.closed = Some(closed);
        let core = everything(&snapshot);
        let driven = run_recorded(&snapshot, &core);
        let file = file::parse(file::to_json(&driven.witness()).as_bytes()).unwrap();
        let again = run_recorded(&file.snapshot, &core);
        prop_assert_eq!(&again.value, &driven.value);
        prop_assert_eq!(again.witness(), file.snapshot, "the witness of a witness is itself");
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..200)) {
        let _ = file::parse(&bytes);
    }

    #[test]
    fn a_spoiled_file_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = EXAMPLE.as_bytes().to_vec();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        let _ = file::parse(&bytes);
    }
}

#[test]
fn a_witness_holds_what_was_used_and_nothing_else() {
    let snapshot = file::parse(EXAMPLE.as_bytes()).unwrap().snapshot;
    let (mainnet, dump, account) = (ChainId::evm(1), ChainId::evm(10), Address::repeat_byte(0xaa));
    let driven = run_recorded(&snapshot, |view| {
        let _ = (
            view.storage(&mainnet, account, U256::ZERO),
            view.storage(&mainnet, account, U256::from(9)),
        );
        let _ = (view.code(&dump, account), view.block(&ChainId::evm(5)));
    });
    let witness = driven.witness();
    let held = &witness.chains[&mainnet].accounts[&account];
    assert_eq!((&held.balance, &held.nonce, &held.code), (&None, &None, &None));
    let slots: Vec<_> = held
        .storage
        .iter()
        .map(|(slot, value)| (*slot, value.clone()))
        .collect();
    let missing = Answer::Failed(Reason::Unavailable);
    assert_eq!(
        slots,
        [
            (U256::ZERO, Answer::Known(U256::from(5))),
            (U256::from(9), missing.clone())
        ]
    );
    assert_eq!(
        witness.chains[&dump].accounts[&account].code,
        Some(Answer::Known(Bytes::new()))
    );
    assert!(
        !witness.chains[&dump].complete,
        "what a complete chain gave is written out"
    );
    assert_eq!(witness.chains[&ChainId::evm(5)].block.known(), None);
    assert!(witness.documents.is_empty());
    assert_eq!(witness.witness(&BTreeSet::new()).chains.len(), 0);
}
