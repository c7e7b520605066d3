//! The language in which the objects of an envelope are described: which members, and what each has to be.
//!
//! The validator walks a document along these descriptions and the JSON Schema is printed from them.

use super::code::Code;

/// An object with a closed list of members.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Its name in the JSON Schema.
    pub(crate) name: &'static str,
    /// Its members, at most 32.
    pub(crate) fields: &'static [Field],
}

/// One member of an object.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The code for its absence, when it has to be there.
    pub(crate) required: Option<Code>,
    pub(crate) rule: Rule,
}

/// What a value has to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rule {
    /// Anything; judged elsewhere, or opaque.
    Any,
    /// Any text.
    Text,
    /// Text that names something.
    NonEmpty,
    /// At most this many code points.
    TextUpTo(usize),
    /// An absolute URL (D-14).
    Url,
    /// An RFC 3339 date-time in UTC (D-2).
    Time,
    /// `0x` and 40 hex digits.
    Address,
    /// An address, or this word.
    AddressOr(&'static str),
    /// `0x` and any number of hex digits.
    Hex,
    /// `0x` and whole bytes in hex.
    Bytes,
    /// `0x` and 32 bytes in hex.
    Word,
    /// `0x` and at least one hex digit, below 2^256.
    Quantity,
    /// An unsigned decimal integer as text (D-7).
    Decimal,
    /// `eip155:` and 1 to 32 decimal digits without a leading zero (D-5).
    Chain,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A boolean.
    Boolean,
    /// An integer of this range.
    Integer(i64, i64),
    /// A number of at least and at most this much, where bounded.
    Number(Option<i64>, Option<i64>),
    /// An object whose members are not judged here.
    Record,
    /// A record whose keys are known or carry the vendor prefix; the known ones are judged at the envelope level.
    Capabilities {
        /// The shape of the known members.
        shape: &'static Shape,
        /// Whether their values are judged (§5.3 leaves those of a call open).
        judged: bool,
    },
    /// An object.
    Object(&'static Shape),
    /// An array of objects.
    Array(&'static Shape),
}

/// A member that has to be there.
pub(crate) const fn required(name: &'static str, rule: Rule) -> Field {
    Field {
        name,
        required: Some(Code::MissingField),
        rule,
    }
}

/// A member that may be left out.
pub(crate) const fn optional(name: &'static str, rule: Rule) -> Field {
    Field {
        name,
        required: None,
        rule,
    }
}
