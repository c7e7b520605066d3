//! Recomputing a report from its witness.
#![allow(clippy::unwrap_used)]

mod common;

use common::{SPENDER, World, with_code};
use presight_verify::{Place, Replay, ReplayConclusion, replay};
use presight_view::{Answer, Proofs, ViewFile, file};
use presight_wire::Timestamp;
use serde_json::json;

fn witness(world: &World) -> ViewFile {
    file::parse(file::to_json(&world.snapshot).as_bytes()).unwrap()
}

fn replayed(world: &World, witness: &ViewFile) -> Replay {
    replay(&world.unverified(), &world.parsed_request(), witness)
}

#[test]
fn the_witness_gives_the_report_again() {
    let world = World::new();
    let replay = replayed(&world, &witness(&world));
    assert_eq!(replay.differences, []);
    assert_eq!(replay.conclusion, ReplayConclusion::Same);
    assert_eq!(
        serde_json::to_value(&replay).unwrap(),
        json!({ "conclusion": "same", "proofs": "absent", "differences": [] })
    );
}

#[test]
fn a_lie_about_a_finding_is_found() {
    let mut world = World::new();
    let findings = world.report["findings"].as_array_mut().unwrap();
    let index = findings
        .iter()
        .position(|f| f["kind"] == "erc.presign.approval.unlimited")
        .unwrap();
    findings[index]["value"] = json!(false);
    world.sign();
    let replay = replayed(&world, &witness(&world));
    assert_eq!(replay.conclusion, ReplayConclusion::Different);
    assert_eq!(replay.differences.len(), 1);
    let difference = serde_json::to_value(&replay.differences[0]).unwrap();
    assert_eq!(difference["finding"], index);
    assert_eq!(
        (
            &difference["reported"]["value"],
            &difference["recomputed"]["value"]
        ),
        (&json!(false), &json!(true))
    );
}

#[test]
fn another_state_or_clock_gives_another_report() {
    let world = World::new();
    let mut changed = witness(&world);
    let chain = changed
        .snapshot
        .chains
        .get_mut(world.parsed_request().chain())
        .unwrap();
    chain.accounts.insert(SPENDER, with_code(&[]));
    let replay = replayed(&world, &changed);
    assert_eq!(replay.conclusion, ReplayConclusion::Different);
    assert!(
        replay
            .differences
            .iter()
            .all(|d| matches!(d.place, Place::Finding(_)))
    );

    let mut later = witness(&world);
    later.snapshot.clock = Timestamp(common::NOW + 1);
    let replay = replayed(&world, &later);
    assert_eq!(replay.conclusion, ReplayConclusion::Different);
    assert_eq!(replay.differences[0].place, Place::Member("issuedAt".into()));
}

#[test]
fn another_request_gives_another_report() {
    let mut world = World::new();
    world.request["context"] = json!({});
    assert_eq!(
        replayed(&world, &witness(&world)).conclusion,
        ReplayConclusion::Different
    );
}

#[test]
fn a_witness_with_a_gap_contradicts_nothing() {
    let world = World::new();
    let mut gap = witness(&world);
    let chain = gap
        .snapshot
        .chains
        .get_mut(world.parsed_request().chain())
        .unwrap();
    chain.accounts.get_mut(&SPENDER).unwrap().code = Some(Answer::Failed(presight_wire::Reason::Timeout));
    let replay = replayed(&world, &gap);
    assert!(!replay.differences.is_empty());
    assert_eq!(replay.conclusion, ReplayConclusion::NotRecomputable);

    // A gap excuses nothing else.
    let mut lying = World::new();
    lying.report["issuedAt"] = json!(Timestamp(common::NOW - 1).to_string());
    lying.sign();
    assert_eq!(replayed(&lying, &gap).conclusion, ReplayConclusion::Different);
}

#[test]
fn another_method_is_not_recomputable() {
    let mut world = World::new();
    world.report["method"] = json!("other/1");
    world.sign();
    assert_eq!(
        replayed(&world, &witness(&world)).conclusion,
        ReplayConclusion::NotRecomputable
    );
}

#[test]
fn the_sources_own_choices_are_not_recomputed() {
    let mut world = World::new();
    world.report["expiresAt"] = json!(Timestamp(common::NOW + 60).to_string());
    world.report["detail"] = json!("https://example.com");
    world.sign();
    assert_eq!(
        replayed(&world, &witness(&world)).conclusion,
        ReplayConclusion::Same
    );
}

#[test]
fn the_word_for_proofs_never_says_more_than_they_show() {
    let world = World::new();
    for (proofs, word) in [
        (Proofs::Absent, "absent"),
        (Proofs::Partial, "absent"),
        (Proofs::Valid, "valid"),
        (Proofs::Invalid, "invalid"),
    ] {
        let file = ViewFile {
            proofs,
            ..witness(&world)
        };
        assert_eq!(
            serde_json::to_value(replayed(&world, &file)).unwrap()["proofs"],
            word
        );
    }
}
