//! Recomputing a report from its witness.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::hex;
use common::{SPENDER, TOKEN, World, with_code};
use presight_decode::decode;
use presight_source::assemble;
use presight_verify::{Conclusion, Confirmation, Place, Replay, ReplayConclusion, Status, replay};
use presight_view::{Answer, Proofs, ViewFile, file, run_recorded};
use presight_wire::{Reason, Timestamp};
use serde_json::{Value, json};

/// A token that reverts on `totalSupply()` and answers every other call with 32 zero bytes.
const NO_SUPPLY: [u8; 22] = hex!("5f3560e01c6318160ddd1460125760205ff35b5f5ffd");

fn witness(world: &World) -> ViewFile {
    file::parse(file::to_json(&world.snapshot).as_bytes()).unwrap()
}

fn replayed(world: &World, witness: &ViewFile) -> Replay {
    replay(
        &world.unverified(),
        &world.parsed_request(),
        witness,
        &presight_source::Config::default(),
    )
}

/// Exactly what the report was made from.
fn exact_witness(world: &World) -> ViewFile {
    let request = world.parsed_request();
    let decoded = decode(&request).unwrap();
    let driven = run_recorded(&world.snapshot, |view| {
        assemble(
            view,
            &request,
            &decoded,
            &world.source(),
            &presight_source::Config::default(),
        )
    });
    file::parse(file::to_json(&driven.witness()).as_bytes()).unwrap()
}

fn token_without_supply() -> World {
    let mut world = World::new();
    world.chain().accounts.insert(TOKEN, with_code(&NO_SUPPLY));
    world.make_report();
    world
}

fn finding<'a>(world: &'a mut World, kind: &str) -> &'a mut Value {
    let findings = world.report["findings"].as_array_mut().unwrap();
    findings.iter_mut().find(|f| f["kind"] == kind).unwrap()
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
fn verification_takes_the_replay_in() {
    let world = World::new();
    let joined = |world: &World, file: &ViewFile| world.verify().with_replay(&replayed(world, file));
    let same = joined(&world, &witness(&world));
    assert_eq!(same.conclusion(), Conclusion::Verified);
    assert_eq!(same.step("replay").unwrap().status, Status::Pass);
    let confirmations = same.confirmations().unwrap();
    assert!(confirmations.iter().all(|c| *c == Confirmation::Confirmed));
    assert_eq!(
        confirmations.len(),
        world.report["findings"].as_array().unwrap().len()
    );

    // A source that lies about the chain, and signs it: only the witness tells.
    let mut lying = World::new();
    finding(&mut lying, "erc.presign.approval.current-allowance")["value"] = json!("5");
    lying.sign();
    assert_eq!(lying.verify().conclusion(), Conclusion::Verified);
    let lie = joined(&lying, &witness(&lying));
    assert_eq!(lie.conclusion(), Conclusion::Rejected);
    let different = lie
        .confirmations()
        .unwrap()
        .iter()
        .filter(|c| **c == Confirmation::Different);
    assert_eq!(different.count(), 1);
    assert!(lie.into_verified().is_none());

    // A witness that holds nothing confirms nothing and denies nothing.
    let mut empty = witness(&world);
    empty.snapshot.chains.clear();
    let unknown = joined(&world, &empty);
    assert_eq!(unknown.conclusion(), Conclusion::Verified);
    assert_eq!(unknown.step("replay").unwrap().status, Status::NotRead);
    assert!(
        unknown
            .confirmations()
            .unwrap()
            .contains(&Confirmation::NotRecomputable)
    );
    let json = serde_json::to_value(&unknown).unwrap();
    assert_eq!(json["findings"].as_array().unwrap().len(), confirmations.len());
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
fn what_was_never_read_is_no_contradiction_either() {
    let mut world = token_without_supply();
    assert_eq!(
        finding(&mut world, "erc.presign.approval.share-of-supply")["reason"],
        "unavailable"
    );
    let witness = exact_witness(&world);
    assert_eq!(replayed(&world, &witness).conclusion, ReplayConclusion::Same);

    let mut without_token = witness.clone();
    let chain = world.parsed_request().chain().clone();
    let held = without_token.snapshot.chains.get_mut(&chain).unwrap();
    held.accounts.remove(&TOKEN).unwrap();
    let replay = replayed(&world, &without_token);
    assert_eq!(
        replay.conclusion,
        ReplayConclusion::NotRecomputable,
        "{replay:#?}"
    );

    let mut empty = witness;
    empty.snapshot.chains.clear();
    let replay = replayed(&world, &empty);
    assert_eq!(
        replay.conclusion,
        ReplayConclusion::NotRecomputable,
        "{replay:#?}"
    );
}

#[test]
fn without_its_chain_a_fact_of_the_bytes_only_loses_its_block() {
    let mut request = common::approve_request();
    request["subject"]["calls"][0]["data"] = json!(common::APPROVE.replace(&"f".repeat(64), &"1".repeat(64)));
    let mut world = World::of(request);
    let mut empty = exact_witness(&world);
    empty.snapshot.chains.clear();
    let replay = replayed(&world, &empty);
    assert_eq!(
        replay.conclusion,
        ReplayConclusion::NotRecomputable,
        "{replay:#?}"
    );

    // Its value is still there to contradict.
    finding(&mut world, "erc.presign.approval.unlimited")["value"] = json!(true);
    world.sign();
    assert_eq!(replayed(&world, &empty).conclusion, ReplayConclusion::Different);
}

#[test]
fn a_value_where_the_witness_shows_that_there_is_none_is_a_contradiction() {
    let mut world = token_without_supply();
    let share = finding(&mut world, "erc.presign.approval.share-of-supply");
    share["status"] = json!("read");
    share["value"] = json!(1);
    share.as_object_mut().unwrap().remove("reason");
    world.sign();
    let witness = exact_witness(&world);
    assert_eq!(replayed(&world, &witness).conclusion, ReplayConclusion::Different);
}

#[test]
fn another_reason_than_the_witness_records_is_a_contradiction() {
    let mut world = token_without_supply();
    finding(&mut world, "erc.presign.approval.share-of-supply")["reason"] = json!("timeout");
    world.sign();
    let witness = exact_witness(&world);
    assert_eq!(replayed(&world, &witness).conclusion, ReplayConclusion::Different);
}

#[test]
fn an_incomplete_view_gives_an_incomplete_report_again() {
    for reason in [Reason::Unavailable, Reason::Timeout, Reason::Incomplete] {
        for lost in [None, Some(TOKEN), Some(SPENDER)] {
            let mut world = World::new();
            world.snapshot.closed = Some(reason);
            match lost {
                Some(account) => drop(world.chain().accounts.remove(&account)),
                None => world.snapshot.chains.clear(),
            }
            world.make_report();
            let replay = replayed(&world, &exact_witness(&world));
            assert_eq!(replay.differences, [], "{reason:?} {lost:?}");
            assert_eq!(replay.conclusion, ReplayConclusion::Same);
        }
    }
}

#[test]
fn a_block_of_a_chain_nobody_asked_for_is_a_contradiction() {
    let mut world = World::new();
    let stray = json!({ "chainId": "eip155:10", "block": "1", "hash": format!("0x{}", "1".repeat(64)) });
    world.report["blocks"].as_array_mut().unwrap().push(stray);
    world.sign();
    let replay = replayed(&world, &exact_witness(&world));
    assert_eq!(replay.conclusion, ReplayConclusion::Different);
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
