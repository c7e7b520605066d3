//! A payee's signed word that another address may be paid for it (x402 Payee Verification; the format is assumed and
//! configurable).

use super::flat_type::signing_hash;
use crate::config::payment::DelegationFormat;
use crate::context::Context;
use alloy_primitives::{Address, B256, Bytes, U256};
use presight_exec::reads;
use presight_view::Lookup;
use presight_wire::report::sign;
use presight_wire::request::Payee;
use presight_wire::{AccountId, Read, hex};
use serde_json::{Map, Value};

/// Whether a delegation lets `pay_to` be paid for the payee: it names the payee and the address, has not ended when the report is
/// made, and is signed by the payee's wallet, by ERC-1271 when that has code.
pub fn allows(
    context: &Context<'_>,
    payee: &Payee,
    wallet: Address,
    pay_to: Address,
    delegation: &Map<String, Value>,
) -> Lookup<Read<bool>> {
    let format = &context.config.payment.payee_delegation;
    let registry = &payee.registry;
    let code = reads::code(context.view, &registry.chain, wallet)?;
    let refused = |code: Read<_>, why: &str| Ok(code.map(|_| false).with_note(why));
    if wallet.is_zero() {
        return refused(code, "the payee has no wallet that could delegate");
    }
    if let Some(why) = stated_otherwise(context, payee, pay_to, delegation) {
        return refused(code, why);
    }
    let Some((hash, signature)) = signed(format, registry, delegation) else {
        return refused(code, "the delegation is malformed");
    };
    if code.value().is_empty() {
        let by = sign::recover(hash, &signature);
        return Ok(code.map(|_| by.is_ok_and(|by| by == wallet)));
    }
    let accepted = reads::is_valid_signature(context.view, &registry.chain, wallet, hash, &signature)?;
    Ok(code.zip(accepted).map(|(_, accepted)| accepted))
}

/// What in the delegation is not of this payment.
fn stated_otherwise(
    context: &Context<'_>,
    payee: &Payee,
    pay_to: Address,
    delegation: &Map<String, Value>,
) -> Option<&'static str> {
    let text = |name: &str| delegation.get(name).and_then(Value::as_str).unwrap_or_default();
    let is = |name: &str, account: Address| hex::address_any_case(text(name), "") == Ok(account);
    let until = hex::decimal(text("validUntil"), "").ok();
    let ended = until.is_none_or(|until| {
        u64::try_from(context.view.clock().0).map_or(true, |now| until < U256::from(now))
    });
    [
        (
            !is("agentRegistry", payee.registry.address),
            "it names another registry",
        ),
        (
            hex::decimal(text("agentId"), "") != Ok(payee.agent_id),
            "it names another agent",
        ),
        (!is("delegate", pay_to), "it names another address"),
        (ended, "it has ended"),
    ]
    .into_iter()
    .find_map(|(otherwise, why)| otherwise.then_some(why))
}

fn signed(
    format: &DelegationFormat,
    registry: &AccountId,
    delegation: &Map<String, Value>,
) -> Option<(B256, Bytes)> {
    let hash = format.message.hash_struct(delegation).ok()?;
    let signature = hex::data(delegation.get("signature")?.as_str()?, "").ok()?;
    let chain_id = registry.chain.evm_id()?;
    Some((
        signing_hash(&format.domain_name, &format.domain_version, chain_id, hash),
        signature,
    ))
}
