//! From a verified report, every change of one member: of what anyone can change on the way, and of what a source that
//! signs the change can get away with.
#![allow(clippy::unwrap_used)]

mod common;

use common::{World, approve_request, envelope_request};
use presight_verify::{Conclusion, Unverified, verify};
use presight_view::run_recorded;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// ERC-8481 §Report, I-17, and the same in other letters.
const FORBIDDEN: [&str; 10] = [
    "score",
    "verdict",
    "severity",
    "action",
    "recommendation",
    "Verdict",
    "recommendedAction",
    "risk_score",
    "RISK",
    "rating",
];

/// What was done to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Value,
    Removed,
    Added,
    Forbidden,
    Doubled,
    Swapped,
    Renamed,
    SignatureBit,
}

struct Mutation {
    kind: Kind,
    pointer: String,
    report: Value,
}

/// Every mutation of one member, recursively.
fn mutations(report: &Value) -> Vec<Mutation> {
    let mut found = Vec::new();
    let mut places = vec![String::new()];
    while let Some(pointer) = places.pop() {
        let here = report.pointer(&pointer).unwrap();
        let mut change = |kind: Kind, new: Value| {
            let mut changed = report.clone();
            *changed.pointer_mut(&pointer).unwrap() = new;
            found.push(Mutation {
                kind,
                pointer: pointer.clone(),
                report: changed,
            });
        };
        match here {
            Value::Object(members) => {
                for forbidden in FORBIDDEN {
                    change(Kind::Forbidden, with(members, forbidden, json!(0)));
                }
                change(Kind::Added, with(members, "unknown", json!(true)));
                for name in members.keys() {
                    let mut fewer = members.clone();
                    let value = fewer.remove(name).unwrap();
                    change(Kind::Removed, Value::Object(fewer.clone()));
                    change(Kind::Renamed, with(&fewer, &format!("{name}s"), value));
                    places.push(format!(
                        "{pointer}/{}",
                        name.replace('~', "~0").replace('/', "~1")
                    ));
                }
            }
            Value::Array(items) => {
                for index in 0..items.len() {
                    let (mut fewer, mut more, mut swapped) = (items.clone(), items.clone(), items.clone());
                    fewer.remove(index);
                    change(Kind::Removed, Value::Array(fewer));
                    more.insert(index, items[index].clone());
                    change(Kind::Doubled, Value::Array(more));
                    if index > 0 {
                        swapped.swap(index - 1, index);
                        if swapped != *items {
                            change(Kind::Swapped, Value::Array(swapped));
                        }
                    }
                    places.push(format!("{pointer}/{index}"));
                }
                change(Kind::Added, [items.clone(), vec![json!({})]].concat().into());
            }
            scalar => {
                for other in others(scalar) {
                    change(Kind::Value, other);
                }
            }
        }
    }
    found.extend(signature_bits(report));
    found
}

fn with(members: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut more = members.clone();
    more.insert(name.to_owned(), value);
    Value::Object(more)
}

/// Other values of a scalar: of another type, longer, and with a character changed at its ends and in its middle.
fn others(scalar: &Value) -> Vec<Value> {
    let mut others = vec![json!(null), json!(true), json!(1), json!(""), json!("0")];
    match scalar {
        Value::String(text) => {
            others.extend([json!(format!("{text}0")), json!(format!(" {text}"))]);
            let characters: Vec<char> = text.chars().collect();
            for at in [0, characters.len() / 2, characters.len().saturating_sub(1)] {
                let mut changed = characters.clone();
                if let Some(c) = changed.get_mut(at) {
                    *c = match *c {
                        '0' => '1',
                        '9' => '8',
                        'f' => 'e',
                        'a'..='y' => char::from_u32(u32::from(*c) + 1).unwrap(),
                        _ => '0',
                    };
                }
                others.push(json!(String::from_iter(changed)));
            }
        }
        Value::Number(number) => {
            let number = number.as_u64().unwrap();
            others.extend([json!(number + 1), json!(number.to_string())]);
        }
        _ => {}
    }
    others.retain(|other| other != scalar);
    others
}

/// Every bit of the signature, and the same bytes written otherwise.
fn signature_bits(report: &Value) -> impl Iterator<Item = Mutation> {
    let text = report["signature"].as_str().unwrap();
    let bytes = alloy_primitives::hex::decode(text).unwrap();
    let flipped = (0..bytes.len() * 8).map(move |bit| {
        let mut bytes = bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        alloy_primitives::hex::encode_prefixed(bytes)
    });
    flipped.map(|signature| {
        let mut report = report.clone();
        report["signature"] = json!(signature);
        Mutation {
            kind: Kind::SignatureBit,
            pointer: "/signature".into(),
            report,
        }
    })
}

fn conclusion(world: &World, report: &Value) -> Conclusion {
    let report = Unverified::parse(report.to_string().as_bytes()).unwrap();
    let request = world.parsed_request();
    run_recorded(&world.snapshot, |view| {
        verify(&report, &request, view, &world.options)
    })
    .value
    .unwrap()
    .conclusion()
}

/// Mutations by kind, and those that still are verified.
type Counts = BTreeMap<Kind, (usize, usize)>;

fn worlds() -> Vec<(&'static str, World)> {
    let with_detail = |mut request: Value| {
        // A few kinds of each group: every member a report may have, and few enough to change each.
        request["kinds"] = json!([
            "erc.presign.approval.amount",
            "erc.presign.approval.current-allowance",
            "erc.presign.address.code",
            "erc.presign.address.lookalike",
            "erc.presign.text.addresses",
        ]);
        let mut world = World::of(request);
        world.report["detail"] = json!("https://example.com/report");
        world.report["expiresAt"] = json!("2027-11-30T12:00:00Z");
        world.sign();
        world
    };
    vec![
        ("calls", with_detail(approve_request())),
        ("envelope", with_detail(envelope_request())),
    ]
}

#[test]
fn whatever_changes_on_the_way_is_rejected() {
    for (name, world) in worlds() {
        assert_eq!(conclusion(&world, &world.report), Conclusion::Verified);
        let mut counts = Counts::new();
        for Mutation {
            kind,
            pointer,
            report,
        } in mutations(&world.report)
        {
            let verified = conclusion(&world, &report) == Conclusion::Verified;
            let count = counts.entry(kind).or_default();
            count.0 += 1;
            count.1 += usize::from(verified);
            // `detail` alone is not covered by the signature.
            let of_detail = pointer == "/detail" || report.get("detail") != world.report.get("detail");
            assert!(
                !verified || of_detail,
                "{name} {kind:?} at `{pointer}`: {report:#}"
            );
        }
        println!("{name}, on the way (mutations, verified): {counts:?}");
        assert!(counts.len() == 8 && counts.values().all(|(mutations, _)| *mutations > 0));
    }
}

#[test]
fn what_a_source_signs_is_its_own_word_and_no_more() {
    for (name, world) in worlds() {
        let mut counts = Counts::new();
        for Mutation {
            kind,
            pointer,
            report,
        } in mutations(&world.report)
        {
            if pointer.starts_with("/signature") || report.get("signature").is_none() {
                continue;
            }
            let mut signed = World {
                report,
                snapshot: world.snapshot.clone(),
                request: world.request.clone(),
                options: world.options.clone(),
                key: common::key(7),
            };
            if !["subjectDigest", "contextDigest"]
                .iter()
                .all(|d| is_digest(&signed.report[*d]))
            {
                continue;
            }
            signed.sign();
            let verified = conclusion(&signed, &signed.report) == Conclusion::Verified;
            let count = counts.entry(kind).or_default();
            count.0 += 1;
            count.1 += usize::from(verified);
            assert!(
                !verified || is_the_sources_to_say(kind, &pointer, &world.report),
                "{name} {kind:?} at `{pointer}`: {:#}",
                signed.report
            );
        }
        println!("{name}, signed by the source (mutations, verified): {counts:?}");
        assert!(counts.len() >= 6 && counts.values().all(|(mutations, _)| *mutations > 0));
    }
}

/// Facts of the chain, times, names of tokens, the method. Not the request, the identity, the blocks, the entities or
/// what the request's bytes say, and nothing that judges.
fn is_the_sources_to_say(kind: Kind, pointer: &str, report: &Value) -> bool {
    let within = |places: &[&str]| places.iter().any(|place| pointer.starts_with(place));
    let of_the_bytes = pointer
        .strip_suffix("/value")
        .and_then(|finding| report.pointer(finding))
        .is_some_and(|f| {
            ["erc.presign.approval.amount", "erc.presign.text.addresses"]
                .contains(&f["kind"].as_str().unwrap())
                && f["entity"]["text"].as_u64().is_none_or(|text| text == 0)
        });
    match kind {
        Kind::Forbidden | Kind::SignatureBit => false,
        // A member nobody knows says nothing; the order of findings and addresses neither.
        Kind::Added => true,
        Kind::Swapped => within(&["/findings", "/entities/addresses", "/entities/texts"]),
        Kind::Value | Kind::Removed | Kind::Doubled | Kind::Renamed => {
            let own = [
                "/findings",
                "/method",
                "/detail",
                "/expiresAt",
                "/issuedAt",
                "/entities/texts",
            ];
            (pointer.is_empty() || within(&own)) && !of_the_bytes
        }
    }
}

fn is_digest(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.parse::<alloy_primitives::B256>().is_ok())
}
