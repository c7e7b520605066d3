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
    alloy_primitives::hex::decode(digits)
        .map(Bytes::from)
        .map_err(|_| Refusal::new("bad-hex", pointer, "a character is not a hex digit"))
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
