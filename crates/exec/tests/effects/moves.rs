//! What moves: amounts, items, ids, wrapped native value.

use crate::stage::*;
use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::SolConstructor;
use presight_exec::effects::{Asset, Standing};
use presight_exec::simulate::Status;
use presight_wire::request::Call;

#[test]
fn a_transfer_of_the_full_balance_shows() {
    for quiet in [false, true] {
        let mut world = world();
        let token = loose(&mut world, quiet);
        let all = LooseToken::transferCall {
            to: FRIEND,
            value: U256::from(1_000),
        };
        let (outcome, effects) = simulate(&world, &[call(token, &all)]);
        assert_eq!(outcome.status, Status::Success);
        let balances: Vec<_> = effects
            .balances
            .iter()
            .map(|b| (b.account, b.balance.before, b.balance.after, b.told))
            .collect();
        let (none, thousand) = (U256::ZERO, U256::from(1_000));
        assert_eq!(
            balances,
            [(SIGNER, thousand, none, !quiet), (FRIEND, none, thousand, !quiet)]
        );
        assert_eq!(effects.transfers.len(), usize::from(!quiet));
        assert!(effects.transfers.iter().all(|t| t.standing == Standing::Observed));
        assert!(effects.unattributed.is_empty());
    }
}

#[test]
fn items_and_their_approvals() {
    let mut world = world();
    let holder = ItemZero::constructorCall { holder: SIGNER };
    let item = world.deploy("ItemZero", &holder.abi_encode(), 0);
    let approve = ItemZero::approveCall {
        to: SPENDER,
        tokenId: U256::ZERO,
    };
    let (_, effects) = simulate(&world, &[call(item, &approve)]);
    let [approval] = effects.items.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!((approval.token, approval.id), (item, U256::ZERO));
    let approved = approval.approved.as_ref().unwrap();
    assert_eq!((approved.before, approved.after), (Address::ZERO, SPENDER));
    assert_eq!(approval.standing, Standing::Observed);
    assert!(effects.allowances.is_empty() && effects.unattributed.is_empty());

    let transfer = ItemZero::transferFromCall {
        from: SIGNER,
        to: FRIEND,
        tokenId: U256::ZERO,
    };
    let (_, effects) = simulate(&world, &[call(item, &approve), call(item, &transfer)]);
    let [moved] = effects.transfers.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!(moved.asset, Asset::Erc721(U256::ZERO));
    assert_eq!(
        (moved.from, moved.to, moved.standing),
        (SIGNER, FRIEND, Standing::Observed)
    );
    assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
}

#[test]
fn a_batch_of_amounts_moves() {
    let mut world = world();
    let holder = Multi::constructorCall { holder: SIGNER };
    let multi = world.deploy("Multi", &holder.abi_encode(), 0);
    let batch = Multi::safeBatchTransferFromCall {
        from: SIGNER,
        to: FRIEND,
        ids: vec![U256::ZERO, U256::from(2)],
        values: vec![U256::from(100), U256::from(30)],
        data: Bytes::new(),
    };
    let operator = Multi::setApprovalForAllCall {
        operator: SPENDER,
        approved: true,
    };
    let (_, effects) = simulate(&world, &[call(multi, &batch), call(multi, &operator)]);
    let moved: Vec<_> = effects
        .transfers
        .iter()
        .map(|t| (t.asset, t.amount, t.standing))
        .collect();
    assert_eq!(
        moved,
        [
            (Asset::Erc1155(U256::ZERO), U256::from(100), Standing::Observed),
            (Asset::Erc1155(U256::from(2)), U256::from(30), Standing::Observed),
        ]
    );
    assert_eq!(effects.balances.len(), 4);
    let [operator] = effects.operators.as_slice() else {
        panic!("{effects:#?}")
    };
    assert_eq!((operator.owner, operator.operator), (SIGNER, SPENDER));
    assert_eq!(operator.standing, Standing::Observed);
    assert!(effects.unattributed.is_empty(), "{:#?}", effects.unattributed);
}

#[test]
fn native_value_wrapped() {
    let mut world = world();
    let wrapper = world.deploy("Wrapper", &[], 0);
    let deposit = Call {
        value: U256::from(30),
        ..call(wrapper, &Wrapper::depositCall {})
    };
    let withdraw = call(wrapper, &Wrapper::withdrawCall { wad: U256::from(10) });
    let (outcome, effects) = simulate(&world, &[deposit, withdraw]);
    assert_eq!(outcome.status, Status::Success, "{:?}", outcome.reason);
    assert_eq!(effects.transfers.len(), 2);
    assert!(effects.transfers.iter().all(|t| t.asset == Asset::Wrapped));
    assert_eq!(effects.balances[0].balance.after, U256::from(20));
    assert_eq!(effects.native.len(), 2);
    assert!(effects.unattributed.is_empty());
}
