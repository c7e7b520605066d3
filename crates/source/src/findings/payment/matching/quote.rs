//! The requirements against a signed quote.

use super::{Pair, Sides, of_members, pair};
use crate::payment::Network;
use alloy_primitives::U256;
use presight_wire::{NotRead, Read, Reason};
use serde_json::json;

/// `payTo=quote.recipient`
pub(super) fn recipient(sides: &Sides<'_>) -> Pair {
    of_members(sides.requirements.pay_to(), sides.quote?.recipient())
}

/// `asset=quote.asset`; `native` and the zero address are the same.
pub(super) fn asset(sides: &Sides<'_>) -> Pair {
    of_members(sides.requirements.asset(), sides.quote?.asset())
}

/// `amount=quote.amount`
pub(super) fn amount(sides: &Sides<'_>) -> Pair {
    of_members(sides.requirements.amount(), sides.quote?.amount())
}

/// `network=quote.chainId`, both as CAIP-2.
pub(super) fn network(sides: &Sides<'_>) -> Pair {
    let quote = &sides.quote?.envelope.chain;
    let network = match sides.requirements.network()? {
        Ok(network) => network,
        Err(not_read) => return Some(Err(not_read.into())),
    };
    Some(match network.value {
        Network::Chain(chain) => Ok(Read::from_request(pair(
            chain.to_string(),
            quote.to_string(),
            chain == *quote,
        ))),
        Network::Other => {
            let shown: String = network.text.chars().take(80).collect();
            let note = format!("the network `{}` is not known", shown.escape_debug());
            Err(NotRead::new(Reason::Unsupported).with_note(note).into())
        }
    })
}

/// `quote.valid-at-issue`; both ends of the window are inside it.
pub(super) fn valid_at_issue(sides: &Sides<'_>) -> Pair {
    let quote = sides.quote?;
    let (after, until) = (quote.number("validAfter")?, quote.number("validUntil")?);
    let (after, until) = match (after, until) {
        (Ok(after), Ok(until)) => (after, until),
        (Err(not_read), _) | (_, Err(not_read)) => return Some(Err(not_read.into())),
    };
    let issued = sides.context.view.clock().0;
    let inside = U256::try_from(issued).is_ok_and(|issued| after.value <= issued && issued <= until.value);
    let window = json!({ "validAfter": after.text, "validUntil": until.text });
    Some(Ok(Read::from_request(pair(issued.to_string(), window, inside))))
}
