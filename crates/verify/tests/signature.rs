//! The signature: by `ecrecover` without code, by ERC-1271 with it.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::{B256, U256, hex};
use common::registry::{ACCEPTS_ONE_HASH, wallet_accepting};
use common::{CHAIN, STRANGER, World, key, with_code};
use presight_verify::Conclusion;
use presight_verify::Status::{Fail, NotRead};
use presight_view::Answer;
use presight_wire::Reason;
use presight_wire::report::hash_of;
use presight_wire::report::sign::signing_hash;
use serde_json::{Value, json};

fn finding<'a>(report: &'a mut Value, kind: &str) -> &'a mut Value {
    report["findings"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .find(|f| f["kind"] == kind)
        .unwrap()
}

#[test]
fn a_changed_finding_breaks_the_signature() {
    let mut world = World::new();
    finding(&mut world.report, "erc.presign.approval.current-allowance")["value"] = json!("1");
    world.assert_steps(&[("signature", Fail)]);
}

#[test]
fn detail_is_not_covered_by_the_signature() {
    let mut world = World::new();
    world.report["detail"] = json!("https://example.com/fuller");
    world.assert_steps(&[]);
}

#[test]
fn malformed_and_foreign_signatures_fail() {
    let world = World::new();
    let good = hex::decode(world.report["signature"].as_str().unwrap()).unwrap();
    let mut high_s = good.clone();
    let order = U256::from_str_radix(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        16,
    )
    .unwrap();
    let s = U256::from_be_slice(&good[32..64]);
    high_s[32..64].copy_from_slice(&(order - s).to_be_bytes::<32>());
    high_s[64] ^= 27 ^ 28;
    let mut wrong_v = good.clone();
    wrong_v[64] = 29;
    let mut erc6492 = good.clone();
    erc6492.extend([0x64, 0x92].repeat(16));
    let digest = |name: &str| world.report[name].as_str().unwrap().parse::<B256>().unwrap();
    let other_domain = signing_hash(
        CHAIN,
        digest("subjectDigest"),
        digest("contextDigest"),
        hash_of(&world.report),
    );
    for (what, signature) in [
        ("high s", high_s),
        ("short", good[..64].to_vec()),
        ("long", [good.clone(), vec![0]].concat()),
        ("v 29", wrong_v),
        ("erc-6492", erc6492),
        ("zero", vec![0; 65]),
        ("a stranger's", key(8).sign(world.signing_hash()).to_vec()),
        ("another domain's", world.key.sign(other_domain).to_vec()),
    ] {
        let mut world = World::new();
        world.report["signature"] = json!(hex::encode_prefixed(signature));
        let step = world
            .assert_steps(&[("signature", Fail)])
            .step("signature")
            .cloned()
            .unwrap();
        assert_eq!(
            step.detail.unwrap().contains("ERC-6492"),
            what == "erc-6492",
            "{what}"
        );
    }
}

#[test]
fn unknown_code_at_the_signer_is_not_read() {
    let mut world = World::new();
    world.signer_account().code = None;
    let verification = world.assert_steps(&[("signature", NotRead)]);
    assert_eq!(verification.conclusion(), Conclusion::NotVerifiable);
    assert!(verification.into_verified().is_none());
    world.signer_account().code = Some(Answer::Failed(Reason::Timeout));
    world.assert_steps(&[("signature", NotRead)]);
}

#[test]
fn a_signer_with_code_is_asked_by_erc1271() {
    let mut world = World::new();
    *world.signer_account() = wallet_accepting(world.signing_hash());
    world.report["signature"] = json!("0x1234");
    world.assert_steps(&[]);
    // The key's own signature means nothing once there is code, and the code rejects this report.
    let mut world = World::new();
    *world.signer_account() = wallet_accepting(B256::repeat_byte(1));
    world.assert_steps(&[("signature", Fail)]);
    // Its storage is not held.
    let mut world = World::new();
    *world.signer_account() = with_code(&ACCEPTS_ONE_HASH);
    world.assert_steps(&[("signature", NotRead)]);
}

#[test]
fn a_delegated_signer_is_asked_through_its_delegate() {
    let mut world = World::new();
    let delegation = [hex!("ef0100").as_slice(), STRANGER.as_slice()].concat();
    let mut account = wallet_accepting(world.signing_hash());
    account.code = Some(Answer::Known(delegation.into()));
    *world.signer_account() = account;
    world.assert_steps(&[("signature", NotRead)]);
    world
        .registry_chain()
        .accounts
        .insert(STRANGER, with_code(&ACCEPTS_ONE_HASH));
    world.assert_steps(&[]);
    world
        .signer_account()
        .storage
        .insert(U256::ZERO, Answer::Known(U256::from(1)));
    world.assert_steps(&[("signature", Fail)]);
}
