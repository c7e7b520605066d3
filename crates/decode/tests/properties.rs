//! Properties: nothing panics, what is encoded is decoded, the order is stable, digests agree with another
//! implementation.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]
#![allow(
    clippy::needless_pass_by_value,
    reason = "JSON literals are passed as they are written"
)]

use alloy_dyn_abi::TypedData as OtherTypedData;
use alloy_primitives::{Address, Bytes, U256, hex};
use alloy_sol_types::{SolCall, sol};
use presight_decode::{Amount, Decoded, decode};
use presight_wire::{Refusal, Request};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

sol! {
    function approve(address spender, uint256 amount);
    function transferFrom(address from, address to, uint256 amount);
    function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data);
    function multicall(bytes[] data);
    function multiSend(bytes transactions);

    struct Execution { address target; uint256 value; bytes callData; }
    function executeBatch(Execution[] calls);
}

const SIGNER: &str = "eip155:1:0x4ddad24756816b972899a5eda789e0343e014db9";

fn outcome(subject: Value) -> Result<Decoded, Refusal> {
    decode(&Request::from_value(json!({ "version": "erc-presign/1", "subject": subject })).unwrap())
}

fn call(to: Address, data: &[u8]) -> Value {
    json!({ "to": to, "value": "0", "data": hex::encode_prefixed(data) })
}

fn calls(calls: Vec<Value>) -> Value {
    json!({ "type": "calls", "chainId": "eip155:1", "from": SIGNER, "calls": calls })
}

fn typed(typed_data: Value) -> Value {
    json!({ "type": "calls", "chainId": "eip155:1", "from": SIGNER, "calls": [], "typedData": typed_data })
}

/// Selectors that are understood, so that random arguments reach the decoders behind them.
const SELECTORS: [[u8; 4]; 29] = [
    hex!("095ea7b3"),
    hex!("a9059cbb"),
    hex!("b88d4fde"),
    hex!("f242432a"),
    hex!("2eb2c2d6"),
    hex!("a22cb465"),
    hex!("d505accf"),
    hex!("2b67b570"),
    hex!("2a2d80d1"),
    hex!("edd9444b"),
    hex!("fe8ec1a7"),
    hex!("0d58b1db"),
    hex!("ac9650d8"),
    hex!("5ae401dc"),
    hex!("82ad56cb"),
    hex!("174dea71"),
    hex!("8d80ff0a"),
    hex!("6a761202"),
    hex!("b61d27f6"),
    hex!("47e1da2a"),
    hex!("34fcd5be"),
    hex!("e9ae5c53"),
    hex!("7a9a1628"),
    hex!("1fad948c"),
    hex!("765e827f"),
    hex!("8dd7712f"),
    hex!("24856bc3"),
    hex!("3593564c"),
    hex!("df905caf"),
];

/// Words that look like offsets and lengths, among others.
fn word() -> impl Strategy<Value = [u8; 32]> {
    prop_oneof![
        (0u64..512).prop_map(|n| U256::from(n).to_be_bytes()),
        Just([0xff; 32]),
        any::<[u8; 32]>(),
    ]
}

fn address() -> impl Strategy<Value = Address> {
    any::<[u8; 20]>().prop_map(Address::from)
}

fn number() -> impl Strategy<Value = U256> {
    any::<[u8; 32]>().prop_map(U256::from_be_bytes)
}

proptest! {
    #[test]
    fn random_calldata_never_panics(
        selector in prop::sample::select(SELECTORS.to_vec()),
        words in prop::collection::vec(word(), 0..24),
        cut in 0usize..33,
    ) {
        let mut data = selector.to_vec();
        data.extend(words.concat());
        data.truncate(data.len().saturating_sub(cut));
        let decoded = outcome(calls(vec![call(Address::ZERO, &data)])).unwrap();
        let node = &decoded.calls[0];
        prop_assert!(node.opaque || data.is_empty() || node.signature.is_some());
        prop_assert_eq!(decoded.entities.approvals.len(), decoded.grants.len());
        prop_assert!(node.signature.is_some() || decoded.transfers.is_empty());
    }

    #[test]
    fn what_is_encoded_is_decoded(token in address(), spender in address(), amount in number()) {
        let data = approveCall { spender, amount }.abi_encode();
        let decoded = outcome(calls(vec![call(token, &data)])).unwrap();
        let approval = &decoded.entities.approvals[0];
        prop_assert_eq!((approval.token.address, approval.spender.address), (token, spender));
        prop_assert_eq!(decoded.grants[0].amount, Amount::Units { value: amount, max: U256::MAX });
        prop_assert!(decoded.flags.is_empty());

        let data = transferFromCall { from: token, to: spender, amount }.abi_encode();
        let decoded = outcome(calls(vec![call(token, &data)])).unwrap();
        let transfer = &decoded.transfers[0];
        prop_assert_eq!((transfer.from, transfer.to, transfer.amount), (token, spender, amount));
    }

    /// Whatever calls are packed into whatever formats, each is found once, in its order.
    #[test]
    fn what_is_packed_into_calls_is_found(tree in tree()) {
        let data = tree.data();
        let decoded = outcome(calls(vec![call(TARGET, &data)])).unwrap();
        let found: Vec<_> = decoded.grants.iter().map(|grant| match grant.amount {
            Amount::Units { value, .. } => value.to::<u64>(),
            Amount::All => panic!("an amount expected"),
        }).collect();
        prop_assert_eq!(found, tree.leaves());
        prop_assert!(decoded.flags.is_empty());
    }

    /// Cut or changed bytes inside calls never panic, and what no function takes grants nothing.
    #[test]
    fn damage_inside_calls_never_panics(
        tree in tree(), place in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        let mut data = tree.data();
        let place = place.index(data.len());
        data[place] = byte;
        data.truncate(data.len() - cut.index(data.len()));
        let decoded = outcome(calls(vec![call(TARGET, &data)])).unwrap();
        prop_assert_eq!(decoded.entities.approvals.len(), decoded.grants.len());
        let node = &decoded.calls[0];
        prop_assert!(node.signature.is_some() || decoded.grants.is_empty());
    }

    #[test]
    fn batches_are_decoded_item_by_item(
        items in prop::collection::vec((number(), number()), 1..20),
        data in prop::collection::vec(any::<u8>(), 0..70),
    ) {
        let (ids, amounts): (Vec<_>, Vec<_>) = items.iter().copied().unzip();
        let (from, to) = (Address::repeat_byte(1), Address::repeat_byte(2));
        let encoded = safeBatchTransferFromCall { from, to, ids, amounts, data: Bytes::from(data) }.abi_encode();
        let decoded = outcome(calls(vec![call(Address::repeat_byte(3), &encoded)])).unwrap();
        let found: Vec<_> = decoded.transfers.iter().map(|t| (t.token_id.unwrap(), t.amount)).collect();
        prop_assert_eq!(found, items);
        prop_assert!(decoded.flags.is_empty());
    }

    #[test]
    fn a_prefix_of_the_calls_gives_a_prefix_of_the_entities(
        parts in prop::collection::vec((0u8..4, 0u8..4), 1..12),
        cut in 0usize..12,
    ) {
        let all: Vec<_> = parts
            .iter()
            .map(|(token, spender)| {
                let spender = Address::repeat_byte(*spender);
                call(Address::repeat_byte(*token), &approveCall { spender, amount: U256::ONE }.abi_encode())
            })
            .collect();
        let whole = outcome(calls(all.clone())).unwrap().entities;
        let again = outcome(calls(all.clone())).unwrap().entities;
        prop_assert_eq!(&whole, &again);
        let cut = cut.clamp(1, all.len());
        let part = outcome(calls(all[..cut].to_vec())).unwrap().entities;
        prop_assert!(whole.addresses.starts_with(&part.addresses));
        prop_assert!(whole.tokens.starts_with(&part.tokens));
        prop_assert!(whole.approvals.starts_with(&part.approvals));
        let mut distinct = whole.addresses.clone();
        distinct.sort_by_key(|a| (a.address.clone(), a.role));
        distinct.dedup();
        prop_assert_eq!(distinct.len(), whole.addresses.len());
    }

    #[test]
    fn random_typed_data_never_panics(document in json_value()) {
        if document.is_object() {
            let _ = outcome(typed(document));
        }
    }

    #[test]
    fn damaged_typed_data_never_panics(
        case in 0usize..25, path in prop::collection::vec(any::<prop::sample::Index>(), 1..6), put in json_value(),
    ) {
        let path_to = format!("{}/tests/vectors/odd-typed-data.json", env!("CARGO_MANIFEST_DIR"));
        let cases: Value = serde_json::from_slice(&std::fs::read(path_to).unwrap()).unwrap();
        let mut document = cases[case]["request"]["subject"]["typedData"].clone();
        damage(&mut document, &path, put);
        if document.is_object() {
            let _ = outcome(typed(document));
        }
    }

    #[test]
    fn digests_agree_with_another_implementation((types, message) in message()) {
        let mut types = types;
        types.insert("EIP712Domain".into(), json!([
            { "name": "name", "type": "string" },
            { "name": "chainId", "type": "uint256" },
        ]));
        let document = json!({
            "types": types, "primaryType": "T0", "domain": { "name": "d", "chainId": 1 }, "message": message,
        });
        let other: OtherTypedData = serde_json::from_value(document.clone()).unwrap();
        let decoded = outcome(typed(document)).unwrap();
        prop_assert_eq!(decoded.typed_data.unwrap().digests, vec![other.eip712_signing_hash().unwrap()]);
    }
}

const TARGET: Address = Address::repeat_byte(0x44);

/// Approvals, packed into calls.
#[derive(Debug, Clone)]
enum Tree {
    Approve(u64),
    Multicall(Vec<Tree>),
    Batch(Vec<Tree>),
    MultiSend(Vec<Tree>),
}

impl Tree {
    fn data(&self) -> Vec<u8> {
        match self {
            Self::Approve(amount) => {
                let amount = U256::from(*amount);
                let spender = Address::ZERO;
                approveCall { spender, amount }.abi_encode()
            }
            Self::Multicall(parts) => {
                let data = parts.iter().map(|part| part.data().into()).collect();
                multicallCall { data }.abi_encode()
            }
            Self::Batch(parts) => {
                let calls = parts.iter().map(|part| Execution {
                    target: TARGET,
                    value: U256::ZERO,
                    callData: part.data().into(),
                });
                executeBatchCall {
                    calls: calls.collect(),
                }
                .abi_encode()
            }
            Self::MultiSend(parts) => {
                let mut transactions = Vec::new();
                for part in parts {
                    let data = part.data();
                    transactions.push(0);
                    transactions.extend(TARGET);
                    transactions.extend([0; 32]);
                    transactions.extend(U256::from(data.len()).to_be_bytes::<32>());
                    transactions.extend(data);
                }
                let transactions = transactions.into();
                multiSendCall { transactions }.abi_encode()
            }
        }
    }

    fn leaves(&self) -> Vec<u64> {
        match self {
            Self::Approve(amount) => vec![*amount],
            Self::Multicall(parts) | Self::Batch(parts) | Self::MultiSend(parts) => {
                parts.iter().flat_map(Self::leaves).collect()
            }
        }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    any::<u64>()
        .prop_map(Tree::Approve)
        .prop_recursive(6, 40, 5, |inner| {
            let parts = || prop::collection::vec(inner.clone(), 0..5);
            prop_oneof![
                parts().prop_map(Tree::Multicall),
                parts().prop_map(Tree::Batch),
                parts().prop_map(Tree::MultiSend),
            ]
        })
}

/// Puts a value somewhere in a document.
fn damage(value: &mut Value, path: &[prop::sample::Index], put: Value) {
    let inner = match (path.split_first(), &mut *value) {
        (Some((first, rest)), Value::Array(items)) if !items.is_empty() => Some((first.get_mut(items), rest)),
        (Some((first, rest)), Value::Object(members)) if !members.is_empty() => {
            let index = first.index(members.len());
            members.values_mut().nth(index).map(|inner| (inner, rest))
        }
        _ => None,
    };
    match inner {
        Some((inner, rest)) => damage(inner, rest, put),
        None => *value = put,
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let words = [
        "types",
        "primaryType",
        "domain",
        "message",
        "EIP712Domain",
        "name",
        "type",
        "uint256",
        "T[]",
        "T",
        "0x",
        "-1",
        "é",
    ];
    let text = prop::sample::select(words.to_vec());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..5)
                .prop_map(|m| Value::Object(m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

/// A type and a value of it.
fn scalar() -> impl Strategy<Value = (String, Value)> {
    prop_oneof![
        address().prop_map(|a| ("address".to_owned(), json!(a.to_checksum(None)))),
        any::<bool>().prop_map(|b| ("bool".to_owned(), json!(b))),
        ".{0,12}".prop_map(|s| ("string".to_owned(), json!(s))),
        prop::collection::vec(any::<u8>(), 0..70)
            .prop_map(|b| ("bytes".to_owned(), json!(hex::encode_prefixed(b)))),
        prop::collection::vec(any::<u8>(), 1..=32)
            .prop_map(|b| (format!("bytes{}", b.len()), json!(hex::encode_prefixed(&b)))),
        number().prop_map(|n| ("uint256".to_owned(), json!(n.to_string()))),
        any::<u32>().prop_map(|n| ("uint32".to_owned(), json!(n))),
        any::<i64>().prop_map(|n| ("int64".to_owned(), json!(n.to_string()))),
        any::<i8>().prop_map(|n| ("int8".to_owned(), json!(n))),
    ]
}

/// Struct types `T0` to `Tn`, each referring only to later ones, and a message of `T0`.
fn message() -> impl Strategy<Value = (Map<String, Value>, Value)> {
    let layer = prop::collection::vec((scalar(), 0usize..3), 1..5);
    prop::collection::vec(layer, 1..4).prop_map(|layers| {
        let (mut types, mut below) = (Map::new(), None);
        for (index, layer) in layers.iter().enumerate().rev() {
            let (mut members, mut values) = (Vec::new(), Map::new());
            for (position, ((ty, value), dimensions)) in layer.iter().enumerate() {
                let name = format!("m{position}");
                let (ty, value) = match dimensions {
                    0 => (ty.clone(), value.clone()),
                    1 => (format!("{ty}[]"), json!([value, value])),
                    _ => (format!("{ty}[][2]"), json!([[value], []])),
                };
                members.push(json!({ "name": name, "type": ty }));
                values.insert(name, value);
            }
            if let Some((name, value)) = below.take() {
                let value: Value = value;
                members.push(json!({ "name": "below", "type": name }));
                members.push(json!({ "name": "many", "type": format!("{name}[2][]") }));
                values.insert("below".into(), value.clone());
                values.insert("many".into(), json!([[value, value]]));
            }
            types.insert(format!("T{index}"), Value::from(members));
            below = Some((format!("T{index}"), Value::Object(values)));
        }
        let (_, message) = below.expect("there is a first layer");
        (types, message)
    })
}
