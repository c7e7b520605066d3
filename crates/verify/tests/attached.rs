//! Reports that came in `risk.reports` of an envelope.
#![allow(clippy::unwrap_used)]

mod common;

use common::registry::Registry;
use common::{AGENT, REGISTRY, STRANGER, World, envelope_request};
use presight_verify::attached::{Attached, MAX_ATTACHED_REPORTS, conclusion, reports, verify_all};
use presight_verify::{Conclusion, Status, TrustedSource};
use presight_view::{View, Want, run_recorded};
use serde_json::{Value, json};

/// A world whose envelope carries these reports.
fn carrying(world: &mut World, reports: &Value) {
    let risk = json!({ "action": "ALLOW", "warnings": [], "reports": reports });
    world.request["subject"]["envelope"]["risk"] = risk;
}

fn verified(world: &World) -> Vec<Attached> {
    let request = world.parsed_request();
    let reports = reports(&request).unwrap();
    run_recorded(&world.snapshot, |view| {
        verify_all(&reports, &request, view, &world.options)
    })
    .value
    .unwrap()
}

fn trust(world: &mut World, agent: u64) {
    world.options.trusted =
        vec![TrustedSource::parse(&format!("eip155:4663:{REGISTRY:#x}/{agent}")).unwrap()];
}

#[test]
fn only_a_source_the_consumer_chose_counts() {
    let mut world = World::of(envelope_request());
    let report = world.report.clone();
    carrying(&mut world, &json!([report]));
    // No choice was made: whoever sent the envelope chose the source.
    let [attached] = verified(&world).try_into().unwrap();
    assert!(!attached.chosen);
    assert_eq!(attached.verification.conclusion(), Conclusion::NotVerifiable);
    assert!(attached.verification.into_verified().is_none());
    // The same report counts when the consumer asked for it itself.
    assert_eq!(world.verify().conclusion(), Conclusion::Verified);

    trust(&mut world, 43);
    let [attached] = verified(&world).try_into().unwrap();
    assert!(!attached.chosen);
    assert_eq!(attached.verification.step("trust").unwrap().status, Status::Fail);

    trust(&mut world, common::AGENT);
    let attached = verified(&world);
    assert!(attached[0].chosen);
    assert_eq!(conclusion(&attached), Conclusion::Verified);
    let json = serde_json::to_value(&attached[0]).unwrap();
    assert_eq!(json["attachedBy"], "the envelope's sender");
    assert_eq!(json["chosen"], true);
    assert!(
        attached
            .into_iter()
            .next()
            .unwrap()
            .verification
            .into_verified()
            .is_some()
    );
}

#[test]
fn each_report_is_verified_alone() {
    let mut world = World::of(envelope_request());
    trust(&mut world, common::AGENT);
    let good = world.report.clone();
    let mut forged = good.clone();
    forged["findings"][0]["value"] = json!("0");
    let of_another_request = World::new().report;
    carrying(&mut world, &json!([good, forged, 7, of_another_request]));
    let conclusions: Vec<_> = verified(&world)
        .iter()
        .map(|a| a.verification.conclusion())
        .collect();
    assert_eq!(
        conclusions,
        [
            Conclusion::Verified,
            Conclusion::Rejected,
            Conclusion::Rejected,
            Conclusion::Rejected
        ]
    );
    assert_eq!(conclusion(&verified(&world)), Conclusion::Rejected);
}

#[test]
fn an_envelope_with_none_or_too_many_shows_none() {
    let mut world = World::of(envelope_request());
    assert!(verified(&world).is_empty());
    assert_eq!(conclusion(&[]), Conclusion::NotVerifiable);
    let code = |world: &World| {
        reports(&world.parsed_request())
            .map(|r| r.len())
            .map_err(|r| r.code)
    };
    carrying(&mut world, &json!(vec![7; MAX_ATTACHED_REPORTS]));
    assert_eq!(code(&world), Ok(MAX_ATTACHED_REPORTS));
    carrying(&mut world, &json!(vec![7; MAX_ATTACHED_REPORTS + 1]));
    assert_eq!(code(&world), Err("too-many"));
    carrying(&mut world, &json!({}));
    assert_eq!(code(&world), Err("wrong-type"));
    assert_eq!(code(&World::new()), Ok(0));
}

#[test]
fn a_report_nobody_asked_for_chooses_no_url_for_us() {
    let mut world = World::of(envelope_request());
    world.set_registry(
        Registry::deployed()
            .owner(AGENT, STRANGER)
            .wallet(AGENT, None)
            .uri(AGENT, "https://example.com/agent.json"),
    );
    let report = world.report.clone();
    carrying(&mut world, &json!([report]));
    world.snapshot.closed = None;
    let wants_document = |world: &World| {
        let request = world.parsed_request();
        let view = View::new(&world.snapshot);
        let pending = verify_all(&reports(&request).unwrap(), &request, &view, &world.options).is_err();
        let wants = view.into_wants();
        (
            pending,
            wants.iter().any(|want| matches!(want, Want::Document(_))),
        )
    };
    assert_eq!(wants_document(&world), (false, false));
    trust(&mut world, AGENT);
    assert_eq!(wants_document(&world), (true, true));
}
