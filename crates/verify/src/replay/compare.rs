//! A report against its recomputation, member by member.

use super::gaps::Gaps;
use super::{Difference, Place};
use alloy_primitives::B256;
use presight_wire::jcs;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Not covered by `reportHash` (I-7).
const UNCOVERED: [&str; 2] = ["signature", "detail"];

/// Every difference that `reportHash` would see.
pub(super) fn differences(reported: &Value, recomputed: &Value, gaps: &Gaps) -> Vec<Difference> {
    let mut found = findings(items(reported), items(recomputed), gaps);
    let (Some(reported), Some(recomputed)) = (reported.as_object(), recomputed.as_object()) else {
        return vec![difference(
            Place::Member(String::new()),
            Some(reported),
            Some(recomputed),
            false,
        )];
    };
    if found.is_empty() && reported.get("findings") != recomputed.get("findings") {
        found.push(member("findings", reported, recomputed, gaps));
    }
    let added = recomputed.keys().filter(|name| !reported.contains_key(*name));
    for name in reported.keys().chain(added) {
        let compared = name != "findings" && !UNCOVERED.contains(&name.as_str());
        if compared && reported.get(name) != recomputed.get(name) {
            found.push(member(name, reported, recomputed, gaps));
        }
    }
    found
}

pub(super) fn items(report: &Value) -> &[Value] {
    report.as_object().map_or(&[], items_of)
}

fn items_of(report: &Map<String, Value>) -> &[Value] {
    report
        .get("findings")
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A finding that differs: its index, as reported, as recomputed.
type Pair<'a> = (usize, Option<&'a Value>, Option<&'a Value>);

fn findings(reported: &[Value], recomputed: &[Value], gaps: &Gaps) -> Vec<Difference> {
    let pairs = differing(reported, recomputed);
    let lacking: Vec<&Pair<'_>> = pairs.iter().filter(|pair| is_gap(pair, gaps)).collect();
    let roots = Roots::of(&lacking);
    pairs
        .iter()
        .map(|pair| {
            let gap = is_gap(pair, gaps) || roots.explain(pair);
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
pub(super) fn key(finding: &Value) -> B256 {
    digest_of(finding, &["kind", "entity", "param"])
}

fn digest_of(finding: &Value, members: &[&str]) -> B256 {
    let members: Map<String, Value> = members
        .iter()
        .filter_map(|name| {
            finding
                .get(*name)
                .map(|value| ((*name).to_owned(), value.clone()))
        })
        .collect();
    jcs::digest(&Value::Object(members))
}

/// The recomputation lacks what this finding rests on.
fn is_gap(&(_, reported, recomputed): &Pair<'_>, gaps: &Gaps) -> bool {
    let Some(ours) = recomputed else { return false };
    let read_by_the_report_alone = is(reported, "read") && is_unread_without_evidence(recomputed);
    gaps.lacks(ours)
        || read_by_the_report_alone
        || reported.is_some_and(|theirs| lacks_at(theirs, ours, gaps))
}

/// Not read, and not because of what the witness holds: a contract that reverts, say, is evidence.
fn is_unread_without_evidence(finding: Option<&Value>) -> bool {
    is(finding, "not-read") && !finding.is_some_and(has_evidence)
}

fn has_evidence(finding: &Value) -> bool {
    let evidence = finding.get("evidence").and_then(Value::as_array);
    evidence.is_some_and(|evidence| !evidence.is_empty())
}

/// The same fact of the request's bytes, without the block of a chain that the witness does not hold.
fn lacks_at(reported: &Value, recomputed: &Value, gaps: &Gaps) -> bool {
    let mut reported = reported.clone();
    let at = reported.as_object_mut().and_then(|finding| finding.remove("at"));
    let chain = at.as_ref().and_then(|at| at.get("chainId"));
    chain.is_some_and(|chain| gaps.lacks_chain(chain)) && reported == *recomputed
}

/// The readings that the recomputation lacks. Whether another kind applies, with which params, and why it is not read
/// can depend on them (I-13).
struct Roots {
    entities: HashSet<B256>,
    unread: HashSet<B256>,
}

impl Roots {
    fn of(lacking: &[&Pair<'_>]) -> Self {
        let recomputed = || lacking.iter().filter_map(|pair| pair.2);
        Self {
            entities: recomputed().map(|f| digest_of(f, &["entity"])).collect(),
            unread: recomputed()
                .filter(|f| is_unread_without_evidence(Some(f)))
                .map(|f| digest_of(f, &["kind", "entity"]))
                .collect(),
        }
    }

    fn explain(&self, &(_, reported, recomputed): &Pair<'_>) -> bool {
        match (reported, recomputed) {
            (_, Some(ours)) => {
                is_unread_without_evidence(recomputed)
                    && self.entities.contains(&digest_of(ours, &["entity"]))
            }
            (Some(theirs), None) => self.unread.contains(&digest_of(theirs, &["kind", "entity"])),
            (None, None) => false,
        }
    }
}

fn is(finding: Option<&Value>, status: &str) -> bool {
    finding.and_then(|f| f.get("status")) == Some(&json!(status))
}

fn member(
    name: &str,
    reported: &Map<String, Value>,
    recomputed: &Map<String, Value>,
    gaps: &Gaps,
) -> Difference {
    let (theirs, ours) = (reported.get(name), recomputed.get(name));
    let gap = match (name, theirs, ours) {
        ("blocks", Some(theirs), Some(ours)) => lacks_blocks(theirs, ours, gaps),
        ("entities", Some(theirs), Some(ours)) => lacks_texts(theirs, ours, items_of(recomputed)),
        _ => false,
    };
    difference(Place::Member(name.to_owned()), theirs, ours, gap)
}

/// The report's blocks are the recomputed ones and others that more of the witness might have brought.
fn lacks_blocks(reported: &Value, recomputed: &Value, gaps: &Gaps) -> bool {
    let (Some(theirs), Some(ours)) = (reported.as_array(), recomputed.as_array()) else {
        return false;
    };
    ours.iter().all(|block| theirs.contains(block))
        && theirs
            .iter()
            .all(|block| ours.contains(block) || gaps.admits_block(block))
}

/// The entities differ in nothing but names that the recomputation did not read, whose digest is zero (I-33), and of
/// which no finding shows that the contract gives none.
fn lacks_texts(reported: &Value, recomputed: &Value, findings: &[Value]) -> bool {
    let shown: HashSet<B256> = findings
        .iter()
        .filter(|finding| has_evidence(finding))
        .map(|finding| digest_of(finding, &["entity"]))
        .collect();
    let is_shown = |text: &Value| {
        let entity = json!({ "entity": { "text": text.get("index") } });
        shown.contains(&digest_of(&entity, &["entity"]))
    };
    let mut reported = reported.clone();
    let theirs = reported.get_mut("texts").and_then(Value::as_array_mut);
    let ours = recomputed.get("texts").and_then(Value::as_array);
    if let (Some(theirs), Some(ours)) = (theirs, ours) {
        for (theirs, ours) in theirs.iter_mut().zip(ours) {
            if ours.get("digest") == Some(&json!(B256::ZERO))
                && !is_shown(ours)
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

    /// Against a recomputation from a witness that lacks nothing.
    fn differences(reported: &Value, recomputed: &Value) -> Vec<Difference> {
        super::differences(
            reported,
            recomputed,
            &Gaps::besides(items(recomputed), "eip155:1"),
        )
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
    fn what_rests_on_a_missing_read_is_a_gap_whatever_the_report_says() {
        let not_read = |reason: &str| json!({ "kind": "a", "entity": { "approval": 0 }, "status": "not-read", "reason": reason });
        let (reported, recomputed) = (report(&[not_read("timeout")]), report(&[not_read("unavailable")]));
        let lacking = super::differences(&reported, &recomputed, &Gaps::besides(&[], "eip155:1"));
        assert!(lacking.len() == 1 && lacking[0].gap);
        assert!(!differences(&reported, &recomputed)[0].gap);
    }

    #[test]
    fn what_the_evidence_shows_not_to_be_there_is_no_gap() {
        let mut not_read = json!({ "kind": "a", "entity": { "approval": 0 }, "status": "not-read", "reason": "unavailable" });
        not_read["evidence"] = json!([{ "type": "call" }]);
        let reported = report(&[finding("a", "1"), finding("b", "1")]);
        let unread =
            json!({ "kind": "b", "entity": { "approval": 0 }, "status": "not-read", "reason": "timeout" });
        let gaps: Vec<bool> = differences(&reported, &report(&[not_read, unread]))
            .iter()
            .map(|d| d.gap)
            .collect();
        assert_eq!(gaps, [false, true]);
    }

    #[test]
    fn a_param_that_follows_from_a_missing_read_is_a_gap() {
        let mut listed = finding("a", "1");
        listed["param"] = json!("x");
        let reported = report(&[listed, finding("b", "1")]);
        let unread = report(&[
            json!({ "kind": "a", "entity": { "approval": 0 }, "status": "not-read", "reason": "timeout" }),
        ]);
        let lacking = super::differences(&reported, &unread, &Gaps::besides(&[], "eip155:1"));
        let gaps: Vec<bool> = lacking.iter().map(|d| d.gap).collect();
        assert_eq!(gaps, [true, false, true]);
    }

    #[test]
    fn a_block_of_a_chain_the_witness_lacks_is_a_gap() {
        let with_block = |chain: &str| {
            let mut found = finding("a", "1");
            found["at"] = json!({ "chainId": chain, "block": "1" });
            let mut report = report(&[found]);
            report["blocks"] = json!([{ "chainId": chain, "block": "1", "hash": "0x" }]);
            report
        };
        let mut without = report(&[finding("a", "1")]);
        without["blocks"] = json!([]);
        let gaps = |chain: &str| -> Vec<bool> {
            differences(&with_block(chain), &without)
                .iter()
                .map(|d| d.gap)
                .collect()
        };
        assert_eq!(gaps("eip155:1"), [true, true]);
        assert_eq!(gaps("eip155:10"), [false, false]);
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
        let mut reverts = entities(B256::ZERO, "token.name");
        reverts["findings"] =
            json!([{ "kind": "t", "entity": { "text": 0 }, "evidence": [{ "type": "call" }] }]);
        let mut lie = read;
        lie["findings"] = reverts["findings"].clone();
        assert!(!differences(&lie, &reverts)[0].gap);
    }
}
