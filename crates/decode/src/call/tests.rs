use super::abi::{
    Dai, Erc20, Erc721, Erc721Data, Erc1155, Erc2612, Erc3009, Erc7597, Permit2, Permit2Batch, Permit2Single,
    PermitBatch, PermitDetails, PermitSingle, PermitTransferFrom, SignatureTransferDetails, TokenPermissions,
    TokenSpenderPair,
};
use super::{Call, CallNode, Operation, Outer, PERMIT2};
use crate::collector::Collector;
use crate::effect::MAX_UINT160;
use crate::model::{Amount, Expiry, Grant};
use alloy_primitives::aliases::{U48, U160};
use alloy_primitives::{Address, B256, Bytes, U256, address, hex};
use alloy_sol_types::SolCall;
use presight_wire::ChainId;
use presight_wire::report::Form;

const SIGNER: Address = address!("0x4ddad24756816b972899a5eda789e0343e014db9");
const TOKEN: Address = address!("0x1111111111111111111111111111111111111111");
const SPENDER: Address = address!("0x2222222222222222222222222222222222222222");
const OTHER: Address = address!("0x3333333333333333333333333333333333333333");

fn decode_with(call: &Call) -> (CallNode, Collector) {
    let mut collector = Collector::default();
    let outer = Outer {
        chain: &ChainId::evm(1),
        signer: SIGNER,
        index: 3,
        pointer: "/subject/calls/3".into(),
    };
    let node = outer.decode(call, &mut collector).unwrap();
    (node, collector)
}

fn decode(to: Address, data: impl Into<Bytes>) -> (CallNode, Collector) {
    decode_with(&Call {
        to,
        value: U256::ZERO,
        data: data.into(),
        operation: Operation::Call,
    })
}

fn addresses(collector: &Collector) -> Vec<(Address, &'static str)> {
    collector
        .entities
        .addresses
        .iter()
        .map(|a| (a.address.address, a.role.as_str()))
        .collect()
}

fn tokens(collector: &Collector) -> Vec<Address> {
    collector.entities.tokens.iter().map(|t| t.address).collect()
}

/// The only approval: its token, spender, form and grant.
fn approval(collector: &Collector) -> (Address, Address, Form, Grant) {
    assert_eq!(
        (collector.entities.approvals.len(), collector.grants.len()),
        (1, 1)
    );
    let approval = &collector.entities.approvals[0];
    assert_eq!(approval.call_index, Some(3));
    (
        approval.token.address,
        approval.spender.address,
        approval.form,
        collector.grants[0].clone(),
    )
}

fn units(value: U256) -> Amount {
    Amount::Units {
        value,
        max: U256::MAX,
    }
}

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
        keeper: TOKEN,
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
    assert_eq!(approval(&found).3, Grant::for_all(TOKEN));
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
    let (_, found) = decode_with(&Call {
        to: TOKEN,
        value: U256::ONE,
        data,
        operation: Operation::Call,
    });
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
            keeper: TOKEN
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

fn details(expiration: u64) -> PermitDetails {
    let (amount, nonce) = (U160::MAX, U48::ZERO);
    PermitDetails {
        token: TOKEN,
        amount,
        expiration: U48::from(expiration),
        nonce,
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
    let call = Call {
        to: TOKEN,
        value: U256::ONE,
        data,
        operation: Operation::DelegateCall,
    };
    let (node, found) = decode_with(&call);
    assert!(node.opaque);
    assert_eq!(node.flags, ["delegatecall"]);
    assert_eq!(addresses(&found), [(TOKEN, "target")]);
    assert_eq!(found.flags[0].pointer, "/subject/calls/3/operation");
}
