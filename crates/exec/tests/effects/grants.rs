//! What is granted, and what only looks like it.

use crate::stage::*;
use alloy_primitives::U256;
use alloy_sol_types::SolCall;
use presight_exec::effects::{Spends, Standing};
use presight_exec::simulate::Status;

#[test]
fn an_allowance_that_falls_is_no_grant() {
    for quiet in [false, true] {
        let mut world = world();
        let token = loose(&mut world, quiet);
        let grant = LooseToken::approveForCall {
            owner: FRIEND,
            spender: SIGNER,
            value: U256::MAX,
        };
        world.send(token, grant.abi_encode().into());
        let fund = LooseToken::transferCall {
            to: FRIEND,
            value: U256::from(10),
        };
        let take = LooseToken::transferFromCall {
            from: FRIEND,
            to: SPENDER,
            value: U256::from(10),
        };
        let (outcome, effects) = simulate(&world, &[call(token, &fund), call(token, &take)]);
        assert_eq!(outcome.status, Status::Success, "{:?}", outcome.reason);
        let [allowance] = effects.allowances.as_slice() else {
            panic!("{effects:#?}")
        };
        let amount = allowance.amount.as_ref().unwrap();
        assert_eq!(
            (amount.before, amount.after),
            (U256::MAX, U256::MAX - U256::from(10))
        );
        assert!(!allowance.is_raised());
        assert_eq!(allowance.standing, Standing::Observed);
        // Over both calls the friend's balance is as it was.
        assert!(
            effects
                .balances
                .iter()
                .all(|b| b.account != FRIEND || quiet == b.told)
        );
        assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
    }
}

#[test]
fn what_looks_like_an_allowance_is_none() {
    let mut world = world();
    let token = loose(&mut world, false);
    let (_, effects) = simulate(&world, &[call(token, &LooseToken::useCall { with: SPENDER })]);
    assert!(effects.allowances.is_empty());
    assert!(effects.permit2.is_empty() && effects.operators.is_empty() && effects.items.is_empty());
    let [uses] = effects.unattributed.as_slice() else {
        panic!("nothing is dropped: {effects:#?}")
    };
    assert_eq!(uses.keys.len(), 2);
    let [nonce] = effects.nonces.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!((nonce.owner, nonce.spends), (SIGNER, Spends::Permits));
    assert_eq!(nonce.value.after, U256::ONE);
}

#[test]
fn an_approval_of_nothing_raises_nothing() {
    let mut world = world();
    let token = loose(&mut world, false);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::ZERO,
    };
    let (_, effects) = simulate(&world, &[call(token, &approve)]);
    let [allowance] = effects.allowances.as_slice() else {
        panic!("{effects:#?}")
    };
    assert!(!allowance.is_raised());
    assert_eq!(allowance.standing, Standing::Observed);
}

#[test]
fn an_approval_over_two_calls_is_one_change() {
    let mut world = world();
    let token = loose(&mut world, false);
    let approve = |value: u64| {
        call(
            token,
            &LooseToken::approveCall {
                spender: SPENDER,
                value: U256::from(value),
            },
        )
    };
    let (_, effects) = simulate(&world, &[approve(500), approve(100)]);
    let [allowance] = effects.allowances.as_slice() else {
        panic!("{effects:#?}")
    };
    let amount = allowance.amount.as_ref().unwrap();
    assert_eq!((amount.before, amount.after), (U256::ZERO, U256::from(100)));
}

#[test]
fn permit2_allowances() {
    let mut world = world();
    let permit2 = world.deploy("SpeakingPermit2", &[], 0);
    let silent = world.deploy("Permit2Allowances", &[], 0);
    let token = loose(&mut world, false);
    for contract in [permit2, silent] {
        let approve = SpeakingPermit2::approveCall {
            token,
            spender: SPENDER,
            amount: 5u64.try_into().unwrap(),
            expiration: 9u64.try_into().unwrap(),
        };
        let (_, effects) = simulate(&world, &[call(contract, &approve)]);
        let [allowance] = effects.permit2.as_slice() else {
            panic!("{effects:#?}")
        };
        assert_eq!(
            (
                allowance.contract,
                allowance.token,
                allowance.owner,
                allowance.spender
            ),
            (contract, token, SIGNER, SPENDER)
        );
        assert_eq!(allowance.amount.as_ref().unwrap().after, U256::from(5));
        assert_eq!(allowance.expiration.as_ref().unwrap().after, U256::from(9));
        assert_eq!(allowance.standing, Standing::Observed);
        assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
    }
}

#[test]
fn an_approval_that_is_used_up_was_none_the_less_given() {
    let mut world = world();
    let token = loose(&mut world, false);
    let taker = world.deploy("Taker", &[], 0);
    let approve = LooseToken::approveCall {
        spender: taker,
        value: U256::from(5),
    };
    for taken in [5, 3] {
        let value = U256::from(taken);
        let take = Taker::takeCall { token, value };
        let (outcome, effects) = simulate(&world, &[call(token, &approve), call(taker, &take)]);
        assert_eq!(outcome.status, Status::Success);
        let [allowance] = effects.allowances.as_slice() else {
            panic!("{effects:#?}")
        };
        assert_eq!(allowance.standing, Standing::Observed);
        assert_eq!(allowance.told, Some(U256::from(5)));
        assert_eq!(allowance.amount.as_ref().unwrap().after, U256::from(5 - taken));
        assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
    }
}

#[test]
fn permit2_nonces() {
    let mut world = world();
    let permit2 = world.deploy("SpeakingPermit2", &[], 0);
    let ordered = SpeakingPermit2::invalidateNoncesCall {
        token: FRIEND,
        spender: SPENDER,
        newNonce: 9u64.try_into().unwrap(),
    };
    let unordered = SpeakingPermit2::invalidateUnorderedNoncesCall {
        word: U256::from(3),
        mask: U256::from(255),
    };
    let (_, effects) = simulate(&world, &[call(permit2, &ordered), call(permit2, &unordered)]);
    let nonces = effects.nonces.iter();
    let of: Vec<_> = nonces.map(|n| (n.owner, n.spends, n.value.after)).collect();
    let allowance = Spends::Allowance {
        token: FRIEND,
        spender: SPENDER,
    };
    let transfers = Spends::Transfers { word: U256::from(3) };
    assert_eq!(
        of,
        [
            (SIGNER, allowance, U256::from(9)),
            (SIGNER, transfers, U256::from(255))
        ]
    );
    assert!(
        effects.permit2.is_empty() && effects.unattributed.is_empty(),
        "{effects:#?}"
    );
}
