//! What each function moves.

use super::{OTHER, SIGNER, SPENDER, TOKEN, addresses, decode, decode_with};
use crate::call::abi::{
    Erc20, Erc721, Erc721Data, Erc1155, Erc3009, Permit2, Permit2Single, PermitTransferFrom,
    SignatureTransferDetails, TokenPermissions,
};
use crate::call::{Call, Operation, PERMIT2};
use alloy_primitives::aliases::U160;
use alloy_primitives::{B256, Bytes, U256};
use alloy_sol_types::SolCall;

#[test]
fn transfers_name_recipients() {
    let seven = U256::from(7);
    let calls = [
        (
            Erc20::transferCall {
                to: OTHER,
                amount: seven,
            }
            .abi_encode(),
            SIGNER,
            None,
        ),
        (
            Erc20::transferFromCall {
                from: SPENDER,
                to: OTHER,
                amount: seven,
            }
            .abi_encode(),
            SPENDER,
            None,
        ),
        (
            Erc721::safeTransferFromCall {
                from: SIGNER,
                to: OTHER,
                tokenId: seven,
            }
            .abi_encode(),
            SIGNER,
            Some(seven),
        ),
        (
            Erc721Data::safeTransferFromCall {
                from: SIGNER,
                to: OTHER,
                tokenId: seven,
                data: Bytes::from_static(b"x"),
            }
            .abi_encode(),
            SIGNER,
            Some(seven),
        ),
        (
            Erc1155::safeTransferFromCall {
                from: SIGNER,
                to: OTHER,
                id: seven,
                amount: seven,
                data: Bytes::new(),
            }
            .abi_encode(),
            SIGNER,
            Some(seven),
        ),
        (
            Erc3009::transferWithAuthorizationCall {
                from: SPENDER,
                to: OTHER,
                value: seven,
                validAfter: U256::ZERO,
                validBefore: U256::MAX,
                nonce: B256::ZERO,
                v: 27,
                r: B256::ZERO,
                s: B256::ZERO,
            }
            .abi_encode(),
            SPENDER,
            None,
        ),
    ];
    for (data, from, token_id) in calls {
        let (node, found) = decode(TOKEN, data);
        assert_eq!(
            addresses(&found),
            [(TOKEN, "target"), (OTHER, "recipient"), (TOKEN, "token")]
        );
        let transfer = &found.transfers[0];
        assert_eq!(
            (transfer.from, transfer.to, transfer.token_id),
            (from, OTHER, token_id),
            "{node:?}"
        );
        assert_eq!((transfer.token, transfer.call_index), (Some(TOKEN), Some(3)));
        assert!(found.entities.approvals.is_empty());
    }
}

#[test]
fn a_batch_transfer_lists_its_recipient_once_and_each_item() {
    let call = Erc1155::safeBatchTransferFromCall {
        from: SIGNER,
        to: OTHER,
        ids: vec![U256::from(1), U256::from(2)],
        amounts: vec![U256::from(10), U256::from(20)],
        data: Bytes::new(),
    };
    let (_, found) = decode(TOKEN, call.abi_encode());
    assert_eq!(
        addresses(&found),
        [(TOKEN, "target"), (OTHER, "recipient"), (TOKEN, "token")]
    );
    let items: Vec<_> = found
        .transfers
        .iter()
        .map(|t| (t.token_id.unwrap(), t.amount))
        .collect();
    assert_eq!(
        items,
        [(U256::from(1), U256::from(10)), (U256::from(2), U256::from(20))]
    );
}

#[test]
fn native_value_makes_the_target_a_recipient_before_the_others() {
    let data = Erc20::approveCall {
        spender: SPENDER,
        amount: U256::ONE,
    }
    .abi_encode()
    .into();
    let (_, found) = decode_with(&Call::new(SIGNER, TOKEN, U256::ONE, data, Operation::Call));
    let expected = [
        (TOKEN, "target"),
        (TOKEN, "recipient"),
        (SPENDER, "spender"),
        (TOKEN, "token"),
    ];
    assert_eq!(addresses(&found), expected);
    assert_eq!(
        (found.transfers[0].token, found.transfers[0].amount),
        (None, U256::ONE)
    );
}

#[test]
fn permit2_transfers_move_the_named_token() {
    let call = Permit2::transferFromCall {
        from: SIGNER,
        to: OTHER,
        amount: U160::from(3),
        token: TOKEN,
    };
    let (_, found) = decode(PERMIT2, call.abi_encode());
    assert_eq!(
        addresses(&found),
        [(PERMIT2, "target"), (OTHER, "recipient"), (TOKEN, "token")]
    );

    let call = Permit2Single::permitTransferFromCall {
        permit: PermitTransferFrom {
            permitted: TokenPermissions {
                token: TOKEN,
                amount: U256::from(9),
            },
            nonce: U256::ZERO,
            deadline: U256::MAX,
        },
        transferDetails: SignatureTransferDetails {
            to: OTHER,
            requestedAmount: U256::from(4),
        },
        owner: SPENDER,
        signature: vec![1; 65].into(),
    };
    let (_, found) = decode(PERMIT2, call.abi_encode());
    let transfer = &found.transfers[0];
    assert_eq!(
        (transfer.from, transfer.to, transfer.amount),
        (SPENDER, OTHER, U256::from(4))
    );
}
