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

/// Code of another machine, or with an opcode that the rules do not have, is no answer about the contract.
#[test]
fn code_that_is_no_evm_code_is_not_read() {
    let mut world = World::new();
    let token = world.deploy("Nft", &[], 0);
    let mut whole = world.complete();
    let probe = |whole: &presight_view::Snapshot, on: &presight_wire::ChainId| {
        presight_exec::reads::is_erc721(&View::new(whole), on, token)
    };
    assert!(probe(&whole, &chain()).is_ok_and(|read| *read.value()));
    let held = whole.chains.remove(&chain()).expect("the chain");
    let with = |code: &'static [u8], on: u64| {
        let mut held = held.clone();
        let account = held.accounts.get_mut(&token).expect("the token");
        account.code = Some(presight_view::Answer::Known(Bytes::from_static(code)));
        let on = presight_wire::ChainId::evm(on);
        let mut whole = whole.clone();
        whole.chains.insert(on.clone(), held);
        probe(&whole, &on)
    };
    let stylus = with(&[0xef, 0xf0, 0x00, 0x00, 0x1b], 42_161);
    let era = with(&[0x00, 0x00, 0x00, 0x08, 0x00], 324);
    let unknown_elsewhere = with(&[0x0c], 42_161);
    let unknown_here = with(&[0x0c], common::CHAIN);
    for (what, found) in [
        ("Stylus", stylus),
        ("EraVM", era),
        ("opcode elsewhere", unknown_elsewhere),
        ("opcode", unknown_here),
    ] {
        assert!(matches!(found, Err(Unread::NotRead(_))), "{what}: {found:?}");
    }
    // The designated invalid opcode is an answer: the code that halts is its evidence.
    let invalid = with(&[0xfe], common::CHAIN).expect("read");
    assert!(!invalid.value());
    let presight_wire::Evidence::Call { data, result, .. } = &invalid.evidence()[0] else {
        panic!()
    };
    assert_eq!((data.len(), result.as_ref()), (0, &[0xfe][..]));
}
