//! `presight.x402.validity`

use super::of;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use alloy_primitives::U256;
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;

/// When the signed payment may be taken, beside the time the requirements give: `{ validAfter, validBefore, secondsLeft, secondsUntil,
/// maxTimeoutSeconds, withinTimeout }`. `secondsLeft` counts from the report's clock to `validBefore`, "0" when that has passed;
/// `secondsUntil` from the clock to `validAfter`, "0" when it has begun; `validAfter` and `secondsUntil` are `null` for a Permit2
/// message that names none. `withinTimeout` is whether no more than `maxTimeoutSeconds` are left; `maxTimeoutSeconds` and
/// `withinTimeout` are `null` where the requirements do not say it. Listed where the request's typed data is a payment.
///
/// Reads: the request's bytes, the report's clock. Not read, `unavailable`: `maxTimeoutSeconds` is no whole number.
#[derive(Debug)]
pub struct Validity;

impl Kind for Validity {
    fn name(&self) -> &'static str {
        "presight.x402.validity"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of(context, |requirements| {
            let limits = context.decoded.typed_data.as_ref()?.payment_limits.as_ref()?;
            let most = match requirements.max_timeout().transpose() {
                Ok(most) => most,
                Err(not_read) => return Some(Err(not_read.into())),
            };
            // A clock before 1970 is before every time of a message.
            let now = U256::from(u64::try_from(context.view.clock().0).unwrap_or_default());
            let left = limits.valid_before.saturating_sub(now);
            let until = limits.valid_after.map(|after| after.saturating_sub(now));
            Some(Ok(Read::from_request(json!({
                "validAfter": limits.valid_after.map(|after| after.to_string()),
                "validBefore": limits.valid_before.to_string(),
                "secondsLeft": left.to_string(),
                "secondsUntil": until.map(|until| until.to_string()),
                "maxTimeoutSeconds": most,
                "withinTimeout": most.map(|most| left <= U256::from(most)),
            }))))
        })
    }
}
