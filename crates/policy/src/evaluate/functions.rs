//! What the functions of the language do.

use super::integer::Integer;
use super::json::{address_text, convert};
use super::machine::Machine;
use super::value::{Outcome, Stop, Value};
use crate::language::expression::Target;
use crate::language::function::Function;
use alloy_primitives::U256;
use presight_wire::{AccountId, ChainId, hex};
use serde_json::Value as Json;
use std::borrow::Cow;

/// Decimal places that `units` takes.
const MAX_DECIMALS: u64 = 77;

pub(crate) fn call<'a>(
    machine: &mut Machine<'a>,
    function: Function,
    arguments: &[Value<'a>],
) -> Outcome<Value<'a>> {
    match (function, arguments) {
        (Function::Size, [value]) => size(machine, value),
        (Function::Integer, [value]) => Ok(Value::Integer(integer(value)?)),
        (Function::Text, [value]) => Ok(Value::Text(text(value)?)),
        (Function::PowerOfTwo, [exponent]) => {
            let exponent = integer(exponent)?.small().filter(|exponent| *exponent < 256);
            let exponent = exponent.ok_or_else(|| Stop::error("pow2() takes 0 to 255"))?;
            Ok(Value::Integer(Integer::from(U256::from(1) << exponent)))
        }
        (Function::Units, [amount, decimals]) => {
            let decimals = integer(decimals)?
                .small()
                .filter(|decimals| *decimals <= MAX_DECIMALS);
            let decimals = decimals.ok_or_else(|| Stop::error("units() takes 0 to 77 decimals"))?;
            let places =
                usize::try_from(decimals).map_err(|_| Stop::error("units() takes 0 to 77 decimals"))?;
            let amount = text(amount)?;
            units(&amount, places)
                .map(Value::Integer)
                .ok_or_else(|| Stop::error(format!("`{amount}` has no {places} decimals, or is too large")))
        }
        (Function::Address, [value]) => {
            let value = text(value)?;
            let address = address_text(&value)
                .ok_or_else(|| Stop::error(format!("`{}` is no address", value.escape_debug())))?;
            Ok(Value::Text(Cow::Owned(address)))
        }
        (Function::Account, [chain, address]) => {
            let (chain, address) = (text(chain)?, text(address)?);
            let chain = ChainId::parse(&chain, "").map_err(|refusal| Stop::error(refusal.message))?;
            let address =
                hex::address_any_case(&address, "").map_err(|refusal| Stop::error(refusal.message))?;
            Ok(Value::Text(Cow::Owned(
                AccountId::new(chain, address).to_string(),
            )))
        }
        (Function::Chain, [account]) => {
            let account = text(account)?;
            let chain = account
                .rsplit_once(':')
                .map_or(account.as_ref(), |(chain, _)| chain);
            Ok(Value::Text(Cow::Owned(chain.to_owned())))
        }
        (Function::Block, [place]) => block(machine, &text(place)?),
        (Function::StartsWith, [a, b]) => compare(machine, a, b, |a, b| a.starts_with(b)),
        (Function::EndsWith, [a, b]) => compare(machine, a, b, |a, b| a.ends_with(b)),
        (Function::Contains, [a, b]) => compare(machine, a, b, |a, b| a.contains(b)),
        (Function::Lower, [value]) => {
            let value = text(value)?;
            machine.step(value.len())?;
            Ok(Value::Text(Cow::Owned(value.to_ascii_lowercase())))
        }
        (Function::Sum, [Value::List(items)]) => {
            let mut sum = Integer::from(0);
            for item in items.iter() {
                machine.step(1)?;
                sum = sum.add(integer(item)?).ok_or_else(|| Stop::error("overflow"))?;
            }
            Ok(Value::Integer(sum))
        }
        _ => Err(Stop::error(
            "a function was called with other arguments than it was checked for",
        )),
    }
}

fn size<'a>(machine: &mut Machine<'a>, value: &Value<'a>) -> Outcome<Value<'a>> {
    let count = match value {
        Value::List(items) => {
            // A finding that was not read is not one more or one less: how many there are is not known.
            items.iter().try_for_each(|item| machine.is_read(item))?;
            items.len()
        }
        Value::Json(Json::Array(items)) => items.len(),
        Value::Text(_) | Value::Json(Json::String(_)) => {
            let value = text(value)?;
            machine.step(value.len())?;
            value.chars().count()
        }
        _ => return Err(Stop::error("a JSON value has no size")),
    };
    let count = u64::try_from(count).map_err(|_| Stop::error("overflow"))?;
    Ok(Value::Integer(Integer::from(count)))
}

/// The block the report read on a chain, or on the chain of an account (ERC-8481 §Report, `blocks`).
fn block<'a>(machine: &Machine<'a>, place: &str) -> Outcome<Value<'a>> {
    let blocks = &machine.facts.input.report.blocks;
    let found = blocks.iter().find(|block| {
        let chain = block.chain.to_string();
        let rest = place.strip_prefix(&chain);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    });
    found
        .map(|block| Value::Integer(Integer::from(block.block)))
        .ok_or_else(|| Stop::error(format!("the report read no block of `{}`", place.escape_debug())))
}

fn compare<'a>(
    machine: &mut Machine<'a>,
    a: &Value<'a>,
    b: &Value<'a>,
    holds: impl Fn(&str, &str) -> bool,
) -> Outcome<Value<'a>> {
    let (a, b) = (text(a)?, text(b)?);
    machine.step(a.len().saturating_add(b.len()))?;
    Ok(Value::Bool(holds(&a, &b)))
}

fn integer(value: &Value<'_>) -> Outcome<Integer> {
    let found = match value {
        Value::Integer(value) => Some(*value),
        Value::Text(digits) => Integer::parse(digits),
        json => match convert(json, Target::Integer) {
            Some(Value::Integer(value)) => Some(value),
            _ => None,
        },
    };
    found.ok_or_else(|| Stop::error("a value is not an integer"))
}

fn text<'a>(value: &Value<'a>) -> Outcome<Cow<'a, str>> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        Value::Json(Json::String(text)) => Ok(Cow::Borrowed(text)),
        Value::Json(Json::Number(number)) => Ok(Cow::Owned(number.to_string())),
        _ => Err(Stop::error("a JSON value is not a text")),
    }
}

/// A decimal number in base units, exactly.
fn units(amount: &str, places: usize) -> Option<Integer> {
    let (whole, fraction) = amount.split_once('.').map_or((amount, ""), |parts| parts);
    let dotted_well = !whole.is_empty() && (fraction.is_empty() != amount.contains('.'));
    if !dotted_well || fraction.len() > places || whole.starts_with('-') {
        return None;
    }
    let digits = format!("{whole}{fraction:0<places$}");
    let digits = digits.trim_start_matches('0');
    Integer::parse(if digits.is_empty() { "0" } else { digits })
}

#[cfg(test)]
mod tests {
    use super::units;

    #[test]
    fn units_are_exact() {
        let of = |amount, places| units(amount, places).map(|units| units.to_string());
        assert_eq!(of("1.5", 6).as_deref(), Some("1500000"));
        assert_eq!(of("0.000001", 6).as_deref(), Some("1"));
        assert_eq!(of("1000", 0).as_deref(), Some("1000"));
        assert_eq!(of("0", 18).as_deref(), Some("0"));
        assert_eq!(of("00.5", 1).as_deref(), Some("5"));
        for (amount, places) in [
            ("0.0000001", 6),
            (".5", 6),
            ("1.", 6),
            ("-1", 6),
            ("1e3", 6),
            ("", 6),
            ("1", 77),
        ] {
            if (amount, places) != ("1", 77) {
                assert_eq!(of(amount, places), None, "{amount}");
            }
        }
        assert_eq!(of("9", 77), None);
        assert_eq!(of("1", 77).map(|digits| digits.len()), Some(78));
    }
}
