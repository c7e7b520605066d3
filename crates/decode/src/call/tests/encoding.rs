//! Calldata as a contract takes it.

use super::{
    OTHER, SIGNER, SPENDER, TOKEN, addresses, approval, decode, decode_with, details, tokens, units,
};
use crate::call::abi::{Erc20, Erc721, Erc721Data, Erc2612, Permit2, Permit2Single, PermitSingle};
use crate::call::{Call, Operation, PERMIT2};
use crate::effect::MAX_UINT160;
use crate::model::{Amount, Expiry};
use alloy_primitives::aliases::{U48, U160};
use alloy_primitives::{Bytes, U256, hex};
use alloy_sol_types::SolCall;
use presight_wire::report::Form;

#[test]
fn a_permit2_permit_whose_signature_is_not_padded_is_still_read() {
    let single = Permit2Single::permitCall {
        owner: SIGNER,
        permitSingle: PermitSingle {
            details: details(5),
            spender: SPENDER,
            sigDeadline: U256::MAX,
        },
        signature: vec![1; 65].into(),
    };
    let mut data = single.abi_encode();
    data.truncate(data.len() - 31);
    let (node, found) = decode(PERMIT2, data);
    assert_eq!(node.flags, ["non-canonical-encoding"]);
    assert_eq!(approval(&found).1, SPENDER);
}

#[test]
fn a_view_of_a_token_lists_it_and_a_view_of_permit2_does_not() {
    let data = Erc2612::DOMAIN_SEPARATORCall {}.abi_encode();
    assert_eq!(tokens(&decode(TOKEN, data.clone()).1), [TOKEN]);
    assert!(tokens(&decode(PERMIT2, data).1).is_empty());
}

#[test]
fn short_arguments_are_read_as_zeros_and_flagged() {
    let full = Erc20::approveCall {
        spender: SPENDER,
        amount: U256::MAX,
    }
    .abi_encode();
    let (node, found) = decode(TOKEN, full[..full.len() - 1].to_vec());
    assert_eq!(node.flags, ["short-arguments"]);
    assert_eq!(approval(&found).3.amount, units(U256::MAX << 8));
    let (node, found) = decode(TOKEN, full[..4 + 32].to_vec());
    assert_eq!(node.flags, ["short-arguments"]);
    assert_eq!(
        (approval(&found).1, approval(&found).3.amount),
        (SPENDER, units(U256::ZERO))
    );
}

#[test]
fn dirty_padding_is_dropped_and_flagged() {
    let mut data = Erc20::approveCall {
        spender: SPENDER,
        amount: U256::ONE,
    }
    .abi_encode();
    data[4] = 0xff;
    let (node, found) = decode(TOKEN, data);
    assert_eq!(node.flags, ["dirty-padding"]);
    assert_eq!(approval(&found).1, SPENDER);

    // Any non-zero word is true for a contract that does not check.
    let mut data = Erc721::setApprovalForAllCall {
        operator: SPENDER,
        approved: false,
    }
    .abi_encode();
    data[4 + 32] = 0x01;
    let (node, found) = decode(TOKEN, data);
    assert_eq!(node.flags, ["dirty-padding"]);
    assert_eq!(approval(&found).2, Form::ApprovalForAll);

    let (amount, expiration) = (U160::from(1), U48::from(2));
    let mut data = Permit2::approveCall {
        token: TOKEN,
        spender: SPENDER,
        amount,
        expiration,
    }
    .abi_encode();
    data[4 + 64] = 0x01;
    data[4 + 96] = 0x01;
    let (node, found) = decode(PERMIT2, data);
    assert_eq!(node.flags, ["dirty-padding"]);
    assert_eq!(
        approval(&found).3.amount,
        Amount::Units {
            value: U256::ONE,
            max: MAX_UINT160
        }
    );
    assert_eq!(approval(&found).3.expiry, Expiry::At(2));
}

#[test]
fn trailing_bytes_are_flagged() {
    let mut data = Erc20::transferCall {
        to: OTHER,
        amount: U256::ONE,
    }
    .abi_encode();
    data.extend([0xde, 0xad]);
    let (node, found) = decode(TOKEN, data);
    assert_eq!(node.flags, ["trailing-bytes"]);
    assert_eq!(found.transfers[0].amount, U256::ONE);
    assert_eq!(found.flags[0].code, "trailing-bytes");
}

#[test]
fn arguments_in_an_odd_layout_are_read_where_their_offsets_point() {
    let call = Erc721Data::safeTransferFromCall {
        from: SIGNER,
        to: OTHER,
        tokenId: U256::ONE,
        data: Bytes::new(),
    };
    let mut data = call.abi_encode();
    // The offset skips a word of filling.
    data[4 + 3 * 32 + 31] += 32;
    data.extend([0; 32]);
    let (node, found) = decode(TOKEN, data);
    assert_eq!(node.flags, ["non-canonical-encoding"]);
    assert_eq!(found.transfers[0].to, OTHER);
}

#[test]
fn a_selector_whose_arguments_do_not_decode_says_nothing() {
    let call = Erc721Data::safeTransferFromCall {
        from: SIGNER,
        to: OTHER,
        tokenId: U256::ONE,
        data: Bytes::new(),
    };
    let mut data = call.abi_encode();
    data[4 + 3 * 32] = 0xff;
    let (node, found) = decode(TOKEN, data);
    assert!(node.opaque && node.signature.is_none() && node.args.is_empty());
    assert_eq!(addresses(&found), [(TOKEN, "target")]);
    assert!(found.entities.tokens.is_empty());
}

#[test]
fn unknown_calldata_is_opaque_and_none_is_not() {
    assert!(decode(TOKEN, hex!("deadbeef").to_vec()).0.opaque);
    let (node, _) = decode(TOKEN, hex!("095ea7").to_vec());
    assert!(node.opaque && node.selector.is_none());
    let (node, _) = decode(TOKEN, Vec::new());
    assert!(!node.opaque && node.selector.is_none());
}

#[test]
fn a_delegatecall_is_opaque_whatever_its_selector() {
    let data = Erc20::approveCall {
        spender: SPENDER,
        amount: U256::MAX,
    }
    .abi_encode()
    .into();
    let call = Call::new(SIGNER, TOKEN, U256::ONE, data, Operation::DelegateCall);
    let (node, found) = decode_with(&call);
    assert!(node.opaque);
    assert_eq!(node.flags, ["delegatecall"]);
    assert_eq!(addresses(&found), [(TOKEN, "target")]);
    assert_eq!(found.flags[0].pointer, "/subject/calls/3/operation");
}
