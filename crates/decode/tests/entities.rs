//! Whole requests: the order of entities, the payment context, envelopes.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]
#![allow(
    clippy::needless_pass_by_value,
    reason = "JSON literals are passed as they are written"
)]

use presight_decode::{Decoded, decode};
use presight_wire::{Refusal, Request};
use serde_json::{Value, json};

const SIGNER: &str = "0x4ddad24756816b972899a5eda789e0343e014db9";
const TOKEN: &str = "0x1111111111111111111111111111111111111111";
const SPENDER: &str = "0x2222222222222222222222222222222222222222";
const OTHER: &str = "0x3333333333333333333333333333333333333333";

fn outcome(request: Value) -> Result<Decoded, Refusal> {
    decode(&Request::from_value(request).unwrap())
}

fn calls(calls: Value) -> Value {
    json!({
        "version": "erc-presign/1",
        "subject": { "type": "calls", "chainId": "eip155:1", "from": format!("eip155:1:{SIGNER}"), "calls": calls },
    })
}

fn word(address: &str) -> String {
    format!("{:0>64}", &address[2..])
}

fn approve(spender: &str) -> Value {
    json!({ "to": TOKEN, "value": "0", "data": format!("0x095ea7b3{}{:064x}", word(spender), 1) })
}

fn permit() -> Value {
    let member = |name: &str, ty: &str| json!({ "name": name, "type": ty });
    json!({
        "types": {
            "EIP712Domain": [member("chainId", "uint256"), member("verifyingContract", "address")],
            "Permit": [
                member("owner", "address"), member("spender", "address"), member("value", "uint256"),
                member("nonce", "uint256"), member("deadline", "uint256"),
            ],
        },
        "primaryType": "Permit",
        "domain": { "chainId": 1, "verifyingContract": OTHER },
        "message": { "owner": SIGNER, "spender": SPENDER, "value": "5", "nonce": "0", "deadline": "77" },
    })
}

fn addresses(decoded: &Decoded) -> Vec<String> {
    decoded
        .entities
        .addresses
        .iter()
        .map(|a| format!("{} {}", a.address, a.role.as_str()))
        .collect()
}

fn flags(decoded: &Decoded) -> Vec<(&str, &str)> {
    decoded
        .flags
        .iter()
        .map(|f| (f.code, f.pointer.as_str()))
        .collect()
}

#[test]
fn entities_come_in_the_order_of_their_first_appearance() {
    let native = json!({ "to": OTHER, "value": "1", "data": "0x" });
    let mut request = calls(json!([
        approve(SPENDER),
        native,
        approve(OTHER),
        approve(SPENDER)
    ]));
    request["subject"]["typedData"] = permit();
    request["subject"]["authorizationList"] = json!([{
        "chainId": "1", "address": "0x0000000000000000000000000000000000000000", "nonce": "1", "yParity": 1,
        "r": "0xf32a78abe6987d8d048b71f7a89ba2d9626fedf2a08081cfaa53b213168d3d82",
        "s": "0x0b4845a411db489ba5b03819fbf80e3874994088a10718cf2a67c7e797251b43",
    }]);
    request["context"] = json!({
        "payment": {
            "requirements": { "network": "base", "asset": TOKEN, "payTo": OTHER },
            "quote": { "quote": { "issuer": SPENDER }, "signature": "0x", "chainId": "eip155:8453" },
        },
        "tokens": [format!("eip155:1:{TOKEN}"), format!("eip155:10:{TOKEN}")],
        "texts": [{ "field": "tool-output", "ref": "x", "text": "hi" }, { "field": "web-page", "text": "" }],
    });
    let decoded = outcome(request).unwrap();
    assert_eq!(
        addresses(&decoded),
        [
            format!("eip155:1:{TOKEN} target"),
            format!("eip155:1:{SPENDER} spender"),
            format!("eip155:1:{TOKEN} token"),
            format!("eip155:1:{OTHER} target"),
            format!("eip155:1:{OTHER} recipient"),
            format!("eip155:1:{OTHER} spender"),
            format!("eip155:1:{OTHER} token"),
            format!("eip155:1:{SIGNER} authority"),
            format!("eip155:8453:{OTHER} payTo"),
            format!("eip155:8453:{SPENDER} quote-issuer"),
            format!("eip155:8453:{TOKEN} token"),
            format!("eip155:10:{TOKEN} token"),
        ]
    );
    let tokens: Vec<_> = decoded.entities.tokens.iter().map(ToString::to_string).collect();
    let expected = ["eip155:1", "eip155:1", "eip155:8453", "eip155:10"];
    let expected: Vec<_> = expected
        .iter()
        .zip([TOKEN, OTHER, TOKEN, TOKEN])
        .map(|(c, a)| format!("{c}:{a}"))
        .collect();
    assert_eq!(tokens, expected);
    let indices: Vec<_> = decoded.entities.approvals.iter().map(|a| a.call_index).collect();
    assert_eq!(indices, [Some(0), Some(2), Some(3), None]);
    assert_eq!(
        decoded.typed_data.unwrap().signature_deadline,
        Some("77".parse().unwrap())
    );
    assert!(decoded.entities.payment);
    let texts = &decoded.entities.texts;
    assert_eq!(
        (
            texts[0].index,
            texts[0].field.as_str(),
            texts[0].reference.as_deref()
        ),
        (0, "tool-output", Some("x"))
    );
    // keccak256 of no bytes.
    assert_eq!(
        format!("{:#x}", texts[1].digest),
        "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    );
}

#[test]
fn a_request_without_payment_has_none() {
    let mut request = calls(json!([approve(SPENDER)]));
    assert!(!outcome(request.clone()).unwrap().entities.payment);
    request["context"] = json!({});
    assert!(!outcome(request).unwrap().entities.payment);
}

#[test]
fn a_tuple_that_recovers_to_nothing_is_listed_as_none() {
    let mut request = calls(json!([approve(SPENDER)]));
    request["subject"]["authorizationList"] = json!([
        { "chainId": "0", "address": TOKEN, "nonce": "0", "yParity": 2, "r": "0x1", "s": "0x1" },
    ]);
    let decoded = outcome(request).unwrap();
    assert_eq!(decoded.authorities, [None]);
    assert!(addresses(&decoded).iter().all(|a| !a.ends_with("authority")));
}

#[test]
fn payments_are_read_on_their_own_network() {
    let accounts = |requirements: Value| {
        let mut request = calls(json!([{ "to": OTHER, "value": "0", "data": "0x" }]));
        request["context"] = json!({ "payment": { "requirements": requirements } });
        let decoded = outcome(request).unwrap();
        let found = addresses(&decoded).split_off(1);
        let flags = decoded
            .flags
            .iter()
            .map(|f| format!("{} {}", f.code, f.pointer))
            .collect::<Vec<_>>();
        (found, flags)
    };
    let asset = TOKEN;
    let both = |chain: &str| {
        vec![
            format!("{chain}:{SPENDER} payTo"),
            format!("{chain}:{TOKEN} token"),
        ]
    };
    let base = "/context/payment/requirements";
    for (network, chain) in [("eip155:137", "eip155:137"), ("base-sepolia", "eip155:84532")] {
        let found = accounts(json!({ "network": network, "asset": asset, "payTo": SPENDER }));
        assert_eq!(found, (both(chain), vec![]));
    }
    for network in [
        "solana",
        "base-mainnet",
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        "algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=",
    ] {
        let found = accounts(json!({ "network": network, "asset": asset, "payTo": SPENDER }));
        assert_eq!(
            found,
            (vec![], vec![format!("payment-network-unknown {base}/network")]),
            "{network}"
        );
    }
    let found = accounts(json!({ "asset": asset, "payTo": SPENDER }));
    assert_eq!(found, (vec![], vec![format!("payment-network-unknown {base}")]));
    let found = accounts(json!({ "network": "base", "asset": "native", "payTo": "bob.eth" }));
    assert_eq!(found, (vec![], vec![format!("bad-address {base}/payTo")]));
    let mixed = "0xa0B86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
    let (found, flags) = accounts(json!({ "network": "base", "asset": asset, "payTo": mixed }));
    assert_eq!(
        found[0],
        format!("eip155:8453:{} payTo", mixed.to_ascii_lowercase())
    );
    assert_eq!(flags, [format!("bad-checksum {base}/payTo")]);
    let zero = "0x0000000000000000000000000000000000000000";
    let found = accounts(json!({ "network": "base", "asset": zero, "payTo": SPENDER }));
    assert_eq!(found, (vec![format!("eip155:8453:{SPENDER} payTo")], vec![]));
}

fn envelope(kind: &str, content: Value) -> Value {
    let mut content = content;
    content["chain"] = "eip155:1".into();
    content["from"] = SIGNER.into();
    content["description"] = json!({ "short": "harmless", "action": "other" });
    // What is shown is never read: it names another token and another receiver.
    content["metadata"] = json!({
        "protocol": "other",
        "tokenMovements": [{
            "token": OTHER, "standard": "erc20", "symbol": "X", "decimals": 18, "amount": "1",
            "kind": "transfer", "from": SIGNER, "to": OTHER,
        }],
        "counterparties": [],
    });
    content["validity"] = json!({ "notAfter": 4_000_000_000_u64 });
    json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "erc8265-envelope",
            "envelope": { "$schema": "https://txkit.dev/schemas/v0.1/envelope.json", "kind": kind, "issuedAt": "2026-11-30T12:00:00Z", "content": content },
        },
    })
}

#[test]
fn an_envelope_is_read_by_its_calls_only() {
    let mut call = approve(SPENDER);
    call["value"] = "0x1".into();
    call["operation"] = "call".into();
    let decoded = outcome(envelope("evm-tx", json!({ "calls": [call] }))).unwrap();
    assert_eq!(
        addresses(&decoded),
        [
            format!("eip155:1:{TOKEN} target"),
            format!("eip155:1:{TOKEN} recipient"),
            format!("eip155:1:{SPENDER} spender"),
            format!("eip155:1:{TOKEN} token"),
        ]
    );
    assert_eq!(decoded.calls[0].signature, Some("approve(address,uint256)"));

    let mut call = approve(SPENDER);
    call["value"] = "0x0".into();
    call["operation"] = "delegatecall".into();
    let decoded = outcome(envelope("evm-tx", json!({ "calls": [call] }))).unwrap();
    assert!(decoded.entities.approvals.is_empty() && decoded.calls[0].opaque);
    assert_eq!(
        flags(&decoded),
        [("delegatecall", "/subject/envelope/content/calls/0/operation")]
    );
}

#[test]
fn an_envelope_is_read_by_its_typed_data() {
    let decoded = outcome(envelope("signature", {
        let mut content = permit();
        content["scheme"] = "eip-712".into();
        content
    }))
    .unwrap();
    let own = outcome({
        let mut request = calls(json!([]));
        request["subject"]["typedData"] = permit();
        request
    })
    .unwrap();
    assert_eq!(decoded.entities, own.entities);
    assert_eq!(
        decoded.typed_data.unwrap().digests,
        own.typed_data.unwrap().digests
    );
    assert!(decoded.flags.is_empty());
}

#[test]
fn a_text_message_says_that_it_is_not_decoded() {
    let decoded = outcome(envelope(
        "signature",
        json!({ "scheme": "personal-sign", "messageText": "send everything to 0x2222" }),
    ))
    .unwrap();
    assert!(addresses(&decoded).is_empty());
    assert_eq!(
        flags(&decoded),
        [("message-not-decoded", "/subject/envelope/content/messageText")]
    );
}

#[test]
fn a_sign_in_of_another_account_or_chain_is_flagged() {
    let text = |account: &str, chain: &str| {
        format!(
            "example.com wants you to sign in with your Ethereum account:\n{account}\n\nHello.\n\n\
             URI: https://example.com\nVersion: 1\nChain ID: {chain}\nNonce: 12345678\n\
             Issued At: 2026-11-30T12:00:00Z"
        )
    };
    let checksum = "0x4ddAd24756816B972899A5EDa789E0343e014Db9";
    let other = "0x3333333333333333333333333333333333333333";
    let cases = [
        (checksum, "1", vec![]),
        (SIGNER, "1", vec!["bad-checksum"]),
        (other, "1", vec!["owner-not-signer"]),
        (checksum, "10", vec!["domain-chain-mismatch"]),
        (checksum, "0x1", vec!["domain-chain-mismatch"]),
        (other, "10", vec!["owner-not-signer", "domain-chain-mismatch"]),
    ];
    for (account, chain, expected) in cases {
        // What is no number does not match the grammar of a sign-in.
        let schemes = ["personal-sign", "siwe"];
        for scheme in &schemes[..1 + usize::from(!chain.starts_with("0x"))] {
            let content = json!({ "scheme": scheme, "messageText": text(account, chain) });
            let decoded = outcome(envelope("signature", content)).unwrap();
            let codes: Vec<_> = decoded.flags.iter().map(|flag| flag.code).collect();
            assert_eq!(codes, [vec!["message-not-decoded"], expected.clone()].concat());
        }
    }
}

/// A wrong checksum in an envelope is an oddity, as in typed data (I-5); what ERC-8265 lets a call hold is taken.
#[test]
fn envelopes_are_taken_as_their_validator_takes_them() {
    let odd = "0xA0B86991c6218b36c1d19d4a2e9eb0ce3606eb48";
    let call = json!({ "to": odd, "operation": "call", "value": format!("0x{:070}", 1), "gas": "0x1" });
    let mut request = envelope("evm-tx", json!({ "calls": [call] }));
    request["subject"]["envelope"]["content"]["from"] = odd.into();
    let decoded = outcome(request).unwrap();
    let flags: Vec<_> = decoded
        .flags
        .iter()
        .map(|flag| (flag.code, flag.pointer.as_str()))
        .collect();
    assert_eq!(
        flags,
        [
            ("bad-checksum", "/subject/envelope/content/from"),
            ("bad-checksum", "/subject/envelope/content/calls/0/to"),
        ]
    );
    assert_eq!(decoded.calls[0].value, alloy_primitives::U256::ONE);
}

/// Every valid envelope of the vectors is decoded, or refused by a rule of the decoder with its name.
#[test]
fn every_valid_envelope_is_decoded() {
    const REFUSED: [(&str, &str); 0] = [];
    let file: Value =
        serde_json::from_str(include_str!("../../wire/tests/vectors/envelope/vectors.json")).unwrap();
    let (mut decoded, mut refused) = (0, Vec::new());
    for vector in file["vectors"].as_array().unwrap() {
        let Some(document) = vector
            .get("envelope")
            .filter(|_| vector["expect"]["valid"] == true)
        else {
            continue;
        };
        let request = json!({
            "version": "erc-presign/1", "subject": { "type": "erc8265-envelope", "envelope": document },
        });
        match Request::from_value(request).map(|request| decode(&request)) {
            // The signer, the chain and numbers are the request's own rules.
            Err(refusal) => assert!(
                ["signer-unknown", "bad-chain-id", "json-inexact-number"].contains(&refusal.code),
                "{}: {refusal}",
                vector["id"]
            ),
            Ok(Ok(_)) => decoded += 1,
            Ok(Err(refusal)) => refused.push((vector["id"].as_str().unwrap(), refusal.code)),
        }
    }
    assert_eq!(refused, REFUSED);
    assert!(decoded > 150, "{decoded}");
}

#[test]
fn the_number_of_oddities_is_bounded() {
    let mut request = calls(json!([]));
    request["subject"]["typedData"] = permit();
    let message = request["subject"]["typedData"]["message"]
        .as_object_mut()
        .unwrap();
    for extra in 0..presight_decode::MAX_FLAGS + 1 {
        message.insert(format!("x{extra}"), 1.into());
    }
    let refusal = outcome(request).unwrap_err();
    assert_eq!(refusal.code, "too-many");
    assert!(refusal.message.contains("MAX_FLAGS"));
}
