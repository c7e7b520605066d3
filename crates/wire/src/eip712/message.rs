//! The message, member by member along its types.

use super::type_name::Base;
use super::types::Types;
use crate::envelope::{Code, Problems, Rule, judge_value};
use crate::tree::{At, Tree};
use alloy_primitives::U256;

/// Judges the message; it is walked only along sound types.
pub(super) fn judge(
    message: &Tree<'_>,
    types: Option<&Types<'_>>,
    primary: Option<usize>,
    at: &At<'_>,
    problems: &mut Problems,
) {
    judge_value(Rule::Record, message, at, problems);
    if let (Some(types), Some(primary)) = (types.filter(|types| types.sound), primary)
        && message.as_object().is_some()
    {
        Walk { types, problems }.structure(primary, message, at);
    }
}

struct Walk<'w, 't> {
    types: &'w Types<'t>,
    problems: &'w mut Problems,
}

impl Walk<'_, '_> {
    fn structure(&mut self, position: usize, value: &Tree<'_>, at: &At<'_>) {
        let Some(members) = value.as_object() else {
            return self.misfit(at, "an object with the struct's members expected");
        };
        // Each missing member is an error: what is not listed any more need not be looked for.
        if self.problems.lists_no_more_errors() {
            return;
        }
        let declared = &self.types.structs[position];
        let mut given = vec![false; declared.members.len()];
        for (name, value) in members.iter() {
            let at = at.member(name);
            match declared.position(name) {
                Some(index) => {
                    given[index] = true;
                    let ty = &declared.members[index].ty;
                    self.dimension(ty.base, &ty.dimensions, value, &at);
                }
                None => {
                    let message = "the struct has no such member: it would be shown and not signed";
                    self.problems.add(Code::Eip712ExtraValue, &at, message);
                }
            }
        }
        for (member, _) in declared.members.iter().zip(&given).filter(|(_, given)| !**given) {
            let message = "the struct declares this member";
            self.problems
                .add(Code::Eip712MissingValue, &at.member(member.name), message);
        }
    }

    fn dimension(&mut self, base: Base, dimensions: &[Option<usize>], value: &Tree<'_>, at: &At<'_>) {
        let Some((length, inner)) = dimensions.split_last() else {
            return self.scalar(base, value, at);
        };
        let Some(items) = value.as_array() else {
            return self.misfit(at, "an array expected");
        };
        if length.is_some_and(|length| length != items.len()) {
            return self.misfit(at, "an array of another length expected");
        }
        for (index, item) in items.iter().enumerate() {
            self.dimension(base, inner, item, &at.index(index));
        }
    }

    fn scalar(&mut self, base: Base, value: &Tree<'_>, at: &At<'_>) {
        let bytes = || hex(value).filter(|digits| digits.len() % 2 == 0);
        let (fits, expected) = match base {
            Base::Struct(position) => return self.structure(position, value, at),
            Base::Address => (
                hex(value).is_some_and(|digits| digits.len() == 40),
                "an address as 0x and 40 hex digits expected",
            ),
            Base::Bool => (value.as_bool().is_some(), "true or false expected"),
            Base::String => (value.as_str().is_some(), "a string expected"),
            Base::Bytes => (bytes().is_some(), "0x and whole bytes in hex expected"),
            Base::FixedBytes(size) => (
                bytes().is_some_and(|digits| digits.len() == 2 * size),
                "0x and as many bytes in hex as the type has expected",
            ),
            Base::Uint(bits) => (
                integer(value).is_some_and(|n| n.fits_unsigned(bits)),
                "an unsigned integer of the type's range expected",
            ),
            Base::Int(bits) => (
                integer(value).is_some_and(|n| n.fits_signed(bits)),
                "an integer of the type's range expected",
            ),
        };
        if !fits {
            self.misfit(at, expected);
        }
    }

    fn misfit(&mut self, at: &At<'_>, expected: &'static str) {
        self.problems.add(Code::Eip712Value, at, expected);
    }
}

/// The hex digits of `0x` text.
fn hex<'t>(value: &'t Tree<'_>) -> Option<&'t str> {
    let digits = value.as_str()?.strip_prefix("0x")?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(digits)
}

struct Integer {
    negative: bool,
    magnitude: U256,
}

impl Integer {
    fn fits_unsigned(&self, bits: usize) -> bool {
        !self.negative && self.magnitude.bit_len() <= bits
    }

    fn fits_signed(&self, bits: usize) -> bool {
        let limit = U256::ONE << (bits - 1);
        self.magnitude < limit || (self.negative && self.magnitude == limit)
    }
}

/// A JSON integer up to 2^53 - 1, decimal text without leading zeros, or 0x hex; below 2^256 in size (D-12).
fn integer(value: &Tree<'_>) -> Option<Integer> {
    if let Some(number) = value.as_number() {
        let n = number.integer()?;
        return Some(Integer {
            negative: n < 0,
            magnitude: U256::from(n.unsigned_abs()),
        });
    }
    if let Some(digits) = hex(value) {
        let significant = digits.trim_start_matches('0');
        return (!digits.is_empty() && significant.len() <= 64).then(|| magnitude(significant, 16))?;
    }
    let text = value.as_str()?;
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let decimal = !digits.is_empty() && digits.len() <= 78 && digits.bytes().all(|b| b.is_ascii_digit());
    let canonical = text == "0" || !digits.starts_with('0');
    let integer = (decimal && canonical).then(|| magnitude(digits, 10))??;
    Some(Integer { negative, ..integer })
}

fn magnitude(digits: &str, radix: u64) -> Option<Integer> {
    let magnitude = if digits.is_empty() {
        U256::ZERO
    } else {
        U256::from_str_radix(digits, radix).ok()?
    };
    Some(Integer {
        negative: false,
        magnitude,
    })
}
