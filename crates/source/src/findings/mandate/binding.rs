//! `presight.mandate.binding`

use super::of_payments;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::Way;
use alloy_primitives::{B256, U256};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;

/// Whether the signed payment's nonce is that of the mandate and the `paymentId`: `{ paymentId, nonce, expected, equal }`, the nonce as
/// 32 bytes in hex for ERC-3009, as a decimal string for Permit2. Without a `paymentId` of its grammar `expected` is `null` and
/// `equal` false. Listed for signed payments.
///
/// Reads: the request's bytes. Not read, `unavailable`: the mandate is of another shape.
#[derive(Debug)]
pub struct Binding;

impl Kind for Binding {
    fn name(&self) -> &'static str {
        "presight.mandate.binding"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_payments(context, |presented, payment| {
            let way = payment.way.as_ref()?;
            let limits = way.limits()?;
            let payment_id = presented.payment_id();
            let expected = payment_id.and_then(|id| presented.mandate.binding(id));
            let expected = expected.map(|bytes| U256::from_be_bytes(bytes.0));
            let shown = |nonce: U256| match way {
                Way::Permit2 { .. } => nonce.to_string(),
                _ => B256::from(nonce).to_string(),
            };
            Some(Ok(Read::from_request(json!({
                "paymentId": payment_id,
                "nonce": shown(limits.nonce),
                "expected": expected.map(shown),
                "equal": expected == Some(limits.nonce),
            }))))
        })
    }
}
