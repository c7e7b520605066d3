//! The tokens at the ends of a trade.

use alloy_primitives::Address;

/// The first and the last token of a V3 path: addresses of 20 bytes with fees of three between them.
pub(super) fn packed_ends(path: &[u8]) -> Option<(Address, Address)> {
    let first = path.first_chunk::<20>()?;
    let last = path.last_chunk::<20>()?;
    (path.len() >= 43).then(|| (Address::from(*first), Address::from(*last)))
}

/// The first and the last token of a list.
pub(super) fn ends(path: &[Address]) -> Option<(Address, Address)> {
    match path {
        [first, .., last] => Some((*first, *last)),
        _ => None,
    }
}
