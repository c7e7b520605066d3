//! The source's identity, on the real bytecode of a registry.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::{Address, address};
use common::registry::Registry;
use common::{AGENT, REGISTRY, STRANGER, World, key, with_code};
use presight_verify::Status::{Fail, NotRead};
use presight_verify::{MAX_REGISTRATION_BYTES, Step, TrustedSource, Unverified, verify};
use presight_view::{Answer, Document, View, Want};
use presight_wire::Reason;
use serde_json::json;

const OWNER: Address = address!("00000000000000000000000000000000000000aa");

/// Wallet and owner are others, no registration file.
fn unbound() -> Registry {
    Registry::deployed()
        .owner(AGENT, OWNER)
        .wallet(AGENT, Some(STRANGER))
        .uri(AGENT, "")
}

fn signer() -> String {
    format!("eip155:4663:{:#x}", key(7).address())
}

fn world(registry: Registry) -> World {
    let mut world = World::new();
    world.set_registry(registry);
    world
}

fn step(world: &World) -> Step {
    world.verify().step("identity").cloned().unwrap()
}

fn file(signers: &[&str]) -> Vec<u8> {
    json!({ "services": [{ "name": "presign-risk-report", "signers": signers }] })
        .to_string()
        .into_bytes()
}

fn with_document(uri: &str, bytes: Vec<u8>) -> World {
    let mut world = world(unbound().uri(AGENT, uri));
    let document = Document {
        content_type: None,
        bytes: bytes.into(),
    };
    world
        .snapshot
        .documents
        .insert(uri.to_owned(), Answer::Known(document));
    world
}

#[test]
fn the_wallet_or_the_owner_speaks_for_the_agent() {
    world(unbound().wallet(AGENT, Some(key(7).address()))).assert_steps(&[]);
    world(unbound().owner(AGENT, key(7).address())).assert_steps(&[]);
    world(unbound()).assert_steps(&[("identity", Fail)]);
}

#[test]
fn a_wallet_cleared_by_a_transfer_vouches_for_nobody() {
    let before = unbound().wallet(AGENT, Some(key(7).address()));
    world(before).assert_steps(&[]);
    let after = unbound().owner(AGENT, STRANGER).wallet(AGENT, None);
    world(after).assert_steps(&[("identity", Fail)]);
}

#[test]
fn a_key_in_signers_counts_until_it_is_removed() {
    world(unbound().listing(AGENT, &[&signer()])).assert_steps(&[]);
    let shouting = signer()
        .replace("0x", "0X")
        .to_uppercase()
        .replace("EIP155", "eip155")
        .replace("0X", "0x");
    world(unbound().listing(AGENT, &["eip155:1:0x1", &shouting])).assert_steps(&[]);
    world(unbound().listing(AGENT, &[])).assert_steps(&[("identity", Fail)]);
    let on_another_chain = signer().replace("4663", "1");
    world(unbound().listing(AGENT, &[&on_another_chain])).assert_steps(&[("identity", Fail)]);
}

#[test]
fn what_cannot_be_read_is_not_a_no() {
    // No slot of the owner, the wallet or the file.
    let blank = || Registry::deployed();
    world(blank()).assert_steps(&[("identity", NotRead)]);
    world(blank().owner(AGENT, OWNER).wallet(AGENT, Some(STRANGER))).assert_steps(&[("identity", NotRead)]);
    world(blank().owner(AGENT, OWNER).uri(AGENT, "")).assert_steps(&[("identity", NotRead)]);
    // One that is read and holds suffices.
    world(blank().owner(AGENT, key(7).address())).assert_steps(&[]);
    world(blank().wallet(AGENT, Some(key(7).address()))).assert_steps(&[]);
    world(blank().owner(AGENT, OWNER).listing(AGENT, &[&signer()])).assert_steps(&[]);
    // An agent that does not exist: ownerOf reverts.
    let nobody = blank()
        .owner(AGENT, Address::ZERO)
        .wallet(AGENT, None)
        .uri(AGENT, "");
    world(nobody).assert_steps(&[("identity", NotRead)]);
    // No contract at the registry.
    let mut none = World::new();
    none.registry_chain().accounts.insert(REGISTRY, with_code(&[]));
    none.assert_steps(&[("identity", NotRead)]);
}

#[test]
fn a_file_elsewhere_is_read_through_the_views_documents() {
    for uri in [
        "https://example.com/agent.json",
        "ipfs://bafkreigh2akiscaildc/agent.json",
    ] {
        with_document(uri, file(&[&signer()])).assert_steps(&[]);
        with_document(uri, file(&[])).assert_steps(&[("identity", Fail)]);
        with_document(uri, b"<html>".to_vec()).assert_steps(&[("identity", NotRead)]);
        world(unbound().uri(AGENT, uri)).assert_steps(&[("identity", NotRead)]);
        let mut failed = world(unbound().uri(AGENT, uri));
        failed
            .snapshot
            .documents
            .insert(uri.to_owned(), Answer::Failed(Reason::Timeout));
        failed.assert_steps(&[("identity", NotRead)]);
        assert!(step(&failed).detail.unwrap().contains("timeout"));
    }
}

#[test]
fn files_of_other_schemes_and_sizes_are_not_read() {
    for uri in [
        "http://example.com/agent.json",
        "ftp://x",
        "agent.json",
        "file:///etc/passwd",
    ] {
        with_document(uri, file(&[&signer()])).assert_steps(&[("identity", NotRead)]);
    }
    let mut large = file(&[&signer()]);
    large.resize(MAX_REGISTRATION_BYTES, b' ');
    with_document("https://example.com", large.clone()).assert_steps(&[]);
    large.push(b' ');
    with_document("https://example.com", large).assert_steps(&[("identity", NotRead)]);
}

#[test]
fn a_source_that_is_not_trusted_chooses_no_url_for_us() {
    let mut world = world(unbound().uri(AGENT, "https://example.com/agent.json"));
    world.snapshot.closed = None;
    let wants_document = |world: &World| {
        let report: Unverified = world.unverified();
        let view = View::new(&world.snapshot);
        let pending = verify(&report, &world.parsed_request(), &view, &world.options).is_err();
        let document = Want::Document("https://example.com/agent.json".into());
        (pending, view.into_wants().contains(&document))
    };
    assert_eq!(wants_document(&world), (true, true));
    world.options.trusted = vec![TrustedSource::parse(&format!("eip155:4663:{REGISTRY:#x}/43")).unwrap()];
    assert_eq!(wants_document(&world), (false, false));
}

#[test]
fn a_signer_on_another_chain_than_its_registry_is_not_bound_by_it() {
    let mut world = World::new();
    world.report["source"]["signer"] = json!(format!("eip155:1:{:#x}", world.key.address()));
    world.sign();
    world.assert_steps(&[("signature", NotRead), ("identity", NotRead)]);
}
