//! Each step of verification, failing alone.
#![allow(clippy::unwrap_used)]

mod common;

use common::{APPROVE, NOW, STRANGER, World};
use presight_verify::Status::{Fail, NotRead};
use presight_verify::{Conclusion, Status, TrustedSource, Unverified, verify};
use presight_view::{Snapshot, View};
use presight_wire::{AccountId, ChainId, Timestamp};
use serde_json::json;

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
            "request-facts",
            "expiry",
            "freshness",
            "canonical-hash",
            "issued-after-blocks"
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
    world.assert_steps(&[("subject-digest", Fail), ("request-facts", Fail)]);
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
    let mut world = World::of(common::envelope_request());
    world.assert_steps(&[]);
    let risk = json!({ "action": "WARN", "warnings": [], "reports": [world.report] });
    world.request["subject"]["envelope"]["risk"] = risk;
    world.assert_steps(&[]);
    world.request["subject"]["envelope"]["content"]["description"]["short"] = json!("Claim");
    world.assert_steps(&[("subject-digest", Fail)]);
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
    let pinned = format!("eip155:4663:{:#x}/42={}", common::REGISTRY, world.source().signer);
    world.options.trusted = vec![trusted(&pinned)];
    world.assert_steps(&[]);
    let stranger = format!("eip155:4663:{:#x}/42=eip155:4663:{STRANGER:#x}", common::REGISTRY);
    world.options.trusted = vec![trusted(&stranger)];
    world.assert_steps(&[("trust", Fail)]);
    // Pinned to two signers: either.
    world.options.trusted = vec![trusted(&stranger), trusted(&pinned)];
    world.assert_steps(&[]);
    assert!(TrustedSource::parse(&format!("eip155:4663:{:#x}/42=", common::REGISTRY)).is_err());
    assert!(TrustedSource::parse("eip155:1:0x8004000000000000000000000000000000008004").is_err());
    assert!(TrustedSource::parse("eip155:1/42").is_err());
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
