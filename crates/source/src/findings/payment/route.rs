//! `presight.payment.route`

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::Requirements;
use crate::payment::route::{self, BATCH_ERC3009, BATCH_PERMIT2, BATCH_SETTLEMENT, Bound, ESCROW_ERC3009};
use crate::payment::signed::{self, Paid, Way};
use alloy_primitives::Address;
use presight_wire::Read;
use presight_wire::kinds::Group;
use presight_wire::request::{CallsSubject, Subject};
use serde_json::{Value, json};

/// Through which of x402's contracts a payment reaches its receiver: `{ scheme, collector, receiver, bound }`. `receiver` is who is
/// paid in the end, `null` where the requirements do not say; `bound` is whether what is signed leads to them: the witness of a
/// Permit2 transfer, the channel of a voucher, the nonce of a deposit or of an escrow; `null` where the requirements do not say
/// all that it is made of. `param` is `{ index }` among the payments. Nothing where no such contract is paid.
///
/// Reads: the request's bytes. Not read: never.
#[derive(Debug)]
pub struct Route;

impl Kind for Route {
    fn name(&self) -> &'static str {
        "presight.payment.route"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        let Some(requirements) = Requirements::of(context.request) else {
            return Vec::new();
        };
        let Some(chain_id) = signed::signed_chain(context).evm_id() else {
            return Vec::new();
        };
        let paid = signed::all(context);
        let routes = paid
            .iter()
            .filter_map(|paid| of_payment(&requirements, chain_id, paid))
            .chain(of_voucher(context, &requirements, chain_id));
        routes
            .enumerate()
            .map(|(index, value)| Fact {
                param: Some(json!({ "index": index })),
                reading: Ok(Read::from_request(value)),
            })
            .collect()
    }
}

fn of_payment(requirements: &Requirements<'_>, chain_id: u64, paid: &Paid) -> Option<Value> {
    let to = paid.to?;
    if let Way::Permit2 { spender, .. } = &paid.way
        && route::is_proxy(*spender)
    {
        let bound = Bound {
            receiver: to,
            bound: Some(true),
        };
        return Some(told(*spender, Some(bound)));
    }
    let limits = paid.way.limits();
    let bound = match (to, limits) {
        (BATCH_ERC3009, Some(limits)) => route::deposit(requirements, paid.from, chain_id, limits.nonce),
        (ESCROW_ERC3009, Some(limits)) => route::capture(
            requirements,
            chain_id,
            paid.amount,
            limits.valid_before,
            limits.nonce,
        ),
        (BATCH_ERC3009 | BATCH_PERMIT2 | ESCROW_ERC3009, _) => None,
        _ => return None,
    };
    Some(told(to, bound))
}

fn of_voucher(context: &Context<'_>, requirements: &Requirements<'_>, chain_id: u64) -> Option<Value> {
    let data = context.decoded.typed_data.as_ref()?;
    if data.primary_type != "Voucher" || data.verifying_contract != Some(BATCH_SETTLEMENT) {
        return None;
    }
    let Subject::Calls(CallsSubject {
        typed_data: Some(document),
        ..
    }) = &context.request.subject
    else {
        return Some(told(BATCH_SETTLEMENT, None));
    };
    let channel = document
        .get("message")
        .and_then(Value::as_object)
        .and_then(route::voucher_channel);
    let bound = channel.and_then(|channel| route::voucher(requirements, context.signer(), chain_id, channel));
    Some(told(BATCH_SETTLEMENT, bound))
}

fn told(collector: Address, bound: Option<Bound>) -> Value {
    json!({
        "scheme": route::scheme(collector),
        "collector": format!("{collector:#x}"),
        "receiver": bound.map(|bound| format!("{:#x}", bound.receiver)),
        "bound": bound.and_then(|bound| bound.bound),
    })
}
