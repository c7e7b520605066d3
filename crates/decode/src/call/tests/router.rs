//! Universal Router: commands.

use super::*;
use crate::call::PERMIT2;
use crate::call::abi::{AllowanceTransferDetails, PermitBatch, PermitSingle};
use crate::call::nested::abi::{Account, Execution};
use crate::call::router::abi::{Router, RouterDeadline};
use crate::model::{Command, Expiry};
use alloy_primitives::hex;
use alloy_sol_types::SolValue;

const ROUTER: Address = address!("0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af");
const FEES: Address = address!("0x4444444444444444444444444444444444444444");
const CALLER: Address = address!("0x0000000000000000000000000000000000000001");
const ITSELF: Address = address!("0x0000000000000000000000000000000000000002");

fn encoded(commands: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let call = RouterDeadline::executeCall {
        commands: commands.iter().map(|(byte, _)| *byte).collect(),
        inputs: commands
            .iter()
            .map(|(_, input)| Bytes::from(input.clone()))
            .collect(),
        deadline: U256::MAX,
    };
    call.abi_encode()
}

fn run(commands: &[(u8, Vec<u8>)]) -> (CallNode, Collector) {
    decode(ROUTER, encoded(commands))
}

fn names(commands: &[Command]) -> Vec<Option<&'static str>> {
    commands.iter().map(|command| command.name).collect()
}

fn single() -> PermitSingle {
    PermitSingle {
        details: details(77),
        spender: SPENDER,
        sigDeadline: U256::MAX,
    }
}

fn permit() -> Vec<u8> {
    (single(), Bytes::from(vec![7; 65])).abi_encode_params()
}

fn pay(recipient: Address) -> Vec<u8> {
    (TOKEN, recipient, U256::from(5)).abi_encode_params()
}

#[test]
fn a_permit_is_of_the_caller_and_its_keeper_is_not_named() {
    let (node, found) = run(&[(0x0a, permit())]);
    assert_eq!(names(&node.commands), [Some("PERMIT2_PERMIT")]);
    assert!(!node.opaque && node.flags.is_empty());
    let (token, spender, form, grant) = approval(&found);
    assert_eq!((token, spender, form), (TOKEN, SPENDER, Form::Permit2Permit));
    assert_eq!(
        (grant.owner, grant.keeper, grant.keeper_named, grant.expiry),
        (SIGNER, PERMIT2, false, Expiry::At(77))
    );
    // Permit2 is not named, so it is no target.
    let expected = [(ROUTER, "target"), (SPENDER, "spender"), (TOKEN, "token")];
    assert_eq!(addresses(&found), expected);
}

#[test]
fn a_permit_that_may_fail_or_has_an_unused_bit_is_a_permit() {
    for byte in [0x8a, 0x4a, 0xca] {
        let (node, found) = run(&[(byte, permit())]);
        assert_eq!(approval(&found).0, TOKEN);
        assert_eq!(node.opaque, byte & 0x40 != 0);
    }
}

#[test]
fn a_permit_batch_is_one_approval_per_detail() {
    let batch = PermitBatch {
        details: vec![details(1), details(0)],
        spender: SPENDER,
        sigDeadline: U256::MAX,
    };
    let (node, found) = run(&[(0x03, (batch, Bytes::new()).abi_encode_params())]);
    assert_eq!(names(&node.commands), [Some("PERMIT2_PERMIT_BATCH")]);
    let ends: Vec<_> = found.grants.iter().map(|grant| grant.expiry).collect();
    assert_eq!(ends, [Expiry::At(1), Expiry::SameBlock]);
}

#[test]
fn the_caller_is_who_calls_the_router() {
    let call = Account::executeCall {
        target: ROUTER,
        value: U256::ZERO,
        data: encoded(&[(0x0a, permit())]).into(),
    };
    let (_, found) = decode(OTHER, call.abi_encode());
    assert_eq!(approval(&found).3.owner, OTHER);
}

#[test]
fn transfers_from_the_caller_are_exact() {
    let to_fees = (TOKEN, FEES, U160::from(9)).abi_encode_params();
    let to_router = (TOKEN, ITSELF, U160::from(8)).abi_encode_params();
    let details = vec![AllowanceTransferDetails {
        from: SIGNER,
        to: OTHER,
        amount: U160::from(7),
        token: TOKEN,
    }];
    let batch = (details,).abi_encode_params();
    let (_, found) = run(&[(0x02, to_fees), (0x02, to_router), (0x0d, batch)]);
    let moved: Vec<_> = found
        .transfers
        .iter()
        .map(|t| (t.from, t.to, t.amount.to::<u64>()))
        .collect();
    assert_eq!(
        moved,
        [(SIGNER, FEES, 9), (SIGNER, ROUTER, 8), (SIGNER, OTHER, 7)]
    );
    assert!(found.entities.approvals.is_empty());
}

#[test]
fn what_the_router_pays_to_others_names_them_without_an_amount() {
    let wrap = |to: Address| (to, U256::ZERO).abi_encode_params();
    let swap = |to: Address| (to, U256::ONE, U256::ONE, Bytes::from(vec![0; 43]), true).abi_encode_params();
    let tokens = |to: Address| (to, U256::ONE, U256::ONE, vec![TOKEN, OTHER], true).abi_encode_params();
    let whole_balance = (TOKEN, FEES, U256::ONE << 255).abi_encode_params();
    let commands = [
        (0x00, swap(FEES)),
        (0x01, swap(FEES)),
        (0x04, pay(FEES)),
        (0x05, whole_balance),
        (0x06, pay(FEES)),
        (0x08, tokens(FEES)),
        (0x09, tokens(FEES)),
        (0x0b, wrap(FEES)),
        (0x0c, wrap(FEES)),
    ];
    for command in commands {
        let (node, found) = run(std::slice::from_ref(&command));
        assert!(!node.opaque && node.commands[0].name.is_some(), "{command:?}");
        assert_eq!(addresses(&found)[1], (FEES, "recipient"), "{command:?}");
        assert!(found.transfers.is_empty() && found.entities.approvals.is_empty());
    }
    let (_, found) = run(&[(0x04, pay(FEES))]);
    assert_eq!(tokens_of(&found), [TOKEN]);
}

fn tokens_of(found: &Collector) -> Vec<Address> {
    super::tokens(found)
}

#[test]
fn what_the_router_keeps_or_pays_back_names_nobody() {
    for to in [CALLER, ITSELF, SIGNER, ROUTER] {
        let wrap = (to, U256::ZERO).abi_encode_params();
        let (_, found) = run(&[
            (0x04, pay(to)),
            (0x06, pay(to)),
            (0x0b, wrap.clone()),
            (0x0c, wrap),
        ]);
        assert_eq!(addresses(&found), [(ROUTER, "target")]);
    }
}

#[test]
fn an_exact_payment_of_the_router_is_a_transfer() {
    let native = (Address::ZERO, FEES, U256::from(3)).abi_encode_params();
    let item = (TOKEN, FEES, U256::from(12)).abi_encode_params();
    let (_, found) = run(&[(0x05, pay(FEES)), (0x05, native), (0x17, item)]);
    let moved: Vec<_> = found
        .transfers
        .iter()
        .map(|t| (t.token, t.from, t.to, t.amount.to::<u64>(), t.token_id))
        .collect();
    let item = Some(U256::from(12));
    let expected = [
        (Some(TOKEN), ROUTER, FEES, 5, None),
        (None, ROUTER, FEES, 3, None),
        (Some(TOKEN), ROUTER, FEES, 1, item),
    ];
    assert_eq!(moved, expected);
}

#[test]
fn a_sub_plan_is_read_in_place() {
    let plan = (
        Bytes::from(vec![0x04, 0x0a]),
        vec![Bytes::from(pay(FEES)), Bytes::from(permit())],
    )
        .abi_encode_params();
    let (node, found) = run(&[(0xa1, plan)]);
    assert_eq!(names(&node.commands), [Some("EXECUTE_SUB_PLAN")]);
    assert_eq!(
        names(&node.commands[0].inner),
        [Some("SWEEP"), Some("PERMIT2_PERMIT")]
    );
    assert!(!node.opaque);
    assert_eq!(approval(&found).1, SPENDER);
    assert_eq!(
        addresses(&found)[1..],
        [(FEES, "recipient"), (TOKEN, "token"), (SPENDER, "spender")]
    );
}

#[test]
fn commands_that_are_not_read_leave_the_call_opaque() {
    let (node, found) = run(&[(0x10, permit()), (0x40, permit()), (0x3e, permit())]);
    assert_eq!(names(&node.commands), [Some("V4_SWAP"), None, None]);
    assert!(node.opaque && node.commands.iter().all(|command| command.opaque));
    assert!(node.flags.is_empty());
    assert_eq!(addresses(&found), [(ROUTER, "target")]);
}

#[test]
fn a_malformed_input_is_flagged_and_does_not_hide_the_others() {
    let mut cut = permit();
    cut.truncate(200);
    let (node, found) = run(&[(0x0a, cut), (0x0a, permit())]);
    assert!(node.opaque && node.commands[0].opaque && !node.commands[1].opaque);
    assert_eq!(node.flags, ["nested-not-understood"]);
    assert_eq!(found.entities.approvals.len(), 1);

    let unequal = Router::executeCall {
        commands: Bytes::from(vec![0x0a]),
        inputs: vec![permit().into(), permit().into()],
    };
    let (node, found) = decode(ROUTER, unequal.abi_encode());
    assert!(node.opaque);
    assert_eq!(node.flags, ["nested-not-understood"]);
    assert_eq!(found.entities.approvals.len(), 1);
}

/// The router's assembly reads on behind an input that is too short: in the next one, or zeros at the end.
#[test]
fn an_input_that_is_cut_short_is_read_on_as_the_router_does() {
    let mut cut = (TOKEN, FEES, U160::from(9)).abi_encode_params();
    cut.truncate(64);
    // What follows is the length of the next input.
    let (node, found) = run(&[(0x02, cut.clone()), (0x04, pay(FEES))]);
    assert_eq!(found.transfers[0].to, FEES);
    assert_eq!(found.transfers[0].amount, U256::from(96));
    assert_eq!(node.flags, ["short-input"]);
    assert!(node.opaque);

    let (_, found) = run(&[(0x02, cut)]);
    assert_eq!(found.transfers[0].amount, U256::ZERO);

    // The padding of the last input is missing, and the end of its amount with it.
    let mut data = encoded(&[(0x02, (TOKEN, FEES, U160::from(0x1234)).abi_encode_params())]);
    data.truncate(data.len() - 1);
    let (node, _) = decode(ROUTER, data);
    assert!(
        node.opaque,
        "Solidity refuses an input that ends behind the calldata"
    );

    let short = (FEES, U256::from(7)).abi_encode_params()[..33].to_vec();
    let plan = (Bytes::from(vec![0x0c]), vec![Bytes::from(short)]).abi_encode_params();
    let (node, found) = run(&[(0x21, plan)]);
    assert_eq!(addresses(&found)[1], (FEES, "recipient"));
    assert_eq!(node.flags, ["short-input"]);
}

#[test]
fn a_permit_whose_signature_is_cut_off_is_no_permit() {
    let mut cut = permit();
    cut.truncate(6 * 32);
    let (node, found) = run(&[(0x0a, cut)]);
    assert!(node.opaque && found.entities.approvals.is_empty());
    assert_eq!(node.flags, ["nested-not-understood"]);
}

#[test]
fn execute_of_an_account_is_no_router() {
    let calls = vec![Execution {
        target: TOKEN,
        value: U256::ZERO,
        callData: approve(5),
    }];
    let data = crate::call::nested::abi::AccountStructs::executeCall { calls }.abi_encode();
    assert_eq!(data[..4], hex!("3f707e6b"));
    let (node, _) = decode(ROUTER, data);
    assert!(node.commands.is_empty());
}
