//! The walk of a document along its shapes: types, presence, formats, lists and ranges.

use super::code::Code;
use super::instant::Instant;
use super::problem::Problems;
use super::shape::{Field, Rule, Shape};
use super::shapes::MAX_INTEGER;
use super::uri;
use crate::error::shown;
use crate::tree::{At, Members, Number, Tree};

/// Judges `value` as an object of `shape`.
pub(crate) fn object<'t>(
    shape: &Shape,
    value: &'t Tree<'_>,
    at: &At<'_>,
    problems: &mut Problems,
) -> Option<&'t Members<'t>> {
    let Some(members) = value.as_object() else {
        wrong_type("an object", value, at, problems);
        return None;
    };
    let mut seen = 0_u32;
    let mut next = 0;
    for (name, value) in members.iter() {
        // Documents mostly follow the order of the specification.
        let found = (next..shape.fields.len())
            .chain(0..next)
            .find(|i| shape.fields[*i].name == name);
        match found {
            Some(index) => {
                seen |= 1 << index;
                next = index + 1;
                self::value(shape.fields[index].rule, value, &at.member(name), problems);
            }
            None => unknown(name, at, problems),
        }
    }
    for (index, field) in shape.fields.iter().enumerate() {
        if let Some(code) = field.required
            && seen & (1 << index) == 0
        {
            missing(code, field, at, problems);
        }
    }
    Some(members)
}

fn unknown(name: &str, at: &At<'_>, problems: &mut Problems) {
    problems.add(
        Code::UnknownField,
        &at.member(name),
        "not a member this version knows; it is ignored, and signed with the rest",
    );
}

fn missing(code: Code, field: &Field, at: &At<'_>, problems: &mut Problems) {
    problems.add(code, &at.member(field.name), "the member is missing");
}

/// Adds `wrong-type`.
pub(crate) fn wrong_type(expected: &str, found: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    let message = format!("{expected} expected, {} found", found.type_name());
    problems.add(Code::WrongType, at, message);
}

/// Judges one value: its type, then its form, then its range.
pub(crate) fn value(rule: Rule, value: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    match rule {
        Rule::Any => {}
        Rule::Boolean => {
            if value.as_bool().is_none() {
                wrong_type("true or false", value, at, problems);
            }
        }
        Rule::Record => {
            if value.as_object().is_none() {
                wrong_type("an object", value, at, problems);
            }
        }
        Rule::Object(shape) => {
            object(shape, value, at, problems);
        }
        Rule::Array(shape) => match value.as_array() {
            None => wrong_type("an array", value, at, problems),
            Some(items) => {
                for (index, item) in items.iter().enumerate() {
                    object(shape, item, &at.index(index), problems);
                }
            }
        },
        Rule::Capabilities { shape, judged } => capabilities(shape, judged, value, at, problems),
        Rule::Integer(..) | Rule::Number(..) => match value.as_number() {
            None => wrong_type("a number", value, at, problems),
            Some(number) => self::number(rule, number, at, problems),
        },
        _ => match value.as_str() {
            None => wrong_type("a string", value, at, problems),
            Some(text) => self::text(rule, text, at, problems),
        },
    }
}

/// §8.2: keys other than the known ones carry the vendor prefix.
fn capabilities(shape: &Shape, judged: bool, value: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    let Some(members) = value.as_object() else {
        return wrong_type("an object", value, at, problems);
    };
    for (name, value) in members.iter() {
        match shape.fields.iter().find(|field| field.name == name) {
            Some(field) if judged => self::value(field.rule, value, &at.member(name), problems),
            Some(_) => {}
            None if is_vendor_key(name) => {}
            None => problems.add(
                Code::CapabilityPrefix,
                &at.member(name),
                "a capability that is not a known one is named `x-…` (§8.2)",
            ),
        }
    }
}

/// `x-` and at least one character.
pub(crate) fn is_vendor_key(name: &str) -> bool {
    name.strip_prefix("x-").is_some_and(|rest| !rest.is_empty())
}

fn number(rule: Rule, number: Number, at: &At<'_>, problems: &mut Problems) {
    match rule {
        Rule::Integer(min, max) => {
            if number.is_fractional() {
                problems.add(Code::NotInteger, at, "an integer expected");
            } else if integer_in(number, min, max).is_none() {
                problems.add(
                    Code::OutOfRange,
                    at,
                    format!("an integer from {min} to {max} expected"),
                );
            }
        }
        Rule::Number(min, max) => {
            let bound = |n: i64| Number::Integer(n).value();
            let low = min.is_some_and(|min| number.value() < bound(min));
            let high = max.is_some_and(|max| number.value() > bound(max));
            if low || high {
                problems.add(Code::OutOfRange, at, "the number is outside the allowed range");
            }
        }
        _ => {}
    }
}

/// The number as an integer of a range.
pub(crate) fn integer_in(number: Number, min: i64, max: i64) -> Option<i64> {
    number
        .integer()
        .filter(|n| (min..=max.min(MAX_INTEGER)).contains(n))
}

fn text(rule: Rule, text: &str, at: &At<'_>, problems: &mut Problems) {
    if let Err((code, expected)) = form(rule, text) {
        problems.add(code, at, format!("`{}`: {expected}", shown(text)));
    }
}

/// What is wrong with a text under a rule, and what was expected.
fn form(rule: Rule, text: &str) -> Result<(), (Code, &'static str)> {
    let (good, code, expected) = match rule {
        Rule::NonEmpty => (
            !text.is_empty(),
            Code::EmptyString,
            "a text that names something expected",
        ),
        Rule::TextUpTo(max) => (
            text.len() <= max || text.chars().count() <= max,
            Code::IdTooLong,
            "at most MAX_ID_CHARS, 4096, characters expected",
        ),
        Rule::Url => (
            uri::is_absolute_url(text),
            Code::InvalidUrl,
            "an absolute URL expected",
        ),
        Rule::Time => match Instant::parse(text) {
            Some(instant) => (instant.utc, Code::TimestampNotUtc, "a time in UTC expected"),
            None => (false, Code::InvalidTimestamp, "an RFC 3339 date-time expected"),
        },
        Rule::Address => (
            is_address(text),
            Code::InvalidAddress,
            "0x and 40 hex digits expected",
        ),
        Rule::AddressOr(word) => (
            text == word || is_address(text),
            Code::InvalidAddress,
            "`native`, or 0x and 40 hex digits expected",
        ),
        Rule::Hex => (
            hex_digits(text).is_some(),
            Code::InvalidHex,
            "0x and hex digits expected",
        ),
        Rule::Bytes => (
            hex_digits(text).is_some_and(|digits| digits.len() % 2 == 0),
            Code::InvalidHex,
            "0x and whole bytes in hex expected",
        ),
        Rule::Word => (
            hex_digits(text).is_some_and(|digits| digits.len() == 64),
            Code::InvalidHex,
            "0x and 32 bytes in hex expected",
        ),
        Rule::Quantity => match hex_digits(text).filter(|digits| !digits.is_empty()) {
            Some(digits) => (
                digits.trim_start_matches('0').len() <= 64,
                Code::OutOfRange,
                "a number below 2^256 expected",
            ),
            None => (
                false,
                Code::InvalidQuantity,
                "0x and at least one hex digit expected",
            ),
        },
        Rule::Decimal => (
            is_decimal(text),
            Code::InvalidDecimal,
            "an unsigned decimal integer without leading zeros expected",
        ),
        Rule::Chain => (
            chain_reference(text).is_some(),
            Code::InvalidChain,
            "`eip155:` and 1 to 32 decimal digits without a leading zero expected",
        ),
        Rule::OneOf(words) => (
            words.contains(&text),
            Code::InvalidEnum,
            "not one of the words allowed here",
        ),
        _ => return Ok(()),
    };
    if good { Ok(()) } else { Err((code, expected)) }
}

/// The hex digits after `0x`.
pub(crate) fn hex_digits(text: &str) -> Option<&str> {
    text.strip_prefix("0x")
        .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether the text is `0x` and 40 hex digits.
pub(crate) fn is_address(text: &str) -> bool {
    hex_digits(text).is_some_and(|digits| digits.len() == 40)
}

/// Whether the text is an unsigned decimal integer without leading zeros.
pub(crate) fn is_decimal(text: &str) -> bool {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits && (text == "0" || !text.starts_with('0'))
}

/// The decimal chain id of a chain (D-5).
pub(crate) fn chain_reference(text: &str) -> Option<&str> {
    text.strip_prefix("eip155:")
        .filter(|digits| digits.len() <= 32 && *digits != "0" && is_decimal(digits))
}
