//! What each function grants.

use super::{OTHER, SIGNER, SPENDER, TOKEN, addresses, approval, decode, details, tokens, units};
use crate::call::PERMIT2;
use crate::call::abi::{
    Dai, Erc20, Erc721, Erc2612, Erc7597, Permit2, Permit2Batch, Permit2Single, PermitBatch, PermitSingle,
    TokenSpenderPair,
};
use crate::effect::MAX_UINT160;
use crate::model::{Amount, Expiry, Grant};
use alloy_primitives::aliases::{U48, U160};
use alloy_primitives::{B256, U256};
use alloy_sol_types::SolCall;
use presight_wire::report::Form;

#[test]
fn approve_lists_target_spender_token() {
    let (node, found) = decode(
        TOKEN,
        Erc20::approveCall {
            spender: SPENDER,
            amount: U256::MAX,
        }
        .abi_encode(),
    );
    assert_eq!(node.signature, Some("approve(address,uint256)"));
    assert_eq!(node.args[0], ("spender", format!("{SPENDER:#x}").into()));
    assert!(!node.opaque && node.flags.is_empty());
    assert_eq!(
        addresses(&found),
        [(TOKEN, "target"), (SPENDER, "spender"), (TOKEN, "token")]
    );
    let grant = Grant {
        amount: units(U256::MAX),
        expiry: Expiry::Never,
        form: Form::Erc20Approve,
        owner: SIGNER,
        keeper: TOKEN,
        keeper_named: true,
    };
    assert_eq!(approval(&found), (TOKEN, SPENDER, Form::Erc20Approve, grant));
}

#[test]
fn approve_of_zero_is_an_approval_of_zero() {
    let (_, found) = decode(
        TOKEN,
        Erc20::approveCall {
            spender: SPENDER,
            amount: U256::ZERO,
        }
        .abi_encode(),
    );
    assert_eq!(approval(&found).3.amount, units(U256::ZERO));
}

#[test]
fn increase_grants_the_added_value_and_decrease_nothing() {
    let call = Erc20::increaseAllowanceCall {
        spender: SPENDER,
        addedValue: U256::from(5),
    };
    let (_, found) = decode(TOKEN, call.abi_encode());
    assert_eq!(
        (approval(&found).2, approval(&found).3.amount),
        (Form::Erc20Increase, units(U256::from(5)))
    );

    let call = Erc20::decreaseAllowanceCall {
        spender: SPENDER,
        subtractedValue: U256::from(5),
    };
    let (_, found) = decode(TOKEN, call.abi_encode());
    assert!(found.entities.approvals.is_empty());
    assert_eq!(tokens(&found), [TOKEN]);
}

#[test]
fn approval_for_all_only_when_true() {
    let (_, found) = decode(
        TOKEN,
        Erc721::setApprovalForAllCall {
            operator: SPENDER,
            approved: true,
        }
        .abi_encode(),
    );
    assert_eq!(approval(&found).3, Grant::for_all(SIGNER, TOKEN));
    let (_, found) = decode(
        TOKEN,
        Erc721::setApprovalForAllCall {
            operator: SPENDER,
            approved: false,
        }
        .abi_encode(),
    );
    assert!(found.entities.approvals.is_empty());
    assert_eq!(tokens(&found), [TOKEN]);
}

#[test]
fn a_permit_call_is_an_approval_only_of_the_signer() {
    let permit = |owner| Erc2612::permitCall {
        owner,
        spender: SPENDER,
        value: U256::from(9),
        deadline: U256::MAX,
        v: 27,
        r: B256::ZERO,
        s: B256::ZERO,
    };
    let (_, found) = decode(TOKEN, permit(SIGNER).abi_encode());
    assert_eq!(
        approval(&found).3,
        Grant {
            amount: units(U256::from(9)),
            expiry: Expiry::Never,
            form: Form::Erc2612Permit,
            owner: SIGNER,
            keeper: TOKEN,
            keeper_named: true,
        }
    );
    let (_, found) = decode(TOKEN, permit(OTHER).abi_encode());
    assert!(found.entities.approvals.is_empty());
    assert_eq!(
        (found.foreign_permits[0].owner, found.foreign_permits[0].spender),
        (OTHER, SPENDER)
    );
    assert_eq!(
        addresses(&found),
        [(TOKEN, "target"), (SPENDER, "spender"), (TOKEN, "token")]
    );

    let packed = Erc7597::permitCall {
        owner: SIGNER,
        spender: SPENDER,
        value: U256::from(9),
        deadline: U256::MAX,
        signature: vec![1; 65].into(),
    };
    assert_eq!(
        approval(&decode(TOKEN, packed.abi_encode()).1).2,
        Form::Erc2612Permit
    );
}

#[test]
fn a_dai_permit_grants_everything_or_nothing() {
    for (allowed, value) in [(true, U256::MAX), (false, U256::ZERO)] {
        let call = Dai::permitCall {
            holder: SIGNER,
            spender: SPENDER,
            nonce: U256::ZERO,
            expiry: U256::ZERO,
            allowed,
            v: 27,
            r: B256::ZERO,
            s: B256::ZERO,
        };
        let (_, found) = decode(TOKEN, call.abi_encode());
        assert_eq!(
            (approval(&found).2, approval(&found).3.amount),
            (Form::Erc2612Permit, units(value))
        );
    }
}

#[test]
fn permit2_names_the_token_and_is_itself_a_target() {
    let call = Permit2::approveCall {
        token: TOKEN,
        spender: SPENDER,
        amount: U160::MAX,
        expiration: U48::from(1_900_000_000u64),
    };
    let (node, found) = decode(PERMIT2, call.abi_encode());
    assert!(node.flags.is_empty());
    assert_eq!(
        addresses(&found),
        [(PERMIT2, "target"), (SPENDER, "spender"), (TOKEN, "token")]
    );
    let (token, spender, form, grant) = approval(&found);
    assert_eq!((token, spender, form), (TOKEN, SPENDER, Form::Permit2Approve));
    assert_eq!(
        grant.amount,
        Amount::Units {
            value: MAX_UINT160,
            max: MAX_UINT160
        }
    );
    assert_eq!((grant.expiry, grant.keeper), (Expiry::At(1_900_000_000), PERMIT2));

    let (node, found) = decode(OTHER, call.abi_encode());
    assert_eq!(node.flags, ["non-canonical-permit2"]);
    assert_eq!(found.flags[0].pointer, "/subject/calls/3/data");
    assert_eq!(approval(&found).3.keeper, OTHER);
}

#[test]
fn permit2_expiration_zero_ends_with_the_block() {
    let call = Permit2::approveCall {
        token: TOKEN,
        spender: SPENDER,
        amount: U160::from(1),
        expiration: U48::ZERO,
    };
    assert_eq!(
        approval(&decode(PERMIT2, call.abi_encode()).1).3.expiry,
        Expiry::SameBlock
    );
}

#[test]
fn permit2_permits_list_one_approval_per_detail() {
    let single = Permit2Single::permitCall {
        owner: SIGNER,
        permitSingle: PermitSingle {
            details: details(5),
            spender: SPENDER,
            sigDeadline: U256::MAX,
        },
        signature: vec![1; 65].into(),
    };
    assert_eq!(
        approval(&decode(PERMIT2, single.abi_encode()).1).3.expiry,
        Expiry::At(5)
    );

    let mut second = details(6);
    second.token = OTHER;
    let batch = |owner| Permit2Batch::permitCall {
        owner,
        permitBatch: PermitBatch {
            details: vec![details(5), second.clone()],
            spender: SPENDER,
            sigDeadline: U256::MAX,
        },
        signature: vec![1; 65].into(),
    };
    let (_, found) = decode(PERMIT2, batch(SIGNER).abi_encode());
    let approvals: Vec<_> = found.entities.approvals.iter().map(|a| a.token.address).collect();
    assert_eq!(approvals, [TOKEN, OTHER]);
    let expected = [
        (PERMIT2, "target"),
        (SPENDER, "spender"),
        (TOKEN, "token"),
        (OTHER, "token"),
    ];
    assert_eq!(addresses(&found), expected);
    let (_, found) = decode(PERMIT2, batch(OTHER).abi_encode());
    assert_eq!(
        (found.entities.approvals.len(), found.foreign_permits.len()),
        (0, 2)
    );
}

#[test]
fn permit2_lockdown_revokes_and_grants_nothing() {
    let call = Permit2::lockdownCall {
        approvals: vec![TokenSpenderPair {
            token: TOKEN,
            spender: SPENDER,
        }],
    };
    let (_, found) = decode(PERMIT2, call.abi_encode());
    assert!(found.entities.approvals.is_empty());
    assert_eq!(addresses(&found), [(PERMIT2, "target"), (TOKEN, "token")]);
}
