//! Calldata read the way a contract takes it, with what is odd about it.

use alloy_sol_types::abi::{AbiDecoderConfig, TokenSeq};
use alloy_sol_types::{SolCall, SolType};
use std::borrow::Cow;

/// Something odd about a call: its code, the member of the call it is about, and a line for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Oddity {
    pub(crate) code: &'static str,
    pub(crate) member: &'static str,
    pub(crate) message: &'static str,
}

impl Oddity {
    pub(crate) const fn of_data(code: &'static str, message: &'static str) -> Self {
        Self {
            code,
            member: "data",
            message,
        }
    }
}

/// Solidity since 0.5 reverts on arguments that are cut off; older contracts read zeros.
const SHORT_ARGUMENTS: Oddity = Oddity::of_data(
    "short-arguments",
    "the calldata ends before the last argument; missing bytes are read as zeros",
);
/// Solidity's ABI coder v2 reverts on bits outside an argument's type; others drop them.
const DIRTY_PADDING: Oddity = Oddity::of_data(
    "dirty-padding",
    "bits outside an argument's type are set; they are dropped",
);
/// Contracts ignore what follows the arguments.
const TRAILING_BYTES: Oddity = Oddity::of_data("trailing-bytes", "bytes follow the arguments");
/// Contracts follow the offsets, wherever they point.
const NON_CANONICAL: Oddity = Oddity::of_data(
    "non-canonical-encoding",
    "the arguments are not in the standard ABI layout",
);

/// Bytes a decoder may allocate for arguments of this length: overlapping offsets must not multiply the input.
fn memory_limit(length: usize) -> usize {
    4096 + 2 * length
}

fn lenient(bytes: &[u8]) -> AbiDecoderConfig {
    AbiDecoderConfig::new().memory_limit(memory_limit(bytes.len()))
}

/// Arguments and what is odd about their bytes.
pub(crate) struct Arguments<C> {
    pub(crate) call: C,
    pub(crate) oddities: Vec<Oddity>,
}

/// Reads the bytes after the selector as the arguments of `C`. `None` where a contract could not take them.
///
/// Static arguments that are cut off are read as zeros, so that what an old contract would do is not hidden.
pub(crate) fn read<C: SolCall>(bytes: &[u8]) -> Option<Arguments<C>> {
    let mut oddities = Vec::new();
    let bytes = match <C::Parameters<'static> as SolType>::ENCODED_SIZE {
        Some(size) if bytes.len() < size => {
            oddities.push(SHORT_ARGUMENTS);
            let mut padded = bytes.to_vec();
            padded.resize(size, 0);
            Cow::Owned(padded)
        }
        _ => Cow::Borrowed(bytes),
    };
    let lenient = lenient(&bytes);
    let call = C::abi_decode_raw_with_config(&bytes, lenient).ok()?;
    if C::abi_decode_raw_with_config(&bytes, lenient.validate(true)).is_err() {
        oddities.push(DIRTY_PADDING);
    }
    oddities.extend(layout(&call, &bytes, oddities.contains(&DIRTY_PADDING)));
    Some(Arguments { call, oddities })
}

/// Reads bytes as encoded parameters, the way a contract takes them.
pub(crate) fn decode<T>(bytes: &[u8]) -> Option<T::RustType>
where
    T: for<'de> SolType<Token<'de>: TokenSeq<'de>>,
{
    T::abi_decode_params_with_config(bytes, lenient(bytes)).ok()
}

/// Reads bytes as the arguments of `C`, none of them cut off.
pub(crate) fn decode_arguments<C: SolCall>(bytes: &[u8]) -> Option<C> {
    C::abi_decode_raw_with_config(bytes, lenient(bytes)).ok()
}

/// How the bytes differ from the standard encoding of what they were read as.
fn layout<C: SolCall>(call: &C, bytes: &[u8], dirty: bool) -> Option<Oddity> {
    let mut standard = Vec::new();
    call.abi_encode_raw(&mut standard);
    let follows = if dirty {
        bytes.len() >= standard.len()
    } else {
        bytes.starts_with(&standard)
    };
    match follows {
        true if bytes.len() > standard.len() => Some(TRAILING_BYTES),
        true => None,
        false => Some(NON_CANONICAL),
    }
}
