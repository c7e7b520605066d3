//! Functions of other contracts that grant what `approve` or `permit` does.

use super::*;
use crate::call::PERMIT2;
use crate::call::abi::{
    ApproveAndCall, BundlerPermit, BundlerPermit2, CreditDelegation, EarlyAllowance, Erc777, Erc6909,
    PermitSingle, SelfPermit,
};
use crate::call::nested::abi::Multicall;
use crate::model::Expiry;
use alloy_primitives::B256;

fn single() -> PermitSingle {
    PermitSingle {
        details: details(77),
        spender: SPENDER,
        sigDeadline: U256::MAX,
    }
}

#[test]
fn approve_and_call_approves() {
    let call = ApproveAndCall::approveAndCallCall {
        spender: SPENDER,
        amount: U256::from(6),
        extraData: Bytes::new(),
    };
    let (_, found) = decode(TOKEN, call.abi_encode());
    let (token, spender, form, grant) = approval(&found);
    assert_eq!((token, spender, form), (TOKEN, SPENDER, Form::Erc20Approve));
    assert_eq!((grant.owner, grant.amount), (SIGNER, units(U256::from(6))));
}

#[test]
fn a_router_that_submits_the_callers_permit_is_the_spender() {
    let (token, deadline, v, r, s) = (TOKEN, U256::MAX, 27, B256::ZERO, B256::ZERO);
    let value = U256::from(6);
    let (nonce, expiry) = (U256::ZERO, U256::MAX);
    let forms = [
        (
            SelfPermit::selfPermitCall {
                token,
                value,
                deadline,
                v,
                r,
                s,
            }
            .abi_encode(),
            value,
        ),
        (
            SelfPermit::selfPermitIfNecessaryCall {
                token,
                value,
                deadline,
                v,
                r,
                s,
            }
            .abi_encode(),
            value,
        ),
        (
            SelfPermit::selfPermitAllowedCall {
                token,
                nonce,
                expiry,
                v,
                r,
                s,
            }
            .abi_encode(),
            U256::MAX,
        ),
        (
            SelfPermit::selfPermitAllowedIfNecessaryCall {
                token,
                nonce,
                expiry,
                v,
                r,
                s,
            }
            .abi_encode(),
            U256::MAX,
        ),
        (
            BundlerPermit::permitCall {
                asset: token,
                amount: value,
                deadline,
                v,
                r,
                s,
                skipRevert: false,
            }
            .abi_encode(),
            value,
        ),
    ];
    for (form, amount) in forms {
        let data = vec![form.into()];
        let (_, found) = decode(OTHER, Multicall::multicallCall { data }.abi_encode());
        let (token, spender, form, grant) = approval(&found);
        assert_eq!((token, spender, form), (TOKEN, OTHER, Form::Erc2612Permit));
        assert_eq!(
            (grant.owner, grant.amount, grant.keeper),
            (SIGNER, units(amount), TOKEN)
        );
    }
}

#[test]
fn a_built_in_permit2_is_not_named_by_the_bytes() {
    let call = BundlerPermit2::approve2Call {
        permitSingle: single(),
        signature: Bytes::new(),
        skipRevert: true,
    };
    let (_, found) = decode(OTHER, call.abi_encode());
    let (token, spender, form, grant) = approval(&found);
    assert_eq!((token, spender, form), (TOKEN, SPENDER, Form::Permit2Permit));
    assert_eq!(
        (grant.owner, grant.keeper, grant.keeper_named, grant.expiry),
        (SIGNER, PERMIT2, false, Expiry::At(77))
    );
}

#[test]
fn grants_without_an_approval_form_name_their_spender_and_are_flagged() {
    let (amount, id) = (U256::from(6), U256::from(7));
    let set_operator = |approved| Erc6909::setOperatorCall {
        spender: SPENDER,
        approved,
    };
    let approve_item = Erc6909::approveCall {
        spender: SPENDER,
        id,
        amount,
    };
    let authorize = Erc777::authorizeOperatorCall { operator: SPENDER };
    let delegate = CreditDelegation::approveDelegationCall {
        delegatee: SPENDER,
        amount,
    };
    let increase = EarlyAllowance::increaseApprovalCall {
        spender: SPENDER,
        addedValue: amount,
    };
    for call in [
        set_operator(true).abi_encode(),
        approve_item.abi_encode(),
        authorize.abi_encode(),
        delegate.abi_encode(),
        increase.abi_encode(),
    ] {
        let (node, found) = decode(TOKEN, call);
        assert!(!node.opaque && node.signature.is_some());
        assert_eq!(node.flags, ["grant-of-another-kind"]);
        assert_eq!(addresses(&found), [(TOKEN, "target"), (SPENDER, "spender")]);
        assert!(found.entities.approvals.is_empty() && found.entities.tokens.is_empty());
    }
    let revoke = Erc777::revokeOperatorCall { operator: SPENDER };
    let decrease = EarlyAllowance::decreaseApprovalCall {
        spender: SPENDER,
        subtractedValue: amount,
    };
    for call in [
        set_operator(false).abi_encode(),
        revoke.abi_encode(),
        decrease.abi_encode(),
    ] {
        let (node, found) = decode(TOKEN, call);
        assert!(!node.opaque && node.flags.is_empty());
        assert_eq!(addresses(&found), [(TOKEN, "target")]);
    }
}
