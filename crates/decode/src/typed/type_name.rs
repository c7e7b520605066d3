//! The grammar of EIP-712 type names.

/// A member's type: a base type and the array dimensions after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Type {
    /// As written, which is how it is hashed.
    pub(crate) written: String,
    pub(crate) base: Base,
    /// Innermost first, as written; `None` is a dynamic dimension.
    pub(crate) dimensions: Vec<Option<usize>>,
}

/// A type without array dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Base {
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
    Struct(String),
}

/// Why a text is no base type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseError {
    /// A built-in name with a width that does not exist, such as `uint7` or `bytes33`.
    BadWidth,
    /// Not a name.
    BadName,
}

impl Type {
    /// `None` where the text is not a type.
    pub(crate) fn parse(written: &str) -> Option<Self> {
        let (base, mut rest) = written.split_at(written.find('[').unwrap_or(written.len()));
        let base = Base::parse(base).ok()?;
        let mut dimensions = Vec::new();
        while !rest.is_empty() {
            let (length, after) = rest.strip_prefix('[')?.split_once(']')?;
            dimensions.push(match length {
                "" => None,
                length => Some(width(length)?),
            });
            rest = after;
        }
        Some(Self {
            written: written.to_owned(),
            base,
            dimensions,
        })
    }

    /// The struct type it refers to.
    pub(crate) fn reference(&self) -> Option<&str> {
        match &self.base {
            Base::Struct(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it is written with `uint` or `int`.
    pub(crate) fn is_alias(&self) -> bool {
        matches!(self.written.split('[').next(), Some("uint" | "int"))
    }
}

impl Base {
    pub(crate) fn parse(text: &str) -> Result<Self, BaseError> {
        match text {
            "address" => return Ok(Self::Address),
            "bool" => return Ok(Self::Bool),
            "string" => return Ok(Self::String),
            "bytes" => return Ok(Self::Bytes),
            "uint" => return Ok(Self::Uint(256)),
            "int" => return Ok(Self::Int(256)),
            _ => {}
        }
        if let Some(digits) = digits_after(text, "uint") {
            return bits(digits).map(Self::Uint).ok_or(BaseError::BadWidth);
        }
        if let Some(digits) = digits_after(text, "int") {
            return bits(digits).map(Self::Int).ok_or(BaseError::BadWidth);
        }
        if let Some(digits) = digits_after(text, "bytes") {
            let length = width(digits).filter(|n| *n <= 32);
            return length.map(Self::FixedBytes).ok_or(BaseError::BadWidth);
        }
        if is_struct_name(text) {
            Ok(Self::Struct(text.to_owned()))
        } else {
            Err(BaseError::BadName)
        }
    }
}

/// One or more identifiers joined by `:` (as in `HyperliquidTransaction:Withdraw`), ASCII only.
fn is_struct_name(text: &str) -> bool {
    text.split(':').all(|part| {
        part.bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'))
            && part.bytes().next().is_some_and(|b| !b.is_ascii_digit())
    })
}

fn digits_after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.strip_prefix(prefix)
        .filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

fn bits(digits: &str) -> Option<usize> {
    width(digits).filter(|n| *n <= 256 && n % 8 == 0)
}

/// A decimal number from 1 without leading zeros.
fn width(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}
