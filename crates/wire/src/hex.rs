//! Hex and decimal readers that name the place they refuse.

use crate::error::{Refusal, shown};
use alloy_primitives::{Address, B256, Bytes, U256};

/// A `0x` + 40 hex digits address; mixed case must be a correct EIP-55 checksum.
pub fn address(text: &str, pointer: &str) -> Result<Address, Refusal> {
    let address = address_any_case(text, pointer)?;
    if has_wrong_checksum(text, address) {
        return Err(Refusal::new(
            "bad-checksum",
            pointer,
            format!(
                "`{text}` has a wrong EIP-55 checksum; the checksum form is `{}`",
                address.to_checksum(None)
            ),
        ));
    }
    Ok(address)
}

/// A `0x` + 40 hex digits address whose letter case is not looked at.
pub fn address_any_case(text: &str, pointer: &str) -> Result<Address, Refusal> {
    let bytes = data(text, pointer).map_err(|_| bad_address(text, pointer))?;
    <[u8; 20]>::try_from(bytes.as_ref())
        .map(Address::from)
        .map_err(|_| bad_address(text, pointer))
}

fn bad_address(text: &str, pointer: &str) -> Refusal {
    Refusal::new(
        "bad-address",
        pointer,
        format!(
            "`{}` is not an address: 0x and 40 hex digits expected",
            shown(text)
        ),
    )
}

/// Whether the text is in mixed case and its case is not the EIP-55 checksum of `address`.
pub fn has_wrong_checksum(text: &str, address: Address) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let mixed =
        digits.bytes().any(|b| b.is_ascii_lowercase()) && digits.bytes().any(|b| b.is_ascii_uppercase());
    mixed && address.to_checksum(None).get(2..) != Some(digits)
}

/// `0x` + an even number of hex digits.
pub fn data(text: &str, pointer: &str) -> Result<Bytes, Refusal> {
    let digits = text
        .strip_prefix("0x")
        .ok_or_else(|| Refusal::new("bad-hex", pointer, "hex data must start with 0x"))?;
    if digits.len() % 2 == 1 {
        return Err(Refusal::new(
            "bad-hex",
            pointer,
            format!("odd number of hex digits ({})", digits.len()),
        ));
    }
    // The decoder would take a second 0x for a prefix.
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(Refusal::new("bad-hex", pointer, "a character is not a hex digit"));
    }
    let bytes = alloy_primitives::hex::decode(digits).expect("an even number of hex digits is decoded");
    Ok(Bytes::from(bytes))
}

/// `0x` + 64 hex digits.
pub fn b256(text: &str, pointer: &str) -> Result<B256, Refusal> {
    let bytes = data(text, pointer)?;
    <[u8; 32]>::try_from(bytes.as_ref()).map(B256::from).map_err(|_| {
        Refusal::new(
            "bad-hex",
            pointer,
            format!("32 bytes expected, {} found", bytes.len()),
        )
    })
}

/// Decimal digits below 2^256, no sign, no leading zeros.
pub fn decimal(text: &str, pointer: &str) -> Result<U256, Refusal> {
    let bad = |why: &str| {
        Refusal::new(
            "bad-integer",
            pointer,
            format!("`{}` is not a decimal integer: {why}", shown(text)),
        )
    };
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad("only the digits 0-9 are allowed"));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(bad("leading zeros are not allowed"));
    }
    if text.len() > 78 {
        return Err(bad("it is not below 2^256"));
    }
    U256::from_str_radix(text, 10).map_err(|_| bad("it is not below 2^256"))
}

/// A JSON-RPC quantity: `0x` + 1 to 64 hex digits. Leading zeros are accepted.
pub fn quantity(text: &str, pointer: &str) -> Result<U256, Refusal> {
    let digits = text
        .strip_prefix("0x")
        .filter(|d| !d.is_empty() && d.len() <= 64 && d.bytes().all(|b| b.is_ascii_hexdigit()))
        .ok_or_else(|| Refusal::new("bad-integer", pointer, "0x and 1 to 64 hex digits expected"))?;
    U256::from_str_radix(digits, 16)
        .map_err(|_| Refusal::new("bad-integer", pointer, "0x and 1 to 64 hex digits expected"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code<T: std::fmt::Debug>(result: Result<T, Refusal>) -> &'static str {
        result.unwrap_err().code
    }

    #[test]
    fn addresses_with_their_checksums() {
        // From the test cases of EIP-55.
        for good in [
            "0x52908400098527886E0F7030069857D2E4169EE7",
            "0xde709f2102306220921060314715629080e2fb77",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
            "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
        ] {
            assert!(address(good, "").is_ok(), "{good}");
        }
        let wrong = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed";
        assert_eq!(code(address(wrong, "")), "bad-checksum");
        assert!(address_any_case(wrong, "").is_ok());
    }

    #[test]
    fn data_is_prefixed_and_even() {
        assert_eq!(data("0x00Ff", "").unwrap().as_ref(), [0, 255]);
        assert!(data("0x", "").unwrap().is_empty());
        for bad in ["", "00", "0X00", "0x0", "0x0g", "0x0x00", "0x é"] {
            assert_eq!(code(data(bad, "")), "bad-hex", "{bad}");
        }
        assert_eq!(code(b256("0x00", "")), "bad-hex");
    }

    #[test]
    fn numbers_are_below_two_to_the_256() {
        let (most, more) = (
            U256::MAX.to_string(),
            format!("{}6", &U256::MAX.to_string()[..77]),
        );
        assert_eq!(decimal(&most, "").unwrap(), U256::MAX);
        for bad in [
            "",
            "00",
            "-1",
            "1.",
            "1_000",
            "0x1",
            "٣",
            &more,
            &"9".repeat(78),
            &"9".repeat(200),
        ] {
            assert_eq!(code(decimal(bad, "")), "bad-integer", "{bad}");
        }
        assert_eq!(quantity(&format!("0x{}", "f".repeat(64)), "").unwrap(), U256::MAX);
        for bad in ["", "0x", "1", "0x_1", "0xg", &format!("0x{}", "0".repeat(65))] {
            assert_eq!(code(quantity(bad, "")), "bad-integer", "{bad}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = (address(&text, ""), data(&text, ""), decimal(&text, ""), quantity(&text, ""));
        }

        #[test]
        fn numbers_are_read_back(bytes: [u8; 32]) {
            let number = U256::from_be_bytes(bytes);
            prop_assert_eq!(decimal(&number.to_string(), "").unwrap(), number);
            prop_assert_eq!(quantity(&format!("{number:#x}"), "").unwrap(), number);
        }
    }
}
