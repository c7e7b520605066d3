//! `presight.x402.pay-to`

use super::of_member;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::Requirements;
use crate::payment::signed;
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::{Value, json};

/// The required receiver beside every one that the request would pay the asset: `{ payTo, paid, equal }`. `paid` lists each once, in
/// order, `null` standing for whom a Permit2 spender chooses; `equal` is whether that is the one receiver, `null` where
/// nothing of the asset is paid.
///
/// Reads: the request's bytes. Not read, `unavailable`: it is malformed; `unsupported`: another ledger's account, or it cannot be said
/// what is paid of the asset.
#[derive(Debug)]
pub struct PayTo;

impl Kind for PayTo {
    fn name(&self) -> &'static str {
        "presight.x402.pay-to"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of_member(context, Requirements::pay_to, |requirements, pay_to| {
            let mut paid = Vec::new();
            for one in signed::payments(context, requirements)? {
                if !paid.contains(&one.to) {
                    paid.push(one.to);
                }
            }
            let equal = match paid.as_slice() {
                [] => Value::Null,
                paid => (paid == [Some(pay_to.value)]).into(),
            };
            let paid: Vec<_> = paid.iter().map(|to| to.map(|to| format!("{to:#x}"))).collect();
            Ok(Read::from_request(
                json!({ "payTo": pay_to.text, "paid": paid, "equal": equal }),
            ))
        })
    }
}
