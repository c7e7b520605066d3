use super::check;
use crate::kinds::CORE;
use alloy_primitives::U256;
use serde_json::{Value, json};

const TOKEN: &str = "eip155:1:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const SPENDER: &str = "eip155:1:0x1111111111111111111111111111111111111111";
const SIGNER: &str = "eip155:1:0x4ddad24756816b972899a5eda789e0343e014db9";
const HASH: &str = "0x00000000000000000000000000000000000000000000000000000000000000aa";
const DESIGNATOR: &str = "0xef01002222222222222222222222222222222222222222";

/// A report of one `approve`, one `setApprovalForAll`, one authorization, a payment, a tool's text and a token's name;
/// every kind is read, with a value of its type.
fn conforming() -> Value {
    json!({
        "version": "erc-presign/1",
        "subjectDigest": HASH,
        "contextDigest": HASH,
        "chainId": "eip155:1",
        "signer": SIGNER,
        "source": { "registry": TOKEN, "agentId": "7", "signer": SPENDER },
        "issuedAt": "2026-11-30T12:00:00Z",
        "expiresAt": "2026-11-30T12:05:00Z",
        "blocks": [{ "chainId": "eip155:1", "block": "100", "hash": HASH }],
        "entities": {
            "tokens": [TOKEN],
            "approvals": [
                { "token": TOKEN, "spender": SPENDER, "form": "erc20-approve", "callIndex": 0 },
                { "token": TOKEN, "spender": SPENDER, "form": "approval-for-all", "callIndex": 1 },
            ],
            "addresses": [
                { "address": SPENDER, "role": "spender" },
                { "address": SIGNER, "role": "authority" },
            ],
            "payment": true,
            "texts": [
                { "index": 0, "field": "tool-output", "digest": HASH },
                { "index": 1, "field": "token.name", "ref": TOKEN, "digest": HASH },
            ],
        },
        "findings": findings(),
        "method": "presight/1",
    })
}

fn findings() -> Vec<Value> {
    let address = |account: &str, role: &str| json!({ "address": account, "role": role });
    let list = json!({ "uri": "https://example.com/list", "hash": HASH });
    let mut all = vec![
        finding(
            "token.observation",
            json!({ "token": TOKEN }),
            json!({ "registry": TOKEN, "kind": HASH, "param": "0" }),
            json!({ "value": "1", "detector": SPENDER, "observationId": "2", "observedBlock": "3", "recordedAt": "4" }),
            true,
        ),
        finding(
            "token.issuer-listing",
            json!({ "token": TOKEN }),
            json!({ "issuer": "Example", "list": "https://example.com/tokens" }),
            json!("copy"),
            true,
        ),
        finding(
            "token.oracle-deviation",
            json!({ "token": TOKEN }),
            json!({ "feed": SPENDER }),
            json!({ "pool": SPENDER, "price": "10", "oraclePrice": "11", "oracleAge": 30, "deviationBps": -909 }),
            true,
        ),
    ];
    for (approval, amount, unlimited) in [(0, "5", false), (1, "all", true)] {
        let entity = json!({ "approval": approval });
        all.push(finding(
            "approval.amount",
            entity.clone(),
            Value::Null,
            json!(amount),
            approval == 0,
        ));
        all.push(finding(
            "approval.unlimited",
            entity.clone(),
            Value::Null,
            json!(unlimited),
            approval == 0,
        ));
        if approval == 0 {
            all.push(finding(
                "approval.share-of-supply",
                entity.clone(),
                Value::Null,
                json!(10_000),
                true,
            ));
        }
        all.push(finding(
            "approval.expiry",
            entity.clone(),
            Value::Null,
            json!("none"),
            false,
        ));
        all.push(finding(
            "approval.current-allowance",
            entity,
            Value::Null,
            json!("0"),
            true,
        ));
    }
    for entity in [address(SPENDER, "spender"), address(SIGNER, "authority")] {
        let on = |kind, param, value, at| finding(kind, entity.clone(), param, value, at);
        all.push(on("address.code", Value::Null, json!("delegated"), true));
        all.push(on(
            "address.delegate-single-caller",
            Value::Null,
            json!(true),
            true,
        ));
        all.push(on(
            "address.delegate-unbounded-outflow",
            Value::Null,
            json!(false),
            true,
        ));
        let counts =
            json!({ "count": 50, "sameSender": 50, "distinctAuthorities": 1, "senderIsOnlyCaller": null });
        all.push(on(
            "address.delegate-authorizations",
            json!({ "blocks": 1 }),
            counts,
            true,
        ));
        if entity["role"] == "authority" {
            let after = "0x2222222222222222222222222222222222222222";
            all.push(on(
                "address.delegation",
                Value::Null,
                json!({ "before": null, "after": after }),
                true,
            ));
        }
        all.push(on("address.first-seen-block", Value::Null, json!("90"), true));
        all.push(on(
            "address.source-verified",
            json!("sourcify"),
            json!("exact"),
            false,
        ));
        all.push(on("address.prior-transfers", Value::Null, json!("0"), true));
        all.push(on(
            "address.lookalike",
            json!({ "prefix": 4, "suffix": 4 }),
            json!([]),
            true,
        ));
        all.push(on("address.on-list", list.clone(), json!(false), false));
    }
    let payment = json!({ "payment": true });
    let pair = json!({ "equal": true, "left": "1", "right": "1" });
    all.push(finding(
        "payment.match",
        payment.clone(),
        json!("payTo=agentWallet"),
        pair.clone(),
        true,
    ));
    all.push(finding(
        "payment.match",
        payment.clone(),
        json!("amount=quote.amount"),
        pair,
        false,
    ));
    all.push(finding(
        "payment.payee-binding",
        payment,
        Value::Null,
        json!("mismatch"),
        true,
    ));
    for text in 0..2 {
        let on = |kind, param, value| finding(kind, json!({ "text": text }), param, value, text == 1);
        all.push(on("text.control-chars", Value::Null, json!(1)));
        all.push(on("text.mixed-script", Value::Null, json!(false)));
        all.push(on("text.addresses", Value::Null, json!([SPENDER])));
        all.push(on("text.pattern-match", list.clone(), json!(["p1"])));
    }
    all
}

fn finding(kind: &str, entity: Value, param: Value, value: Value, at: bool) -> Value {
    let mut finding = json!({
        "kind": format!("erc.presign.{kind}"), "entity": entity, "status": "read", "value": value,
        "evidence": [], "note": "one line",
    });
    let call = |result: &str| {
        let to = &finding["entity"]["address"];
        json!({ "type": "call", "chainId": "eip155:1", "block": "100", "to": to, "data": "0x", "result": result })
    };
    let evidence = match kind {
        "token.observation" => {
            json!([{ "type": "observation", "registry": TOKEN, "observationId": "2" }])
        }
        "token.issuer-listing" => {
            json!([{ "type": "document", "uri": "https://example.com/tokens", "hash": HASH }])
        }
        // The authority had no code before the request's list.
        "address.code" if finding["entity"]["role"] == "authority" => json!([call("0x")]),
        "address.code" => json!([call(DESIGNATOR)]),
        _ => json!([]),
    };
    finding["evidence"] = evidence;
    if !param.is_null() {
        finding["param"] = param;
    }
    if at {
        finding["at"] = json!({ "chainId": "eip155:1", "block": "100" });
    }
    finding
}

/// Every code and pointer the changed report is refused for.
fn broken(change: impl FnOnce(&mut Value)) -> Vec<(String, String)> {
    let mut report = conforming();
    change(&mut report);
    check(&report, None)
        .into_iter()
        .map(|r| (r.code.to_owned(), r.pointer))
        .collect()
}

fn one(code: &str, pointer: impl Into<String>) -> Vec<(String, String)> {
    vec![(code.to_owned(), pointer.into())]
}

/// Where the nth finding of a kind stands.
fn position(kind: &str, nth: usize) -> usize {
    let name = format!("erc.presign.{kind}");
    let found = findings()
        .iter()
        .enumerate()
        .filter(|(_, f)| f["kind"] == *name)
        .map(|(i, _)| i)
        .nth(nth);
    found.expect("the conforming report has a finding of this kind")
}

/// What is refused when one member of the nth finding of a kind is set, or removed when `value` is `None`.
#[track_caller]
fn assert_finding(kind: &str, nth: usize, member: &str, value: Option<Value>, code: &str, place: &str) {
    let at = position(kind, nth);
    let found = broken(|report| {
        let finding = report["findings"][at].as_object_mut().unwrap();
        match value {
            Some(value) => finding.insert(member.into(), value),
            None => finding.remove(member),
        };
    });
    assert_eq!(
        found,
        one(code, format!("/findings/{at}{place}")),
        "{kind} {member}"
    );
}

#[test]
fn a_conforming_report_breaks_no_rule() {
    assert_eq!(check(&conforming(), None), []);
    let signed = broken(|report| report["signature"] = json!("0x1234"));
    assert_eq!(signed, []);
    let with_more = broken(|report| report["findings"][0]["extra"] = json!({ "more": 1 }));
    assert_eq!(with_more, []);
}

#[test]
fn the_conforming_report_has_every_core_kind() {
    for core in CORE {
        assert!(findings().iter().any(|f| f["kind"] == core.name), "{}", core.name);
    }
}

#[test]
fn forbidden_members_are_found_everywhere() {
    for name in [
        "score",
        "verdict",
        "severity",
        "action",
        "recommendation",
        "Score",
    ] {
        assert_eq!(
            broken(|r| r[name] = json!(1)),
            one("forbidden-member", format!("/{name}"))
        );
        let in_value = broken(|r| {
            let extension = json!({
                "kind": "presight.x", "entity": { "token": TOKEN }, "status": "read",
                "value": [{ "a/b": { name: null } }], "evidence": [],
            });
            r["findings"][0] = extension.clone();
            r["findings"].as_array_mut().unwrap().push(findings()[0].clone());
        });
        assert_eq!(
            in_value,
            one("forbidden-member", format!("/findings/0/value/0/a~1b/{name}"))
        );
        assert_eq!(
            broken(|r| r["findings"][3]["evidence"] =
                json!([{ "type": "tx", name: 1, "chainId": "eip155:1", "hash": HASH }])),
            one("forbidden-member", format!("/findings/3/evidence/0/{name}"))
        );
    }
    // Found too where the report cannot be read.
    let both = broken(|r| {
        r["score"] = json!(1);
        r["version"] = json!("2");
    });
    assert_eq!(both.len(), 2);
    // A value, not a member, may be such a word.
    assert_eq!(broken(|r| r["method"] = json!("verdict")), []);
}

#[test]
fn the_shape_of_a_finding() {
    let kind = "approval.amount";
    assert_finding(kind, 0, "reason", Some(json!("timeout")), "value-and-reason", "");
    assert_finding(kind, 0, "value", None, "missing-value", "");
    assert_finding(kind, 0, "status", Some(json!("not-read")), "missing-reason", "");
    assert_finding(kind, 0, "status", Some(json!("maybe")), "bad-status", "/status");
    assert_finding(
        kind,
        0,
        "entity",
        Some(json!({ "token": TOKEN, "approval": 0 })),
        "bad-entity",
        "/entity",
    );
    assert_finding(
        kind,
        0,
        "entity",
        Some(json!({ "payment": false })),
        "bad-entity",
        "/entity",
    );
    assert_finding(kind, 0, "evidence", None, "missing-member", "");
    assert_finding(
        kind,
        0,
        "evidence",
        Some(json!([{ "type": "rumour" }])),
        "bad-evidence",
        "/evidence/0/type",
    );
    assert_finding(
        kind,
        0,
        "note",
        Some(json!("one\ntwo")),
        "note-not-one-line",
        "/note",
    );
    assert_finding(
        kind,
        0,
        "note",
        Some(json!("one\u{2028}two")),
        "note-not-one-line",
        "/note",
    );
    let at = position(kind, 0);
    let not_read = |reason: &str| {
        broken(|report| {
            let finding = report["findings"][at].as_object_mut().unwrap();
            finding.remove("value");
            finding.insert("status".into(), json!("not-read"));
            finding.insert("reason".into(), json!(reason));
        })
    };
    assert_eq!(
        not_read("because"),
        one("bad-reason", format!("/findings/{at}/reason"))
    );
    for reason in crate::Reason::ALL {
        assert_eq!(not_read(reason.as_str()), []);
    }
}

#[test]
fn the_header() {
    assert_eq!(
        broken(|r| r["version"] = json!("erc-presign/2")),
        one("bad-version", "/version")
    );
    assert_eq!(
        broken(|r| r["signer"] = json!(SIGNER.replace(":1:", ":2:"))),
        one("mixed-chains", "/signer")
    );
    assert_eq!(
        broken(|r| r["expiresAt"] = json!("2026-11-30T11:59:59Z")),
        one("expires-before-issued", "/expiresAt")
    );
    assert_eq!(
        broken(|r| r["issuedAt"] = json!("2026-11-30T12:00:00+00:00")),
        one("bad-time", "/issuedAt")
    );
    assert_eq!(
        broken(|r| r["signature"] = json!("0xzz")),
        one("bad-hex", "/signature")
    );
    assert_eq!(
        broken(|r| r["subjectDigest"] = json!("0xaa")),
        one("bad-hex", "/subjectDigest")
    );
    assert_eq!(
        broken(|r| r["source"]["agentId"] = json!(7)),
        one("wrong-type", "/source/agentId")
    );
    assert_eq!(
        broken(|r| r["entities"]["payment"] = json!("yes")),
        one("wrong-type", "/entities/payment")
    );
}

#[test]
fn nothing_is_listed_twice() {
    let again = |list: &str, entry: Value| {
        broken(|r| {
            r.pointer_mut(list)
                .and_then(Value::as_array_mut)
                .unwrap()
                .push(entry)
        })
    };
    let block = json!({ "chainId": "eip155:1", "block": "100", "hash": HASH.replace("aa", "bb") });
    assert_eq!(again("/blocks", block), one("duplicate-block", "/blocks/1"));
    let token = json!(TOKEN.replace("0xa0b8", "0xA0B8"));
    assert_eq!(
        again("/entities/tokens", token),
        one("duplicate-entity", "/entities/tokens/1")
    );
    let address = json!({ "address": SPENDER, "role": "spender" });
    assert_eq!(
        again("/entities/addresses", address),
        one("duplicate-entity", "/entities/addresses/2")
    );
    let text = json!({ "index": 0, "field": "web-page", "digest": HASH });
    assert_eq!(
        again("/entities/texts", text),
        one("duplicate-entity", "/entities/texts/2")
    );

    let count = findings().len();
    let repeated = |change: fn(&mut Value)| {
        let mut copy = findings()[position("address.lookalike", 0)].clone();
        change(&mut copy);
        again("/findings", copy)
    };
    assert_eq!(
        repeated(|_| {}),
        one("duplicate-finding", format!("/findings/{count}"))
    );
    assert_eq!(
        repeated(|f| f["entity"]["address"] = json!(
            SPENDER
                .to_uppercase()
                .replace("EIP155", "eip155")
                .replace("0X", "0x")
        )),
        one("duplicate-finding", format!("/findings/{count}"))
    );
    assert_eq!(
        repeated(|f| f["param"] = serde_json::from_str(r#"{"suffix": 4, "prefix": 4}"#).unwrap()),
        one("duplicate-finding", format!("/findings/{count}"))
    );
    assert_eq!(repeated(|f| f["param"]["prefix"] = json!(6)), []);
    let mut null_param = findings()[position("approval.amount", 0)].clone();
    null_param["param"] = Value::Null;
    assert_eq!(
        again("/findings", null_param),
        one("duplicate-finding", format!("/findings/{count}"))
    );
}

#[test]
fn findings_are_about_listed_entities() {
    let about = |entity: Value| {
        broken(|r| {
            let extension = json!({ "kind": "presight.x", "entity": entity, "status": "read", "value": 1, "evidence": [] });
            r["findings"].as_array_mut().unwrap().push(extension);
        })
    };
    let place = format!("/findings/{}/entity", findings().len());
    assert_eq!(about(json!({ "approval": 1 })), []);
    for unknown in [
        json!({ "token": SPENDER }),
        json!({ "approval": 2 }),
        json!({ "address": SPENDER, "role": "recipient" }),
        json!({ "text": 2 }),
    ] {
        assert_eq!(about(unknown), one("unknown-entity", &place));
    }
    let payment = broken(|r| r["entities"]["payment"] = json!(false));
    assert_eq!(payment.len(), 3);
    assert!(payment.iter().all(|(code, _)| code == "unknown-entity"));
    assert_eq!(
        broken(|r| {
            let mut copy = findings()[position("approval.amount", 0)].clone();
            copy["entity"] = json!({ "token": TOKEN });
            r["findings"].as_array_mut().unwrap().push(copy);
        }),
        one("wrong-entity", &place)
    );
}

/// Where the missing kind is reported, per kind, when every finding of the kind is taken out.
#[test]
fn every_core_kind_that_applies_is_demanded() {
    for core in CORE {
        let mut report = conforming();
        report["findings"]
            .as_array_mut()
            .unwrap()
            .retain(|f| f["kind"] != core.name);
        let found = check(&report, None);
        let places: Vec<&str> = found
            .iter()
            .filter(|r| r.message.contains(core.name))
            .map(|r| r.pointer.as_str())
            .collect();
        let expected: &[&str] = match core.name.split('.').nth(2).unwrap() {
            "token" => &["/entities/tokens/0"],
            "approval" if core.name.ends_with("share-of-supply") => &["/entities/approvals/0"],
            "approval" => &["/entities/approvals/0", "/entities/approvals/1"],
            "address" if core.name.ends_with("delegation") => &["/entities/addresses/1"],
            "address" => &["/entities/addresses/0", "/entities/addresses/1"],
            "payment" => &[],
            _ => &["/entities/texts/0", "/entities/texts/1"],
        };
        assert_eq!(places, expected, "{}", core.name);
        assert!(found.iter().all(|r| r.code == super::MISSING_CORE_KIND));

        let others: Vec<String> = CORE
            .iter()
            .map(|c| c.name.to_owned())
            .filter(|name| name != core.name)
            .collect();
        assert_eq!(
            check(&report, Some(&others)),
            [],
            "{} was not asked for",
            core.name
        );
        assert_eq!(
            check(&conforming(), Some(&others)),
            [],
            "{} may be there unasked",
            core.name
        );
    }
}

/// What the address kinds that depend on the code are demanded for, by the outcome of `address.code`.
#[test]
fn kinds_that_depend_on_the_code() {
    let missing = |code: Option<&str>| {
        let mut report = conforming();
        report["entities"]["addresses"]
            .as_array_mut()
            .unwrap()
            .truncate(1);
        let findings = report["findings"].as_array_mut().unwrap();
        findings.retain(|f| f["entity"]["role"] != "authority");
        findings.retain(|f| {
            let kind = f["kind"].as_str().unwrap();
            !kind.contains("address.delegate-") && !kind.ends_with("source-verified")
        });
        let at = findings
            .iter()
            .position(|f| f["kind"] == "erc.presign.address.code")
            .unwrap();
        let finding = findings[at].as_object_mut().unwrap();
        finding.insert("evidence".into(), json!([]));
        match code {
            Some(code) => {
                finding.insert("value".into(), json!(code));
            }
            None => {
                finding.remove("value");
                finding.insert("status".into(), json!("not-read"));
                finding.insert("reason".into(), json!("unavailable"));
            }
        }
        check(&report, None)
            .iter()
            .filter(|r| r.code == super::MISSING_CORE_KIND)
            .count()
    };
    assert_eq!(missing(Some("none")), 0);
    assert_eq!(missing(Some("contract")), 1);
    assert_eq!(missing(Some("delegated")), 4);
    assert_eq!(missing(None), 4);
}

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
