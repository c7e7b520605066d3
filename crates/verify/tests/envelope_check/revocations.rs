//! §5.5: rights that are taken away.

use crate::calls::*;
use crate::claims::{assert_claim, judged};
use crate::documents::{OTHER, THIRD, approve, call, envelope, executed, movement, one};
use alloy_primitives::U256;
use alloy_sol_types::SolCall;
use presight_verify::envelope::ClaimStatus::{Confirmed, Contradicted, NotDerivable};
use serde_json::json;

#[test]
fn a_revocation_gives_nothing() {
    let revoke = || movement("revoke", json!({ "amount": "0" }));
    assert_claim(one(approve(U256::ZERO)), revoke(), NotDerivable, &[]);
    assert_claim(
        one(approve(U256::from(5))),
        revoke(),
        Contradicted,
        &["kind", "amount"],
    );
    let nobody = Token::setApprovalForAllCall {
        operator: OTHER,
        approved: false,
    }
    .abi_encode();
    let items = |kind: &str, amount: &str| movement(kind, json!({ "standard": "erc1155", "amount": amount }));
    assert_claim(one(nobody.clone()), items("revoke", "0"), Confirmed, &[]);
    assert_claim(one(nobody.clone()), items("approve", "0"), Confirmed, &[]);
    assert_claim(
        one(nobody.clone()),
        items("approve", "5"),
        Contradicted,
        &["amount"],
    );
    let item = movement(
        "revoke",
        json!({ "standard": "erc721", "amount": "1", "tokenId": "5" }),
    );
    assert_claim(one(nobody.clone()), item, NotDerivable, &[]);
    assert_claim(one(nobody.clone()), revoke(), Contradicted, &["standard"]);
    assert_eq!(judged(&one(nobody)).1, 0, "taking a right away needs no telling");
    let added = Token::increaseAllowanceCall {
        spender: OTHER,
        amount: U256::ZERO,
    };
    assert_claim(one(added.abi_encode()), revoke(), Contradicted, &["kind"]);
}

#[test]
fn what_is_left_of_a_reduced_allowance_is_not_in_the_bytes() {
    let call = Token::decreaseAllowanceCall {
        spender: OTHER,
        amount: U256::ONE,
    };
    let reduced = || one(call.abi_encode());
    for (kind, amount) in [
        ("revoke", "0"),
        ("revoke", "1"),
        ("approve", "999999"),
        ("approve", "0"),
    ] {
        assert_claim(
            reduced(),
            movement(kind, json!({ "amount": amount })),
            NotDerivable,
            &[],
        );
    }
    let of_another = movement("revoke", json!({ "to": THIRD }));
    assert_claim(reduced(), of_another, Contradicted, &["to"]);
    assert_claim(
        reduced(),
        movement("transfer", json!({})),
        Contradicted,
        &["kind"],
    );
    assert_eq!(judged(&reduced()).1, 0, "taking a right away needs no telling");
}

#[test]
fn rights_taken_away_inside_other_calls_count() {
    let dismiss = Token::setApprovalForAllCall {
        operator: OTHER,
        approved: false,
    };
    let reduce = Token::decreaseAllowanceCall {
        spender: OTHER,
        amount: U256::from(5),
    };
    let inside = |data: Vec<u8>| {
        one(Multicall::multicallCall {
            data: vec![data.into()],
        }
        .abi_encode())
    };
    let operator = movement("revoke", json!({ "standard": "erc1155", "amount": "0" }));
    assert_claim(inside(dismiss.abi_encode()), operator.clone(), Confirmed, &[]);
    let revoke = movement("revoke", json!({}));
    assert_claim(inside(reduce.abi_encode()), revoke, NotDerivable, &[]);
    let of_the_safe = movement(
        "revoke",
        json!({ "standard": "erc1155", "amount": "0", "from": THIRD }),
    );
    let safe = envelope(vec![call(THIRD, &executed(dismiss.abi_encode(), 0))]);
    assert_claim(safe.clone(), of_the_safe, Confirmed, &[]);
    assert_claim(safe, operator, Contradicted, &["from"]);
}
