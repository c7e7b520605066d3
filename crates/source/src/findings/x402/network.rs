//! `presight.x402.network`

use super::of_member;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::Requirements;
use crate::payment::{Network, signed};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;

/// The requirements' network beside the chain on which what is signed or sent counts: `{ network, chainId, signed, equal }`.
/// `network` is as given, `chainId` what it means, `null` for a name that is not known; `equal` is then false.
///
/// Reads: the request's bytes. Not read, `unavailable`: it is no text.
#[derive(Debug)]
pub struct OnNetwork;

impl Kind for OnNetwork {
    fn name(&self) -> &'static str {
        "presight.x402.network"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_member(context, Requirements::network, |_, network| {
            let signed = signed::signed_chain(context);
            let chain = match network.value {
                Network::Chain(chain) => Some(chain),
                Network::Other => None,
            };
            Ok(Read::from_request(json!({
                "network": network.text,
                "chainId": chain,
                "signed": signed,
                "equal": chain.as_ref() == Some(&signed),
            })))
        })
    }
}
