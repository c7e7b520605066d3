//! `validUntil` in `paymasterAndData`, as ERC-4337's sample verifying paymaster writes it.

use alloy_primitives::U256;

/// Bytes before a paymaster's own data: its address, and in packed operations two gas limits.
const PREFIXES: [usize; 2] = [20, 52];
/// Two words, the times, and a signature.
const DATA: usize = 64 + 65;
/// The bytes of a word above a `uint48`.
const ABOVE: [u8; 26] = [0; 26];

/// The end of the window; `None` where the data is not exactly of that form, or has no end.
pub(super) fn valid_until(paymaster_and_data: &[u8]) -> Option<U256> {
    let data = PREFIXES.iter().find_map(|prefix| {
        let data = paymaster_and_data.get(*prefix..)?;
        (data.len() == DATA).then_some(data)
    })?;
    let time = |word: &[u8]| word.strip_prefix(&ABOVE).map(U256::from_be_slice);
    let until = time(data.get(..32)?)?;
    let after = time(data.get(32..64)?)?;
    (!until.is_zero() && after <= until).then_some(until)
}
