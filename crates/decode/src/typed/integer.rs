//! Integers of a message: JSON integers up to 2^53 - 1, decimal strings and 0x strings, in the range of their type.

use super::path::Path;
use crate::collector::Collector;
use crate::model::Flag;
use alloy_primitives::U256;
use presight_wire::Refusal;
use presight_wire::limits::MAX_SAFE_INTEGER;
use serde_json::{Number, Value};

/// A `uint` of `bits`.
pub(crate) fn unsigned(
    value: &Value,
    bits: usize,
    path: &Path<'_>,
    collector: &mut Collector,
) -> Result<U256, Refusal> {
    let integer = read(value, path, collector)?;
    if integer.magnitude.bit_len() > bits || (integer.negative && !integer.magnitude.is_zero()) {
        return Err(out_of_range(&format!("uint{bits}"), path));
    }
    Ok(integer.magnitude)
}

/// An `int` of `bits`, in two's complement of 256 bits.
pub(crate) fn signed(
    value: &Value,
    bits: usize,
    path: &Path<'_>,
    collector: &mut Collector,
) -> Result<U256, Refusal> {
    let integer = read(value, path, collector)?;
    let limit = U256::ONE << (bits - 1);
    let fits = if integer.negative {
        integer.magnitude <= limit
    } else {
        integer.magnitude < limit
    };
    if !fits {
        return Err(out_of_range(&format!("int{bits}"), path));
    }
    Ok(if integer.negative {
        integer.magnitude.wrapping_neg()
    } else {
        integer.magnitude
    })
}

struct Integer {
    negative: bool,
    magnitude: U256,
}

fn read(value: &Value, path: &Path<'_>, collector: &mut Collector) -> Result<Integer, Refusal> {
    match value {
        Value::Number(number) => from_number(number, path),
        Value::String(text) => from_text(text, path, collector),
        _ => Err(bad(path)),
    }
}

fn from_number(number: &Number, path: &Path<'_>) -> Result<Integer, Refusal> {
    let magnitude = number
        .as_u64()
        .or_else(|| number.as_i64().map(i64::unsigned_abs))
        .ok_or_else(|| bad(path))?;
    if magnitude > MAX_SAFE_INTEGER {
        let message = "JSON readers disagree on numbers beyond 2^53 - 1; give it as a string";
        return Err(Refusal::new("bad-integer", path.pointer(), message));
    }
    Ok(Integer {
        negative: number.as_u64().is_none(),
        magnitude: U256::from(magnitude),
    })
}

fn from_text(text: &str, path: &Path<'_>, collector: &mut Collector) -> Result<Integer, Refusal> {
    let (radix, negative, digits) = match (text.strip_prefix("0x"), text.strip_prefix('-')) {
        (Some(digits), _) => (16, false, digits),
        (None, Some(digits)) => (10, true, digits),
        (None, None) => (10, false, text),
    };
    let is_digit = |b: u8| {
        if radix == 16 {
            b.is_ascii_hexdigit()
        } else {
            b.is_ascii_digit()
        }
    };
    if digits.is_empty() || !digits.bytes().all(is_digit) {
        return Err(bad(path));
    }
    let significant = digits.trim_start_matches('0');
    // A whole 32-byte word in hex is a common spelling; other leading zeros are not.
    let whole_word = radix == 16 && digits.len() == 64;
    if significant.len() < digits.len() && digits.len() > 1 && !whole_word {
        let message = "the integer is written with leading zeros";
        collector.flag(Flag::new("padded-integer", path.pointer(), message))?;
    }
    if significant.len() > 78 {
        return Err(out_of_range("any integer type", path));
    }
    let magnitude = if significant.is_empty() {
        Ok(U256::ZERO)
    } else {
        U256::from_str_radix(significant, radix)
    };
    Ok(Integer {
        negative,
        magnitude: magnitude.map_err(|_| out_of_range("any integer type", path))?,
    })
}

fn bad(path: &Path<'_>) -> Refusal {
    Refusal::new(
        "bad-integer",
        path.pointer(),
        "an integer expected: a JSON integer, decimal digits, or 0x and hex digits",
    )
}

fn out_of_range(ty: &str, path: &Path<'_>) -> Refusal {
    Refusal::new(
        "integer-out-of-range",
        path.pointer(),
        format!("outside the range of {ty}"),
    )
}
