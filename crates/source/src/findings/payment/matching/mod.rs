//! `erc.presign.payment.match`

mod authorization;
mod identity;
mod quote;
mod signature;

use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use crate::payment::quote::Quote;
use crate::payment::{Given, Member, Requirements};
use presight_view::Lookup;
use presight_wire::Read;
use presight_wire::kinds::Group;
use presight_wire::request::Payment;
use serde_json::{Value, json};

/// Pairs of named values and whether they are equal: `{ equal, left, right }`, each side as it was read (I-34). `param` is the
/// pair's name. A pair of which the request lacks a side is omitted; one whose sides are there and could not be read is not read:
/// `unsupported` for what this source cannot compare (another ledger's accounts, a network it does not know, a Permit2 transfer
/// whose receiver is open), `unavailable` for what is malformed or could not be had.
///
/// Reads: the request's bytes; for `agentWallet` the payee's registry at its own chain's block, for `quote.signature` the
/// issuer's code at the quote's chain.
#[derive(Debug)]
pub struct Match;

impl Kind for Match {
    fn name(&self) -> &'static str {
        "erc.presign.payment.match"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        let Some(sides) = Sides::of(context) else {
            return Vec::new();
        };
        let pairs = [
            ("payTo=agentWallet", identity::pay_to(&sides)),
            ("quote.issuer=agentWallet", identity::issuer(&sides)),
            ("payTo=quote.recipient", quote::recipient(&sides)),
            ("asset=quote.asset", quote::asset(&sides)),
            ("amount=quote.amount", quote::amount(&sides)),
            ("network=quote.chainId", quote::network(&sides)),
            ("quote.valid-at-issue", quote::valid_at_issue(&sides)),
            ("quote.signature", signature::quote(&sides)),
            ("authorization.to=payTo", authorization::to(&sides)),
            ("authorization.value=amount", authorization::value(&sides)),
        ];
        pairs
            .into_iter()
            .filter_map(|(name, pair)| {
                Some(Fact {
                    param: Some(name.into()),
                    reading: pair?,
                })
            })
            .collect()
    }
}

/// A pair; `None` when it cannot be formed.
type Pair = Option<Lookup<Read<Value>>>;

/// What pairs are formed of.
struct Sides<'a> {
    context: &'a Context<'a>,
    payment: &'a Payment,
    requirements: Requirements<'a>,
    quote: Option<Quote<'a>>,
}

impl<'a> Sides<'a> {
    fn of(context: &'a Context<'a>) -> Option<Self> {
        let payment = context.request.context.as_ref()?.payment.as_ref()?;
        Some(Self {
            context,
            payment,
            requirements: Requirements::of(context.request)?,
            quote: payment.quote.as_ref().map(|envelope| Quote { envelope }),
        })
    }
}

fn pair(left: impl Into<Value>, right: impl Into<Value>, equal: bool) -> Value {
    let (left, right): (Value, Value) = (left.into(), right.into());
    json!({ "equal": equal, "left": left, "right": right })
}

/// A pair of two members of the request, by what they mean.
fn of_members<T: PartialEq>(left: Member<T>, right: Member<T>) -> Pair {
    let (left, right) = (left?, right?);
    Some(compared(left, right).map_err(Into::into))
}

fn compared<T: PartialEq>(
    left: Result<Given<T>, presight_wire::NotRead>,
    right: Result<Given<T>, presight_wire::NotRead>,
) -> Result<Read<Value>, presight_wire::NotRead> {
    let (left, right) = (left?, right?);
    let equal = left.value == right.value;
    Ok(Read::from_request(pair(left.text, right.text, equal)))
}
