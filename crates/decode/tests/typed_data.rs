//! Every way typed data is refused, and every oddity it is accepted with.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use presight_decode::{Amount, Decoded, decode};
use presight_wire::report::Form;
use presight_wire::{Refusal, Request};
use serde_json::Value;

fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn outcome(case: &Value) -> Result<Decoded, Refusal> {
    decode(&Request::from_value(case["request"].clone()).unwrap())
}

#[test]
fn malformed_typed_data_is_refused_at_its_place() {
    let cases = cases("malformed-typed-data.json");
    assert!(cases.len() >= 30);
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let refusal = outcome(case).map(|d| d.flags).expect_err(name);
        assert_eq!(
            (refusal.code, refusal.pointer.as_str()),
            (case["code"].as_str().unwrap(), case["pointer"].as_str().unwrap()),
            "{name}: {refusal}"
        );
    }
}

#[test]
fn odd_typed_data_is_flagged_at_its_place() {
    for case in cases("odd-typed-data.json") {
        let name = case["name"].as_str().unwrap();
        let decoded = outcome(&case).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
        let found: Vec<_> = decoded
            .flags
            .iter()
            .map(|f| (f.code, f.pointer.as_str()))
            .collect();
        let expected: Vec<_> = case["flags"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (f["code"].as_str().unwrap(), f["pointer"].as_str().unwrap()))
            .collect();
        assert_eq!(found, expected, "{name}");
        let digests = decoded.typed_data.unwrap().digests;
        assert_eq!(digests.len() as u64, case["digests"].as_u64().unwrap(), "{name}");
    }
}

#[test]
fn a_stray_member_does_not_turn_a_grant_into_a_revocation() {
    let cases = cases("odd-typed-data.json");
    let case = cases
        .iter()
        .find(|c| c["name"] == "stray allowed beside the value of a permit")
        .unwrap();
    let decoded = outcome(case).unwrap();
    assert_eq!(decoded.entities.approvals.len(), 1);
    assert_eq!(decoded.grants[0].form, Form::Erc2612Permit);
    assert!(matches!(decoded.grants[0].amount, Amount::Units { value, .. } if value.to_string() == "1000"));
}

#[test]
fn what_is_no_exact_permit_grants_nothing_and_says_so() {
    for case in cases("odd-typed-data.json") {
        let decoded = outcome(&case).unwrap();
        let unrecognised = decoded.flags.iter().any(|f| f.code == "unrecognised-permit");
        if unrecognised {
            assert!(decoded.entities.approvals.is_empty(), "{}", case["name"]);
            assert!(
                decoded.typed_data.unwrap().recognised.is_none(),
                "{}",
                case["name"]
            );
        }
    }
}

#[test]
fn a_permit_for_another_chain_is_an_approval_there() {
    let cases = cases("odd-typed-data.json");
    let case = cases
        .iter()
        .find(|c| c["name"] == "stray allowed beside the value of a permit")
        .unwrap();
    let mut request = case["request"].clone();
    request["subject"]["typedData"]["domain"]["chainId"] = 137.into();
    let decoded = decode(&Request::from_value(request).unwrap()).unwrap();
    assert_eq!(
        decoded.entities.approvals[0].token.chain.to_string(),
        "eip155:137"
    );
    assert!(decoded.flags.iter().any(|f| f.code == "domain-chain-mismatch"));
}

/// What no typed form could show any more is refused when the bytes are read.
#[test]
fn duplicate_members_and_inexact_numbers_are_refused_in_the_bytes() {
    let cases = cases("odd-typed-data.json");
    let case = cases.iter().find(|c| c["name"] == "nothing odd").unwrap();
    let text = case["request"].to_string();
    assert!(Request::parse(text.as_bytes()).is_ok());
    let edits = [
        (r#""count":"7""#, r#""count":"7","count":"8""#),
        (r#""count":"7""#, r#""count":9007199254740993"#),
        (r#""count":"7""#, r#""count":18446744073709551616"#),
    ];
    for (from, to) in edits {
        assert!(text.contains(from));
        let refusal = Request::parse(text.replace(from, to).as_bytes()).expect_err(to);
        assert_eq!(refusal.pointer, "/subject/typedData/message/count", "{refusal}");
    }
}

/// What a real x402 client signed: the digest computed here recovers to the account that signed.
#[test]
fn digests_are_those_a_real_client_signs() {
    let path = format!(
        "{}/tests/vectors/x402-client-payloads.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let payer = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
    let mut checked = 0;
    for (name, case) in document["cases"].as_object().unwrap() {
        let signature = &case["payload"]["payload"]["signature"];
        let (Some(signature), [typed_data]) = (signature.as_str(), signed(case)) else {
            continue;
        };
        let chain = format!("eip155:{}", typed_data["domain"]["chainId"]);
        let request = serde_json::json!({
            "version": "erc-presign/1",
            "subject": {
                "type": "calls", "chainId": chain, "from": format!("{chain}:{payer}"), "calls": [],
                "typedData": typed_data,
            },
        });
        let decoded = decode(&Request::from_value(request).unwrap()).unwrap();
        let digest = decoded.typed_data.unwrap().digests[0];
        let signature: alloy_primitives::Signature = signature.parse().unwrap();
        let signer = signature.recover_address_from_prehash(&digest).unwrap();
        assert_eq!(format!("{signer:#x}"), payer, "{name}");
        checked += 1;
    }
    assert!(checked >= 3, "{checked} payloads were checked");
}

fn signed(case: &Value) -> &[Value] {
    case["typedDataSigned"].as_array().map_or(&[], Vec::as_slice)
}
