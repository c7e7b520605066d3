//! `presight.mandate.signature`

use super::of;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::json;

/// Whether the mandate's issuer signed it: `{ issuer, valid }`, the issuer an Ed25519 key in base64url. Whether the issuer may speak for
/// the payer, the mandate does not show.
///
/// Reads: the request's bytes. Not read, `unavailable`: the mandate is of another shape.
#[derive(Debug)]
pub struct Signed;

impl Kind for Signed {
    fn name(&self) -> &'static str {
        "presight.mandate.signature"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of(context, |presented| {
            let valid = match (presented.text("alg"), presented.text("sig")) {
                (Some(alg), Some(signature)) => presented.mandate.is_signed(alg, signature),
                _ => false,
            };
            Ok(Read::from_request(
                json!({ "issuer": presented.mandate.issuer, "valid": valid }),
            ))
        })
    }
}
