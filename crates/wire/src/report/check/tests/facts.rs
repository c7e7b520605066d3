//! Rules on single core facts: blocks, values, params, evidence.

use super::conforming::{DESIGNATOR, HASH, SPENDER, TOKEN, findings};
use super::{assert_finding, broken, one, position};
use alloy_primitives::U256;
use serde_json::{Value, json};

#[test]
fn facts_of_the_chain_name_a_listed_block() {
    let elsewhere = [
        json!({ "chainId": "eip155:1", "block": "101" }),
        json!({ "chainId": "eip155:5", "block": "100" }),
    ];
    for at in elsewhere {
        assert_finding("approval.amount", 0, "at", Some(at), "at-not-in-blocks", "/at");
    }
    for kind in [
        "token.observation",
        "token.oracle-deviation",
        "approval.share-of-supply",
        "approval.current-allowance",
        "address.code",
        "address.delegate-single-caller",
        "address.delegate-unbounded-outflow",
        "address.delegate-authorizations",
        "address.delegation",
        "address.first-seen-block",
        "address.prior-transfers",
        "address.lookalike",
        "payment.match",
        "payment.payee-binding",
    ] {
        assert_finding(kind, 0, "at", None, "missing-at", "");
    }
    for kind in ["approval.amount", "approval.unlimited"] {
        let at = position(kind, 0);
        assert_eq!(
            broken(|r| drop(r["findings"][at].as_object_mut().unwrap().remove("at"))),
            []
        );
    }
}

#[test]
fn texts_of_tokens_hold_at_a_block_and_texts_of_the_consumer_at_none() {
    let at = json!({ "chainId": "eip155:1", "block": "100" });
    for kind in [
        "text.control-chars",
        "text.mixed-script",
        "text.addresses",
        "text.pattern-match",
    ] {
        assert_finding(kind, 0, "at", Some(at.clone()), "unexpected-at", "/at");
        assert_finding(kind, 1, "at", None, "missing-at", "");
    }
    assert_finding("payment.match", 1, "at", Some(at), "unexpected-at", "/at");
    // A consumer's text of the same name makes it open which is whose.
    let open = broken(|r| {
        r["entities"]["texts"][0] =
            json!({ "index": 0, "field": "token.name", "ref": TOKEN, "digest": HASH });
    });
    assert_eq!(open, []);
    let of_no_listed_token = broken(|r| r["entities"]["texts"][1]["ref"] = json!(SPENDER));
    assert_eq!(of_no_listed_token.len(), 4);
    assert!(of_no_listed_token.iter().all(|(code, _)| code == "unexpected-at"));
}

#[test]
fn values_have_the_type_of_their_kind() {
    let wrong: &[(&str, usize, Value)] = &[
        ("token.observation", 0, json!({ "value": "1" })),
        ("token.issuer-listing", 0, json!("unlisted")),
        (
            "token.oracle-deviation",
            0,
            json!({ "pool": SPENDER, "price": "1" }),
        ),
        ("approval.amount", 0, json!(5)),
        ("approval.amount", 0, json!("all")),
        ("approval.amount", 0, json!("0x5")),
        ("approval.amount", 1, json!("5")),
        ("approval.unlimited", 0, json!("false")),
        ("approval.share-of-supply", 0, json!(10_001)),
        ("approval.share-of-supply", 0, json!("10000")),
        ("approval.share-of-supply", 0, json!(0.5)),
        ("approval.expiry", 0, json!("1764504000")),
        ("approval.expiry", 0, json!(-1)),
        ("approval.current-allowance", 0, json!("all")),
        ("approval.current-allowance", 0, json!(0)),
        ("address.code", 0, json!("eoa")),
        ("address.delegate-single-caller", 0, Value::Null),
        ("address.delegate-unbounded-outflow", 0, json!(0)),
        (
            "address.delegate-authorizations",
            0,
            json!({ "count": 1, "sameSender": 2, "distinctAuthorities": 1, "senderIsOnlyCaller": true }),
        ),
        (
            "address.delegate-authorizations",
            0,
            json!({ "count": 1, "sameSender": 1, "distinctAuthorities": 1 }),
        ),
        ("address.delegation", 0, json!({ "before": null })),
        (
            "address.delegation",
            0,
            json!({ "before": null, "after": "0x12" }),
        ),
        ("address.first-seen-block", 0, json!(90)),
        ("address.source-verified", 0, json!(true)),
        ("address.prior-transfers", 0, json!(0)),
        ("address.lookalike", 0, json!(["0x12"])),
        ("address.lookalike", 0, Value::Null),
        ("address.on-list", 0, json!("false")),
        ("payment.match", 0, json!(true)),
        ("payment.match", 0, json!({ "equal": true, "left": "1" })),
        ("payment.payee-binding", 0, json!("not-read")),
        ("text.control-chars", 0, json!("1")),
        ("text.control-chars", 0, json!(-1)),
        ("text.mixed-script", 0, json!(0)),
        ("text.addresses", 0, json!(SPENDER)),
        ("text.addresses", 0, json!([1])),
        ("text.pattern-match", 0, Value::Null),
    ];
    for (kind, nth, value) in wrong {
        let at = position(kind, *nth);
        let found = broken(|r| r["findings"][at]["value"] = value.clone());
        let expected = ("bad-value".to_owned(), format!("/findings/{at}/value"));
        assert!(found.contains(&expected), "{kind} {value}: {found:?}");
    }
    let unread_by_the_registry =
        broken(|r| r["findings"][0]["value"]["value"] = json!(U256::MAX.to_string()));
    assert_eq!(unread_by_the_registry, one("bad-value", "/findings/0/value"));
}

#[test]
fn params_are_those_of_their_kind() {
    for kind in [
        "approval.amount",
        "address.code",
        "address.delegation",
        "text.addresses",
        "payment.payee-binding",
    ] {
        assert_finding(kind, 0, "param", Some(json!("x")), "bad-param", "/param");
    }
    for kind in [
        "token.observation",
        "token.issuer-listing",
        "token.oracle-deviation",
        "address.delegate-authorizations",
        "address.source-verified",
        "address.lookalike",
        "address.on-list",
        "text.pattern-match",
    ] {
        assert_finding(kind, 0, "param", None, "bad-param", "/param");
    }
    let long = json!({ "prefix": 41, "suffix": 4 });
    assert_finding("address.lookalike", 0, "param", Some(long), "bad-param", "/param");
    let more = json!({ "uri": "https://example.com/list", "hash": HASH, "again": 1 });
    assert_finding("address.on-list", 0, "param", Some(more), "bad-param", "/param");
    assert_finding(
        "payment.match",
        0,
        "param",
        Some(json!("payTo=payTo")),
        "bad-param",
        "/param",
    );
    // Nothing configured: not read, without param (I-14).
    let at = position("address.on-list", 0);
    let unsupported = broken(|r| {
        r["findings"][at] = json!({
            "kind": "erc.presign.address.on-list", "entity": { "address": SPENDER, "role": "spender" },
            "status": "not-read", "reason": "unsupported", "evidence": [],
        });
    });
    assert_eq!(unsupported, []);
}

#[test]
fn facts_do_not_deny_each_other() {
    assert_finding(
        "approval.unlimited",
        0,
        "value",
        Some(json!(true)),
        "contradictory-values",
        "",
    );
    assert_finding(
        "approval.unlimited",
        1,
        "value",
        Some(json!(false)),
        "contradictory-values",
        "",
    );
    let unlimited = position("approval.unlimited", 0);
    let maximum = |form: &str, bits: usize| {
        broken(|r| {
            r["entities"]["approvals"][0]["form"] = json!(form);
            let maximum = U256::MAX >> (256 - bits);
            r["findings"][position("approval.amount", 0)]["value"] = json!(maximum.to_string());
        })
    };
    assert_eq!(
        maximum("erc2612-permit", 256),
        one("contradictory-values", format!("/findings/{unlimited}"))
    );
    assert_eq!(
        maximum("permit2-permit", 160),
        one("contradictory-values", format!("/findings/{unlimited}"))
    );
    assert_eq!(maximum("erc2612-permit", 160), []);

    let count = findings().len();
    let share_of_all = broken(|r| {
        let mut copy = findings()[position("approval.share-of-supply", 0)].clone();
        copy["entity"] = json!({ "approval": 1 });
        r["findings"].as_array_mut().unwrap().push(copy);
    });
    assert_eq!(
        share_of_all,
        one("inapplicable-kind", format!("/findings/{count}"))
    );

    let code = position("address.code", 0);
    let not_delegated = broken(|r| {
        r["findings"][code]["value"] = json!("none");
        r["findings"][code]["evidence"] = json!([]);
    });
    assert_eq!(not_delegated.len(), 3);
    assert!(not_delegated.iter().all(|(code, _)| code == "inapplicable-kind"));
}

#[test]
fn evidence_shows_what_it_must() {
    assert_finding(
        "token.observation",
        0,
        "evidence",
        Some(json!([])),
        "missing-evidence",
        "/evidence",
    );
    assert_finding(
        "token.issuer-listing",
        0,
        "evidence",
        Some(json!([])),
        "missing-evidence",
        "/evidence",
    );
    assert_finding(
        "address.code",
        0,
        "evidence",
        Some(json!([])),
        "missing-evidence",
        "/evidence",
    );
    assert_finding(
        "address.code",
        1,
        "evidence",
        Some(json!([])),
        "missing-evidence",
        "/evidence",
    );
    let call = |to: &str, data: &str, result: &str| {
        Some(
            json!([{ "type": "call", "chainId": "eip155:1", "block": "100", "to": to, "data": data, "result": result }]),
        )
    };
    assert_finding(
        "address.code",
        0,
        "evidence",
        call(TOKEN, "0x", DESIGNATOR),
        "missing-evidence",
        "/evidence",
    );
    assert_finding(
        "address.code",
        0,
        "evidence",
        call(SPENDER, "0x01", DESIGNATOR),
        "missing-evidence",
        "/evidence",
    );
    assert_finding(
        "address.code",
        0,
        "evidence",
        call(SPENDER, "0x", "0x"),
        "evidence-differs",
        "/evidence",
    );
    assert_finding(
        "address.code",
        0,
        "evidence",
        call(SPENDER, "0x", "0xef0100"),
        "evidence-differs",
        "/evidence",
    );
}
