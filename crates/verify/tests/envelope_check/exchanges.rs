//! What exchanges take from the signer, and whom they pay.

use crate::calls::*;
use crate::documents::{
    OTHER, SIGNER, THIRD, TOKEN, acting, bare, call, claiming, envelope, movement, places,
};
use alloy_primitives::{Address, Bytes, U256, address, aliases::U24};
use alloy_sol_types::{SolCall, SolValue};
use presight_verify::envelope::ClaimStatus::{self, Confirmed, Contradicted, NotDerivable};
use serde_json::{Value, json};

const ROUTER: Address = address!("0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af");
const BOUGHT: Address = address!("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2");
const ME: Address = address!("0x0000000000000000000000000000000000000001");
const ITSELF: Address = address!("0x0000000000000000000000000000000000000002");
const BALANCE: U256 = U256::from_limbs([0, 0, 0, 1 << 63]);

fn plan(commands: &[(u8, Vec<u8>)]) -> Value {
    let execute = Universal::executeCall {
        commands: commands.iter().map(|(byte, _)| *byte).collect(),
        inputs: commands.iter().map(|(_, input)| input.clone().into()).collect(),
        deadline: U256::MAX,
    };
    envelope(vec![call(ROUTER, &execute.abi_encode())])
}

fn path(first: Address, last: Address) -> Bytes {
    [first.as_slice(), &[0, 11, 184], last.as_slice()].concat().into()
}

fn swap(to: Address, by_user: bool) -> Vec<u8> {
    (to, U256::from(77), U256::from(5), path(TOKEN, BOUGHT), by_user).abi_encode_params()
}

fn pay(token: Address, to: Address, amount: U256) -> Vec<u8> {
    (token, to, amount).abi_encode_params()
}

fn omitted(envelope: &Value) -> Vec<String> {
    let checked = bare(envelope);
    let facts = checked.facts.clone().unwrap();
    assert_eq!(places(&checked, "movement-omitted").len(), facts.omitted.len());
    facts.omitted.into_iter().map(|omitted| omitted.detail).collect()
}

fn paid(amount: &str, to: Address) -> Value {
    movement("transfer", json!({ "amount": amount, "to": to }))
}

/// One claim; what it leaves out is not looked at.
fn status(envelope: &Value, claim: Value) -> ClaimStatus {
    let checked = bare(&claiming(envelope.clone(), vec![claim]));
    checked.facts.unwrap().movements[0].status
}

#[test]
fn what_a_swap_takes_and_whom_it_pays_is_told() {
    let away = plan(&[(0x00, swap(OTHER, true))]);
    let told = omitted(&away);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("transfer of 77 of 0xf042"), "{told:?}");
    assert!(
        told[1].contains("at least 5") && told[1].contains("0xbacc"),
        "{told:?}"
    );
    assert_eq!(
        places(&bare(&acting(away.clone(), "claim")), "action-contradicted").len(),
        1
    );

    assert_eq!(status(&away, paid("77", ROUTER)), Confirmed);
    assert_eq!(
        status(&away, paid("77", THIRD)),
        NotDerivable,
        "the pool is not named"
    );
    assert_eq!(status(&away, paid("78", ROUTER)), Contradicted);
    let given = |amount: &str, from: Address| {
        movement(
            "transfer",
            json!({ "token": BOUGHT, "amount": amount, "from": from }),
        )
    };
    assert_eq!(status(&away, given("5", ROUTER)), Confirmed);
    assert_eq!(status(&away, given("6", ROUTER)), NotDerivable);
    assert_eq!(status(&away, given("4", ROUTER)), Contradicted);
    assert_eq!(status(&away, given("5", THIRD)), NotDerivable);
    let said = claiming(away, vec![paid("77", ROUTER), given("5", ROUTER)]);
    assert_eq!(omitted(&said), [""; 0]);
}

#[test]
fn what_comes_back_needs_no_telling() {
    for to in [ME, SIGNER] {
        assert_eq!(
            omitted(&plan(&[(0x00, swap(to, true))])).len(),
            1,
            "what it takes"
        );
        assert_eq!(omitted(&plan(&[(0x00, swap(to, false))])), [""; 0]);
    }
    assert_eq!(omitted(&plan(&[(0x00, swap(ITSELF, false))])), [""; 0]);
}

#[test]
fn every_command_that_pays_another_account_is_told() {
    let wrap = |amount: u64| (OTHER, U256::from(amount)).abi_encode_params();
    let tokens = |amount: u64| {
        (
            OTHER,
            U256::from(amount),
            U256::from(5),
            vec![TOKEN, BOUGHT],
            false,
        )
            .abi_encode_params()
    };
    let v4 = |action: u8, params: Vec<u8>| {
        (Bytes::from(vec![action]), vec![Bytes::from(params)]).abi_encode_params()
    };
    let take = (TOKEN, OTHER, U256::ZERO).abi_encode_params();
    for (command, detail) in [
        ((0x04, pay(TOKEN, OTHER, U256::from(3))), "at least 3 of 0xf042"),
        ((0x04, pay(Address::ZERO, OTHER, U256::from(3))), "at least 3 wei"),
        ((0x05, pay(TOKEN, OTHER, BALANCE)), "any amount of 0xf042"),
        ((0x06, pay(TOKEN, OTHER, U256::from(3))), "any amount of 0xf042"),
        ((0x0b, wrap(3)), "3 of a token that is not named"),
        ((0x0c, wrap(3)), "at least 3 wei"),
        ((0x01, swap(OTHER, false)), "77 of 0xf042"),
        ((0x08, tokens(77)), "at least 5 of 0xc02a"),
        ((0x09, tokens(77)), "77 of 0xc02a"),
        ((0x10, v4(0x0e, take.clone())), "any amount of 0xf042"),
        ((0x10, v4(0x10, take)), "any amount of 0xf042"),
    ] {
        let told = omitted(&plan(std::slice::from_ref(&command)));
        assert_eq!(told.len(), 1, "{detail}: {told:?}");
        assert!(
            told[0].contains(detail) && told[0].contains("to 0xbacc"),
            "{detail}: {told:?}"
        );
    }
    let settled = v4(0x0c, (TOKEN, U256::from(9)).abi_encode_params());
    let told = omitted(&plan(&[(0x10, settled)]));
    assert!(
        told[0].contains("at most 9 of 0xf042") && told[0].contains("from 0x2683"),
        "{told:?}"
    );
}

#[test]
fn a_sweep_after_a_true_claim_is_told() {
    let pulled = (TOKEN, ITSELF, U256::from(77)).abi_encode_params();
    let swept = plan(&[(0x02, pulled), (0x04, pay(TOKEN, OTHER, U256::ZERO))]);
    let said = claiming(swept, vec![paid("77", ROUTER)]);
    let told = omitted(&said);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("0xbacc"), "{told:?}");
}

#[test]
fn routers_of_v2_and_v3() {
    let v2 = |to: Address| {
        let swap = V2::swapExactTokensForTokensCall {
            amountIn: U256::from(77),
            amountOutMin: U256::from(5),
            path: vec![TOKEN, BOUGHT],
            to,
            deadline: U256::MAX,
        };
        swap.abi_encode()
    };
    let v3 = |recipient: Address| {
        let swap = V3::exactInputSingleCall {
            params: Single {
                tokenIn: TOKEN,
                tokenOut: BOUGHT,
                fee: U24::from(3000),
                recipient,
                deadline: U256::MAX,
                amountIn: U256::from(77),
                amountOutMinimum: U256::from(5),
                sqrtPriceLimitX96: alloy_primitives::aliases::U160::ZERO,
            },
        };
        Multicall::multicallCall {
            data: vec![swap.abi_encode().into()],
        }
        .abi_encode()
    };
    for data in [v2(OTHER), v3(OTHER)] {
        let away = envelope(vec![call(ROUTER, &data)]);
        let told = omitted(&away);
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(status(&away, paid("77", ROUTER)), Confirmed);
        assert_eq!(places(&bare(&away), "opaque-call"), [""; 0]);
    }
    for data in [v2(SIGNER), v3(SIGNER)] {
        assert_eq!(omitted(&envelope(vec![call(ROUTER, &data)])).len(), 1);
    }
}

#[test]
fn a_permit_of_an_item_is_a_grant() {
    let permit = Positions::permitCall {
        spender: OTHER,
        tokenId: U256::from(9),
        deadline: U256::MAX,
        v: 27,
        r: Default::default(),
        s: Default::default(),
    };
    let granted = envelope(vec![call(TOKEN, &permit.abi_encode())]);
    assert!(omitted(&granted)[0].contains("item 9"));
    let item = |id: &str| {
        movement(
            "approve",
            json!({ "standard": "erc721", "amount": "1", "tokenId": id }),
        )
    };
    assert_eq!(status(&granted, item("9")), Confirmed);
    assert_eq!(status(&granted, item("8")), Contradicted);
}

#[test]
fn what_is_not_understood_is_warned_of() {
    let unread = |data: &[u8]| {
        let checked = bare(&envelope(vec![call(TOKEN, data)]));
        let listed = checked.facts.as_ref().unwrap().not_checked.iter();
        let listed = listed.filter(|n| n.reason.contains("may move or grant")).count();
        (listed, places(&checked, "opaque-call").len())
    };
    let arguments = [&[0xde, 0xad, 0xbe, 0xef][..], &[0; 64]].concat();
    assert_eq!(unread(&arguments), (1, 1));
    let inside = Multicall::multicallCall {
        data: vec![arguments.into()],
    };
    assert_eq!(unread(&inside.abi_encode()), (1, 1));
    assert_eq!(unread(&[1, 2, 3, 4]), (1, 0), "no argument names anyone");
    assert_eq!(unread(&[]), (0, 0));
    let increase = [
        &[0xd7, 0x3d, 0xd6, 0x23][..],
        &[0; 12],
        OTHER.as_slice(),
        &[1; 32],
    ]
    .concat();
    let named = bare(&envelope(vec![call(TOKEN, &increase)]));
    assert_eq!(places(&named, "odd-bytes"), ["/content/calls/0/data"]);
}
