//! `presight.mandate.recipients`

use super::of_payments;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::kinds::Group;
use presight_wire::{NotRead, Read, Reason};
use serde_json::json;

/// Whether the mandate lets this receiver be paid: `{ recipient, listed, anybody }`, the recipient as CAIP-10. `anybody` is whether the
/// mandate names no one; `listed` is then true.
///
/// Reads: the request's bytes. Not read, `unsupported`: a Permit2 spender chooses the receiver; `unavailable`: the mandate is of
/// another shape, or nothing is paid and the requirements do not say what would be.
#[derive(Debug)]
pub struct Recipients;

impl Kind for Recipients {
    fn name(&self) -> &'static str {
        "presight.mandate.recipients"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_payments(context, |presented, payment| {
            let Some(to) = payment.to else {
                let note = "Permit2: whoever may take it chooses who is paid";
                return Some(Err(NotRead::new(Reason::Unsupported).with_note(note).into()));
            };
            let recipient = payment.account(to);
            let mandate = &presented.mandate;
            Some(Ok(Read::from_request(json!({
                "recipient": recipient,
                "listed": mandate.pays(&recipient),
                "anybody": mandate.pays_anybody(),
            }))))
        })
    }
}
