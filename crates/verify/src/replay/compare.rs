//! A report against its recomputation, member by member.

use super::{Difference, Place};
use alloy_primitives::B256;
use presight_wire::jcs;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Not covered by `reportHash` (I-7).
const UNCOVERED: [&str; 2] = ["signature", "detail"];

/// Every difference that `reportHash` would see.
pub(super) fn differences(reported: &Value, recomputed: &Value) -> Vec<Difference> {
    let mut found = findings(items(reported), items(recomputed));
    let (Some(reported), Some(recomputed)) = (reported.as_object(), recomputed.as_object()) else {
        return vec![difference(
            Place::Member(String::new()),
            Some(reported),
            Some(recomputed),
            false,
        )];
    };
    if found.is_empty() && reported.get("findings") != recomputed.get("findings") {
        found.push(member("findings", reported, recomputed));
    }
    let added = recomputed.keys().filter(|name| !reported.contains_key(*name));
    for name in reported.keys().chain(added) {
        let compared = name != "findings" && !UNCOVERED.contains(&name.as_str());
        if compared && reported.get(name) != recomputed.get(name) {
            found.push(member(name, reported, recomputed));
        }
    }
    found
}

fn items(report: &Value) -> &[Value] {
    report
        .get("findings")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A finding that differs: its index, as reported, as recomputed.
type Pair<'a> = (usize, Option<&'a Value>, Option<&'a Value>);

fn findings(reported: &[Value], recomputed: &[Value]) -> Vec<Difference> {
    let pairs = differing(reported, recomputed);
    pairs
        .iter()
        .map(|pair| {
            let gap = is_gap(pair) || follows_from_a_gap(pair, &pairs);
            difference(Place::Finding(pair.0), pair.1, pair.2, gap)
        })
        .collect()
}

/// Findings are matched by what they are about, so that one left out does not shift the others.
fn differing<'a>(reported: &'a [Value], recomputed: &'a [Value]) -> Vec<Pair<'a>> {
    let mut by_key: HashMap<B256, usize> = recomputed.iter().map(key).zip(0..).collect();
    let mut pairs: Vec<Pair<'a>> = reported
        .iter()
        .enumerate()
        .map(|(index, theirs)| {
            (
                index,
                Some(theirs),
                by_key.remove(&key(theirs)).map(|i| &recomputed[i]),
            )
        })
        .filter(|(_, theirs, ours)| theirs != ours)
        .collect();
    let mut added: Vec<usize> = by_key.into_values().collect();
    added.sort_unstable();
    pairs.extend(
        added
            .into_iter()
            .map(|index| (index, None, Some(&recomputed[index]))),
    );
    pairs
}

/// ERC-8481 §Report: no two findings share kind, entity and param. An absent param is not a `null` one.
fn key(finding: &Value) -> B256 {
    let identity: Map<String, Value> = ["kind", "entity", "param"]
        .iter()
        .filter_map(|name| {
            finding
                .get(*name)
                .map(|value| ((*name).to_owned(), value.clone()))
        })
        .collect();
    jcs::digest(&Value::Object(identity))
}

/// The report read it, the recomputation did not.
fn is_gap(&(_, reported, recomputed): &Pair<'_>) -> bool {
    is(reported, "read") && is(recomputed, "not-read")
}

/// Whether a kind applies, and why it is not read, can depend on a reading that the recomputation lacks (I-13).
fn follows_from_a_gap(&(_, _, recomputed): &Pair<'_>, pairs: &[Pair<'_>]) -> bool {
    let entity = |finding: Option<&Value>| finding.and_then(|f| f.get("entity")).cloned();
    is(recomputed, "not-read")
        && pairs
            .iter()
            .any(|other| is_gap(other) && entity(other.1) == entity(recomputed))
}

fn is(finding: Option<&Value>, status: &str) -> bool {
    finding.and_then(|f| f.get("status")) == Some(&json!(status))
}

fn member(name: &str, reported: &Map<String, Value>, recomputed: &Map<String, Value>) -> Difference {
    let (theirs, ours) = (reported.get(name), recomputed.get(name));
    let gap = match (name, theirs, ours) {
        ("blocks", Some(theirs), Some(ours)) => lacks_blocks(theirs, ours),
        ("entities", Some(theirs), Some(ours)) => lacks_texts(theirs, ours),
        _ => false,
    };
    difference(Place::Member(name.to_owned()), theirs, ours, gap)
}

/// Every block that was recomputed is the report's: the others are of chains the witness does not hold.
fn lacks_blocks(reported: &Value, recomputed: &Value) -> bool {
    match (reported.as_array(), recomputed.as_array()) {
        (Some(theirs), Some(ours)) => ours.iter().all(|block| theirs.contains(block)),
        _ => false,
    }
}

/// The entities differ in nothing but names that the recomputation did not read, whose digest is zero (I-33).
fn lacks_texts(reported: &Value, recomputed: &Value) -> bool {
    let mut reported = reported.clone();
    let theirs = reported.get_mut("texts").and_then(Value::as_array_mut);
    let ours = recomputed.get("texts").and_then(Value::as_array);
    if let (Some(theirs), Some(ours)) = (theirs, ours) {
        for (theirs, ours) in theirs.iter_mut().zip(ours) {
            if ours.get("digest") == Some(&json!(B256::ZERO))
                && let Some(theirs) = theirs.as_object_mut()
            {
                theirs.insert("digest".to_owned(), json!(B256::ZERO));
            }
        }
    }
    reported == *recomputed
}

fn difference(place: Place, reported: Option<&Value>, recomputed: Option<&Value>, gap: bool) -> Difference {
    Difference {
        place,
        reported: reported.cloned(),
        recomputed: recomputed.cloned(),
        gap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: &str, value: &str) -> Value {
        json!({ "kind": kind, "entity": { "approval": 0 }, "status": "read", "value": value })
    }

    fn report(findings: &[Value]) -> Value {
        json!({ "method": "m", "findings": findings, "signature": "0x" })
    }

    #[test]
    fn equal_reports_have_no_difference_whatever_their_signature() {
        let reported = report(&[finding("a", "1")]);
        let mut recomputed = reported.clone();
        recomputed["signature"] = json!("0x01");
        recomputed["detail"] = json!("https://example.com");
        assert_eq!(differences(&reported, &recomputed), []);
    }

    #[test]
    fn a_finding_left_out_does_not_shift_the_others() {
        let (a, b, c) = (finding("a", "1"), finding("b", "1"), finding("c", "1"));
        let found = differences(
            &report(&[a.clone(), c.clone()]),
            &report(&[a.clone(), b.clone(), c.clone()]),
        );
        assert_eq!(found, [difference(Place::Finding(1), None, Some(&b), false)]);
        let found = differences(&report(&[a.clone(), b.clone(), c.clone()]), &report(&[a, c]));
        assert_eq!(found, [difference(Place::Finding(1), Some(&b), None, false)]);
    }

    #[test]
    fn a_changed_value_is_no_gap_and_an_unread_one_is() {
        let not_read = json!({ "kind": "a", "entity": { "approval": 0 }, "status": "not-read", "reason": "unavailable" });
        let changed = differences(&report(&[finding("a", "1")]), &report(&[finding("a", "2")]));
        assert!(changed.len() == 1 && !changed[0].gap);
        let unread = differences(
            &report(&[finding("a", "1")]),
            &report(std::slice::from_ref(&not_read)),
        );
        assert!(unread.len() == 1 && unread[0].gap);
        let invented = differences(&report(&[not_read]), &report(&[finding("a", "1")]));
        assert!(invented.len() == 1 && !invented[0].gap);
    }

    #[test]
    fn what_depends_on_an_unread_reading_is_a_gap_too() {
        let not_read = |kind: &str, entity: u8, reason: &str| json!({ "kind": kind, "entity": { "approval": entity }, "status": "not-read", "reason": reason });
        let reported = report(&[finding("code", "none"), not_read("verified", 0, "unsupported")]);
        let recomputed = report(&[
            not_read("code", 0, "timeout"),
            not_read("verified", 0, "timeout"),
            not_read("delegate", 0, "timeout"),
            not_read("delegate", 1, "timeout"),
        ]);
        let gaps: Vec<bool> = differences(&reported, &recomputed)
            .iter()
            .map(|d| d.gap)
            .collect();
        assert_eq!(gaps, [true, true, true, false]);
    }

    #[test]
    fn order_and_members_are_compared() {
        let (a, b) = (finding("a", "1"), finding("b", "1"));
        let found = differences(&report(&[a.clone(), b.clone()]), &report(&[b, a]));
        assert_eq!(
            found.iter().map(|d| &d.place).collect::<Vec<_>>(),
            [&Place::Member("findings".into())]
        );
        let mut extra = report(&[]);
        extra["more"] = json!(1);
        let found = differences(&extra, &report(&[]));
        assert_eq!(
            found,
            [difference(
                Place::Member("more".into()),
                Some(&json!(1)),
                None,
                false
            )]
        );
    }

    #[test]
    fn a_name_the_witness_does_not_hold_is_a_gap() {
        let entities = |digest: B256, field: &str| json!({ "entities": { "tokens": [], "texts": [{ "index": 0, "field": field, "digest": digest }] } });
        let read = entities(B256::repeat_byte(1), "token.name");
        assert!(differences(&read, &entities(B256::ZERO, "token.name"))[0].gap);
        assert!(!differences(&read, &entities(B256::repeat_byte(2), "token.name"))[0].gap);
        assert!(!differences(&read, &entities(B256::ZERO, "token.symbol"))[0].gap);
    }
}
