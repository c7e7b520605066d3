//! ERC-8409 quotes: the draft's own vector, its mutations, signatures and edges of time; ERC-1271 issuers.

use crate::vectors::Vectors;
use crate::{common, empty, equal, finding, pair, pair_value, reason, report, report_of, request};
use alloy_primitives::{B256, keccak256};
use presight_source::Config;
use presight_source::payment::flat_type::signing_hash;
use presight_wire::Reason;
use serde_json::{Value, json};

const TIME: i64 = 1_788_372_100;

fn payment(quote: &Value) -> Value {
    json!({
        "requirements": {
            "scheme": "exact", "network": "eip155:8453", "amount": "1000000", "maxTimeoutSeconds": 60, "extra": {},
            "asset": "0x4444444444444444444444444444444444444444",
            "payTo": "0x3333333333333333333333333333333333333333",
        },
        "quote": quote,
    })
}

#[test]
fn every_vector_of_the_draft() {
    let mut vectors = Vectors::read("erc8409-quote-vectors.json");
    vectors.not_of_a_reader("/note", "says where the numbers are from");
    let format = Config::default().payment.quote;
    let domain = vectors.take("/domain");
    assert_eq!(domain["name"], format.domain_name);
    assert_eq!(domain["version"], format.domain_version);
    let quote_type = vectors.take("/quoteType");
    assert_eq!(quote_type, format.message.encode_type());
    let envelope = vectors.take("/envelope");
    let hash = |quote: &Value| format.message.hash_struct(quote.as_object().unwrap()).unwrap();
    let digest = |quote: &Value, chain_id: u64| {
        signing_hash(&format.domain_name, &format.domain_version, chain_id, hash(quote)).to_string()
    };
    let intermediate = vectors.take("/intermediate");
    let domain_type = vectors.take("/domainType");
    let is = |name: &str, hash: B256| assert_eq!(intermediate[name], hash.to_string(), "{name}");
    is("domainTypeHash", keccak256(domain_type.as_str().unwrap()));
    is("quoteTypeHash", keccak256(quote_type.as_str().unwrap()));
    is(
        "requestSchemeHash",
        keccak256(envelope["quote"]["requestScheme"].as_str().unwrap()),
    );
    is("structHash", hash(&envelope["quote"]));
    assert_eq!(intermediate["quoteDigest"], digest(&envelope["quote"], 8453));
    let separator: B256 = intermediate["domainSeparator"].as_str().unwrap().parse().unwrap();
    let joined = [
        b"\x19\x01".as_slice(),
        separator.as_slice(),
        hash(&envelope["quote"]).as_slice(),
    ]
    .concat();
    is("quoteDigest", keccak256(joined));

    for mutation in vectors.items("/mutations") {
        let mut quote = envelope["quote"].clone();
        let mut chain_id = 8453;
        if mutation["field"] == "chainId" {
            chain_id = mutation["value"].as_str().unwrap().parse().unwrap();
        } else {
            quote[mutation["field"].as_str().unwrap()] = mutation["value"].clone();
        }
        assert_eq!(mutation["quoteDigest"], digest(&quote, chain_id), "{mutation}");
    }

    for case in vectors.items("/signatures") {
        let mut signed = envelope.clone();
        signed["signature"] = case["signature"].clone();
        let report = report(&empty(8453, TIME), &request(8453, None, &payment(&signed)));
        let pair = pair_value(&report, "quote.signature");
        let issuer = &envelope["quote"]["issuer"];
        assert_eq!(pair["left"], *issuer);
        let expected = case["expect"].as_str().unwrap();
        match expected {
            _ if expected.starts_with("recovers issuer") => {
                assert_eq!(
                    *pair,
                    json!({ "equal": true, "left": issuer, "right": issuer }),
                    "{case}"
                );
            }
            "reject" => assert_eq!(
                *pair,
                json!({ "equal": false, "left": issuer, "right": null }),
                "{case}"
            ),
            _ => {
                assert_eq!(pair["equal"], false, "{case}");
                assert!(pair["right"].is_string() && pair["right"] != *issuer, "{case}");
            }
        }
    }

    for case in vectors.items("/time") {
        let time = case["t"].as_i64().unwrap();
        let report = report(&empty(8453, time), &request(8453, None, &payment(&envelope)));
        let expected = json!({
            "equal": case["inWindow"], "left": time.to_string(),
            "right": { "validAfter": "1788372000", "validUntil": "1788372300" },
        });
        assert_eq!(*pair_value(&report, "quote.valid-at-issue"), expected);
    }
    vectors.finish();
}

fn envelope() -> Value {
    Vectors::read("erc8409-quote-vectors.json").take("/envelope")
}

#[test]
fn a_quote_of_the_requirements_is_equal_in_every_pair() {
    let report = report(&empty(8453, TIME), &request(8453, None, &payment(&envelope())));
    for name in [
        "payTo=quote.recipient",
        "asset=quote.asset",
        "amount=quote.amount",
        "network=quote.chainId",
        "quote.signature",
        "quote.valid-at-issue",
    ] {
        assert!(equal(&report, name), "{name}");
    }
    assert_eq!(
        *pair_value(&report, "network=quote.chainId"),
        json!({ "equal": true, "left": "eip155:8453", "right": "eip155:8453" })
    );
    assert!(
        pair(&report, "quote.issuer=agentWallet").is_none(),
        "no payee is named"
    );
    assert!(finding(&report, "erc.presign.payment.payee-binding").is_none());
}

#[test]
fn each_side_that_differs_is_told() {
    let mut payment = payment(&envelope());
    payment["requirements"]["amount"] = "1000001".into();
    payment["requirements"]["payTo"] = "0x3333333333333333333333333333333333333334".into();
    payment["requirements"]["asset"] = "native".into();
    payment["requirements"]["network"] = "base-sepolia".into();
    let report = report(&empty(8453, TIME), &request(8453, None, &payment));
    for name in [
        "payTo=quote.recipient",
        "asset=quote.asset",
        "amount=quote.amount",
        "network=quote.chainId",
    ] {
        assert!(!equal(&report, name), "{name}");
    }
    assert_eq!(
        pair_value(&report, "network=quote.chainId")["left"],
        "eip155:84532"
    );
}

#[test]
fn a_part_that_is_there_and_says_nothing_is_not_read_and_one_that_is_missing_is_omitted() {
    let mut payment = payment(&envelope());
    payment["requirements"]["amount"] = "1e6".into();
    payment["requirements"]["network"] = "elsewhere".into();
    payment["requirements"].as_object_mut().unwrap().remove("asset");
    let read = report(&empty(8453, TIME), &request(8453, None, &payment));
    assert_eq!(reason(pair(&read, "amount=quote.amount")), Reason::Unavailable);
    assert_eq!(reason(pair(&read, "network=quote.chainId")), Reason::Unsupported);
    assert!(pair(&read, "asset=quote.asset").is_none());
    payment["quote"]["quote"]
        .as_object_mut()
        .unwrap()
        .remove("validUntil");
    payment["quote"]["quote"]["amount"] = 7.into();
    let read = report(&empty(8453, TIME), &request(8453, None, &payment));
    assert!(pair(&read, "quote.valid-at-issue").is_none());
    assert_eq!(reason(pair(&read, "quote.signature")), Reason::Unavailable);
    let mut other = payment.clone();
    other["quote"]["chainId"] = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp".into();
    let read = report(&empty(8453, TIME), &request(8453, None, &other));
    assert_eq!(reason(pair(&read, "quote.signature")), Reason::Unsupported);
}

#[test]
fn a_quote_that_is_not_allowed_is_not_valid_whoever_signed_it() {
    let key = presight_wire::report::sign::SigningKey::from_hex(&[b'1'; 64]).unwrap();
    let mut quote = envelope()["quote"].clone();
    quote["issuer"] = format!("{:#x}", key.address()).into();
    quote["amount"] = "0".into();
    let format = Config::default().payment.quote;
    let hash = format.message.hash_struct(quote.as_object().unwrap()).unwrap();
    let hash = signing_hash(&format.domain_name, &format.domain_version, 8453, hash);
    let signed = json!({ "chainId": "8453", "quote": quote, "signature": key.sign(hash) });
    let report = report(&empty(8453, TIME), &request(8453, None, &payment(&signed)));
    let issuer = format!("{:#x}", key.address());
    assert_eq!(
        *pair_value(&report, "quote.signature"),
        json!({ "equal": false, "left": issuer, "right": issuer })
    );
    assert!(
        pair(&report, "quote.signature")
            .unwrap()
            .note
            .as_ref()
            .unwrap()
            .contains("amount is zero")
    );
}

#[test]
fn the_format_is_configurable_and_named_in_the_method() {
    let config = Config::parse("[payment.quote]\ndomain-version = \"2\"\n").unwrap();
    let usual = Config::default();
    let request = request(8453, None, &payment(&envelope()));
    let changed = report_of(&empty(8453, TIME), &request, &config);
    assert!(!equal(&changed, "quote.signature"));
    assert_ne!(
        changed.method,
        report_of(&empty(8453, TIME), &request, &usual).method
    );
    assert!(changed.method.contains(&config.hash().unwrap().to_string()));
    Config::parse("[payment.quote]\ntype = \"Quote(uint7 a)\"\n").unwrap_err();
}

#[test]
fn an_issuer_with_code_is_asked_and_never_recovered() {
    let mut world = common::World::new();
    // Returns the magic value to everything, or reverts.
    let yes: Vec<u8> = [
        &[0x7f][..],
        &{
            let mut word = [0u8; 32];
            word[..4].copy_from_slice(&[0x16, 0x26, 0xba, 0x7e]);
            word
        },
        &[0x60, 0x00, 0x52, 0x60, 0x20, 0x60, 0x00, 0xf3],
    ]
    .concat();
    let no = vec![0x60, 0x00, 0x60, 0x00, 0xfd];
    for (runtime, accepted) in [(yes, true), (no, false)] {
        // PUSH1 len, DUP1, PUSH1 11, PUSH1 0, CODECOPY, PUSH1 0, RETURN
        let len = u8::try_from(runtime.len()).unwrap();
        let creation = [
            &[0x60, len, 0x80, 0x60, 0x0b, 0x60, 0x00, 0x39, 0x60, 0x00, 0xf3][..],
            &runtime,
        ]
        .concat();
        let issuer = world.create(&creation, &[]);
        let mut signed = envelope();
        signed["chainId"] = "31337".into();
        signed["quote"]["issuer"] = format!("{issuer:#x}").into();
        let report = report(&world.complete(), &request(31337, None, &payment(&signed)));
        let issuer = format!("{issuer:#x}");
        let right = if accepted { json!(issuer) } else { Value::Null };
        assert_eq!(
            *pair_value(&report, "quote.signature"),
            json!({ "equal": accepted, "left": issuer, "right": right })
        );
        let found = pair(&report, "quote.signature").unwrap();
        assert_eq!(found.evidence.len(), 2, "the code and the call");
        assert_eq!(found.at.as_ref().unwrap().block, 1_000);
    }
}
