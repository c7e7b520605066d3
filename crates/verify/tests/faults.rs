//! Every read of a verification, failing one at a time: a fault never rejects a good report and never lets a bad
//! one through.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::B256;
use common::registry::{ACCEPTS_ONE_HASH, Registry, wallet_accepting};
use common::{AGENT, STRANGER, World, with_code};
use presight_verify::{Conclusion, Status, verify};
use presight_view::{Answer, Document, Snapshot, View, Want, run_recorded};
use presight_wire::Reason;
use serde_json::json;
use std::collections::BTreeSet;

const FILE: &str = "https://example.com/agent.json";

/// A source bound by a file behind a URL, its signer a contract: every kind of read.
fn good() -> World {
    let mut world = World::new();
    *world.signer_account() = wallet_accepting(world.signing_hash());
    world.set_registry(
        Registry::deployed()
            .owner(AGENT, STRANGER)
            .wallet(AGENT, None)
            .uri(AGENT, FILE),
    );
    let signer = world.source().signer.to_string();
    list(&mut world, &[&signer]);
    // The report's block is not the view's own any more.
    let Answer::Known(block) = &mut world.chain().block else {
        unreachable!()
    };
    let reported = block.clone();
    block.number += 5;
    block.hash = B256::repeat_byte(9);
    let (number, hash) = (reported.number, Answer::Known(reported.hash));
    world.chain().block_hashes.insert(number, hash);
    world.chain().headers.insert(number, Answer::Known(reported));
    world
}

fn list(world: &mut World, signers: &[&str]) {
    let file = json!({ "services": [{ "name": "presign-risk-report", "signers": signers }] });
    let document = Document {
        content_type: None,
        bytes: file.to_string().into_bytes().into(),
    };
    world
        .snapshot
        .documents
        .insert(FILE.to_owned(), Answer::Known(document));
}

/// The snapshot with one read failed.
fn without(snapshot: &Snapshot, want: &Want, reason: Reason) -> Snapshot {
    let mut snapshot = snapshot.clone();
    if let Want::Document(url) = want {
        snapshot.documents.insert(url.clone(), Answer::Failed(reason));
        return snapshot;
    }
    let chain = snapshot.chains.get_mut(want.chain().unwrap()).unwrap();
    match want {
        Want::Block(_) => chain.block = Answer::Failed(reason),
        Want::BlockHash(_, number) => {
            chain.block_hashes.insert(*number, Answer::Failed(reason));
        }
        Want::Header(_, number) => {
            chain.headers.insert(*number, Answer::Failed(reason));
        }
        Want::Code(_, address) => {
            chain.accounts.entry(*address).or_default().code = Some(Answer::Failed(reason));
        }
        Want::Storage(_, address, slot) => {
            chain
                .accounts
                .entry(*address)
                .or_default()
                .storage
                .insert(*slot, Answer::Failed(reason));
        }
        other => panic!("verification read {other:?}"),
    }
    snapshot
}

fn used(world: &World) -> BTreeSet<Want> {
    let (report, request) = (world.unverified(), world.parsed_request());
    let driven = run_recorded(&world.snapshot, |view| {
        verify(&report, &request, view, &world.options)
    });
    driven.used.into_iter().filter(|want| !want.is_hint()).collect()
}

/// Fails each read for each reason. Gives the conclusions, and how many reads there were.
fn faulted(world: &World) -> (Vec<(Want, Conclusion)>, usize) {
    let reads = used(world);
    let mut conclusions = Vec::new();
    for want in &reads {
        for reason in [Reason::Unavailable, Reason::Timeout] {
            let mut faulty = World {
                snapshot: without(&world.snapshot, want, reason),
                ..good()
            };
            faulty.report = world.report.clone();
            conclusions.push((want.clone(), faulty.verify().conclusion()));
        }
    }
    (conclusions, reads.len())
}

#[test]
fn a_fault_never_rejects_a_good_report() {
    let world = good();
    assert_eq!(world.verify().conclusion(), Conclusion::Verified);
    let (conclusions, reads) = faulted(&world);
    // Two blocks and a hash; code and slot of the signer; code, wallet, owner and URI of the registry; the file.
    assert!(reads >= 10, "{reads}");
    for (want, conclusion) in conclusions {
        // A binding that does not hold is not needed when another one does, nor is the time of a block.
        assert_ne!(conclusion, Conclusion::Rejected, "{want:?}");
        if !matches!(want, Want::Storage(..) | Want::Header(..)) {
            assert_eq!(conclusion, Conclusion::NotVerifiable, "{want:?}");
        }
    }
}

#[test]
fn a_fault_never_lets_a_bad_report_through() {
    let unlisted = {
        let mut world = good();
        list(&mut world, &[]);
        world
    };
    let unsigned = {
        let mut world = good();
        *world.signer_account() = wallet_accepting(B256::repeat_byte(1));
        world
    };
    let reorganised = {
        let mut world = good();
        for hash in world.chain().block_hashes.values_mut() {
            *hash = Answer::Known(B256::repeat_byte(3));
        }
        world
    };
    for world in [unlisted, unsigned, reorganised] {
        assert_eq!(world.verify().conclusion(), Conclusion::Rejected);
        for (want, conclusion) in faulted(&world).0 {
            assert_ne!(conclusion, Conclusion::Verified, "{want:?}");
        }
    }
}

/// Answers the wants of each wave from what `world` holds.
fn waves(world: &World) -> (Conclusion, usize) {
    let (report, request) = (world.unverified(), world.parsed_request());
    let mut snapshot = Snapshot::new(world.snapshot.clock);
    for wave in 0.. {
        let view = View::new(&snapshot);
        let result = verify(&report, &request, &view, &world.options);
        let wants: Vec<Want> = view
            .into_wants()
            .into_iter()
            .filter(|want| !want.is_hint())
            .collect();
        if let Ok(verification) = result {
            return (verification.conclusion(), wave);
        }
        assert!(!wants.is_empty(), "pending without a want");
        for want in wants {
            give(&mut snapshot, &world.snapshot, &want);
        }
    }
    unreachable!()
}

fn give(to: &mut Snapshot, from: &Snapshot, want: &Want) {
    if let Want::Document(url) = want {
        to.documents.insert(url.clone(), from.documents[url].clone());
        return;
    }
    let id = want.chain().unwrap();
    let held = &from.chains[id];
    let chain = to
        .chains
        .entry(id.clone())
        .or_insert_with(|| presight_view::ChainSnapshot::new(held.block.clone(), held.hard_fork));
    match want {
        Want::BlockHash(_, number) => {
            chain
                .block_hashes
                .insert(*number, held.block_hashes[number].clone());
        }
        Want::Header(_, number) => {
            chain.headers.insert(*number, held.headers[number].clone());
        }
        Want::Code(_, address) => {
            chain.accounts.entry(*address).or_default().code = held.accounts[address].code.clone();
        }
        Want::Storage(_, address, slot) => {
            let answer = held.accounts[address].storage[slot].clone();
            chain
                .accounts
                .entry(*address)
                .or_default()
                .storage
                .insert(*slot, answer);
        }
        Want::Block(_) => {}
        other => panic!("verification read {other:?}"),
    }
}

#[test]
fn an_open_view_comes_to_the_same_conclusion_wave_by_wave() {
    let world = good();
    let (conclusion, waves) = waves(&world);
    assert_eq!(conclusion, Conclusion::Verified);
    // Blocks; code; slots, of which a URI of one word takes two; the document.
    assert!(waves <= 6, "{waves} waves");
}

#[test]
fn an_account_that_is_delegated_takes_one_more_read() {
    let mut world = good();
    let delegation = [[0xef, 0x01, 0x00].as_slice(), STRANGER.as_slice()].concat();
    world.signer_account().code = Some(Answer::Known(delegation.into()));
    world
        .registry_chain()
        .accounts
        .insert(STRANGER, with_code(&ACCEPTS_ONE_HASH));
    assert_eq!(world.verify().step("signature").unwrap().status, Status::Pass);
    for (want, conclusion) in faulted(&world).0 {
        assert_ne!(conclusion, Conclusion::Rejected, "{want:?}");
    }
}
