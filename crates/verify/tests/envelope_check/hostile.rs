//! Input made to hurt: nothing panics, and everything is bounded.

use crate::documents::{OTHER, TOKEN, call, claiming, envelope, movement, run};
use presight_verify::envelope::{CheckContext, MAX_COMPARISONS, check};
use presight_wire::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use std::time::Instant;

/// Selectors whose arguments are looked into.
const SELECTORS: [[u8; 4]; 8] = [
    [0xac, 0x96, 0x50, 0xd8],
    [0x5a, 0xe4, 0x01, 0xdc],
    [0x35, 0x93, 0x56, 0x4c],
    [0x38, 0xed, 0x17, 0x39],
    [0xc0, 0x4b, 0x8d, 0x59],
    [0x1f, 0xad, 0x94, 0x8c],
    [0x76, 0x5e, 0x82, 0x7f],
    [0x2b, 0x67, 0xb5, 0x70],
];

proptest! {
    #[test]
    fn any_calldata(selector in prop::sample::select(&SELECTORS[..]), rest in prop::collection::vec(any::<u8>(), 0..400),
        value in any::<u64>(), amount in "[1-9][0-9]{0,80}", now in any::<i64>(), buffer in any::<u64>()) {
        let data = [selector.as_slice(), &rest].concat();
        let mut tx = claiming(envelope(vec![call(OTHER, &data)]), vec![movement("approve", json!({ "amount": amount }))]);
        tx["content"]["calls"][0]["value"] = json!(format!("{value:#x}"));
        let context = CheckContext {
            now: Some(Timestamp(now).into()),
            long_validity: Some(buffer),
            least_time_left: Some(buffer),
            expiry_buffer: buffer,
            ..CheckContext::default()
        };
        let checked = run(&tx, &context);
        prop_assert!(checked.facts.is_some());
        prop_assert!(checked.errors.is_empty() || checked.warnings.is_empty());
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(!check(&bytes, &CheckContext::default(), None).unwrap().is_valid());
    }
}

#[test]
fn many_movements_are_compared_within_the_bound() {
    let transfer = hex_transfer();
    let calls: Vec<_> = (0..1_000).map(|_| call(TOKEN, &transfer)).collect();
    let within = vec![movement("transfer", json!({})); MAX_COMPARISONS / 1_000];
    let start = Instant::now();
    let checked = run(
        &claiming(envelope(calls.clone()), within.clone()),
        &CheckContext::default(),
    );
    println!("compared in {:?}", start.elapsed());
    assert!(
        checked
            .warnings
            .iter()
            .all(|note| note.code.as_str() != "not-decoded")
    );
    let beyond = [within, vec![movement("transfer", json!({}))]].concat();
    let checked = run(&claiming(envelope(calls), beyond), &CheckContext::default());
    assert!(
        checked
            .warnings
            .iter()
            .any(|note| note.code.as_str() == "not-decoded")
    );
    assert_eq!(
        checked.facts.unwrap().movements.len(),
        MAX_COMPARISONS / 1_000 + 1
    );
}

fn hex_transfer() -> Vec<u8> {
    use alloy_sol_types::SolCall as _;
    crate::calls::Token::transferCall {
        to: OTHER,
        amount: alloy_primitives::U256::from(5),
    }
    .abi_encode()
}

/// A selector that recurs at every place is read at every place, in linear time.
#[test]
fn a_selector_repeated_through_the_calldata() {
    let data: Vec<u8> = [0x38, 0xed, 0x17, 0x39].repeat(32_000);
    let start = Instant::now();
    let checked = run(&envelope(vec![call(OTHER, &data)]), &CheckContext::default());
    assert_eq!(checked.facts.unwrap().on_chain_expiries.len(), 1, "the earliest");
    println!("read in {:?}", start.elapsed());
}
