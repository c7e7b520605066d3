//! §5.5: the action against what the bytes do.

use crate::calls::*;
use crate::documents::{
    NOT_AFTER, OTHER, SIGNER, THIRD, TOKEN, acting, approve, bare, call, envelope, executed, one, permit,
    places, transfer,
};
use alloy_primitives::{U256, address};
use alloy_sol_types::SolCall;
use presight_verify::envelope::ClaimStatus::{self, Confirmed, Contradicted, NotDerivable};
use serde_json::{Value, json};

/// What becomes of an action; only what is contradicted is warned of.
fn is(envelope: Value, action: &str) -> ClaimStatus {
    let checked = bare(&acting(envelope, action));
    let status = checked.facts.clone().unwrap().action.status;
    let warned = places(&checked, "action-contradicted");
    assert_eq!(
        warned == ["/content/description/action"],
        status == Contradicted,
        "{action}"
    );
    status
}

const EVERY: [&str; 16] = [
    "transfer",
    "approve",
    "revoke-approval",
    "swap",
    "stake",
    "unstake",
    "claim",
    "restake",
    "mint",
    "burn",
    "deposit",
    "withdraw",
    "delegate",
    "bridge",
    "admin-op",
    "other",
];

/// Judges a content under every action that calls may have.
fn assert_actions(what: &str, content: &Value, confirmed: &[&str], not_derivable: &[&str]) {
    for action in EVERY {
        let expected = if confirmed.contains(&action) {
            Confirmed
        } else if not_derivable.contains(&action) {
            NotDerivable
        } else {
            Contradicted
        };
        assert_eq!(is(content.clone(), action), expected, "{what}: {action}");
    }
}

#[test]
fn the_action_is_one_of_the_bytes() {
    let contradicted = |envelope: Value, action: &str| is(envelope, action) == Contradicted;
    for action in ["transfer", "claim", "mint", "stake", "swap", "revoke-approval"] {
        assert!(contradicted(one(approve(U256::MAX)), action), "{action}");
    }
    for action in ["approve", "other"] {
        assert!(!contradicted(one(approve(U256::MAX)), action), "{action}");
    }
    assert!(!contradicted(one(approve(U256::ZERO)), "revoke-approval"));
    assert!(contradicted(one(transfer(5)), "approve"));
    for action in ["transfer", "deposit", "bridge"] {
        assert!(!contradicted(one(transfer(5)), action), "{action}");
    }
    let swap = || {
        envelope(vec![
            call(TOKEN, &approve(U256::from(5))),
            call(OTHER, &[1, 2, 3, 4]),
        ])
    };
    assert!(!contradicted(swap(), "swap"), "code that is not read may swap");
    assert!(contradicted(swap(), "revoke-approval"));
    let far = (NOT_AFTER + 600).to_string();
    assert!(
        !contradicted(permit("5", &far), "swap"),
        "a permit may serve a swap"
    );
}

#[test]
fn a_movement_is_no_action_without_one() {
    assert_actions(
        "transfer",
        &one(transfer(5)),
        &["transfer"],
        &["deposit", "bridge", "other"],
    );
    assert_actions(
        "inside a Safe",
        &envelope(vec![call(THIRD, &executed(transfer(5), 0))]),
        &["transfer"],
        &["deposit", "bridge", "other"],
    );
    assert_actions("approve", &one(approve(U256::from(5))), &["approve"], &["other"]);
    let dismissed = Token::setApprovalForAllCall {
        operator: OTHER,
        approved: false,
    };
    assert_actions(
        "revocation",
        &one(dismissed.abi_encode()),
        &["revoke-approval"],
        &["approve", "admin-op", "other"],
    );
    assert_actions("nothing, or item 0", &one(approve(U256::ZERO)), &[], &EVERY);
    let nobody = Token::transferCall {
        to: address!("0x000000000000000000000000000000000000dEaD"),
        amount: U256::from(5),
    };
    assert_actions(
        "burn",
        &one(nobody.abi_encode()),
        &["transfer", "burn"],
        &["deposit", "bridge", "other"],
    );
}

#[test]
fn code_that_is_not_read_may_be_any_action() {
    let call_and = |data: Vec<u8>| envelope(vec![call(TOKEN, &data), call(OTHER, &[1, 2, 3, 4])]);
    let opaque = envelope(vec![call(OTHER, &[1, 2, 3, 4])]);
    assert_actions("opaque", &opaque, &[], &EVERY);
    let but = |actions: &[&str]| -> Vec<&str> {
        EVERY
            .into_iter()
            .filter(|action| !actions.contains(action))
            .collect()
    };
    let free = ["claim", "revoke-approval", "admin-op"];
    assert_actions(
        "with a grant",
        &call_and(approve(U256::from(5))),
        &[],
        &but(&free),
    );
    let paid = ["claim", "revoke-approval", "admin-op", "approve"];
    assert_actions("with a transfer", &call_and(transfer(5)), &[], &but(&paid));
    let mut fee = opaque.clone();
    fee["content"]["calls"][0]["value"] = json!("0x5");
    assert_actions("with a fee", &fee, &[], &EVERY);
}

#[test]
fn value_alone_is_sent() {
    let mut sent = envelope(vec![call(OTHER, &[])]);
    sent["content"]["calls"][0]["value"] = json!("0x5");
    assert_eq!(is(sent.clone(), "transfer"), Confirmed);
    for action in ["claim", "admin-op", "revoke-approval", "approve"] {
        assert_eq!(is(sent.clone(), action), Contradicted, "{action}");
    }
    for action in ["stake", "mint", "deposit", "swap"] {
        assert_eq!(
            is(sent.clone(), action),
            NotDerivable,
            "the receiver's code is run: {action}"
        );
    }
}

#[test]
fn what_comes_to_the_signer_is_a_claim() {
    let received = Token::transferFromCall {
        from: THIRD,
        to: SIGNER,
        amount: U256::from(5),
    };
    assert_eq!(is(one(received.abi_encode()), "claim"), NotDerivable);
    assert_eq!(is(one(received.abi_encode()), "withdraw"), NotDerivable);
}

#[test]
fn signatures_may_serve_what_takes_tokens() {
    let far = (NOT_AFTER + 600).to_string();
    let signed = || permit("5", &far);
    assert_eq!(is(signed(), "permit"), Confirmed);
    assert_eq!(is(signed(), "approve"), Confirmed);
    for action in ["claim", "admin-op", "revoke-approval"] {
        assert_eq!(is(signed(), action), Contradicted, "{action}");
    }
    for action in ["swap", "stake", "transfer", "withdraw", "delegate"] {
        assert_eq!(is(signed(), action), NotDerivable, "{action}");
    }
}
