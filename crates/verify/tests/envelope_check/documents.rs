//! Envelopes to check, and what the check says of them.

use crate::calls::{Safe, Token};
use alloy_primitives::{Address, U256, address};
use alloy_sol_types::SolCall;
use presight_verify::envelope::{CheckContext, Checked, check};
use serde_json::{Value, json};

pub(crate) const SIGNER: Address = address!("0x26831A2Df3862091B500BD68946083Cba9a1b37E");
pub(crate) const TOKEN: Address = address!("0xF04227E95656CC86b9D0E101f9d046cF0174Bce7");
pub(crate) const OTHER: Address = address!("0xBACC62E4AeE772153E04811C02C4dE078Ac89e55");
pub(crate) const THIRD: Address = address!("0x32b424b2199a0DA8bD61Dc7D78D54Ee9A9dF239c");
pub(crate) const PERMIT2: Address = address!("0x000000000022D473030F116dDEE9F6B43aC78BA3");
pub(crate) const NOT_AFTER: u64 = 1_788_350_400;

/// One call.
pub(crate) fn call(to: Address, data: &[u8]) -> Value {
    json!({ "to": to, "data": alloy_primitives::hex::encode_prefixed(data), "operation": "call" })
}

/// An envelope of these calls without movements.
pub(crate) fn envelope(calls: Vec<Value>) -> Value {
    json!({
        "$schema": "https://txkit.dev/schemas/v0.1/envelope.json",
        "kind": if calls.len() == 1 { "evm-tx" } else { "evm-batch" },
        "issuedAt": "2026-09-02T11:30:00Z",
        "content": {
            "chain": "eip155:1",
            "from": SIGNER,
            "calls": calls,
            "validity": { "notAfter": NOT_AFTER },
            "description": { "short": "A test", "action": "other", "long": "A test" },
            "metadata": { "protocol": "test", "tokenMovements": [], "counterparties": [] },
        },
    })
}

/// An envelope of one call to [`TOKEN`].
pub(crate) fn one(data: Vec<u8>) -> Value {
    envelope(vec![call(TOKEN, &data)])
}

/// Calldata of a transfer to [`OTHER`].
pub(crate) fn transfer(amount: u64) -> Vec<u8> {
    Token::transferCall {
        to: OTHER,
        amount: U256::from(amount),
    }
    .abi_encode()
}

/// Calldata of an approval of [`OTHER`].
pub(crate) fn approve(amount: U256) -> Vec<u8> {
    Token::approveCall {
        spender: OTHER,
        amount,
    }
    .abi_encode()
}

/// A Safe's transaction to [`TOKEN`], by the number of its operation.
pub(crate) fn executed(data: Vec<u8>, operation: u8) -> Vec<u8> {
    Safe::execTransactionCall {
        to: TOKEN,
        value: U256::ZERO,
        data: data.into(),
        operation,
        safeTxGas: U256::ZERO,
        baseGas: U256::ZERO,
        gasPrice: U256::ZERO,
        gasToken: Address::ZERO,
        refundReceiver: Address::ZERO,
        signatures: vec![1; 65].into(),
    }
    .abi_encode()
}

/// A request to sign typed data.
pub(crate) fn typed(typed_data: Value) -> Value {
    let mut content = json!({
        "chain": "eip155:1",
        "from": SIGNER,
        "scheme": "eip-712",
        "description": { "short": "A test", "action": "permit" },
        "validity": { "notAfter": NOT_AFTER },
        "metadata": { "protocol": "test", "tokenMovements": [], "counterparties": [] },
    });
    for (name, value) in typed_data.as_object().unwrap() {
        content[name] = value.clone();
    }
    json!({
        "$schema": "https://txkit.dev/schemas/v0.1/envelope.json",
        "kind": "signature",
        "issuedAt": "2026-09-02T11:30:00Z",
        "content": content,
    })
}

/// An ERC-2612 permit of [`TOKEN`] for [`OTHER`].
pub(crate) fn permit(value: &str, deadline: &str) -> Value {
    let member = |name: &str, ty: &str| json!({ "name": name, "type": ty });
    typed(json!({
        "domain": { "name": "USD", "version": "1", "chainId": 1, "verifyingContract": TOKEN },
        "types": { "Permit": [
            member("owner", "address"), member("spender", "address"), member("value", "uint256"),
            member("nonce", "uint256"), member("deadline", "uint256"),
        ] },
        "primaryType": "Permit",
        "message": { "owner": SIGNER, "spender": OTHER, "value": value, "nonce": "0", "deadline": deadline },
    }))
}

/// A movement of 5 of [`TOKEN`] from [`SIGNER`] to [`OTHER`], with members replaced.
pub(crate) fn movement(kind: &str, members: Value) -> Value {
    let mut movement = json!({
        "token": TOKEN, "standard": "erc20", "symbol": "USD", "decimals": 6, "amount": "5",
        "kind": kind, "from": SIGNER, "to": OTHER,
    });
    for (name, value) in members.as_object().unwrap() {
        movement[name] = value.clone();
    }
    movement
}

/// The envelope with these movements.
pub(crate) fn claiming(mut envelope: Value, movements: Vec<Value>) -> Value {
    envelope["content"]["metadata"]["tokenMovements"] = json!(movements);
    envelope
}

/// The envelope with this action.
pub(crate) fn acting(mut envelope: Value, action: &str) -> Value {
    envelope["content"]["description"]["action"] = json!(action);
    envelope
}

pub(crate) fn run(envelope: &Value, context: &CheckContext) -> Checked {
    check(&serde_json::to_vec(envelope).unwrap(), context, None).unwrap()
}

/// The outcome without a context.
pub(crate) fn bare(envelope: &Value) -> Checked {
    let checked = run(envelope, &CheckContext::default());
    assert!(checked.facts.is_some(), "{:?}", checked.errors);
    checked
}

/// Where a code is noted, as an error or a warning.
pub(crate) fn places<'c>(checked: &'c Checked, code: &str) -> Vec<&'c str> {
    let notes = checked.errors.iter().chain(&checked.warnings);
    notes
        .filter(|note| note.code.as_str() == code)
        .map(|note| note.path.as_str())
        .collect()
}
