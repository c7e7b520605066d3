//! `presight.mandate.digest`

use super::of;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::Read;
use presight_wire::kinds::Group;

/// What names the mandate: `sha256:` and the hash of the bytes its issuer signs, in hex.
///
/// Reads: the request's bytes. Not read, `unavailable`: the mandate is of another shape.
#[derive(Debug)]
pub struct Digest;

impl Kind for Digest {
    fn name(&self) -> &'static str {
        "presight.mandate.digest"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of(context, |presented| {
            Ok(Read::from_request(presented.mandate.digest().into()))
        })
    }
}
