mod conforming;
mod facts;

use self::conforming::{HASH, SIGNER, SPENDER, TOKEN, conforming, findings};
use super::check;
use crate::kinds::CORE;
use serde_json::{Value, json};

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
fn kinds_that_are_not_known_are_informational() {
    let with = |kind: &str| {
        broken(|r| {
            let finding = json!({
                "kind": kind, "entity": { "text": 0 }, "param": [1], "status": "read", "value": null,
                "at": { "chainId": "eip155:1", "block": "100" }, "evidence": [],
            });
            r["findings"].as_array_mut().unwrap().push(finding);
        })
    };
    for kind in [
        "text.addresses",
        "presight.text.addresses",
        "org.example.erc.presign.text.other",
        "erc.presign.text.other",
    ] {
        assert_eq!(with(kind), [], "{kind}");
    }
}

#[test]
fn numbers_are_exact_in_every_double() {
    for number in [json!(1_u64 << 53), json!(u64::MAX), json!(i64::MIN), json!(1e300)] {
        assert_eq!(
            broken(|r| r["extra"] = json!([number])),
            one("json-inexact-number", "/extra/0")
        );
    }
    assert_eq!(broken(|r| r["extra"] = json!([(1_u64 << 53) - 1, -1.5])), []);
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
                .push(entry);
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
