//! §5.5 and §5.6: what the envelope says against what its bytes do.

use crate::calls::*;
use crate::documents::{
    NOT_AFTER, OTHER, PERMIT2, SIGNER, THIRD, TOKEN, approve, bare, call, claiming, envelope, executed,
    movement, one, permit, places, transfer, typed,
};
use alloy_primitives::{Address, B256, U256, aliases::U48, aliases::U160};
use alloy_sol_types::SolCall;
use presight_verify::envelope::ClaimStatus::{self, Confirmed, Contradicted, NotDerivable};
use serde_json::{Value, json};

/// The status of each claim, with the members that differ, and how many movements no claim says.
pub(crate) fn judged(envelope: &Value) -> (Vec<(ClaimStatus, Vec<&'static str>)>, usize) {
    let checked = bare(envelope);
    let facts = checked.facts.clone().unwrap();
    let contradicted: Vec<_> = facts
        .movements
        .iter()
        .filter(|c| c.status == Contradicted)
        .map(|c| c.path.as_str())
        .collect();
    assert_eq!(places(&checked, "movement-contradicted"), contradicted);
    assert_eq!(places(&checked, "movement-omitted").len(), facts.omitted.len());
    (
        facts
            .movements
            .into_iter()
            .map(|c| (c.status, c.members))
            .collect(),
        facts.omitted.len(),
    )
}

/// One claim and everything else said.
pub(crate) fn assert_claim(envelope: Value, claim: Value, status: ClaimStatus, members: &[&str]) {
    let (claims, omitted) = judged(&claiming(envelope, vec![claim.clone()]));
    assert_eq!(claims, [(status, members.to_vec())], "{claim}");
    assert_eq!(omitted, 0, "{claim}");
}

#[test]
fn a_transfer_is_what_it_is_said_to_be() {
    let tx = || one(transfer(5));
    let claim = |members: Value| movement("transfer", members);
    assert_claim(tx(), claim(json!({})), Confirmed, &[]);
    for (members, differs) in [
        (json!({ "amount": "6" }), "amount"),
        (json!({ "amount": "9".repeat(100) }), "amount"),
        (json!({ "to": THIRD }), "to"),
        (json!({ "from": THIRD }), "from"),
        (json!({ "token": THIRD }), "token"),
        (json!({ "token": "native", "standard": "native" }), "token"),
        (json!({ "kind": "approve" }), "kind"),
        (json!({ "kind": "burn" }), "kind"),
    ] {
        assert_claim(tx(), claim(members), Contradicted, &[differs]);
    }
    let pulled = Token::transferFromCall {
        from: SIGNER,
        to: OTHER,
        amount: U256::from(5),
    }
    .abi_encode();
    assert_claim(one(pulled.clone()), claim(json!({})), Confirmed, &[]);
    let item = json!({ "standard": "erc721", "amount": "1", "tokenId": "5" });
    assert_claim(one(pulled.clone()), claim(item.clone()), Confirmed, &[]);
    let other_item = json!({ "standard": "erc721", "amount": "1", "tokenId": "6" });
    assert_claim(one(pulled), claim(other_item.clone()), Contradicted, &["tokenId"]);
    let safe = Token::safeTransferFromCall {
        from: SIGNER,
        to: OTHER,
        tokenId: U256::from(5),
    }
    .abi_encode();
    assert_claim(one(safe.clone()), claim(item), Confirmed, &[]);
    assert_claim(one(safe), claim(other_item), Contradicted, &["tokenId"]);
}

#[test]
fn burning_is_a_transfer_to_nobody() {
    let dead = alloy_primitives::address!("0x000000000000000000000000000000000000dEaD");
    let burn = Token::transferCall {
        to: dead,
        amount: U256::from(5),
    }
    .abi_encode();
    assert_claim(one(burn), movement("burn", json!({ "to": dead })), Confirmed, &[]);
}

#[test]
fn an_approval_is_as_large_as_it_is_said_to_be() {
    let max = U256::MAX.to_string();
    let claim = |members: Value| movement("approve", members);
    assert_claim(
        one(approve(U256::from(5))),
        claim(json!({ "isUnlimited": false })),
        Confirmed,
        &[],
    );
    assert_claim(
        one(approve(U256::from(5))),
        claim(json!({ "isUnlimited": true })),
        Contradicted,
        &["isUnlimited"],
    );
    let unlimited = || one(approve(U256::MAX));
    assert_claim(unlimited(), claim(json!({})), Contradicted, &["amount"]);
    assert_claim(
        unlimited(),
        claim(json!({ "isUnlimited": false })),
        Contradicted,
        &["amount", "isUnlimited"],
    );
    assert_claim(
        unlimited(),
        claim(json!({ "isUnlimited": true })),
        Contradicted,
        &["amount"],
    );
    assert_claim(
        unlimited(),
        claim(json!({ "amount": max, "isUnlimited": true })),
        Confirmed,
        &[],
    );
    assert_claim(
        unlimited(),
        claim(json!({ "amount": max, "isUnlimited": false })),
        Contradicted,
        &["isUnlimited"],
    );

    let permit2 = || {
        let call = Permit2::approveCall {
            token: TOKEN,
            spender: OTHER,
            amount: U160::MAX,
            expiration: U48::MAX,
        };
        envelope(vec![crate::documents::call(PERMIT2, &call.abi_encode())])
    };
    let max160 = U160::MAX.to_string();
    assert_claim(
        permit2(),
        claim(json!({ "amount": max, "isUnlimited": true })),
        Confirmed,
        &[],
    );
    assert_claim(
        permit2(),
        claim(json!({ "amount": max160, "isUnlimited": true })),
        Confirmed,
        &[],
    );
    let unflagged = claiming(permit2(), vec![claim(json!({ "amount": max160 }))]);
    let place = ["/content/metadata/tokenMovements/0/isUnlimited"];
    assert_eq!(places(&bare(&unflagged), "unlimited-not-flagged"), place);

    let all = Token::setApprovalForAllCall {
        operator: OTHER,
        approved: true,
    }
    .abi_encode();
    let item =
        |unlimited: Value| claim(json!({ "standard": "erc1155", "amount": "0", "isUnlimited": unlimited }));
    assert_claim(one(all.clone()), item(json!(true)), Confirmed, &[]);
    assert_claim(one(all), item(json!(false)), Contradicted, &["isUnlimited"]);
}

#[test]
fn the_standard_has_to_have_the_function() {
    let all = Token::setApprovalForAllCall {
        operator: OTHER,
        approved: true,
    };
    let collection = || one(all.abi_encode());
    let of = |standard: &str| json!({ "standard": standard, "isUnlimited": true });
    assert_claim(collection(), movement("approve", of("erc1155")), Confirmed, &[]);
    assert_claim(
        collection(),
        movement("approve", of("erc20")),
        Contradicted,
        &["standard"],
    );
    let wrong = movement("transfer", json!({ "standard": "native" }));
    assert_claim(one(transfer(5)), wrong, Contradicted, &["standard"]);
    let wrong = movement("transfer", json!({ "standard": "erc1155" }));
    assert_claim(one(transfer(5)), wrong, Contradicted, &["standard"]);
}

#[test]
fn a_large_grant_may_be_called_unlimited() {
    let large = U256::from(u128::MAX);
    let claim = movement(
        "approve",
        json!({ "amount": large.to_string(), "isUnlimited": true }),
    );
    assert_claim(one(approve(large)), claim, Confirmed, &[]);
}

#[test]
fn what_an_allowance_comes_to_is_not_in_the_bytes() {
    let raised = || {
        let call = Token::increaseAllowanceCall {
            spender: OTHER,
            amount: U256::from(100),
        };
        one(call.abi_encode())
    };
    for (amount, unlimited, status) in [
        ("100", json!(false), NotDerivable),
        ("150", json!(false), NotDerivable),
        ("99", json!(false), Contradicted),
    ] {
        let claim = movement("approve", json!({ "amount": amount, "isUnlimited": unlimited }));
        let members: &[&str] = if status == Contradicted { &["amount"] } else { &[] };
        assert_claim(raised(), claim, status, members);
    }
}

#[test]
fn a_transfer_is_neither_unlimited_nor_of_an_item() {
    let unlimited = movement("transfer", json!({ "isUnlimited": true }));
    assert_claim(one(transfer(5)), unlimited, Contradicted, &["isUnlimited"]);
    let item = movement("transfer", json!({ "tokenId": "9" }));
    assert_claim(one(transfer(5)), item, Contradicted, &["tokenId"]);
}

#[test]
fn a_message_for_another_chain_says_nothing_of_this_one() {
    let far = (NOT_AFTER + 600).to_string();
    let mut elsewhere = claiming(permit("5", &far), vec![movement("permit", json!({}))]);
    assert_eq!(bare(&elsewhere).facts.unwrap().action.status, Confirmed);
    elsewhere["content"]["domain"]["chainId"] = json!(137);
    let facts = bare(&elsewhere).facts.unwrap();
    assert_eq!(
        (facts.movements[0].status, facts.action.status),
        (NotDerivable, NotDerivable)
    );
}

/// ERC-721 is claimed of what only another standard can do.
#[test]
fn an_item_is_moved_by_a_function_that_has_items() {
    let item = |kind: &str, amount: &str| {
        movement(
            kind,
            json!({ "standard": "erc721", "amount": amount, "tokenId": "5" }),
        )
    };
    let approval = || one(approve(U256::from(5)));
    assert_claim(approval(), item("approve", "1"), Confirmed, &[]);
    assert_claim(approval(), item("approve", "5"), Contradicted, &["amount"]);
    assert_claim(approval(), item("revoke", "1"), Contradicted, &["kind"]);
    let endless = movement(
        "approve",
        json!({ "standard": "erc721", "amount": "1", "tokenId": "5", "isUnlimited": true }),
    );
    assert_claim(approval(), endless, Contradicted, &["isUnlimited"]);
    let first = movement(
        "revoke",
        json!({ "standard": "erc721", "amount": "0", "tokenId": "0" }),
    );
    assert_claim(one(approve(U256::ZERO)), first, Contradicted, &["kind"]);

    let safe = Token::safeTransferFromCall {
        from: SIGNER,
        to: OTHER,
        tokenId: U256::from(5),
    }
    .abi_encode();
    assert_claim(one(safe.clone()), item("transfer", "1"), Confirmed, &[]);
    assert_claim(
        one(safe.clone()),
        item("transfer", "1000"),
        Contradicted,
        &["amount"],
    );
    let one_of_many = movement(
        "transfer",
        json!({ "standard": "erc1155", "amount": "1", "tokenId": "5" }),
    );
    assert_claim(one(safe), one_of_many.clone(), Contradicted, &["standard"]);
    let of_many = |amount: u64| {
        let call = Items::safeTransferFromCall {
            from: SIGNER,
            to: OTHER,
            id: U256::from(5),
            amount: U256::from(amount),
            data: alloy_primitives::Bytes::new(),
        };
        one(call.abi_encode())
    };
    assert_claim(of_many(1), one_of_many, Confirmed, &[]);
    assert_claim(of_many(1), item("transfer", "1"), Contradicted, &["standard"]);
    assert_claim(
        of_many(9000),
        item("transfer", "1"),
        Contradicted,
        &["standard", "amount"],
    );

    assert_claim(
        one(transfer(5)),
        item("transfer", "1"),
        Contradicted,
        &["standard", "amount"],
    );
    let added = Token::increaseAllowanceCall {
        spender: OTHER,
        amount: U256::from(5),
    };
    assert_claim(
        one(added.abi_encode()),
        item("approve", "1"),
        Contradicted,
        &["standard", "amount"],
    );
    let far = (NOT_AFTER + 600).to_string();
    assert_claim(
        permit("5", &far),
        item("permit", "1"),
        Contradicted,
        &["standard", "amount"],
    );
    let kept = Permit2::approveCall {
        token: TOKEN,
        spender: OTHER,
        amount: U160::from(5),
        expiration: U48::MAX,
    };
    let kept_data = kept.abi_encode();
    let kept = envelope(vec![call(PERMIT2, &kept_data)]);
    assert_claim(kept, item("approve", "1"), Contradicted, &["standard", "amount"]);
    let both = envelope(vec![
        call(TOKEN, &approve(U256::from(5))),
        call(PERMIT2, &kept_data),
    ]);
    let (claims, _) = judged(&claiming(both, vec![item("approve", "1"), item("approve", "1")]));
    let expected = [(Confirmed, vec![]), (Contradicted, vec!["standard", "amount"])];
    assert_eq!(claims, expected, "one of them is an item at most");
}

#[test]
fn another_permit2_decides_for_itself() {
    let data = Permit2::approveCall {
        token: TOKEN,
        spender: OTHER,
        amount: U160::from(5),
        expiration: U48::MAX,
    }
    .abi_encode();
    let beside = envelope(vec![call(THIRD, &data), call(TOKEN, &transfer(5))]);
    let kept_by = |keeper: Address| envelope(vec![call(keeper, &data)]);
    assert_claim(kept_by(PERMIT2), movement("approve", json!({})), Confirmed, &[]);
    for members in [json!({}), json!({ "amount": "6" })] {
        assert_claim(kept_by(THIRD), movement("approve", members), NotDerivable, &[]);
    }
    assert_eq!(judged(&kept_by(THIRD)).1, 1, "what it may be is told");
    let data = vec![data.into()];
    let inside = envelope(vec![call(THIRD, &Multicall::multicallCall { data }.abi_encode())]);
    assert_claim(
        inside,
        movement("approve", json!({ "from": SIGNER })),
        NotDerivable,
        &[],
    );
    let (claims, omitted) = judged(&claiming(beside, vec![movement("transfer", json!({}))]));
    assert_eq!((claims, omitted), (vec![(Confirmed, vec![])], 1));
}

#[test]
fn everything_is_not_one_item() {
    let all = Token::setApprovalForAllCall {
        operator: OTHER,
        approved: true,
    }
    .abi_encode();
    let claim = |members: Value| movement("approve", members);
    let item = claim(json!({ "standard": "erc721", "amount": "1", "tokenId": "5" }));
    assert_claim(one(all.clone()), item, Contradicted, &["amount", "tokenId"]);
    let some = claim(json!({ "standard": "erc1155", "amount": "5" }));
    assert_claim(one(all.clone()), some, Contradicted, &["amount"]);
    let items = claim(json!({ "standard": "erc1155", "tokenId": "5", "isUnlimited": true }));
    assert_claim(one(all), items, Contradicted, &["tokenId"]);
}

#[test]
fn a_claim_that_hides_an_approval_is_contradicted_and_the_approval_listed() {
    let hidden = claiming(
        one(approve(U256::MAX)),
        vec![movement("transfer", json!({ "from": THIRD, "to": SIGNER }))],
    );
    let (claims, omitted) = judged(&hidden);
    assert_eq!((claims, omitted), (vec![(Contradicted, vec![])], 1));
    let checked = bare(&hidden);
    let facts = checked.facts.unwrap();
    assert_eq!(facts.omitted[0].path, "/content/calls/0");
    assert!(
        facts.omitted[0].detail.contains("unlimited"),
        "{}",
        facts.omitted[0].detail
    );
}

#[test]
fn code_that_is_not_read_may_move_anything_but_grants_nothing_of_the_signers() {
    let opaque = |approval: Vec<u8>| envelope(vec![call(TOKEN, &approval), call(OTHER, &[1, 2, 3, 4])]);
    let approval = movement("approve", json!({}));
    let received = movement("transfer", json!({ "from": THIRD, "to": SIGNER }));
    let (claims, omitted) = judged(&claiming(
        opaque(approve(U256::from(5))),
        vec![received.clone(), approval.clone()],
    ));
    assert_eq!(claims, [(NotDerivable, vec![]), (Confirmed, vec![])]);
    assert_eq!(omitted, 0);
    let (claims, _) = judged(&claiming(
        opaque(approve(U256::from(6))),
        vec![approval, received],
    ));
    assert_eq!(claims, [(Contradicted, vec!["amount"]), (NotDerivable, vec![])]);
    let elsewhere = movement("approve", json!({ "to": THIRD }));
    let (claims, _) = judged(&claiming(opaque(approve(U256::from(5))), vec![elsewhere]));
    assert_eq!(claims, [(Contradicted, vec!["to"])]);
}

#[test]
fn a_value_transfer_decides_nothing_about_tokens() {
    let mut paid = envelope(vec![call(OTHER, &[])]);
    paid["content"]["calls"][0]["value"] = json!("0x5");
    let native = json!({ "token": "native", "standard": "native" });
    let (claims, omitted) = judged(&claiming(
        paid.clone(),
        vec![
            movement("transfer", native.clone()),
            movement("mint", json!({ "from": THIRD, "to": SIGNER })),
            movement("transfer", json!({ "from": THIRD, "to": SIGNER })),
        ],
    ));
    assert_eq!(
        claims,
        [
            (Confirmed, vec![]),
            (NotDerivable, vec![]),
            (NotDerivable, vec![])
        ]
    );
    assert_eq!(omitted, 0);
    assert_eq!(judged(&paid).1, 1, "the value leaves the signer");
    let onward = movement(
        "transfer",
        json!({ "token": "native", "standard": "native", "to": THIRD }),
    );
    assert_eq!(
        judged(&claiming(paid, vec![onward])),
        (vec![(NotDerivable, vec![])], 1)
    );
}

#[test]
fn each_claim_needs_a_movement_of_its_own() {
    let claim = || movement("transfer", json!({}));
    let (claims, _) = judged(&claiming(one(transfer(5)), vec![claim(), claim()]));
    assert_eq!(claims, [(Confirmed, vec![]), (Contradicted, vec![])]);
    let twice = envelope(vec![call(TOKEN, &transfer(5)), call(TOKEN, &transfer(5))]);
    assert_eq!(
        judged(&claiming(twice.clone(), vec![claim()])),
        (vec![(Confirmed, vec![])], 1)
    );
    assert_eq!(judged(&claiming(twice, vec![claim(), claim()])).1, 0);
}

#[test]
fn delegatecalls_decide_nothing() {
    let mut run = one(transfer(5));
    run["content"]["calls"][0]["operation"] = json!("delegatecall");
    let (claims, omitted) = judged(&claiming(run, vec![movement("transfer", json!({}))]));
    assert_eq!((claims, omitted), (vec![(NotDerivable, vec![])], 0));
}

#[test]
fn an_unnamed_signer_is_compared_with_nobody() {
    let mut tx = claiming(one(transfer(5)), vec![movement("transfer", json!({}))]);
    tx["content"].as_object_mut().unwrap().remove("from");
    assert_eq!(judged(&tx), (vec![(NotDerivable, vec![])], 0));
    tx["content"]["metadata"]["tokenMovements"][0]["amount"] = json!("6");
    assert_eq!(judged(&tx).0, [(Contradicted, vec!["amount"])]);
    let detail = bare(&tx).facts.unwrap().movements[0].detail.clone().unwrap();
    assert!(detail.contains("from the signer to 0x"), "{detail}");
}

#[test]
fn messages_grant_what_they_say() {
    let far = (NOT_AFTER + 600).to_string();
    let signed = |value: &str| permit(value, &far);
    assert_claim(signed("5"), movement("permit", json!({})), Confirmed, &[]);
    assert_claim(signed("5"), movement("approve", json!({})), Confirmed, &[]);
    assert_claim(
        signed("6"),
        movement("permit", json!({})),
        Contradicted,
        &["amount"],
    );
    let max = U256::MAX.to_string();
    let small = movement("permit", json!({ "isUnlimited": false }));
    assert_claim(signed(&max), small, Contradicted, &["amount", "isUnlimited"]);
    assert_eq!(judged(&signed("5")).1, 1);
    let mut silent = signed("5");
    silent["content"].as_object_mut().unwrap().remove("metadata");
    assert_eq!(
        judged(&silent).1,
        1,
        "what nothing is said of is told all the same"
    );

    let member = |name: &str, ty: &str| json!({ "name": name, "type": ty });
    let once_by = |permit2: Address| {
        typed(json!({
            "domain": { "name": "Permit2", "chainId": 1, "verifyingContract": permit2 },
            "types": {
                "PermitTransferFrom": [
                    member("permitted", "TokenPermissions"), member("spender", "address"), member("nonce", "uint256"),
                    member("deadline", "uint256"),
                ],
                "TokenPermissions": [member("token", "address"), member("amount", "uint256")],
            },
            "primaryType": "PermitTransferFrom",
            "message": { "permitted": { "token": TOKEN, "amount": "5" }, "spender": OTHER, "nonce": "0", "deadline": far },
        }))
    };
    let once = once_by(PERMIT2);
    for kind in ["permit", "transfer"] {
        for members in [
            json!({}),
            json!({ "amount": "6" }),
            json!({ "token": THIRD, "to": THIRD }),
        ] {
            let claims = judged(&claiming(once_by(THIRD), vec![movement(kind, members)])).0;
            assert_eq!(claims, [(NotDerivable, vec![])], "not Permit2");
        }
        assert_claim(
            once.clone(),
            movement(kind, json!({ "isUnlimited": false })),
            Confirmed,
            &[],
        );
    }
    assert_claim(
        once,
        movement("permit", json!({ "to": THIRD })),
        Contradicted,
        &["to"],
    );

    let mut text = signed("5");
    for name in ["domain", "types", "primaryType", "message"] {
        text["content"].as_object_mut().unwrap().remove(name);
    }
    text["content"]["scheme"] = json!("personal-sign");
    text["content"]["messageText"] = json!("Give me 5 USD");
    let claimed = claiming(text, vec![movement("permit", json!({}))]);
    assert_eq!(judged(&claimed), (vec![(NotDerivable, vec![])], 0));
}

#[test]
fn a_permit_of_someone_else_is_theirs() {
    let call = Token::permitCall {
        owner: THIRD,
        spender: OTHER,
        value: U256::from(5),
        deadline: U256::from(NOT_AFTER + 600),
        v: 27,
        r: B256::ZERO,
        s: B256::ZERO,
    };
    let tx = || one(call.abi_encode());
    assert_claim(
        tx(),
        movement("approve", json!({ "from": THIRD })),
        Confirmed,
        &[],
    );
    assert_claim(tx(), movement("approve", json!({})), Contradicted, &["from"]);
}

#[test]
fn calls_inside_calls_count() {
    let data = vec![transfer(5).into()];
    let safe = envelope(vec![call(THIRD, &executed(transfer(5), 0))]);
    assert_claim(
        safe.clone(),
        movement("transfer", json!({ "from": THIRD })),
        Confirmed,
        &[],
    );
    assert_claim(safe, movement("transfer", json!({})), Contradicted, &["from"]);
    let multicall = one(Multicall::multicallCall { data }.abi_encode());
    assert_claim(multicall, movement("transfer", json!({})), Confirmed, &[]);
}

/// A Safe may be drained by what it pays for gas.
#[test]
fn a_safes_refund_for_gas_is_told() {
    let drain = Safe::execTransactionCall {
        gasPrice: U256::from(1_000_000_000),
        refundReceiver: OTHER,
        ..Safe::execTransactionCall::abi_decode(&executed(transfer(5), 0)).unwrap()
    };
    let safe = |claims: Vec<Value>| claiming(envelope(vec![call(THIRD, &drain.abi_encode())]), claims);
    let sent = movement("transfer", json!({ "from": THIRD }));
    let refund = json!({ "from": THIRD, "token": "native", "standard": "native", "amount": "9" });
    assert_eq!(judged(&safe(vec![sent.clone()])), (vec![(Confirmed, vec![])], 1));
    let both = safe(vec![sent, movement("transfer", refund)]);
    assert_eq!(
        judged(&both),
        (vec![(Confirmed, vec![]), (NotDerivable, vec![])], 0)
    );
}
