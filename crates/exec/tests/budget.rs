//! The calls of one run are bounded together, and executed once each.

mod common;

use alloy_primitives::Bytes;
use common::{World, chain};
use presight_exec::{MAX_CALL_GAS, MAX_RUN_GAS, call};
use presight_view::{Unread, View};
use presight_wire::Reason;

#[test]
fn hostile_calls_end_at_the_budget_of_the_run() {
    let mut world = World::new();
    let burner = world.deploy("GasBurner", &[], 0);
    let snapshot = world.complete();
    let view = View::new(&snapshot);
    let allowed = MAX_RUN_GAS / MAX_CALL_GAS;
    // The burner takes all gas whatever the calldata: each call is another one.
    let burn = |index: u64| call(&view, &chain(), burner, &Bytes::from(index.to_be_bytes()));
    for index in 0..allowed {
        assert!(burn(index).is_ok(), "call {index} of {allowed}");
    }
    match burn(allowed) {
        Err(Unread::NotRead(why)) => {
            assert_eq!(why.reason, Reason::Timeout);
            assert!(why.note.is_some_and(|note| note.contains("MAX_RUN_GAS")));
        }
        other => panic!("{other:?}"),
    }
    // What was executed before is remembered, and another run has its own budget.
    assert!(burn(0).is_ok());
    assert!(
        call(
            &View::new(&snapshot),
            &chain(),
            burner,
            &Bytes::from(allowed.to_be_bytes())
        )
        .is_ok()
    );
}

#[test]
fn a_call_is_executed_once_in_a_run() {
    let mut world = World::new();
    let burner = world.deploy("GasBurner", &[], 0);
    let snapshot = world.complete();
    let view = View::new(&snapshot);
    let first = call(&view, &chain(), burner, &Bytes::new());
    let gas = view.executed().gas();
    assert_eq!(call(&view, &chain(), burner, &Bytes::new()), first);
    assert_eq!(view.executed().gas(), gas);
    assert!(gas >= MAX_CALL_GAS);
}
