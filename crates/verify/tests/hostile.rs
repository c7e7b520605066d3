//! Reports written by an adversary: any answer but a panic or a verified forgery.
#![allow(clippy::unwrap_used)]

mod common;

use alloy_primitives::B256;
use common::World;
use presight_verify::{Conclusion, Unverified, verify};
use presight_view::View;
use presight_wire::report::check::check;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A report that verifies, and what it takes to verify it.
static GOOD: LazyLock<World> = LazyLock::new(World::new);

fn conclusion(document: &[u8]) -> Option<Conclusion> {
    let report = Unverified::parse(document).ok()?;
    let view = View::new(&GOOD.snapshot);
    Some(
        verify(&report, &GOOD.parsed_request(), &view, &GOOD.options)
            .unwrap()
            .conclusion(),
    )
}

/// Replaces the value at the `n`th place of a document, counted depth first.
fn replace(value: &mut Value, n: &mut usize, with: &Value) -> bool {
    if *n == 0 {
        *value = with.clone();
        return true;
    }
    *n -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| replace(item, n, with)),
        Value::Object(members) => members.values_mut().any(|member| replace(member, n, with)),
        _ => false,
    }
}

fn places(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(places).sum(),
        Value::Object(members) => members.values().map(places).sum(),
        _ => 0,
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~]{0,40}".prop_map(Value::from),
        "0x[0-9a-f]{0,70}".prop_map(Value::from),
        "eip155:[0-9]{1,20}:0x[0-9a-f]{40}".prop_map(Value::from),
        "[0-9]{1,80}".prop_map(Value::from),
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:00:00Z".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
    ]
}

#[test]
fn the_untouched_report_verifies() {
    assert_eq!(
        conclusion(GOOD.report.to_string().as_bytes()),
        Some(Conclusion::Verified)
    );
}

proptest! {
    #[test]
    fn a_report_with_any_value_replaced_is_never_verified(place in any::<prop::sample::Index>(), with in any_value()) {
        let mut report = GOOD.report.clone();
        let mut n = place.index(places(&report));
        prop_assert!(replace(&mut report, &mut n, &with));
        prop_assume!(report != GOOD.report);
        prop_assert_ne!(conclusion(report.to_string().as_bytes()), Some(Conclusion::Verified));
    }

    #[test]
    fn a_report_with_bytes_replaced_is_never_verified_unless_it_says_the_same(
        at in any::<prop::sample::Index>(),
        with in prop::collection::vec(any::<u8>(), 0..6),
    ) {
        let mut document = GOOD.report.to_string().into_bytes();
        let at = at.index(document.len());
        let end = document.len().min(at + with.len());
        document.splice(at..end, with);
        if conclusion(&document) == Some(Conclusion::Verified) {
            prop_assert_eq!(serde_json::from_slice::<Value>(&document).unwrap(), GOOD.report.clone());
        }
    }

    #[test]
    fn a_bound_source_that_signs_nonsense_is_answered_without_a_panic(
        places_and_values in prop::collection::vec((any::<prop::sample::Index>(), any_value()), 1..4),
    ) {
        let mut world = World { report: GOOD.report.clone(), ..World::new() };
        for (place, with) in &places_and_values {
            let mut n = place.index(places(&world.report));
            prop_assert!(replace(&mut world.report, &mut n, with));
        }
        // Signs it where there is still something to sign.
        let digests = ["subjectDigest", "contextDigest"]
            .map(|name| world.report.get(name).and_then(Value::as_str).map(str::parse::<B256>));
        if let [Some(Ok(_)), Some(Ok(_))] = digests {
            world.sign();
        }
        if conclusion(world.report.to_string().as_bytes()) == Some(Conclusion::Verified) {
            prop_assert_eq!(check(&world.report, None), []);
        }
    }
}
