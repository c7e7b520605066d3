//! Against the payee's registered wallet.

use super::{Pair, Sides, pair};
use crate::payment::Member;
use alloy_primitives::Address;
use presight_exec::reads;

/// `payTo=agentWallet`
pub(super) fn pay_to(sides: &Sides<'_>) -> Pair {
    against_wallet(sides, sides.requirements.pay_to())
}

/// `quote.issuer=agentWallet`
pub(super) fn issuer(sides: &Sides<'_>) -> Pair {
    against_wallet(sides, sides.quote.as_ref()?.issuer())
}

/// A wallet that was cleared is read as zero and compared as such (ERC-8481 §Payment).
fn against_wallet(sides: &Sides<'_>, left: Member<Address>) -> Pair {
    let (left, payee) = (left?, sides.payment.payee.as_ref()?);
    let registry = &payee.registry;
    let view = sides.context.view;
    let wallet = reads::get_agent_wallet(view, &registry.chain, registry.address, payee.agent_id);
    let left = match left {
        Ok(left) => left,
        Err(not_read) => return Some(Err(not_read.into())),
    };
    Some(
        wallet
            .map(|wallet| wallet.map(|wallet| pair(left.text, format!("{wallet:#x}"), left.value == wallet))),
    )
}
