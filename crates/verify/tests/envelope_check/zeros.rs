//! An amount of zero moves nothing, or item 0 of an ERC-721: the chain tells which (I-36).

use crate::calls::*;
use crate::documents::{
    OTHER, SIGNER, TOKEN, acting, bare, call, claiming, envelope, executed, movement, places,
};
use alloy_primitives::{Address, U256, address};
use alloy_sol_types::SolCall;
use presight_verify::envelope::ClaimStatus::{self, Confirmed, Contradicted, NotDerivable};
use presight_verify::envelope::{CheckContext, Checked, check};
use presight_view::drive::run_recorded;
use presight_view::file;
use serde_json::{Value, json};

/// Code that answers every call with true but that for the interface of all ones: an ERC-721 (ERC-165).
const ERC721: &str = "0x60043560e01c63ffffffff141560005260206000f3";

fn moves() -> Vec<u8> {
    Token::transferFromCall {
        from: SIGNER,
        to: OTHER,
        amount: U256::ZERO,
    }
    .abi_encode()
}

fn approves(spender: Address) -> Vec<u8> {
    Token::approveCall {
        spender,
        amount: U256::ZERO,
    }
    .abi_encode()
}

fn one(data: Vec<u8>) -> Value {
    envelope(vec![call(TOKEN, &data)])
}

/// The outcome where [`TOKEN`] has this code.
fn on_chain(envelope: &Value, code: &str) -> Checked {
    let view = json!({
        "format": "presight-view/1", "clock": "2026-09-02T12:00:00Z",
        "chains": [{
            "chainId": "eip155:1", "spec": "prague", "complete": true,
            "block": {
                "number": "0x10", "hash": format!("0x{}", "01".repeat(32)), "parentHash": format!("0x{}", "02".repeat(32)),
                "timestamp": "0x68b00000", "gasLimit": "0x1c9c380", "miner": Address::ZERO,
                "baseFeePerGas": "0x1", "mixHash": format!("0x{}", "00".repeat(32)), "stateRoot": format!("0x{}", "03".repeat(32)),
            },
            "accounts": { format!("{TOKEN:#x}"): { "code": code } },
        }],
    });
    let snapshot = file::parse(view.to_string().as_bytes()).unwrap().snapshot;
    let bytes = serde_json::to_vec(envelope).unwrap();
    run_recorded(&snapshot, |view| {
        check(&bytes, &CheckContext::default(), Some(view))
    })
    .value
    .unwrap()
}

fn status(checked: &Checked) -> ClaimStatus {
    checked.facts.as_ref().unwrap().movements[0].status
}

fn action(checked: &Checked) -> ClaimStatus {
    checked.facts.as_ref().unwrap().action.status
}

const OMITTED: &str = "movement-omitted";

#[test]
fn a_zero_is_told_without_a_chain() {
    for data in [
        moves(),
        approves(OTHER),
        executed(approves(OTHER), 0),
        // One that only an ERC-20 can make does not hide the other.
        Multicall::multicallCall {
            data: vec![
                Token::transferCall {
                    to: OTHER,
                    amount: U256::ZERO,
                }
                .abi_encode()
                .into(),
                moves().into(),
            ],
        }
        .abi_encode(),
    ] {
        let checked = bare(&one(data));
        assert!(!places(&checked, OMITTED).is_empty());
        let facts = checked.facts.unwrap();
        assert!(facts.omitted[0].detail.contains("item 0"), "{:?}", facts.omitted);
        assert!(facts.not_checked.iter().any(|n| n.reason.contains("item 0")));
    }
    let plain = Token::transferCall {
        to: OTHER,
        amount: U256::ZERO,
    };
    assert_eq!(places(&bare(&one(plain.abi_encode())), OMITTED), [""; 0]);
    assert_eq!(places(&bare(&one(approves(Address::ZERO))), OMITTED), [""; 0]);
}

#[test]
fn the_chain_tells_an_item_from_nothing() {
    let item = |kind: &str| {
        movement(
            kind,
            json!({ "standard": "erc721", "amount": "1", "tokenId": "0" }),
        )
    };
    let nothing = |kind: &str| movement(kind, json!({ "amount": "0" }));
    for (data, kind, said_to_be_nothing) in [
        (moves(), "transfer", "transfer"),
        (approves(OTHER), "approve", "revoke"),
    ] {
        let of_item = claiming(one(data.clone()), vec![item(kind)]);
        let of_nothing = claiming(one(data.clone()), vec![nothing(said_to_be_nothing)]);
        assert_eq!(status(&bare(&of_item)), NotDerivable);
        assert_eq!(status(&bare(&of_nothing)), NotDerivable);
        assert_eq!(status(&on_chain(&of_item, ERC721)), Confirmed, "{kind}");
        assert_eq!(status(&on_chain(&of_nothing, ERC721)), Contradicted);
        assert_eq!(status(&on_chain(&of_item, "0x00")), Contradicted);
        let silent = one(data);
        assert_eq!(places(&on_chain(&silent, ERC721), OMITTED), ["/content/calls/0"]);
        assert_eq!(places(&on_chain(&silent, "0x00"), OMITTED), [""; 0]);
    }
    let revoked = claiming(one(approves(OTHER)), vec![nothing("revoke")]);
    assert_eq!(status(&on_chain(&revoked, "0x00")), Confirmed);
}

#[test]
fn an_item_approved_is_no_revocation() {
    let revoking = acting(one(approves(OTHER)), "revoke-approval");
    assert_eq!(action(&bare(&revoking)), NotDerivable);
    assert_eq!(action(&on_chain(&revoking, ERC721)), Contradicted);
    assert_eq!(action(&on_chain(&revoking, "0x00")), Confirmed);
    let nobody = acting(one(approves(Address::ZERO)), "revoke-approval");
    assert_eq!(action(&bare(&nobody)), Confirmed);
    let other = address!("0x00000000000000000000000000000000000000ee");
    let moved = acting(
        one(Token::transferFromCall {
            from: SIGNER,
            to: other,
            amount: U256::ZERO,
        }
        .abi_encode()),
        "claim",
    );
    assert_eq!(action(&on_chain(&moved, ERC721)), Contradicted);
}
