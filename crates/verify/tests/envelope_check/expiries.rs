//! §5.4: `notAfter` lies below every expiry in the content by the buffer.

use crate::calls::*;
use crate::documents::{
    NOT_AFTER, OTHER, PERMIT2, SIGNER, THIRD, TOKEN, bare, call, envelope, permit, places, run, typed,
};
use alloy_primitives::{Address, B256, Bytes, U256, aliases::U48, aliases::U160};
use alloy_sol_types::{SolCall, SolValue};
use presight_verify::envelope::{CheckContext, DEFAULT_EXPIRY_BUFFER};
use serde_json::{Value, json};

const CODE: &str = "on-chain-expiry";

/// Checks a content at both sides of the bound.
fn assert_bound(what: &str, argument: &str, make: impl Fn(u64) -> Value) {
    let bound = NOT_AFTER + DEFAULT_EXPIRY_BUFFER;
    let good = bare(&make(bound));
    assert_eq!(good.errors, [], "{what}");
    let ends: Vec<_> = good
        .facts
        .as_ref()
        .unwrap()
        .on_chain_expiries
        .iter()
        .map(|e| (e.argument, e.at))
        .collect();
    assert!(ends.contains(&(argument, U256::from(bound))), "{what}: {ends:?}");
    let late = bare(&make(bound - 1));
    assert_eq!(places(&late, CODE), ["/content/validity/notAfter"], "{what}");
    assert_eq!(late.warnings, [], "{what}");
    let patient = CheckContext {
        expiry_buffer: 600,
        ..CheckContext::default()
    };
    assert_eq!(places(&run(&make(bound), &patient), CODE).len(), 1, "{what}");
    let hasty = CheckContext {
        expiry_buffer: 0,
        ..CheckContext::default()
    };
    assert_eq!(run(&make(NOT_AFTER), &hasty).errors, [], "{what}");
    assert_eq!(run(&make(NOT_AFTER - 1), &hasty).errors.len(), 1, "{what}");
}

fn one(to: Address, data: Vec<u8>) -> Value {
    envelope(vec![call(to, &data)])
}

fn v2(deadline: u64) -> Vec<u8> {
    V2::swapExactTokensForTokensCall {
        amountIn: U256::from(5),
        amountOutMin: U256::ONE,
        path: vec![TOKEN, THIRD],
        to: SIGNER,
        deadline: U256::from(deadline),
    }
    .abi_encode()
}

fn v3_single(deadline: u64) -> Vec<u8> {
    V3::exactInputSingleCall {
        params: Single {
            tokenIn: TOKEN,
            tokenOut: THIRD,
            fee: alloy_primitives::aliases::U24::from(500),
            recipient: SIGNER,
            deadline: U256::from(deadline),
            amountIn: U256::from(5),
            amountOutMinimum: U256::ONE,
            sqrtPriceLimitX96: U160::ZERO,
        },
    }
    .abi_encode()
}

fn v3_path(deadline: u64) -> Vec<u8> {
    V3::exactInputCall {
        params: Path {
            path: Bytes::from(vec![7; 43]),
            recipient: SIGNER,
            deadline: U256::from(deadline),
            amountIn: U256::from(5),
            amountOutMinimum: U256::ONE,
        },
    }
    .abi_encode()
}

fn details(expiration: u64) -> PermitDetails {
    PermitDetails {
        token: TOKEN,
        amount: U160::from(5),
        expiration: U48::from(expiration),
        nonce: U48::ZERO,
    }
}

#[test]
fn exchanges() {
    assert_bound("V2", "deadline", |at| one(OTHER, v2(at)));
    assert_bound("V2 liquidity", "deadline", |at| {
        let amounts = U256::ONE;
        one(
            OTHER,
            V2::addLiquidityCall {
                tokenA: TOKEN,
                tokenB: THIRD,
                a: amounts,
                b: amounts,
                minA: amounts,
                minB: amounts,
                to: SIGNER,
                deadline: U256::from(at),
            }
            .abi_encode(),
        )
    });
    assert_bound("V3 single", "deadline", |at| one(OTHER, v3_single(at)));
    assert_bound("V3 path", "deadline", |at| one(OTHER, v3_path(at)));
    assert_bound("V4", "deadline", |at| {
        one(
            OTHER,
            V4::modifyLiquiditiesCall {
                unlockData: Bytes::from(vec![1; 40]),
                deadline: U256::from(at),
            }
            .abi_encode(),
        )
    });
    assert_bound("Universal Router", "deadline", |at| {
        one(
            OTHER,
            Universal::executeCall {
                commands: Bytes::new(),
                inputs: vec![],
                deadline: U256::from(at),
            }
            .abi_encode(),
        )
    });
    assert_bound("multicall with a deadline", "deadline", |at| {
        one(
            OTHER,
            MulticallDeadline::multicallCall {
                deadline: U256::from(at),
                data: vec![],
            }
            .abi_encode(),
        )
    });
}

#[test]
fn exchanges_inside_other_calls() {
    assert_bound("multicall", "deadline", |at| {
        let data = vec![v3_single(at + 5).into(), v3_path(at).into()];
        one(OTHER, Multicall::multicallCall { data }.abi_encode())
    });
    let in_safe = |to: Address, data: Vec<u8>, operation: u8| {
        let none = U256::ZERO;
        one(
            THIRD,
            Safe::execTransactionCall {
                to,
                value: none,
                data: data.into(),
                operation,
                safeTxGas: none,
                baseGas: none,
                gasPrice: none,
                gasToken: Address::ZERO,
                refundReceiver: Address::ZERO,
                signatures: Bytes::from(vec![1; 65]),
            }
            .abi_encode(),
        )
    };
    assert_bound("Safe", "deadline", |at| in_safe(OTHER, v2(at), 0));
    assert_bound("Safe, multicall", "deadline", |at| {
        in_safe(
            OTHER,
            Multicall::multicallCall {
                data: vec![v3_single(at).into()],
            }
            .abi_encode(),
            0,
        )
    });
    assert_bound("Safe, MultiSend", "deadline", |at| {
        let swap = v2(at);
        let mut transactions = vec![0];
        transactions.extend(OTHER);
        transactions.extend([0; 32]);
        transactions.extend(U256::from(swap.len()).to_be_bytes::<32>());
        transactions.extend(swap);
        let multi_send = alloy_primitives::address!("0x40A2aCCbd92BCA938b02010E17A5b8929b49130D");
        in_safe(
            multi_send,
            MultiSend::multiSendCall {
                transactions: transactions.into(),
            }
            .abi_encode(),
            1,
        )
    });
    assert_bound("the later call of a batch", "deadline", |at| {
        envelope(vec![call(OTHER, &v2(at + 9)), call(OTHER, &v2(at))])
    });
}

#[test]
fn permits_and_authorizations() {
    assert_bound("Permit2 allowance", "expiration", |at| {
        one(
            PERMIT2,
            Permit2::approveCall {
                token: TOKEN,
                spender: OTHER,
                amount: U160::from(5),
                expiration: U48::from(at),
            }
            .abi_encode(),
        )
    });
    let far = NOT_AFTER + 1_000_000;
    for (argument, signature) in [("sigDeadline", true), ("expiration", false)] {
        assert_bound("Permit2 permit", argument, |at| {
            let (expiration, deadline) = if signature { (far, at) } else { (at, far) };
            let single = PermitSingle {
                details: details(expiration),
                spender: OTHER,
                sigDeadline: U256::from(deadline),
            };
            one(
                PERMIT2,
                Permit2::permitCall {
                    owner: SIGNER,
                    permitSingle: single,
                    signature: Bytes::from(vec![1; 65]),
                }
                .abi_encode(),
            )
        });
    }
    assert_bound("Permit2 transfer", "deadline", |at| {
        let permitted = TokenPermissions {
            token: TOKEN,
            amount: U256::from(5),
        };
        one(
            PERMIT2,
            Permit2::permitTransferFromCall {
                permit: PermitTransferFrom {
                    permitted,
                    nonce: U256::ZERO,
                    deadline: U256::from(at),
                },
                transferDetails: SignatureTransferDetails {
                    to: OTHER,
                    requestedAmount: U256::from(5),
                },
                owner: SIGNER,
                signature: Bytes::from(vec![1; 65]),
            }
            .abi_encode(),
        )
    });
    assert_bound("ERC-2612", "deadline", |at| {
        one(
            TOKEN,
            Token::permitCall {
                owner: SIGNER,
                spender: OTHER,
                value: U256::from(5),
                deadline: U256::from(at),
                v: 27,
                r: B256::ZERO,
                s: B256::ZERO,
            }
            .abi_encode(),
        )
    });
    assert_bound("ERC-3009", "validBefore", |at| {
        one(
            TOKEN,
            Token::transferWithAuthorizationCall {
                from: SIGNER,
                to: OTHER,
                value: U256::from(5),
                validAfter: U256::ZERO,
                validBefore: U256::from(at),
                nonce: B256::ZERO,
                v: 27,
                r: B256::ZERO,
                s: B256::ZERO,
            }
            .abi_encode(),
        )
    });
    assert_bound("a Universal Router's Permit2 command", "sigDeadline", |at| {
        let single = PermitSingle {
            details: details(far),
            spender: OTHER,
            sigDeadline: U256::from(at),
        };
        let input = (single, Bytes::from(vec![1; 65])).abi_encode_params();
        one(
            OTHER,
            UniversalForever::executeCall {
                commands: vec![0x0a].into(),
                inputs: vec![input.into()],
            }
            .abi_encode(),
        )
    });
}

#[test]
fn user_operations() {
    let operation = |paymaster: Vec<u8>, data: Vec<u8>, signature: Vec<u8>| {
        let op = PackedUserOperation {
            sender: THIRD,
            nonce: U256::ZERO,
            initCode: Bytes::new(),
            callData: data.into(),
            accountGasLimits: B256::ZERO,
            preVerificationGas: U256::ZERO,
            gasFees: B256::ZERO,
            paymasterAndData: paymaster.into(),
            signature: signature.into(),
        };
        one(
            OTHER,
            EntryPoint::handleOpsCall {
                ops: vec![op],
                beneficiary: SIGNER,
            }
            .abi_encode(),
        )
    };
    let paymaster = |until: u64, rest: usize| {
        let mut data = vec![9; 52];
        data.extend(U256::from(until).to_be_bytes::<32>());
        data.extend([0; 32]);
        data.extend(vec![1; rest]);
        data
    };
    assert_bound("verifying paymaster", "validUntil", |at| {
        operation(paymaster(at, 65), vec![], vec![1; 65])
    });
    let ends = |envelope: &Value| bare(envelope).facts.unwrap().on_chain_expiries.len();
    assert_bound("compact signature", "validUntil", |at| {
        operation(paymaster(at, 64), vec![], vec![])
    });
    assert_bound("not signed yet", "validUntil", |at| {
        operation(paymaster(at, 0), vec![], vec![])
    });
    let said = |envelope: &Value, whose: &str| {
        let facts = bare(envelope).facts.unwrap();
        facts
            .not_checked
            .iter()
            .any(|n| n.path == "/content/calls/0" && n.reason.contains(whose))
    };
    for data in [
        paymaster(5, 66),
        paymaster(0, 65),
        vec![9; 52],
        vec![9; 20],
        vec![9; 3],
    ] {
        assert!(said(&operation(data, vec![], vec![]), "paymaster"));
    }
    assert!(!said(&operation(vec![], vec![], vec![27; 65]), "user operation"));
    assert!(said(
        &operation(vec![], vec![1, 2, 3, 4], vec![27; 90]),
        "signature"
    ));
    assert_eq!(
        ends(&operation(paymaster(5, 66), vec![], vec![])),
        0,
        "another paymaster's data is not read"
    );
    assert_eq!(
        ends(&operation(paymaster(0, 65), vec![], vec![])),
        0,
        "zero is no end"
    );

    let call = Safe::executeUserOpCall {
        to: TOKEN,
        value: U256::ZERO,
        data: Bytes::new(),
        operation: 0,
    }
    .abi_encode();
    let window = |until: u64| {
        let until = until.to_be_bytes();
        [&[0; 6], &until[2..], &[1; 65]].concat()
    };
    assert_bound("Safe's module", "validUntil", |at| {
        operation(vec![], call.clone(), window(at))
    });
    assert_eq!(
        ends(&operation(vec![], vec![1, 2, 3, 4], window(5))),
        0,
        "another account's signature is not read"
    );
}

#[test]
fn messages() {
    assert_bound("ERC-2612", "deadline", |at| permit("5", &at.to_string()));
    let mut open = permit("5", "5");
    open["content"].as_object_mut().unwrap().remove("validity");
    assert_eq!(bare(&open).errors, [], "there is no notAfter to compare");
}

#[test]
fn no_end_is_no_bound() {
    let forever = V2::swapExactETHForTokensCall {
        amountOutMin: U256::ONE,
        path: vec![TOKEN],
        to: SIGNER,
        deadline: U256::MAX,
    };
    let checked = bare(&one(OTHER, forever.abi_encode()));
    assert_eq!(checked.errors, []);
    let same_block = Permit2::approveCall {
        token: TOKEN,
        spender: OTHER,
        amount: U160::from(5),
        expiration: U48::ZERO,
    };
    assert_eq!(
        bare(&one(PERMIT2, same_block.abi_encode()))
            .facts
            .unwrap()
            .on_chain_expiries,
        []
    );
    let dai = |expiry: u64| {
        one(
            TOKEN,
            Dai::permitCall {
                holder: SIGNER,
                spender: OTHER,
                nonce: U256::ZERO,
                expiry: U256::from(expiry),
                allowed: true,
                v: 27,
                r: B256::ZERO,
                s: B256::ZERO,
            }
            .abi_encode(),
        )
    };
    assert_eq!(bare(&dai(0)).errors, []);
    assert_bound("DAI", "expiry", dai);
    let huge = CheckContext {
        expiry_buffer: u64::MAX,
        ..CheckContext::default()
    };
    assert_eq!(places(&run(&one(OTHER, v2(NOT_AFTER)), &huge), CODE).len(), 1);
}

/// A member that is not understood must not hide what it sits next to.
#[test]
fn unknown_members_hide_nothing() {
    let mut late = one(OTHER, v2(NOT_AFTER));
    late["content"]["calls"][0]["gas"] = json!("0x1");
    assert_eq!(places(&bare(&late), CODE).len(), 1);
    late["content"].as_object_mut().unwrap().remove("from");
    assert_eq!(places(&bare(&late), CODE).len(), 1);
}

#[test]
fn what_is_not_understood_is_said() {
    let skipped = |envelope: &Value| {
        let facts = bare(envelope).facts.unwrap();
        facts
            .not_checked
            .iter()
            .any(|n| n.path == "/content/calls/0" && n.reason.contains("expiry"))
    };
    assert!(skipped(&one(OTHER, vec![1, 2, 3, 4])));
    assert!(!skipped(&one(OTHER, v2(NOT_AFTER + 60))));
    let unknown_type = typed(json!({
        "domain": { "name": "D", "chainId": 1 },
        "types": { "Order": [{ "name": "deadline", "type": "uint256" }] },
        "primaryType": "Order",
        "message": { "deadline": "5" },
    }));
    let facts = bare(&unknown_type).facts.unwrap();
    assert_eq!(facts.on_chain_expiries, [], "names decide nothing");
    assert!(facts.not_checked.iter().any(|n| n.path == "/content/message"));
}
