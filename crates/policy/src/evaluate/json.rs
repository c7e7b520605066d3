//! JSON values of findings as values of the language.

use super::integer::Integer;
use super::value::{Outcome, Stop, Value, text, unreachable_type};
use crate::language::expression::Target;
use presight_wire::{AccountId, hex};
use serde_json::Value as Json;
use std::borrow::Cow;

pub(super) fn word(target: Target) -> &'static str {
    match target {
        Target::Bool => "a boolean",
        Target::Integer => "an integer",
        Target::Text => "a text",
        Target::Account => "an account",
        Target::Address => "an address",
        Target::Null => "null",
        Target::Json => "a JSON value",
    }
}

pub(super) fn inside<'a>(operand: &Value<'a>, index: &Value<'a>) -> Outcome<Value<'a>> {
    let (found, wanted) = match (operand, index) {
        (Value::Json(json), Value::Text(name)) => (json.get(name.as_ref()), format!("member `{name}`")),
        (Value::Json(json), Value::Integer(index)) => {
            let position = index.small().and_then(|i| usize::try_from(i).ok());
            (
                position.and_then(|position| json.get(position)),
                format!("item {index}"),
            )
        }
        _ => return Err(unreachable_type()),
    };
    found
        .map(Value::Json)
        .ok_or_else(|| Stop::error(format!("a JSON value has no {wanted}")))
}

/// A JSON value as a value of a type.
pub(crate) fn convert<'a>(value: &Value<'a>, target: Target) -> Option<Value<'a>> {
    let Value::Json(json) = value else {
        return None;
    };
    match (target, json) {
        (Target::Bool, Json::Bool(value)) => Some(Value::Bool(*value)),
        (Target::Integer, Json::String(digits)) => Integer::parse(digits).map(Value::Integer),
        (Target::Integer, Json::Number(number)) => Integer::parse(&number.to_string()).map(Value::Integer),
        (Target::Text, Json::String(text)) => Some(Value::Text(Cow::Borrowed(text))),
        (Target::Account, Json::String(account)) => account_text(account).map(|account| text(&account)),
        (Target::Address, Json::String(address)) => address_text(address).map(|address| text(&address)),
        _ => None,
    }
}

/// A CAIP-10 account in lower case.
pub(crate) fn account_text(account: &str) -> Option<String> {
    Some(AccountId::parse_any_case(account, "").ok()?.to_string())
}

/// The address of hex or of a CAIP-10 account, in lower case.
pub(crate) fn address_text(address: &str) -> Option<String> {
    let address = match hex::address_any_case(address, "") {
        Ok(address) => address,
        Err(_) => AccountId::parse_any_case(address, "").ok()?.address,
    };
    Some(format!("{address:#x}"))
}
