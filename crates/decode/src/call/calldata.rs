//! Calldata read the way a contract takes it, with what is odd about it.

use alloy_sol_types::abi::AbiDecoderConfig;
use alloy_sol_types::{SolCall, SolType};
use std::borrow::Cow;

/// Arguments end before the last one. Solidity since 0.5 reverts; older contracts read zeros.
pub(crate) const SHORT_ARGUMENTS: &str = "short-arguments";
/// Bits outside an argument's type are set. Solidity's ABI coder v2 reverts; others drop them.
pub(crate) const DIRTY_PADDING: &str = "dirty-padding";
/// Bytes follow the arguments; contracts ignore them.
pub(crate) const TRAILING_BYTES: &str = "trailing-bytes";
/// Offsets or gaps differ from the standard encoding; contracts follow the offsets.
pub(crate) const NON_CANONICAL: &str = "non-canonical-encoding";

/// Bytes a decoder may allocate for one call: overlapping offsets must not multiply the input.
const MEMORY_LIMIT: usize = 8 * 1024 * 1024;

/// Arguments and what is odd about their bytes.
pub(crate) struct Arguments<C> {
    pub(crate) call: C,
    pub(crate) flags: Vec<&'static str>,
}

/// Reads the bytes after the selector as the arguments of `C`. `None` where a contract could not take them.
///
/// Static arguments that are cut off are read as zeros, so that what an old contract would do is not hidden.
pub(crate) fn read<C: SolCall>(bytes: &[u8]) -> Option<Arguments<C>> {
    let mut flags = Vec::new();
    let bytes = match <C::Parameters<'static> as SolType>::ENCODED_SIZE {
        Some(size) if bytes.len() < size => {
            flags.push(SHORT_ARGUMENTS);
            let mut padded = bytes.to_vec();
            padded.resize(size, 0);
            Cow::Owned(padded)
        }
        _ => Cow::Borrowed(bytes),
    };
    let lenient = AbiDecoderConfig::new().memory_limit(MEMORY_LIMIT);
    let call = C::abi_decode_raw_with_config(&bytes, lenient).ok()?;
    if C::abi_decode_raw_with_config(&bytes, lenient.validate(true)).is_err() {
        flags.push(DIRTY_PADDING);
    }
    flags.extend(layout(&call, &bytes, flags.contains(&DIRTY_PADDING)));
    Some(Arguments { call, flags })
}

/// How the bytes differ from the standard encoding of what they were read as.
fn layout<C: SolCall>(call: &C, bytes: &[u8], dirty: bool) -> Option<&'static str> {
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
