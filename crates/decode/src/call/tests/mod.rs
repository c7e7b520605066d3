mod encoding;
mod entry_point;
mod execution;
mod grants;
mod helpers;
mod limits;
mod nested;
mod router;
mod safe;
mod selectors;
mod transfers;

use super::abi::{Erc20, PermitDetails};
use super::{Call, CallNode, Operation, Outer};
use crate::collector::Collector;
use crate::model::{Amount, Grant};
use alloy_primitives::aliases::{U48, U160};
use alloy_primitives::{Address, Bytes, U256, address};
use alloy_sol_types::SolCall;
use presight_wire::ChainId;
use presight_wire::report::Form;

pub(super) const SIGNER: Address = address!("0x4ddad24756816b972899a5eda789e0343e014db9");
pub(super) const TOKEN: Address = address!("0x1111111111111111111111111111111111111111");
pub(super) const SPENDER: Address = address!("0x2222222222222222222222222222222222222222");
pub(super) const OTHER: Address = address!("0x3333333333333333333333333333333333333333");

pub(super) fn decode_with(call: &Call) -> (CallNode, Collector) {
    let mut collector = Collector::default();
    let outer = Outer {
        chain: &ChainId::evm(1),
        signer: SIGNER,
        index: Some(3),
        pointer: "/subject/calls/3".into(),
        data_member: "data",
    };
    let node = outer.decode(call, &mut collector).unwrap();
    (node, collector)
}

pub(super) fn decode(to: Address, data: impl Into<Bytes>) -> (CallNode, Collector) {
    decode_with(&Call::new(SIGNER, to, U256::ZERO, data.into(), Operation::Call))
}

pub(super) fn addresses(collector: &Collector) -> Vec<(Address, &'static str)> {
    collector
        .entities
        .addresses
        .iter()
        .map(|a| (a.address.address, a.role.as_str()))
        .collect()
}

pub(super) fn tokens(collector: &Collector) -> Vec<Address> {
    collector.entities.tokens.iter().map(|t| t.address).collect()
}

/// The only approval: its token, spender, form and grant.
pub(super) fn approval(collector: &Collector) -> (Address, Address, Form, Grant) {
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

pub(super) fn units(value: U256) -> Amount {
    Amount::Units {
        value,
        max: U256::MAX,
    }
}

pub(super) fn details(expiration: u64) -> PermitDetails {
    let (amount, nonce) = (U160::MAX, U48::ZERO);
    PermitDetails {
        token: TOKEN,
        amount,
        expiration: U48::from(expiration),
        nonce,
    }
}

/// Calldata of `approve(SPENDER, amount)`.
pub(super) fn approve(amount: u64) -> Bytes {
    let amount = U256::from(amount);
    Erc20::approveCall {
        spender: SPENDER,
        amount,
    }
    .abi_encode()
    .into()
}

/// Each approval as (token, owner, amount).
pub(super) fn granted(collector: &Collector) -> Vec<(Address, Address, u64)> {
    let pairs = collector.entities.approvals.iter().zip(&collector.grants);
    pairs
        .map(|(approval, grant)| {
            assert_eq!(
                (approval.spender.address, approval.call_index),
                (SPENDER, Some(3))
            );
            let Amount::Units { value, .. } = grant.amount else {
                panic!("an amount expected")
            };
            (approval.token.address, grant.owner, value.to())
        })
        .collect()
}

/// The calls directly inside a node, as (to, value, operation).
pub(super) fn inside(node: &CallNode) -> Vec<(Address, u64, Operation)> {
    let calls = node.inner.iter();
    calls
        .map(|call| (call.to, call.value.to(), call.operation))
        .collect()
}
