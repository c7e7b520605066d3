//! `presight.x402.asset`

use super::{of_member, shown};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::Requirements;
use crate::payment::{Asset, signed};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::{Value, json};

/// The requirements' asset beside what is paid with: `{ asset, paid, equal }`. `paid` lists each asset that the request would pay
/// with, once, in order; `equal` is whether that is the one asset, `null` where the request pays nothing.
///
/// Reads: the request's bytes. Not read, `unavailable`: it is malformed; `unsupported`: another ledger's.
#[derive(Debug)]
pub struct PaidAsset;

impl Kind for PaidAsset {
    fn name(&self) -> &'static str {
        "presight.x402.asset"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_member(context, Requirements::asset, |_, asset| {
            let required = match asset.value {
                Asset::Native => None,
                Asset::Token(token) => Some(token),
            };
            let mut paid = Vec::new();
            for one in signed::all(context) {
                if !paid.contains(&one.token) {
                    paid.push(one.token);
                }
            }
            let equal = match paid.as_slice() {
                [] => Value::Null,
                paid => (paid == [required]).into(),
            };
            let paid: Vec<String> = paid.into_iter().map(shown).collect();
            Ok(Read::from_request(
                json!({ "asset": asset.text, "paid": paid, "equal": equal }),
            ))
        })
    }
}
