use super::*;
use crate::json::Numbers;
use crate::limits::{MAX_CALLDATA_BYTES, MAX_CALLS, MAX_CONTEXT_TOKENS, MAX_TEXT_BYTES};
use proptest::prelude::*;
use serde_json::json;

const SIGNER: &str = "eip155:1:0x4ddad24756816b972899a5eda789e0343e014db9";
const TOKEN: &str = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";

fn tuple(address: &str) -> Value {
    json!({ "chainId": "1", "address": address, "nonce": "0", "yParity": 1, "r": "0x01", "s": "0x01" })
}

fn calls() -> Value {
    json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:1", "from": SIGNER,
            "calls": [{ "to": TOKEN, "value": "0", "data": "0x095ea7b3" }],
        },
    })
}

fn changed(change: impl FnOnce(&mut Value)) -> Result<Request, Refusal> {
    let mut request = calls();
    change(&mut request);
    Request::parse(request.to_string().as_bytes())
}

fn call(change: impl FnOnce(&mut Value)) -> Call {
    let request = changed(|r| change(&mut r["subject"]["calls"][0])).unwrap();
    let Subject::Calls(subject) = request.subject else {
        panic!("a calls subject")
    };
    subject.calls[0].clone()
}

fn authorization(change: impl FnOnce(&mut Value)) -> Authorization {
    let mut list = json!([tuple(TOKEN)]);
    change(&mut list[0]);
    let request = changed(|r| r["subject"]["authorizationList"] = list).unwrap();
    let Subject::Calls(subject) = request.subject else {
        panic!("a calls subject")
    };
    subject.authorization_list.unwrap()[0].clone()
}

#[test]
fn takes_either_form_of_to_and_value() {
    let plain = call(|_| {});
    assert_eq!(call(|c| c["to"] = json!(format!("eip155:1:{TOKEN}"))), plain);
    assert_eq!(call(|c| c["to"] = json!(plain.to.to_checksum(None))), plain);
    assert_eq!(
        call(|c| c["to"] = json!(TOKEN.to_uppercase().replace("0X", "0x"))),
        plain
    );
    assert_eq!(call(|c| c["value"] = json!("0x00")), plain);
    assert_eq!(call(|c| c["value"] = json!("26")).value, U256::from(26));
    assert_eq!(call(|c| c["value"] = json!("0x1a")).value, U256::from(26));
    assert_eq!(
        call(|c| c["value"] = json!(U256::MAX.to_string())).value,
        U256::MAX
    );
}

#[test]
fn takes_signature_halves_with_or_without_leading_zeros() {
    let plain = authorization(|_| {});
    assert_eq!(authorization(|t| t["r"] = json!("0x1")), plain);
    assert_eq!(authorization(|t| t["s"] = json!(format!("0x{:064x}", 1))), plain);
    assert_eq!(
        authorization(|t| t["r"] = json!(format!("0x{}", "ff".repeat(32)))).r,
        U256::MAX
    );
}

#[test]
fn takes_every_value_that_eip_7702_takes_into_a_transaction() {
    assert_eq!(
        authorization(|t| t["nonce"] = json!(u64::MAX.to_string())).nonce,
        u64::MAX
    );
    assert_eq!(authorization(|t| t["chainId"] = json!("0")).chain_id, U256::ZERO);
    assert_eq!(authorization(|t| t["yParity"] = json!(255)).y_parity, 255);
}

#[test]
fn takes_what_the_text_allows() {
    assert!(changed(|r| r["context"] = json!({})).is_ok());
    assert!(changed(|r| r["context"] = json!({ "tokens": [format!("eip155:10:{TOKEN}")] })).is_ok());
    assert!(changed(|r| r["subject"]["typedData"] = json!({ "anything": null })).is_ok());
    assert!(changed(|r| r["kinds"] = json!(["example.com.kind", "example.com.kind"])).is_ok());
    let only = |member: &str, value: Value| {
        changed(|r| {
            r["subject"]["calls"] = json!([]);
            r["subject"][member] = value;
        })
    };
    assert!(only("typedData", json!({})).is_ok());
    assert!(only("authorizationList", json!([tuple(TOKEN)])).is_ok());
}

#[test]
fn limits_are_inclusive() {
    let sized = |calls: usize| {
        let call = json!({ "to": TOKEN, "value": "0", "data": "0x" });
        changed(|r| r["subject"]["calls"] = json!(vec![call; calls]))
    };
    assert!(sized(MAX_CALLS).is_ok());
    let refusal = sized(MAX_CALLS + 1).unwrap_err();
    assert_eq!((refusal.code, &*refusal.pointer), ("too-many", "/subject/calls"));
    assert!(refusal.message.contains("MAX_CALLS is 1000"), "{refusal}");

    let calldata = |bytes: usize| {
        changed(|r| r["subject"]["calls"][0]["data"] = json!(format!("0x{}", "00".repeat(bytes))))
    };
    assert!(calldata(MAX_CALLDATA_BYTES).is_ok());
    let refusal = calldata(MAX_CALLDATA_BYTES + 1).unwrap_err();
    assert_eq!(
        (refusal.code, &*refusal.pointer),
        ("too-large", "/subject/calls/0/data")
    );
    assert!(refusal.message.contains("MAX_CALLDATA_BYTES"), "{refusal}");

    let text = |bytes: usize| {
        changed(|r| r["context"] = json!({ "texts": [{ "field": "x", "text": "a".repeat(bytes) }] }))
    };
    assert!(text(MAX_TEXT_BYTES).is_ok());
    let refusal = text(MAX_TEXT_BYTES + 1).unwrap_err();
    assert_eq!(
        (refusal.code, &*refusal.pointer),
        ("too-large", "/context/texts/0/text")
    );

    let token = format!("eip155:1:{TOKEN}");
    let refusal =
        changed(|r| r["context"] = json!({ "tokens": vec![token; MAX_CONTEXT_TOKENS + 1] })).unwrap_err();
    assert_eq!((refusal.code, &*refusal.pointer), ("too-many", "/context/tokens"));
}

/// ERC-8481 §Test Cases: what changes the subject digest, and what does not.
#[test]
fn the_digest_names_the_exact_calls() {
    let digest = |change: &dyn Fn(&mut Value)| changed(change).unwrap().subject_digest();
    let plain = digest(&|_| {});
    let expected = json!({
        "chainId": "eip155:1", "from": SIGNER, "calls": [{ "to": TOKEN, "value": "0", "data": "0x095ea7b3" }],
    });
    assert_eq!(plain, jcs::digest(&expected));
    assert_ne!(
        digest(&|r| r["subject"]["calls"][0]["data"] = json!("0x095ea7b4")),
        plain
    );
    assert_ne!(
        digest(&|r| r["subject"]["calls"][0]["value"] = json!("0x0")),
        plain
    );
    assert_ne!(digest(&|r| r["subject"]["typedData"] = json!({})), plain);
    assert_eq!(digest(&|r| r["context"] = json!({})), plain);

    let other = "0x1111111111111111111111111111111111111111";
    let list = |tuples: [&str; 2]| digest(&|r| r["subject"]["authorizationList"] = json!(tuples.map(tuple)));
    assert_ne!(list([TOKEN, other]), list([other, TOKEN]));
    assert_ne!(list([TOKEN, other]), list([TOKEN, TOKEN]));
    assert_ne!(list([TOKEN, other]), plain);
}

#[test]
fn the_context_digest_is_zero_only_without_context() {
    assert_eq!(changed(|_| {}).unwrap().context_digest(), B256::ZERO);
    assert_eq!(
        changed(|r| r["context"] = json!({})).unwrap().context_digest(),
        jcs::digest(&json!({}))
    );
}

/// ERC-8481 §Binding: `risk` and `producer.signature` are outside the digest, everything else is inside.
#[test]
fn the_digest_of_an_envelope_leaves_out_risk_and_the_producers_signature() {
    let address = SIGNER.trim_start_matches("eip155:1:");
    let envelope = json!({
        "$schema": "https://txkit.dev/schemas/v0.1/envelope.json", "kind": "signature",
        "issuedAt": "2026-09-02T11:30:00Z", "producer": { "id": "did:web:a.example" },
        "content": {
            "chain": "eip155:1", "from": address, "scheme": "personal-sign", "messageText": "hi",
            "description": { "short": "Sign", "action": "other" },
        },
    });
    let digest = |change: &dyn Fn(&mut Value)| {
        let mut envelope = envelope.clone();
        change(&mut envelope);
        let request = json!({ "version": "erc-presign/1", "subject": { "type": "erc8265-envelope", "envelope": envelope } });
        let request = Request::parse(request.to_string().as_bytes()).unwrap();
        assert_eq!(request.signer().to_string(), SIGNER);
        request.subject_digest()
    };
    let plain = digest(&|_| {});
    assert_eq!(plain, jcs::digest(&envelope));
    assert_eq!(
        digest(&|e| e["risk"] = json!({ "action": "WARN", "warnings": [], "reports": [{}] })),
        plain
    );
    let signature = json!({ "scheme": "p256", "signature": "0x", "coverage": "envelope" });
    assert_eq!(digest(&|e| e["producer"]["signature"] = signature.clone()), plain);
    assert_ne!(digest(&|e| e["signature"] = json!("0x")), plain);
    assert_ne!(digest(&|e| e["content"]["risk"] = json!({})), plain);
    assert_ne!(digest(&|e| e["producer"]["name"] = json!("q")), plain);
}

proptest! {
    #[test]
    fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Request::parse(&bytes);
    }

    /// A well-formed request with one member replaced by something else is read or refused below that member or
    /// at its parent, never a panic.
    #[test]
    fn survives_any_replacement(place in 0..9_usize, text in any::<String>(), number in any::<i64>(), form in 0..5_u8) {
        let replacement = match form {
            0 => json!(text),
            1 => json!(number),
            2 => json!([text]),
            3 => json!({ text: number }),
            _ => Value::Null,
        };
        let places = [
            "", "/version", "/subject", "/subject/chainId", "/subject/from", "/subject/calls", "/subject/calls/0",
            "/subject/calls/0/to", "/subject/calls/0/data",
        ];
        let mut request = calls();
        *request.pointer_mut(places[place]).unwrap() = replacement;
        let strict = json::parse(request.to_string().as_bytes(), Numbers::Exact).is_ok();
        if let (true, Err(refusal)) = (strict, Request::parse(request.to_string().as_bytes())) {
            prop_assert!(refusal.pointer.starts_with(places[place]) || places[place].starts_with(&refusal.pointer));
        }
    }
}
