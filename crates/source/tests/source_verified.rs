//! What verifiers of source code say, and that what is no answer is not read.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod recorded;

use alloy_primitives::{Address, B256, keccak256};
use presight_source::Config;
use presight_view::{Answer, Document, file};
use presight_wire::report::{EntityRef, Outcome, Role};
use presight_wire::{AccountId, ChainId, Evidence, Reason};
use serde_json::{Value, json};

const CONTRACT: Address = Address::repeat_byte(0xc0);
const NOBODY: Address = Address::repeat_byte(0x0b);
const SOURCIFY: &str = "[[verifiers]]\nname = \"sourcify\"\nurl = \"https://sourcify.dev/server/\"\n";

fn url() -> String {
    format!("https://sourcify.dev/server/v2/contract/1/{CONTRACT:#x}")
}

fn account(address: Address) -> AccountId {
    AccountId::new(ChainId::evm(1), address)
}

/// What the report says about `to`: of each verifier, in order.
fn said(
    to: Address,
    verification: Option<Value>,
    answer: Option<Answer<Document>>,
    sources: &str,
) -> Vec<(Option<Value>, Outcome, Vec<Evidence>)> {
    let mut chain = json!({
        "chainId": "eip155:1", "spec": "prague", "complete": true,
        "block": { "number": "0x64", "hash": B256::repeat_byte(1), "timestamp": "0x6b000000" },
        "accounts": { format!("{CONTRACT:#x}"): { "code": "0xfe", "nonce": "0x1" } },
    });
    if let Some(verification) = verification {
        chain["sourceVerification"] = verification;
    }
    let view = json!({ "format": "presight-view/1", "clock": "2026-11-30T12:00:00Z", "chains": [chain] });
    let mut snapshot = file::parse(view.to_string().as_bytes()).unwrap().snapshot;
    if let Some(answer) = answer {
        snapshot.documents.insert(url(), answer);
    }
    let request = json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:1", "from": account(Address::repeat_byte(1)).to_string(),
            "calls": [{ "to": to, "value": "0", "data": "0x" }],
        },
        "kinds": ["erc.presign.address.source-verified", "erc.presign.address.code"],
    });
    recorded::report(&snapshot, request, &Config::parse(sources).unwrap())
        .findings
        .into_iter()
        .filter(|f| f.kind == "erc.presign.address.source-verified")
        .filter(|f| matches!(&f.entity, EntityRef::Address(entity) if entity.role == Role::Target))
        .map(|f| (f.param, f.outcome, f.evidence))
        .collect()
}

fn answer(bytes: &Value) -> Option<Answer<Document>> {
    Some(Answer::Known(Document {
        content_type: None,
        bytes: bytes.to_string().into_bytes().into(),
    }))
}

fn contract(found: &Value) -> Value {
    json!({ "match": found, "creationMatch": null, "runtimeMatch": found, "chainId": "1",
            "address": CONTRACT.to_checksum(None) })
}

fn sourcify() -> Option<Value> {
    Some(json!("sourcify"))
}

#[test]
fn the_three_answers_of_the_api() {
    for (found, word) in [
        (json!("exact_match"), "exact"),
        (json!("match"), "partial"),
        (Value::Null, "none"),
    ] {
        let body = contract(&found);
        let said = said(CONTRACT, None, answer(&body), SOURCIFY);
        let evidence = Evidence::Document {
            uri: url(),
            hash: keccak256(body.to_string()),
        };
        assert_eq!(said, [(sourcify(), Outcome::Read(word.into()), vec![evidence])]);
    }
}

#[test]
fn what_is_no_answer_about_the_contract_is_not_read() {
    let with = |member: &str, value: Value| {
        let mut body = contract(&json!("exact_match"));
        body[member] = value;
        body
    };
    let mut without = contract(&Value::Null);
    without.as_object_mut().unwrap().remove("match");
    for body in [
        with("match", json!("perfect")),
        with("match", json!(true)),
        with("chainId", json!("10")),
        with("chainId", json!(1)),
        with("address", json!(NOBODY)),
        without,
        json!({ "error": "not found" }),
        json!([]),
    ] {
        let said = said(CONTRACT, None, answer(&body), SOURCIFY);
        assert_eq!(
            (said.len(), &said[0].1),
            (1, &Outcome::NotRead(Reason::Unavailable)),
            "{body}"
        );
    }
    for reason in [Reason::Unavailable, Reason::Timeout] {
        let said = said(CONTRACT, None, Some(Answer::Failed(reason)), SOURCIFY);
        assert_eq!(said, [(sourcify(), Outcome::NotRead(reason), vec![])]);
    }
    let unasked = said(CONTRACT, None, None, SOURCIFY);
    assert_eq!(
        unasked,
        [(sourcify(), Outcome::NotRead(Reason::Unavailable), vec![])]
    );
}

#[test]
fn what_the_view_has_recorded_is_read_without_a_verifier() {
    let address = format!("{CONTRACT:#x}");
    for word in ["exact", "partial", "none"] {
        let recorded = json!({ "sourcify": { &address: word } });
        let said = said(CONTRACT, Some(recorded), None, "");
        let [(param, outcome, evidence)] = said.as_slice() else {
            panic!("{said:?}")
        };
        assert_eq!((param, outcome), (&sourcify(), &Outcome::Read(word.into())));
        assert!(
            matches!(&evidence[..], [Evidence::Call { data, .. }] if data.is_empty()),
            "the code it is of"
        );
    }
    let of_others = json!({ "sourcify": { format!("{NOBODY:#x}"): "exact" } });
    let unlisted = said(CONTRACT, Some(of_others), None, "");
    assert_eq!(
        unlisted,
        [(sourcify(), Outcome::NotRead(Reason::Unavailable), vec![])]
    );
}

#[test]
fn each_verifier_has_its_finding() {
    let recorded = json!({ "other": { format!("{CONTRACT:#x}"): "none" } });
    let said = said(
        CONTRACT,
        Some(recorded),
        answer(&contract(&json!("match"))),
        SOURCIFY,
    );
    let words: Vec<_> = said
        .iter()
        .map(|(param, outcome, _)| (param.clone(), outcome.clone()))
        .collect();
    assert_eq!(
        words,
        [
            (Some(json!("other")), Outcome::Read("none".into())),
            (sourcify(), Outcome::Read("partial".into())),
        ]
    );
}

#[test]
fn nothing_configured_is_unsupported_and_no_code_no_finding() {
    assert_eq!(
        said(CONTRACT, None, None, ""),
        [(None, Outcome::NotRead(Reason::Unsupported), vec![])]
    );
    assert_eq!(said(NOBODY, None, None, SOURCIFY), []);
}
