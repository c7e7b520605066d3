//! Each step of verification, failing alone.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::{B256, U256, hex};
use common::registry::{ACCEPTS_ONE_HASH, wallet_accepting};
use common::{APPROVE, CHAIN, HEAD, NOW, STRANGER, World, key, with_code};
use presight_verify::Status::{Fail, NotRead};
use presight_verify::{Conclusion, Status, TrustedSource, Unverified, verify};
use presight_view::{Answer, Snapshot, View};
use presight_wire::report::hash_of;
use presight_wire::report::sign::signing_hash;
use presight_wire::{AccountId, ChainId, Reason, Timestamp};
use serde_json::{Value, json};

#[test]
fn a_good_report_is_verified_and_only_then_shows_its_findings() {
    let verification = World::new().assert_steps(&[]);
    assert_eq!(verification.conclusion(), Conclusion::Verified);
    let names: Vec<_> = verification.steps().iter().map(|s| s.name).collect();
    assert_eq!(
        names,
        [
            "structure",
            "subject-digest",
            "context-digest",
            "chain",
            "signer",
            "signature",
            "identity",
            "trust",
            "entities",
            "expiry",
            "freshness",
            "canonical-hash"
        ]
    );
    let verified = verification.into_verified().unwrap();
    assert!(
        verified
            .report()
            .report
            .findings
            .iter()
            .any(|f| f.kind == "erc.presign.approval.unlimited")
    );
    assert!(verified.unlisted().tokens.is_empty() && verified.unlisted().approvals.is_empty());

    let mut world = World::new();
    world.report["signature"] = json!("0x");
    let rejected = world.assert_steps(&[("signature", Fail)]);
    assert_eq!(rejected.conclusion(), Conclusion::Rejected);
    assert!(rejected.into_verified().is_none());
}

#[test]
fn the_json_form_is_that_of_the_command_line() {
    let value = serde_json::to_value(World::new().verify()).unwrap();
    assert_eq!(value["conclusion"], "verified");
    assert_eq!(
        value["steps"][0],
        json!({ "step": "structure", "status": "pass" })
    );
    assert_eq!(
        value["steps"][7],
        json!({ "step": "trust", "status": "not-read", "required": false, "detail": "no trust list given" })
    );
}

#[test]
fn one_changed_byte_of_calldata_is_another_request() {
    let mut world = World::new();
    let last = APPROVE.len() - 2;
    world.request["subject"]["calls"][0]["data"] = json!(format!("{}fe", &APPROVE[..last]));
    world.assert_steps(&[("subject-digest", Fail)]);
}

#[test]
fn a_tampered_context_is_another_request() {
    let mut world = World::new();
    world.request["context"] = json!({ "texts": [] });
    world.assert_steps(&[("context-digest", Fail)]);
    world.request.as_object_mut().unwrap().remove("context");
    world.assert_steps(&[("context-digest", Fail)]);
}

#[test]
fn two_swapped_tuples_are_another_request() {
    let tuple = |address: &str| {
        json!({ "chainId": "1", "address": address, "nonce": "1", "yParity": 0,
                "r": "0x6c0a0d3ba5a4e6b4c9f9a0a2b5a9d9c0c6a37a5c9a3bb0ff0c8f2f0f6c0a0d3b", "s": "0x01" })
    };
    let mut request = common::approve_request();
    request["subject"]["authorizationList"] = json!([
        tuple("0x00000000000000000000000000000000000000a1"),
        tuple("0x00000000000000000000000000000000000000a2"),
    ]);
    let mut world = World::of(request);
    assert_eq!(
        world.verify().step("subject-digest").unwrap().status,
        Status::Pass
    );
    let list = world.request["subject"]["authorizationList"]
        .as_array_mut()
        .unwrap();
    list.swap(0, 1);
    assert_eq!(world.verify().step("subject-digest").unwrap().status, Fail);
}

#[test]
fn reports_written_into_an_envelope_leave_its_digest() {
    let envelope = json!({
        "version": "1",
        "content": { "chain": "eip155:1", "from": "0x1111111111111111111111111111111111111111" },
        "producer": { "signature": "0x01" },
    });
    let request = json!({
        "version": "erc-presign/1",
        "subject": { "type": "erc8265-envelope", "envelope": envelope },
    });
    let mut world = World::new();
    world.request = request;
    world.report["subjectDigest"] = json!(world.parsed_request().subject_digest());
    world.sign();
    assert_eq!(
        world.verify().step("subject-digest").unwrap().status,
        Status::Pass
    );
    world.request["subject"]["envelope"]["risk"] =
        json!({ "action": "WARN", "warnings": [], "reports": [world.report] });
    assert_eq!(
        world.verify().step("subject-digest").unwrap().status,
        Status::Pass
    );
    world.request["subject"]["envelope"]["content"]["memo"] = json!("x");
    assert_eq!(world.verify().step("subject-digest").unwrap().status, Fail);
}

#[test]
fn another_chain_or_signer_than_the_requests_fails() {
    let mut world = World::new();
    world.report["chainId"] = json!("eip155:10");
    world.sign();
    let steps = world.verify();
    assert_eq!(steps.step("chain").unwrap().status, Fail);
    let mut world = World::new();
    world.report["signer"] = json!(format!("eip155:1:{STRANGER:#x}"));
    world.sign();
    world.assert_steps(&[("signer", Fail)]);
}

#[test]
fn a_forbidden_member_is_no_report() {
    for name in ["score", "verdict", "severity", "action", "recommendation"] {
        let mut world = World::new();
        world.report[name] = json!(1);
        world.sign();
        world.assert_steps(&[("structure", Fail)]);
        let mut world = World::new();
        world.report["findings"][0]["note"] = json!("n");
        world.report["findings"][0][name] = json!("low");
        world.sign();
        assert_eq!(world.verify().conclusion(), Conclusion::Rejected, "{name}");
    }
}

#[test]
fn a_document_that_is_no_report_is_rejected_and_bad_json_refused() {
    let world = World::new();
    for document in ["{}", "[]", "null", "7", r#"{"version":"erc-presign/1"}"#] {
        let report = Unverified::parse(document.as_bytes()).unwrap();
        let view = View::new(&world.snapshot);
        let found = verify(&report, &world.parsed_request(), &view, &world.options).unwrap();
        assert_eq!(found.conclusion(), Conclusion::Rejected, "{document}");
        assert_eq!(found.step("structure").unwrap().status, Fail);
        assert!(found.into_verified().is_none());
    }
    for document in ["", "{", r#"{"a":1,"a":1}"#] {
        assert!(Unverified::parse(document.as_bytes()).is_err(), "{document}");
    }
}

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
fn a_core_kind_left_out_is_a_gap_the_consumer_may_accept() {
    let mut world = World::new();
    let findings = world.report["findings"].as_array_mut().unwrap();
    findings.retain(|f| f["kind"] != "erc.presign.approval.amount");
    world.sign();
    let verification = world.assert_steps(&[("structure", NotRead)]);
    assert_eq!(verification.conclusion(), Conclusion::NotVerifiable);
    world.options.accept_gaps = true;
    assert_eq!(world.verify().conclusion(), Conclusion::Verified);
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

#[test]
fn trust_is_by_registry_and_agent_and_may_pin_the_signer() {
    let mut world = World::new();
    let trusted = |text: &str| TrustedSource::parse(text).unwrap();
    world.options.trusted = vec![trusted(&format!("eip155:4663:{:#x}/42", common::REGISTRY))];
    let step = world.assert_steps(&[]).step("trust").cloned().unwrap();
    assert!(step.status == Status::Pass && step.required);
    for other in [
        "eip155:4663:0x8004000000000000000000000000000000008004/43",
        "eip155:1:0x8004000000000000000000000000000000008004/42",
    ] {
        world.options.trusted = vec![trusted(other)];
        world.assert_steps(&[("trust", Fail)]);
    }
    let named = trusted("eip155:4663:0x8004000000000000000000000000000000008004/42");
    world.options.trusted = vec![named.clone().with_signer(world.source().signer)];
    world.assert_steps(&[]);
    world.options.trusted = vec![named.with_signer(AccountId::new(ChainId::evm(4663), STRANGER))];
    world.assert_steps(&[("trust", Fail)]);
    assert!(TrustedSource::parse("eip155:1:0x8004000000000000000000000000000000008004").is_err());
    assert!(TrustedSource::parse("eip155:1/42").is_err());
}

#[test]
fn the_reports_own_times_are_checked() {
    for (member, time, expected) in [
        ("expiresAt", NOW + 1, &[][..]),
        ("expiresAt", NOW, &[("expiry", Fail)][..]),
        ("expiresAt", NOW - 1, &[("expiry", Fail)][..]),
        ("issuedAt", NOW + 60, &[][..]),
        ("issuedAt", NOW + 61, &[("expiry", Fail)][..]),
        ("issuedAt", NOW - 600, &[][..]),
    ] {
        let mut world = World::new();
        world.report["issuedAt"] = json!(Timestamp(NOW - 600).to_string());
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

#[test]
fn with_no_chain_at_all_nothing_is_verifiable() {
    let mut world = World::new();
    world.snapshot.chains.clear();
    let verification = world.assert_steps(&[
        ("signature", NotRead),
        ("identity", NotRead),
        ("freshness", NotRead),
        ("canonical-hash", NotRead),
    ]);
    assert_eq!(verification.conclusion(), Conclusion::NotVerifiable);
}

#[test]
fn an_open_view_is_asked_in_one_wave_for_everything_that_can_be_known_to_miss() {
    let world = World::new();
    let snapshot = Snapshot::new(Timestamp(NOW));
    let view = View::new(&snapshot);
    assert!(
        verify(
            &world.unverified(),
            &world.parsed_request(),
            &view,
            &world.options
        )
        .is_err()
    );
    let wants: Vec<_> = view
        .into_wants()
        .into_iter()
        .filter(|want| !want.is_hint())
        .collect();
    assert_eq!(wants.len(), 2, "both chains' blocks: {wants:?}");
}
