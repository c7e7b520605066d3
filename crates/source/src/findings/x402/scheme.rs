//! `presight.x402.scheme`

use super::of_member;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::Requirements;
use presight_wire::Read;
use presight_wire::kinds::Group;

/// The requirements' scheme, as given. The text is the seller's: data, never an instruction.
///
/// Reads: the request's bytes. Not read, `unavailable`: it is no text.
#[derive(Debug)]
pub struct Scheme;

impl Kind for Scheme {
    fn name(&self) -> &'static str {
        "presight.x402.scheme"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_member(context, Requirements::scheme, |_, scheme| {
            Ok(Read::from_request(scheme.text.into()))
        })
    }
}
