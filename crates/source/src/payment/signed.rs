//! The payments of the requirements' asset that a request would sign or send (ERC-8481 §Payment, I-43).

use super::requirements::{Asset, Requirements};
use super::route;
use crate::context::Context;
use alloy_primitives::{Address, U256};
use presight_decode::{CallNode, PaymentLimits, Transfer, TransferPermit};
use presight_wire::{ChainId, NotRead};
use std::collections::HashSet;

/// One payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paid {
    /// Who pays.
    pub from: Address,
    /// Who is paid by the bytes: for a collector, the collector; `None` where a Permit2 spender chooses.
    pub to: Option<Address>,
    /// In the asset's smallest unit; what is signed for at most, where less may be taken.
    pub amount: U256,
    /// The token; `None` is the chain's own.
    pub token: Option<Address>,
    /// How it is made.
    pub way: Way,
}

/// How a payment is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// A signed ERC-3009 message.
    Authorization(PaymentLimits),
    /// A signed Permit2 message. Its witness says who is paid, or its spender is a collector, or its spender chooses.
    Permit2 {
        /// Who may take it.
        spender: Address,
        /// Until when, and once.
        limits: PaymentLimits,
    },
    /// A transfer in the calls.
    Call,
}

impl Way {
    /// What limits it, where it is a signed message.
    pub fn limits(&self) -> Option<&PaymentLimits> {
        match self {
            Self::Authorization(limits) | Self::Permit2 { limits, .. } => Some(limits),
            Self::Call => None,
        }
    }
}

/// The payments of the requirements' asset, in order. Transfers of other tokens, or on other chains, are none.
///
/// # Errors
/// Where something moves and it cannot be said whether it is the asset.
pub fn payments(context: &Context<'_>, requirements: &Requirements<'_>) -> Result<Vec<Paid>, NotRead> {
    let mut paid = all(context);
    let Some(asset) = requirements.asset() else {
        // Without an asset the one payment that a message authorizes is still that; transfers of calls could be anything.
        paid.retain(|paid| paid.way.limits().is_some());
        return Ok(paid);
    };
    if paid.is_empty() {
        return Ok(paid);
    }
    let token = match asset?.value {
        Asset::Native => None,
        Asset::Token(token) => Some(token),
    };
    paid.retain(|paid| paid.token == token);
    match requirements.chain() {
        Some(chain) if !paid.is_empty() => {
            let chain = chain?;
            paid.retain(|_| chain == signed_chain(context));
        }
        _ => {}
    }
    Ok(paid)
}

/// Every payment the request would sign or send, of whatever asset.
pub fn all(context: &Context<'_>) -> Vec<Paid> {
    let decoded = context.decoded;
    let own = own_accounts(context);
    let limits = decoded
        .typed_data
        .as_ref()
        .and_then(|data| data.payment_limits.clone());
    let transfers = decoded.transfers.iter().filter_map(|transfer| {
        // The one transfer of an ERC-3009 message is that message, whoever signs it.
        let way = match (&limits, transfer.call_index) {
            (Some(limits), None) => Way::Authorization(limits.clone()),
            _ if own.contains(&transfer.from) && transfer.token_id.is_none() => Way::Call,
            _ => return None,
        };
        Some(sent(transfer, way))
    });
    let permits = decoded.transfer_permits.iter().filter_map(|permit| {
        Some(Paid {
            from: context.signer(),
            to: receiver(permit),
            amount: permit.amount,
            token: Some(permit.token),
            way: Way::Permit2 {
                spender: permit.spender,
                limits: limits.clone()?,
            },
        })
    });
    transfers.chain(permits).collect()
}

/// The chain on which what is signed or sent counts: that of the typed data's domain, else the request's.
pub fn signed_chain(context: &Context<'_>) -> ChainId {
    let domain = context.decoded.typed_data.as_ref().and_then(|data| data.chain_id);
    match domain.and_then(|id| u64::try_from(id).ok()) {
        Some(id) => ChainId::evm(id),
        None => context.chain().clone(),
    }
}

fn sent(transfer: &Transfer, way: Way) -> Paid {
    Paid {
        from: transfer.from,
        to: Some(transfer.to),
        amount: transfer.amount,
        token: transfer.token,
        way,
    }
}

/// Who gets what a Permit2 message lets be taken. Any other spender than x402's may ignore a witness.
fn receiver(permit: &TransferPermit) -> Option<Address> {
    match permit.witness_to {
        Some(to) if route::is_proxy(permit.spender) => Some(to),
        _ => route::is_collector(permit.spender).then_some(permit.spender),
    }
}

/// The signer, and the accounts in whose name it makes calls: its Safe, its ERC-4337 account (I-20).
fn own_accounts(context: &Context<'_>) -> HashSet<Address> {
    let mut own = HashSet::from([context.signer()]);
    let inner = context.decoded.typed_data.iter().flat_map(|data| &data.inner);
    let mut open: Vec<&CallNode> = context.decoded.calls.iter().chain(inner).collect();
    while let Some(call) = open.pop() {
        own.insert(call.caller);
        open.extend(&call.inner);
    }
    own
}
