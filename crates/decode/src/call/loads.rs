//! Calldata as `CALLDATALOAD` gives it: zeros beyond the end, and offsets that are added without a check wrap around.
//! Contracts that read their arguments in assembly see it so, where a decoder that checks refuses it.

use alloy_primitives::{Bytes, U256};

/// The bytes of a word.
pub(super) const WORD: U256 = U256::from_limbs([32, 0, 0, 0]);
/// The bytes of a selector.
pub(super) const SELECTOR: usize = 4;
/// Zeros that are read beyond the end of the calldata, at most: a length that reaches further costs the contract
/// memory for nothing.
pub(super) const MAX_MISSING: usize = 1 << 16;

/// The calldata of one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loads<'d>(pub(super) &'d Bytes);

impl Loads<'_> {
    /// The word at an offset.
    pub(super) fn word(self, at: U256) -> U256 {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let held = self.0.get(at..).unwrap_or_default();
        let held = &held[..held.len().min(32)];
        let mut word = [0; 32];
        word[..held.len()].copy_from_slice(held);
        U256::from_be_bytes(word)
    }

    /// This many bytes at an offset; `None` where more than [`MAX_MISSING`] of them are beyond the end.
    pub(super) fn bytes(self, at: U256, length: U256) -> Option<Bytes> {
        let length = usize::try_from(length).ok()?;
        let start = usize::try_from(at).map_or(self.0.len(), |at| at.min(self.0.len()));
        let held = length.min(self.0.len() - start);
        if length - held > MAX_MISSING {
            return None;
        }
        if length == held {
            return Some(self.0.slice(start..start + held));
        }
        let mut whole = self.0[start..start + held].to_vec();
        whole.resize(length, 0);
        Some(whole.into())
    }

    /// Where the bytes of an argument begin: the arguments begin at `base`.
    pub(super) fn argument(self, base: U256, argument: usize) -> U256 {
        self.pointed(base, argument)
    }

    /// Where the bytes of an element of a `bytes[]` argument begin.
    pub(super) fn element(self, base: U256, argument: usize, index: usize) -> U256 {
        let elements = self.argument(base, argument);
        self.pointed(elements, index)
    }

    /// Follows the offset in the word of this index, both counted from `base`, past the length it points to.
    fn pointed(self, base: U256, index: usize) -> U256 {
        let at = base.wrapping_add(U256::from(index).wrapping_mul(WORD));
        base.wrapping_add(self.word(at)).wrapping_add(WORD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn beyond_the_end_are_zeros() {
        let data = Bytes::from(vec![1; 40]);
        let loads = Loads(&data);
        assert_eq!(loads.word(U256::from(8)), U256::from_be_bytes([1; 32]));
        assert_eq!(loads.word(U256::from(39)), U256::ONE << 248);
        for beyond in [U256::from(40), U256::MAX, U256::MAX - U256::from(16)] {
            assert_eq!(loads.word(beyond), U256::ZERO);
            assert_eq!(loads.bytes(beyond, U256::from(2)), Some(vec![0; 2].into()));
        }
        assert_eq!(
            loads.bytes(U256::from(39), U256::from(2)),
            Some(vec![1, 0].into())
        );
        assert_eq!(loads.bytes(U256::ZERO, U256::from(41 + MAX_MISSING)), None);
        assert_eq!(loads.bytes(U256::ZERO, U256::MAX), None);
    }

    proptest! {
        #[test]
        fn any_place_is_read(data in proptest::collection::vec(any::<u8>(), 0..100), at in 0u64..200, length in 0u64..200) {
            let data = Bytes::from(data);
            let read = Loads(&data).bytes(U256::from(at), U256::from(length)).expect("little is missing");
            let expected: Vec<u8> = (at..at + length)
                .map(|i| usize::try_from(i).ok().and_then(|i| data.get(i).copied()).unwrap_or(0))
                .collect();
            prop_assert_eq!(read.to_vec(), expected);
        }
    }
}
