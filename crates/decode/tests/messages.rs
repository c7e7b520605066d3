//! Messages that let an account or a forwarder make calls: what is inside, in whose name, and flags at their place.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]
#![allow(
    clippy::needless_pass_by_value,
    reason = "JSON literals are passed as they are written"
)]

use alloy_primitives::{Address, address};
use presight_decode::{Amount, Decoded, Operation, TypedData, decode};
use presight_wire::{Refusal, Request};
use serde_json::{Value, json};

const SIGNER: Address = address!("0x4ddad24756816b972899a5eda789e0343e014db9");
const TOKEN: Address = address!("0x1111111111111111111111111111111111111111");
const SPENDER: Address = address!("0x2222222222222222222222222222222222222222");
const ACCOUNT: Address = address!("0x4444444444444444444444444444444444444444");
const CONTRACT: Address = address!("0x5555555555555555555555555555555555555555");

/// `approve(SPENDER, 5)`.
const APPROVE: &str = concat!(
    "0x095ea7b3",
    "0000000000000000000000002222222222222222222222222222222222222222",
    "0000000000000000000000000000000000000000000000000000000000000005"
);
/// `execute(TOKEN, 0, approve(SPENDER, 5))`.
const EXECUTE: &str = concat!(
    "0xb61d27f6",
    "0000000000000000000000001111111111111111111111111111111111111111",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000060",
    "0000000000000000000000000000000000000000000000000000000000000044",
    "095ea7b3",
    "0000000000000000000000002222222222222222222222222222222222222222",
    "0000000000000000000000000000000000000000000000000000000000000005",
    "00000000000000000000000000000000000000000000000000000000"
);

/// `definition` is an `encodeType` of one struct, such as `Mail(address to,string text)`.
fn request(definition: &str, message: Value) -> Result<Decoded, Refusal> {
    let (name, members) = definition.split_once('(').unwrap();
    let members: Vec<_> = members
        .trim_end_matches(')')
        .split(',')
        .map(|member| {
            let (ty, name) = member.split_once(' ').unwrap();
            json!({ "name": name, "type": ty })
        })
        .collect();
    let domain = [("chainId", "uint256"), ("verifyingContract", "address")];
    let domain = domain.map(|(name, ty)| json!({ "name": name, "type": ty }));
    let mut types = json!({ "EIP712Domain": domain });
    types[name] = members.into();
    let subject = json!({
        "type": "calls", "chainId": "eip155:1", "from": format!("eip155:1:{SIGNER:#x}"), "calls": [],
        "typedData": {
            "types": types,
            "primaryType": name,
            "domain": { "chainId": 1, "verifyingContract": format!("{CONTRACT:#x}") },
            "message": message,
        },
    });
    decode(&Request::from_value(json!({ "version": "erc-presign/1", "subject": subject })).unwrap())
}

fn typed(decoded: &Decoded) -> &TypedData {
    decoded.typed_data.as_ref().unwrap()
}

/// The one approval: its owner and amount.
fn grant(decoded: &Decoded) -> (Address, u64) {
    let [approval] = decoded.entities.approvals.as_slice() else {
        panic!("one approval expected")
    };
    assert_eq!(
        (approval.token.address, approval.spender.address),
        (TOKEN, SPENDER)
    );
    assert_eq!(approval.call_index, None);
    let Amount::Units { value, .. } = decoded.grants[0].amount else {
        panic!("an amount expected")
    };
    (decoded.grants[0].owner, value.to())
}

fn roles(decoded: &Decoded) -> Vec<(Address, &'static str)> {
    let addresses = decoded.entities.addresses.iter();
    addresses.map(|a| (a.address.address, a.role.as_str())).collect()
}

const SAFE_TX: &str = "SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,\
    uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)";

fn safe_tx(operation: u8) -> Value {
    json!({
        "to": TOKEN, "value": "0", "data": APPROVE, "operation": operation, "safeTxGas": "0", "baseGas": "0",
        "gasPrice": "0", "gasToken": Address::ZERO, "refundReceiver": Address::ZERO, "nonce": "1",
    })
}

#[test]
fn a_safe_executes_its_transaction() {
    let decoded = request(SAFE_TX, safe_tx(0)).unwrap();
    assert_eq!(typed(&decoded).recognised, Some("safe-transaction"));
    assert_eq!(grant(&decoded), (CONTRACT, 5));
    assert_eq!(typed(&decoded).inner[0].operation, Operation::Call);
    let expected = [(TOKEN, "target"), (SPENDER, "spender"), (TOKEN, "token")];
    assert_eq!(roles(&decoded), expected);
    assert!(decoded.flags.is_empty());

    let older = SAFE_TX.replace("baseGas", "dataGas");
    let mut message = safe_tx(0);
    message["dataGas"] = "0".into();
    message.as_object_mut().unwrap().remove("baseGas");
    assert_eq!(grant(&request(&older, message).unwrap()), (CONTRACT, 5));
}

#[test]
fn foreign_code_in_a_safe_is_flagged_at_the_operation() {
    let decoded = request(SAFE_TX, safe_tx(1)).unwrap();
    assert!(decoded.entities.approvals.is_empty());
    assert_eq!(roles(&decoded), [(TOKEN, "target")]);
    let flags: Vec<_> = decoded
        .flags
        .iter()
        .map(|f| (f.code, f.pointer.as_str()))
        .collect();
    assert_eq!(flags, [("delegatecall", "/subject/typedData/message/operation")]);

    let decoded = request(SAFE_TX, safe_tx(2)).unwrap();
    assert_eq!(decoded.flags[0].code, "nested-not-understood");
    assert!(typed(&decoded).inner.is_empty() && roles(&decoded).is_empty());
}

#[test]
fn a_safe_that_refunds_gas_names_who_is_paid() {
    let mut message = safe_tx(0);
    message["gasPrice"] = "1".into();
    message["refundReceiver"] = json!(SPENDER);
    message["data"] = "0x".into();
    let decoded = request(SAFE_TX, message).unwrap();
    assert_eq!(roles(&decoded), [(SPENDER, "recipient"), (TOKEN, "target")]);
}

const META: &str = "MetaTransaction(uint256 nonce,address from,bytes functionSignature)";

#[test]
fn a_meta_transaction_is_a_call_of_its_contract_by_the_signer() {
    let message = |from: Address| json!({ "nonce": "0", "from": from, "functionSignature": APPROVE });
    let decoded = request(META, message(SIGNER)).unwrap();
    assert_eq!(typed(&decoded).recognised, Some("meta-transaction"));
    assert_eq!(decoded.grants[0].owner, SIGNER);
    assert_eq!(decoded.entities.approvals[0].token.address, CONTRACT);
    assert_eq!(typed(&decoded).inner[0].to, CONTRACT);
    assert!(decoded.flags.is_empty());

    let decoded = request(META, message(ACCOUNT)).unwrap();
    assert_eq!(decoded.grants[0].owner, ACCOUNT);
    assert_eq!(decoded.flags[0].code, "owner-not-signer");
}

#[test]
fn oddities_of_the_calldata_point_at_its_member() {
    let message = json!({ "nonce": "0", "from": SIGNER, "functionSignature": format!("{APPROVE}00") });
    let decoded = request(META, message).unwrap();
    assert_eq!(decoded.flags[0].code, "trailing-bytes");
    assert_eq!(
        decoded.flags[0].pointer,
        "/subject/typedData/message/functionSignature"
    );
}

#[test]
fn a_forwarder_calls_in_the_name_of_the_signer() {
    let message = json!({
        "from": SIGNER, "to": TOKEN, "value": "3", "gas": "0", "nonce": "0", "deadline": "88", "data": APPROVE,
    });
    let older = "ForwardRequest(address from,address to,uint256 value,uint256 gas,uint256 nonce,bytes data)";
    let newer = "ForwardRequest(address from,address to,uint256 value,uint256 gas,uint256 nonce,\
        uint48 deadline,bytes data)";
    let decoded = request(newer, message.clone()).unwrap();
    assert_eq!(typed(&decoded).recognised, Some("forward-request"));
    assert_eq!(
        typed(&decoded).signature_deadline.map(|d| d.to::<u64>()),
        Some(88)
    );
    assert_eq!(grant(&decoded), (SIGNER, 5));
    assert_eq!(
        (decoded.transfers[0].from, decoded.transfers[0].to),
        (CONTRACT, TOKEN)
    );

    let mut message = message;
    message.as_object_mut().unwrap().remove("deadline");
    let decoded = request(older, message).unwrap();
    assert_eq!(typed(&decoded).signature_deadline, None);
    assert_eq!(grant(&decoded), (SIGNER, 5));
}

#[test]
fn a_user_operation_is_of_its_account() {
    let packed = "PackedUserOperation(address sender,uint256 nonce,bytes initCode,bytes callData,\
        bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData)";
    let zero = format!("0x{}", "00".repeat(32));
    let message = json!({
        "sender": ACCOUNT, "nonce": "0", "initCode": "0x", "callData": EXECUTE, "accountGasLimits": zero,
        "preVerificationGas": "0", "gasFees": zero, "paymasterAndData": "0x",
    });
    let decoded = request(packed, message).unwrap();
    assert_eq!(typed(&decoded).recognised, Some("user-operation"));
    assert_eq!(grant(&decoded), (ACCOUNT, 5));
    assert_eq!(typed(&decoded).inner[0].inner[0].to, TOKEN);
    assert_eq!(roles(&decoded)[..2], [(ACCOUNT, "target"), (TOKEN, "target")]);
}

#[test]
fn an_operation_of_a_safe_is_of_the_safe() {
    let newer = "SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint128 verificationGasLimit,\
        uint128 callGasLimit,uint256 preVerificationGas,uint128 maxPriorityFeePerGas,uint128 maxFeePerGas,\
        bytes paymasterAndData,uint48 validAfter,uint48 validUntil,address entryPoint)";
    let older = "SafeOp(address safe,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,\
        uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,\
        uint256 maxPriorityFeePerGas,bytes paymasterAndData,uint48 validAfter,uint48 validUntil,\
        address entryPoint)";
    for definition in [newer, older] {
        let message = json!({
            "safe": ACCOUNT, "nonce": "0", "initCode": "0x", "callData": EXECUTE, "verificationGasLimit": "0",
            "callGasLimit": "0", "preVerificationGas": "0", "maxPriorityFeePerGas": "0", "maxFeePerGas": "0",
            "paymasterAndData": "0x", "validAfter": "0", "validUntil": "99", "entryPoint": CONTRACT,
        });
        let decoded = request(definition, message).unwrap();
        assert_eq!(typed(&decoded).recognised, Some("safe-user-operation"));
        assert_eq!(
            typed(&decoded).signature_deadline.map(|d| d.to::<u64>()),
            Some(99)
        );
        assert_eq!(grant(&decoded), (ACCOUNT, 5));
    }
}

#[test]
fn a_message_with_a_member_more_is_not_recognised() {
    let definition = SAFE_TX.replace("uint256 nonce)", "uint256 nonce,bytes extra)");
    let mut message = safe_tx(0);
    message["extra"] = "0x".into();
    let decoded = request(&definition, message).unwrap();
    assert_eq!(typed(&decoded).recognised, None);
    assert!(typed(&decoded).inner.is_empty() && decoded.entities.approvals.is_empty());
}
