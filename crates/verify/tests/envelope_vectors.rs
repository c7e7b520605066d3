//! The conformance vectors that have a consumer's context: exact codes and paths, every one run.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use presight_verify::envelope::{CheckCode, CheckContext, Checked, ContactBook, Note, check};
use presight_wire::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const FILE: &str = include_str!("../../wire/tests/vectors/envelope/vectors.json");

fn vectors() -> Vec<Value> {
    let mut file: Value = serde_json::from_str(FILE).unwrap();
    let Value::Array(vectors) = file["vectors"].take() else {
        panic!("an array of vectors");
    };
    vectors
}

fn document(vector: &Value) -> Vec<u8> {
    if let Some(hex) = vector["rawHex"].as_str() {
        return alloy_primitives::hex::decode(hex).unwrap();
    }
    match vector["raw"].as_str() {
        Some(raw) => raw.as_bytes().to_vec(),
        None => serde_json::to_vec(&vector["envelope"]).unwrap(),
    }
}

fn context(given: &Value) -> CheckContext {
    let known = ["now", "longValiditySeconds", "contactBook"];
    assert!(
        given
            .as_object()
            .unwrap()
            .keys()
            .all(|name| known.contains(&&**name)),
        "{given}"
    );
    let book = |book: &Value| ContactBook::parse(&serde_json::to_vec(book).unwrap()).unwrap();
    CheckContext {
        now: given
            .get("now")
            .map(|now| Timestamp(now.as_i64().unwrap()).into()),
        long_validity: given
            .get("longValiditySeconds")
            .map(|seconds| seconds.as_u64().unwrap()),
        contact_book: given.get("contactBook").map(book),
        ..CheckContext::default()
    }
}

type Found = BTreeSet<(String, String)>;

fn found(notes: &[Note]) -> Found {
    notes
        .iter()
        .map(|n| (n.code.to_string(), n.path.clone()))
        .collect()
}

fn expected(list: &Value) -> Found {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = list.as_array().unwrap().iter();
    list.map(|p| (text(&p["code"]), text(&p["path"]))).collect()
}

fn run(vector: &Value, context: &CheckContext) -> Checked {
    check(&document(vector), context, None).unwrap()
}

#[test]
fn every_vector_with_a_context_gives_its_result() {
    let mut ids = BTreeSet::new();
    for vector in vectors().iter().filter(|vector| vector.get("context").is_some()) {
        let checked = run(vector, &context(&vector["context"]));
        let (id, expect) = (vector["id"].as_str().unwrap().to_owned(), &vector["expect"]);
        assert_eq!(found(&checked.errors), expected(&expect["errors"]), "{id}");
        assert_eq!(found(&checked.warnings), expected(&expect["warnings"]), "{id}");
        assert_eq!(checked.is_valid(), expect["valid"].as_bool().unwrap(), "{id}");
        ids.insert(id);
    }
    assert_eq!(ids.len(), 9, "every vector was run once");
}

/// Vectors whose message is of no known form.
const OPAQUE_MESSAGES: [&str; 15] = [
    "712-bytes-and-matrix",
    "712-domain-chainid-absent",
    "712-domain-chainid-other",
    "712-domain-salt-ok",
    "712-domain-type-declared",
    "712-domain-type-reordered",
    "712-recursive-array",
    "712-unused-cyclic-type",
    "712-value-uint-hex",
    "712-value-uint256-max",
    "action-permit-on-signature",
    "expires-signature-differs-ok",
    "sg-erc6492-true",
    "sg-permit-no-validity",
    "sig-eip712-plain",
];

/// What the bytes of vectors contradict that were made by changing one member of a good envelope.
const OF_THE_BYTES: [(&str, &str, &str); 20] = [
    ("712-domain-chainid-other", "odd-bytes", "/content/domain/chainId"),
    (
        "712-domain-type-reordered",
        "odd-bytes",
        "/content/types/EIP712Domain",
    ),
    ("batch-three-calls", "movement-omitted", "/content/calls/2"),
    ("chain-ok-32-digits", "not-decoded", "/content/chain"),
    ("chain-ok-above-2-64", "not-decoded", "/content/chain"),
    ("data-long", "opaque-call", "/content/calls/0/data"),
    (
        "list-standards",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    ("metadata-empty-lists", "movement-omitted", "/content/calls/0"),
    (
        "movement-amount-huge",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    (
        "movement-amount-zero",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    ("movement-erc1155-no-id", "movement-omitted", "/content/calls/0"),
    ("movement-erc721", "movement-omitted", "/content/calls/0"),
    (
        "movement-unlimited",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    (
        "movement-unlimited-minus-one",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    (
        "movement-unlimited-on-transfer",
        "movement-omitted",
        "/content/calls/0",
    ),
    (
        "movement-unlimited-unflagged",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    (
        "value-ok-leading-zeros",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    (
        "value-ok-max",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    (
        "value-ok-padded-66",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
    (
        "value-ok-upper-digits",
        "movement-contradicted",
        "/content/metadata/tokenMovements/0",
    ),
];

/// Without a context the check is the validator, and what the bytes say.
#[test]
fn vectors_without_a_context_give_the_validators_result() {
    let (mut runs, mut of_the_bytes) = (0, BTreeSet::new());
    for vector in vectors().iter().filter(|vector| vector.get("context").is_none()) {
        let checked = run(vector, &CheckContext::default());
        let (id, expect) = (vector["id"].as_str().unwrap(), &vector["expect"]);
        let (own, validators): (Vec<_>, Vec<_>) = checked
            .warnings
            .iter()
            .cloned()
            .partition(|note| matches!(note.code, CheckCode::Consumer(_)));
        assert_eq!(found(&checked.errors), expected(&expect["errors"]), "{id}");
        assert_eq!(found(&validators), expected(&expect["warnings"]), "{id}");
        let mut own = found(&own);
        let second = vector.pointer("/envelope/content/calls/1");
        let bare_multicall = second
            .is_some_and(|call| call["data"] == json!("0xac9650d8") && call["operation"] == json!("call"));
        let odd = ("odd-bytes".to_owned(), "/content/calls/1/data".to_owned());
        assert_eq!(own.remove(&odd), bare_multicall && checked.is_valid(), "{id}");
        of_the_bytes.extend(own.into_iter().map(|(code, path)| (id.to_owned(), code, path)));
        runs += 1;
    }
    let opaque = OPAQUE_MESSAGES.map(|id| (id, "opaque-call", "/content/message"));
    let listed = OF_THE_BYTES.into_iter().chain(opaque);
    let listed = listed.map(|(id, code, path)| (id.to_owned(), code.to_owned(), path.to_owned()));
    assert_eq!(of_the_bytes, listed.collect());
    assert_eq!(runs, 573);
}
