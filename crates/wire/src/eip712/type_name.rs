//! The grammar of EIP-712 type names.

/// A member's type.
#[derive(Debug)]
pub(super) struct Type {
    pub(super) base: Base,
    /// Innermost first, as written; `None` is a dynamic dimension.
    pub(super) dimensions: Vec<Option<usize>>,
}

/// A type without array dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    Address,
    Bool,
    String,
    Bytes,
    /// `bytes1` to `bytes32`.
    FixedBytes(usize),
    /// `uint8` to `uint256`, in bits.
    Uint(usize),
    /// `int8` to `int256`, in bits.
    Int(usize),
    /// A declared struct, by its position.
    Struct(usize),
}

impl Type {
    /// Reads a type; `position` finds a declared struct. `None` where the text is no type.
    pub(super) fn parse(written: &str, position: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        let (base, mut rest) = written.split_at(written.find('[').unwrap_or(written.len()));
        let base = match Base::parse(base) {
            Some(base) => base,
            None => Base::Struct(position(base)?),
        };
        let mut dimensions = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.strip_prefix('[')?.split_once(']')?;
            dimensions.push(match length {
                "" => None,
                length => Some(positive(length)?),
            });
            rest = after;
        }
        Some(Self { base, dimensions })
    }
}

impl Base {
    /// A built-in type.
    fn parse(text: &str) -> Option<Self> {
        match text {
            "address" => return Some(Self::Address),
            "bool" => return Some(Self::Bool),
            "string" => return Some(Self::String),
            "bytes" => return Some(Self::Bytes),
            _ => {}
        }
        let (name, digits) = text.split_at(text.find(|c: char| c.is_ascii_digit())?);
        let size = positive(digits)?;
        match name {
            "bytes" if size <= 32 => Some(Self::FixedBytes(size)),
            "uint" if size <= 256 && size % 8 == 0 => Some(Self::Uint(size)),
            "int" if size <= 256 && size % 8 == 0 => Some(Self::Int(size)),
            _ => None,
        }
    }
}

/// Whether the text may name a struct: an identifier that is neither a built-in type nor looks like one (`uint`,
/// `bytes33`), which some wallets would take for it.
pub(super) fn is_struct_name(text: &str) -> bool {
    let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = ["uint", "int", "bytes"].contains(&stem);
    let plain = ["address", "bool", "string"].contains(&text);
    is_identifier(text) && !numbered && !plain
}

/// An ASCII identifier of Solidity.
pub(super) fn is_identifier(text: &str) -> bool {
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
    text.bytes().all(part) && text.bytes().next().is_some_and(|b| !b.is_ascii_digit())
}

/// A decimal number from 1 without leading zeros.
fn positive(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}
