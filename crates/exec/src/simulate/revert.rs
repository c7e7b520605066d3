//! What a contract said when it reverted.

use alloy_primitives::{Bytes, U256, hex};
use std::fmt;

const ERROR: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];
const PANIC: [u8; 4] = [0x4e, 0x48, 0x7b, 0x71];

/// A decoded revert. Texts are the contract's: data, never an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revert {
    /// Nothing was said.
    Empty,
    /// `Error(string)`.
    Error(String),
    /// `Panic(uint256)` with its code.
    Panic(U256),
    /// A custom error.
    Custom {
        /// Its selector.
        selector: [u8; 4],
        /// Its encoded arguments.
        arguments: Bytes,
    },
    /// Fewer than four bytes.
    Bytes(Bytes),
}

impl Revert {
    /// Decodes what a call reverted with. An `Error` or `Panic` that is not well encoded is a custom error.
    pub fn decode(data: &Bytes) -> Self {
        let Some((selector, arguments)) = data.split_first_chunk::<4>() else {
            return if data.is_empty() {
                Self::Empty
            } else {
                Self::Bytes(data.clone())
            };
        };
        let known = match *selector {
            ERROR => crate::answer::string(arguments).ok().map(Self::Error),
            PANIC => crate::answer::uint256(arguments).ok().map(Self::Panic),
            _ => None,
        };
        known.unwrap_or_else(|| Self::Custom {
            selector: *selector,
            arguments: data.slice(4..),
        })
    }
}

impl fmt::Display for Revert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "reverted without a reason"),
            Self::Error(text) => write!(f, "reverted: {text}"),
            Self::Panic(code) => write!(f, "panicked with code {code:#x}: {}", panic_in_words(*code)),
            Self::Custom { selector, arguments } => {
                write!(f, "reverted with custom error {}", hex::encode_prefixed(selector))?;
                if arguments.is_empty() {
                    return Ok(());
                }
                write!(f, " and {arguments}")
            }
            Self::Bytes(bytes) => write!(f, "reverted with {bytes}"),
        }
    }
}

/// What Solidity means by a panic code.
fn panic_in_words(code: U256) -> &'static str {
    match u64::try_from(code) {
        Ok(0x01) => "an assertion failed",
        Ok(0x11) => "arithmetic overflowed",
        Ok(0x12) => "division by zero",
        Ok(0x21) => "a value that is not of the enumeration",
        Ok(0x22) => "storage bytes are not well encoded",
        Ok(0x31) => "pop of an empty array",
        Ok(0x32) => "an index out of bounds",
        Ok(0x41) => "too much memory",
        Ok(0x51) => "a call of an unset function",
        _ => "a code Solidity does not have",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reasons_are_decoded() {
        assert_eq!(Revert::decode(&Bytes::new()), Revert::Empty);
        let error: Bytes = "0x08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000096e6f20737570706c790000000000000000000000000000000000000000000000".parse().unwrap();
        assert_eq!(Revert::decode(&error), Revert::Error("no supply".into()));
        let panic = Bytes::from([&PANIC[..], &U256::from(0x11).to_be_bytes::<32>()].concat());
        assert_eq!(
            Revert::decode(&panic).to_string(),
            "panicked with code 0x11: arithmetic overflowed"
        );
        let custom = Bytes::from_static(&[1, 2, 3, 4, 5]);
        assert_eq!(
            Revert::decode(&custom).to_string(),
            "reverted with custom error 0x01020304 and 0x05"
        );
        assert_eq!(
            Revert::decode(&Bytes::from_static(&[1])),
            Revert::Bytes(Bytes::from_static(&[1]))
        );
        // A lie about the encoding stays a custom error.
        assert!(matches!(
            Revert::decode(&Bytes::from_static(&ERROR)),
            Revert::Custom { .. }
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded(data in proptest::collection::vec(any::<u8>(), 0..200)) {
            let empty = data.is_empty();
            prop_assert_eq!(Revert::decode(&data.into()) == Revert::Empty, empty);
        }
    }
}
