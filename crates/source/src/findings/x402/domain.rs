//! `presight.x402.domain`

use super::of;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::Read;
use presight_wire::kinds::Group;
use serde_json::{Value, json};

/// The name and version of the domain that an ERC-3009 payment is signed under, beside those of the requirements' `extra`:
/// `{ signed, extra, equal }`, each side `{ name, version }` with `null` for what is not given; `equal` is `null` where `extra` gives
/// neither. Listed where the request's typed data is an ERC-3009 payment. The texts are others': data, never instructions.
///
/// Reads: the request's bytes. Not read: never.
#[derive(Debug)]
pub struct Domain;

impl Kind for Domain {
    fn name(&self) -> &'static str {
        "presight.x402.domain"
    }

    fn group(&self) -> Group {
        Group::Payment
    }

    fn read(&self, context: &Context<'_>, _: &Entity<'_>) -> Vec<Fact> {
        of(context, |requirements| {
            let data = context.decoded.typed_data.as_ref()?;
            if !matches!(data.recognised, Some("erc3009-transfer" | "erc3009-receive")) {
                return None;
            }
            let signed = json!({ "name": data.domain_name, "version": data.domain_version });
            let given = |name| requirements.extra(name).and_then(Value::as_str);
            let extra = json!({ "name": given("name"), "version": given("version") });
            let equal = if extra["name"].is_null() && extra["version"].is_null() {
                Value::Null
            } else {
                (signed == extra).into()
            };
            Some(Ok(Read::from_request(
                json!({ "signed": signed, "extra": extra, "equal": equal }),
            )))
        })
    }
}
