//! Strict decoding of what a contract returned: what the ABI decoder of a calling contract would accept, and no
//! more. Bytes after the decoded value are accepted, as Solidity accepts them.

use alloy_primitives::{Address, U256};

/// Why an answer is not the value it should be; finishes the sentence "`name()` returned …".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

fn malformed(what: impl Into<String>) -> Malformed {
    Malformed(what.into())
}

/// The 32-byte word at this index.
pub(crate) fn word(answer: &[u8], index: usize) -> Result<U256, Malformed> {
    let start = index * 32;
    match answer.get(start..start + 32) {
        Some(word) => Ok(U256::from_be_slice(word)),
        None if answer.is_empty() => Err(malformed("nothing")),
        None => Err(malformed(format!(
            "{} bytes, fewer than the {} of its value",
            answer.len(),
            start + 32
        ))),
    }
}

/// An unsigned integer of this many bits, at a word's index.
pub(crate) fn uint(answer: &[u8], index: usize, bits: usize) -> Result<U256, Malformed> {
    let value = word(answer, index)?;
    if value.bit_len() <= bits {
        Ok(value)
    } else {
        Err(malformed(format!("a number beyond {bits} bits")))
    }
}

/// An unsigned integer of at most 64 bits, at a word's index.
pub(crate) fn small_uint(answer: &[u8], index: usize, bits: usize) -> Result<u64, Malformed> {
    u64::try_from(uint(answer, index, bits)?).map_err(|_| malformed(format!("a number beyond {bits} bits")))
}

/// `uint8`.
pub(crate) fn uint8(answer: &[u8]) -> Result<u8, Malformed> {
    u8::try_from(word(answer, 0)?).map_err(|_| malformed("a number beyond 8 bits"))
}

/// `uint256`.
pub(crate) fn uint256(answer: &[u8]) -> Result<U256, Malformed> {
    word(answer, 0)
}

/// `address`, its padding clean.
pub(crate) fn address(answer: &[u8]) -> Result<Address, Malformed> {
    let value = word(answer, 0)?;
    if value.bit_len() > 160 {
        return Err(malformed("an address with dirty padding"));
    }
    Ok(Address::from_word(value.into()))
}

/// `bool`: 0 or 1.
pub(crate) fn boolean(answer: &[u8]) -> Result<bool, Malformed> {
    match word(answer, 0)? {
        U256::ZERO => Ok(false),
        U256::ONE => Ok(true),
        _ => Err(malformed("a number that is no bool")),
    }
}

/// `string`, UTF-8.
pub(crate) fn string(answer: &[u8]) -> Result<String, Malformed> {
    string_at(answer, 0)
}

/// `string`, UTF-8, whose place is in the word at this index.
pub(crate) fn string_at(answer: &[u8], index: usize) -> Result<String, Malformed> {
    let place = |value: U256| usize::try_from(value).ok().filter(|place| *place <= answer.len());
    let outside = || malformed("a string that ends outside the answer");
    let offset = place(word(answer, index)?).ok_or_else(outside)?;
    let tail = &answer[offset..];
    let length = tail
        .get(..32)
        .map(U256::from_be_slice)
        .and_then(place)
        .ok_or_else(outside)?;
    let bytes = tail[32..].get(..length).ok_or_else(outside)?;
    utf8(bytes)
}

/// `string`, or `bytes32` up to its first NUL (I-33). A string takes at least 64 bytes, so that an answer of 32 is
/// the other.
pub(crate) fn string_or_bytes32(answer: &[u8]) -> Result<String, Malformed> {
    if answer.len() != 32 {
        return string(answer);
    }
    let end = answer.iter().position(|byte| *byte == 0).unwrap_or(answer.len());
    utf8(&answer[..end])
}

fn utf8(bytes: &[u8]) -> Result<String, Malformed> {
    std::str::from_utf8(bytes)
        .map(str::to_owned)
        .map_err(|_| malformed("a text that is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(words: &[U256]) -> Vec<u8> {
        words.iter().flat_map(U256::to_be_bytes::<32>).collect()
    }

    fn abi_string(text: &[u8]) -> Vec<u8> {
        let mut out = words(&[U256::from(32), U256::from(text.len())]);
        out.extend(text);
        out.resize(64 + text.len().next_multiple_of(32), 0);
        out
    }

    #[test]
    fn words_need_their_bytes_and_take_more() {
        assert_eq!(uint256(&[]), Err(Malformed("nothing".into())));
        assert!(uint256(&[1; 31]).is_err());
        assert_eq!(uint256(&words(&[U256::MAX])), Ok(U256::MAX));
        assert_eq!(uint256(&words(&[U256::from(7), U256::MAX])), Ok(U256::from(7)));
        assert!(word(&[0; 95], 2).is_err());
    }

    #[test]
    fn narrow_types_are_clean() {
        assert_eq!(boolean(&words(&[U256::ONE])), Ok(true));
        assert_eq!(boolean(&words(&[U256::ZERO])), Ok(false));
        assert!(boolean(&words(&[U256::from(2)])).is_err());
        assert!(boolean(&words(&[U256::ONE << 255])).is_err());
        assert_eq!(uint8(&words(&[U256::from(255)])), Ok(255));
        assert!(uint8(&words(&[U256::from(256)])).is_err());
        assert!(address(&words(&[U256::ONE << 160])).is_err());
        assert_eq!(
            address(&words(&[(U256::ONE << 160) - U256::ONE])),
            Ok(Address::repeat_byte(0xff))
        );
        assert_eq!(
            small_uint(&words(&[(U256::ONE << 48) - U256::ONE]), 0, 48),
            Ok((1 << 48) - 1)
        );
        assert!(small_uint(&words(&[U256::ONE << 48]), 0, 48).is_err());
        assert!(uint(&words(&[U256::ONE << 160]), 0, 160).is_err());
    }

    #[test]
    fn strings_stay_inside_the_answer() {
        assert_eq!(string(&abi_string(b"")), Ok(String::new()));
        assert_eq!(string(&abi_string("Tether ₮".as_bytes())), Ok("Tether ₮".into()));
        // Solidity reads an unpadded tail and any offset, the start included.
        assert_eq!(string(&words(&[U256::ZERO])), Ok(String::new()));
        assert_eq!(
            string(&[words(&[U256::from(32), U256::from(2)]), b"ab".to_vec()].concat()),
            Ok("ab".into())
        );
        assert_eq!(
            string(&words(&[U256::from(64), U256::MAX, U256::ZERO])),
            Ok(String::new())
        );
        for bad in [
            words(&[U256::from(32), U256::from(1)]),
            words(&[U256::from(33), U256::ZERO]),
            words(&[U256::from(64), U256::ZERO]),
            words(&[U256::MAX, U256::ZERO]),
            words(&[U256::from(32), U256::MAX]),
        ] {
            assert!(string(&bad).is_err(), "{bad:?}");
        }
        assert_eq!(
            string(&abi_string(b"\xff")),
            Err(Malformed("a text that is not UTF-8".into()))
        );
    }

    #[test]
    fn bytes32_is_read_up_to_its_first_nul() {
        let mut name = [0; 32];
        name[..5].copy_from_slice(b"Maker");
        assert_eq!(string_or_bytes32(&name), Ok("Maker".into()));
        name[6] = 0xff;
        assert_eq!(string_or_bytes32(&name), Ok("Maker".into()));
        assert_eq!(string_or_bytes32(&[b'x'; 32]), Ok("x".repeat(32)));
        assert_eq!(string_or_bytes32(&[0; 32]), Ok(String::new()));
        assert!(string_or_bytes32(&[0xff; 32]).is_err());
        assert!(string_or_bytes32(&[b'x'; 31]).is_err());
    }

    proptest! {
        #[test]
        fn any_answer_is_decoded_or_refused(answer in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = string(&answer) {
                prop_assert!(text.len() + 64 <= answer.len());
            }
            prop_assert_eq!(uint256(&answer).is_ok(), answer.len() >= 32);
            prop_assert_eq!(boolean(&answer).is_ok(), answer.len() >= 32 && answer[..31] == [0; 31] && answer[31] < 2);
        }

        #[test]
        fn any_text_round_trips(text in ".{0,100}") {
            prop_assert_eq!(string(&abi_string(text.as_bytes())), Ok(text));
        }
    }
}
