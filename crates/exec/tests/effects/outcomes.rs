//! Calls that fail, bounds that are hit, senders that cannot pay, lists that stay.

use crate::common::World;
use crate::stage::*;
use alloy_primitives::U256;
use presight_exec::delegation::AccountCode;
use presight_exec::simulate::{self, Bound, Caveat, Revert, Status};

#[test]
fn an_authorization_stays_when_the_calls_fail() {
    let mut world = world();
    let delegate = world.deploy("BatchAccount", &[], 0);
    let noisy = world.deploy("Noisy", &[], 0);
    let tuple = [authorization(delegate, 1), authorization(delegate, 1)];
    let authorities = [Some(SIGNER), Some(SIGNER)];
    let failing = call(noisy, &Noisy::customCall {});
    for calls in [vec![failing.clone()], vec![], vec![too_much(FRIEND)]] {
        let (outcome, effects) = simulate_with(&world, &calls, &tuple, &authorities);
        assert_eq!(outcome.status == Status::Success, calls.is_empty());
        assert_eq!(effects.code.len(), 1, "{calls:?}");
        assert_eq!(effects.code[0].code.before, AccountCode::None);
        assert_eq!(effects.code[0].code.after, AccountCode::Delegated(delegate));
        // The transaction raises the nonce once and the first tuple once more; the second is passed over.
        let nonce = outcome
            .changes
            .of(SIGNER)
            .and_then(|change| change.nonce.clone())
            .unwrap();
        assert_eq!((nonce.before, nonce.after), (0, 2), "{calls:?}");
    }
}

#[test]
fn calls_that_fail_are_undone_alone_and_say_why() {
    let mut world = world();
    let token = loose(&mut world, false);
    let noisy = world.deploy("Noisy", &[], 0);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::MAX,
    };
    let transfer = LooseToken::transferCall {
        to: FRIEND,
        value: U256::from(1_001),
    };
    let calls = [
        call(noisy, &Noisy::customCall {}),
        call(token, &transfer),
        too_much(FRIEND),
        call(token, &approve),
    ];
    let (outcome, effects) = simulate(&world, &calls);
    assert_eq!(outcome.status, Status::Revert);
    let status: Vec<_> = outcome.calls.iter().map(|call| call.status).collect();
    assert_eq!(
        status,
        [Status::Revert, Status::Revert, Status::Halt, Status::Success]
    );
    assert!(
        matches!(&outcome.calls[0].revert, Some(Revert::Custom { arguments, .. }) if arguments.len() == 32)
    );
    assert_eq!(outcome.calls[1].revert, Some(Revert::Panic(U256::from(0x11))));
    let reason = outcome.calls[2].reason.as_ref().unwrap();
    assert!(reason.contains("less than the 1000000000000000001"), "{reason}");
    assert_drained(token, &effects);
    assert!(outcome.logs.iter().all(|log| log.call == 3));
}

#[test]
fn a_sender_without_gas_money_still_simulates() {
    let mut world = World::new();
    let token = loose(&mut world, false);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::MAX,
    };
    let (outcome, effects) = simulate(&world, &[call(token, &approve)]);
    assert_drained(token, &effects);
    let [caveat @ Caveat::BalanceCheckOff { .. }] = outcome.caveats.as_slice() else {
        panic!("{:?}", outcome.caveats)
    };
    assert!(caveat.to_string().starts_with("balance_check: off, because"));
}

#[test]
fn bounds_are_named_when_hit() {
    let mut world = world();
    let noisy = world.deploy("Noisy", &[], 0);
    let count = U256::from(12_000);
    let (outcome, _) = simulate(&world, &[call(noisy, &Noisy::logsCall { count })]);
    assert_eq!(outcome.status, Status::Success);
    assert_eq!(outcome.bounds.iter().collect::<Vec<_>>(), [&Bound::Logs]);
    assert_eq!(outcome.logs.len(), simulate::MAX_LOGS);

    let (outcome, _) = simulate(&world, &[call(noisy, &Noisy::callsCall { count })]);
    assert_eq!(outcome.status, Status::Success);
    assert_eq!(outcome.bounds.iter().collect::<Vec<_>>(), [&Bound::Frames]);
    assert_eq!(outcome.frames.len(), simulate::MAX_FRAMES);

    let endless = Noisy::logsCall { count: U256::MAX };
    let (outcome, _) = simulate(&world, &[call(noisy, &endless)]);
    assert_eq!(outcome.status, Status::Halt);
    assert!(outcome.reason.unwrap().contains("MAX_CALL_GAS"));
}
