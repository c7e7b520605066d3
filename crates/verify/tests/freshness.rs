//! Times and blocks of a report against the consumer's clock and chains.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::{B256, U256};
use common::{CHAIN, HEAD, NOW, World};
use presight_verify::MaxAge;
use presight_verify::Status::{Fail, NotRead};
use presight_view::{Answer, Block};
use presight_wire::{ChainId, Timestamp};
use serde_json::json;

#[test]
fn the_reports_own_times_are_checked() {
    for (member, time, expected) in [
        ("expiresAt", NOW + 1, &[][..]),
        ("expiresAt", NOW, &[("expiry", Fail)][..]),
        ("expiresAt", NOW - 1, &[("expiry", Fail)][..]),
        ("issuedAt", NOW + 60, &[][..]),
        ("issuedAt", NOW + 61, &[("expiry", Fail)][..]),
        ("issuedAt", 253_402_300_799, &[("expiry", Fail)][..]),
        // Its blocks were made at NOW - 12.
        ("issuedAt", NOW - 72, &[][..]),
        ("issuedAt", NOW - 73, &[("issued-after-blocks", Fail)][..]),
        ("issuedAt", 0, &[("issued-after-blocks", Fail)][..]),
    ] {
        let mut world = World::new();
        world.report["issuedAt"] = json!(Timestamp(NOW - 12).to_string());
        world.report[member] = json!(Timestamp(time).to_string());
        world.sign();
        world.assert_steps(expected);
    }
    let mut world = World::new();
    world.options.max_age_seconds = Some(60);
    world.assert_steps(&[]);
    world.report["issuedAt"] = json!(Timestamp(NOW - 61).to_string());
    world.sign();
    world.assert_steps(&[("expiry", Fail)]);
}

#[test]
fn a_report_is_as_fresh_as_the_consumer_wants_it() {
    let mut world = World::new();
    let hash = B256::from(U256::from(CHAIN));
    let age = |world: &mut World, age: u64| {
        if let Answer::Known(block) = &mut world.chain().block {
            block.number = HEAD + age;
            block.hash = B256::repeat_byte(9);
        }
        world.chain().block_hashes.insert(HEAD, Answer::Known(hash));
    };
    age(&mut world, 100);
    world.assert_steps(&[]);
    age(&mut world, 101);
    world.assert_steps(&[("freshness", Fail)]);
    world.options.max_age_blocks = 101;
    world.assert_steps(&[]);
    // The consumer's own node is stuck: what it calls recent is old.
    world.options.max_age_seconds = Some(11);
    world.assert_steps(&[("freshness", Fail)]);
}

#[test]
fn each_chain_has_its_own_bounds() {
    let mut world = World::new();
    let hash = B256::from(U256::from(CHAIN));
    if let Answer::Known(block) = &mut world.chain().block {
        block.number = HEAD + 150;
        block.hash = B256::repeat_byte(9);
    }
    world.chain().block_hashes.insert(HEAD, Answer::Known(hash));
    world.assert_steps(&[("freshness", Fail)]);
    let bound = |blocks, seconds| MaxAge { blocks, seconds };
    let mut of_chain = |bound| world.options.max_age_of.insert(ChainId::evm(CHAIN), bound);
    of_chain(bound(Some(150), None));
    world.assert_steps(&[]);
    // The block's own time decides, and without it nothing does.
    let mut of_chain = |bound| world.options.max_age_of.insert(ChainId::evm(CHAIN), bound);
    of_chain(bound(Some(150), Some(600)));
    world.assert_steps(&[("freshness", NotRead)]);
    for (age, expected) in [(600, &[][..]), (601, &[("freshness", Fail)][..])] {
        let block = Block {
            number: HEAD,
            hash,
            timestamp: u64::try_from(NOW - age).unwrap(),
            ..Block::default()
        };
        world.chain().headers.insert(HEAD, Answer::Known(block));
        world.assert_steps(expected);
    }
}

#[test]
fn a_block_ahead_of_the_view_is_not_read() {
    let mut world = World::new();
    if let Answer::Known(block) = &mut world.chain().block {
        block.number = HEAD - 1;
    }
    world.assert_steps(&[("freshness", NotRead), ("canonical-hash", NotRead)]);
}

#[test]
fn a_block_reorganised_away_fails_and_an_unknown_hash_is_not_read() {
    let mut world = World::new();
    if let Answer::Known(block) = &mut world.chain().block {
        block.hash = B256::repeat_byte(9);
    }
    world.assert_steps(&[("canonical-hash", Fail)]);
    if let Answer::Known(block) = &mut world.chain().block {
        block.number = HEAD + 1;
    }
    world.assert_steps(&[("canonical-hash", NotRead)]);
    world
        .chain()
        .block_hashes
        .insert(HEAD, Answer::Known(B256::repeat_byte(8)));
    world.assert_steps(&[("canonical-hash", Fail)]);
}
