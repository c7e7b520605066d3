//! What calldata and events hide, or make up.

use crate::common::with_code;
use crate::stage::*;
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, SolConstructor};
use presight_exec::delegation::AccountCode;
use presight_exec::effects::{self, Standing};
use presight_exec::simulate::Status;
use presight_wire::request::Call;

#[test]
fn approvals_hidden_from_the_calldata_are_found() {
    for quiet in [false, true] {
        let mut world = world();
        let token = loose(&mut world, quiet);
        let router = world.deploy("Router", &[], 0);
        let maker = world.deploy("Maker", &[], 0);

        let swap = Router::swapCall {
            token,
            spender: SPENDER,
        };
        assert_drained(token, &simulate(&world, &[call(router, &swap)]).1);

        let tail = [token.into_word(), SPENDER.into_word()].concat();
        let fallback = Call {
            to: router,
            value: U256::ZERO,
            data: [&[0xde, 0xad, 0xbe, 0xef], tail.as_slice()].concat().into(),
        };
        assert_drained(token, &simulate(&world, &[fallback]).1);

        let make = Maker::makeCall {
            token,
            spender: SPENDER,
        };
        let (outcome, effects) = simulate(&world, &[call(maker, &make)]);
        assert_drained(token, &effects);
        let created = effects.code.iter().filter(|c| c.code.before == AccountCode::None);
        // The constructor approves and leaves no code behind it but its own.
        assert_eq!(created.count(), 1, "{outcome:#?}");
    }
}

#[test]
fn the_batch_of_a_delegated_account_is_taken_apart() {
    let mut world = world();
    let token = loose(&mut world, false);
    let delegate = world.deploy("BatchAccount", &[], 0);
    let batch = BatchAccount::executeCall {
        calls: vec![
            Inner {
                to: token,
                value: U256::ZERO,
                data: LooseToken::approveCall {
                    spender: SPENDER,
                    value: U256::MAX,
                }
                .abi_encode()
                .into(),
            },
            Inner {
                to: FRIEND,
                value: U256::from(7),
                data: Bytes::new(),
            },
        ],
    };
    let calls = [call(SIGNER, &batch)];

    // Delegated already.
    let mut delegated = world.clone();
    let designator: Bytes = [&[0xef, 0x01, 0x00], delegate.as_slice()].concat().into();
    let mut account = with_code(designator);
    account.balance = ETHER;
    delegated.db.insert_account_info(SIGNER, account);
    let (outcome, effects) = simulate(&delegated, &calls);
    assert_eq!(outcome.status, Status::Success, "{:?}", outcome.reason);
    assert_drained(token, &effects);
    let sent: Vec<_> = effects
        .native
        .iter()
        .map(|n| (n.account, n.balance.before, n.balance.after))
        .collect();
    assert_eq!(
        sent,
        [
            (SIGNER, ETHER, ETHER - U256::from(7)),
            (FRIEND, U256::ZERO, U256::from(7))
        ]
    );

    // Delegated by the request itself: the nonce of the signer is raised before its tuple's turn.
    let tuple = authorization(delegate, 1);
    let (outcome, effects) = simulate_with(&world, &calls, std::slice::from_ref(&tuple), &[Some(SIGNER)]);
    assert_eq!(outcome.status, Status::Success, "{:?}", outcome.reason);
    assert_drained(token, &effects);
    assert_eq!(effects.code.len(), 1);
    assert_eq!(effects.code[0].account, SIGNER);
    assert_eq!(effects.code[0].code.after, AccountCode::Delegated(delegate));
}

#[test]
fn events_that_lie_are_claims() {
    let mut world = world();
    let token = world.deploy("LyingToken", &[], 0);
    let calls = [
        call(
            token,
            &LooseToken::transferCall {
                to: FRIEND,
                value: U256::from(5),
            },
        ),
        call(
            token,
            &LooseToken::approveCall {
                spender: SPENDER,
                value: U256::from(5),
            },
        ),
        call(
            token,
            &LyingToken::setApprovalForAllCall {
                operator: SPENDER,
                approved: true,
            },
        ),
    ];
    let (outcome, effects) = simulate(&world, &calls);
    assert_eq!(outcome.status, Status::Success);
    assert_eq!(outcome.logs.len(), 3);
    assert_eq!(effects.transfers[0].standing, Standing::Claimed);
    assert_eq!(effects.allowances[0].standing, Standing::Claimed);
    assert_eq!(effects.operators[0].standing, Standing::Claimed);
    assert!(effects.balances.is_empty());
}

#[test]
fn an_approval_in_a_flood_of_decoys_is_found() {
    let mut world = world();
    let liar = world.deploy("LyingToken", &[], 0);
    let token = loose(&mut world, true);
    let router = world.deploy("Router", &[], 0);
    let flood = LyingToken::floodCall {
        spenders: 600u64.try_into().unwrap(),
        logs: U256::from(2_000),
    };
    let swap = Router::swapCall {
        token,
        spender: SPENDER,
    };
    let (outcome, effects) = simulate(&world, &[call(liar, &flood), call(router, &swap)]);
    assert_eq!(outcome.logs.len(), 2_000);
    assert_eq!(effects.allowances.len(), 601);
    let observed: Vec<_> = effects
        .allowances
        .iter()
        .filter(|a| a.standing == Standing::Observed)
        .collect();
    assert_eq!(observed.len(), 1);
    assert_eq!((observed[0].token, observed[0].spender), (token, SPENDER));
    assert!(observed[0].is_raised());
    assert!(effects.transfers.iter().all(|t| t.standing == Standing::Claimed));
    assert!(outcome.bounds.is_empty());
}

#[test]
fn a_grant_behind_a_transfer_is_found() {
    let mut world = world();
    let holder = TwoFacedToken::constructorCall { holder: SIGNER };
    let token = world.deploy("TwoFacedToken", &holder.abi_encode(), 0);
    let transfer = LooseToken::transferCall {
        to: FRIEND,
        value: U256::from(5),
    };
    let (_, effects) = simulate(&world, &[call(token, &transfer)]);
    assert_eq!(effects.transfers[0].standing, Standing::Observed);
    assert_eq!(effects.balances.len(), 2);
    let [allowance] = effects.allowances.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!((allowance.owner, allowance.spender), (SIGNER, SPENDER));
    assert_eq!(allowance.amount.as_ref().unwrap().after, U256::MAX);
    // That the signer is blocked from now on has no name here, and is not lost.
    let [blocked] = effects.unattributed.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!(blocked.change.after, U256::ONE);
}

#[test]
fn an_approval_among_decoys_of_its_own_contract_is_found() {
    let mut world = world();
    let token = world.deploy("DecoyToken", &[], 0);
    let flood = |decoys: u64, spender| {
        let decoys = decoys.try_into().unwrap();
        call(token, &DecoyToken::floodCall { decoys, spender })
    };
    let by = |effects: &effects::Effects, standing| {
        let found = effects.allowances.iter().filter(|a| a.standing == standing);
        found.map(|a| a.spender).collect::<Vec<_>>()
    };
    let (outcome, effects) = simulate(&world, &[flood(600, SPENDER)]);
    assert_eq!((outcome.logs.len(), effects.allowances.len()), (600, 601));
    assert_eq!(by(&effects, Standing::Observed), [SPENDER]);
    assert_eq!(by(&effects, Standing::Claimed).len(), 600);
    assert!(outcome.bounds.is_empty() && effects.unattributed.is_empty());

    // An event of little, and a grant of everything.
    let little = Address::with_last_byte(5);
    let (_, effects) = simulate(&world, &[flood(600, little)]);
    assert_eq!(by(&effects, Standing::Differs), [little]);

    // More questions than are put: what changed is asked about first.
    let (outcome, effects) = simulate(&world, &[flood(5_000, SPENDER)]);
    assert!(!outcome.bounds.is_empty());
    assert_eq!(by(&effects, Standing::Observed), [SPENDER]);
}

#[test]
fn an_approval_that_is_taken_back_is_a_claim() {
    let mut world = world();
    let feint = world.deploy("Feint", &[], 0);
    let approve = LooseToken::approveCall {
        spender: SPENDER,
        value: U256::from(5),
    };
    let (_, effects) = simulate(&world, &[call(feint, &approve)]);
    assert_eq!(effects.allowances[0].standing, Standing::Claimed);
}
