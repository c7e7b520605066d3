//! EIP-712 struct types without nested types, as drafts write them: `Name(address a,uint64 b)`.

use alloy_primitives::{Address, B256, U256, keccak256};
use presight_wire::hex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Members of one type.
pub const MAX_TYPE_MEMBERS: usize = 64;

/// A struct type of which every member is of a basic type.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct FlatType {
    name: String,
    members: Vec<(Basic, String)>,
}

/// The basic types that drafts use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basic {
    Address,
    Bool,
    String,
    Bytes,
    FixedBytes(usize),
    Uint(usize),
}

impl FlatType {
    /// Reads a type as `encodeType` writes it.
    ///
    /// # Errors
    /// In words, what is not of this form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, members) = text
            .strip_suffix(')')
            .and_then(|text| text.split_once('('))
            .ok_or("`Name(type member,…)` expected")?;
        let members: Vec<_> = members
            .split(',')
            .map(|member| {
                let (basic, name) = member
                    .split_once(' ')
                    .ok_or_else(|| format!("`{}` is no `type name`", member.escape_debug()))?;
                let known = Basic::parse(basic)
                    .ok_or_else(|| format!("`{}` is no basic type", basic.escape_debug()))?;
                identifier(name).map(|name| (known, name))
            })
            .collect::<Result<_, String>>()?;
        if members.len() > MAX_TYPE_MEMBERS {
            return Err(format!(
                "{} members; MAX_TYPE_MEMBERS is {MAX_TYPE_MEMBERS}",
                members.len()
            ));
        }
        let twice = |(index, (_, name)): (usize, &(Basic, String))| {
            members[..index].iter().any(|(_, other)| other == name)
        };
        if members.iter().enumerate().any(twice) {
            return Err("a member twice".into());
        }
        Ok(Self {
            name: identifier(name)?,
            members,
        })
    }

    /// `encodeType`.
    pub fn encode_type(&self) -> String {
        let mut text = format!("{}(", self.name);
        for (index, (basic, name)) in self.members.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let _ = write!(text, "{comma}{} {name}", basic.name());
        }
        text + ")"
    }

    /// `hashStruct` of a message with these members; others are not signed and not looked at.
    ///
    /// # Errors
    /// In words, the member that is missing or not of its type.
    pub fn hash_struct(&self, message: &Map<String, Value>) -> Result<B256, String> {
        let mut words = keccak256(self.encode_type()).to_vec();
        for (basic, name) in &self.members {
            let value = message.get(name).ok_or_else(|| format!("`{name}` is missing"))?;
            let word = basic
                .word(value)
                .ok_or_else(|| format!("`{name}` is no {}", basic.name()))?;
            words.extend_from_slice(word.as_slice());
        }
        Ok(keccak256(words))
    }
}

impl TryFrom<String> for FlatType {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl From<FlatType> for String {
    fn from(flat: FlatType) -> Self {
        flat.encode_type()
    }
}

fn identifier(name: &str) -> Result<String, String> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.bytes().all(fits) {
        return Err(format!("`{}` is no identifier", name.escape_debug()));
    }
    Ok(name.to_owned())
}

impl Basic {
    fn parse(text: &str) -> Option<Self> {
        let size = |prefix: &str| {
            let digits = text.strip_prefix(prefix)?;
            digits
                .parse::<usize>()
                .ok()
                .filter(|size| size.to_string() == digits)
        };
        Some(match text {
            "address" => Self::Address,
            "bool" => Self::Bool,
            "string" => Self::String,
            "bytes" => Self::Bytes,
            _ => match (size("uint"), size("bytes")) {
                (Some(bits), _) if (8..=256).contains(&bits) && bits % 8 == 0 => Self::Uint(bits),
                (_, Some(bytes)) if (1..=32).contains(&bytes) => Self::FixedBytes(bytes),
                _ => return None,
            },
        })
    }

    fn name(self) -> String {
        match self {
            Self::Address => "address".into(),
            Self::Bool => "bool".into(),
            Self::String => "string".into(),
            Self::Bytes => "bytes".into(),
            Self::FixedBytes(bytes) => format!("bytes{bytes}"),
            Self::Uint(bits) => format!("uint{bits}"),
        }
    }

    fn word(self, value: &Value) -> Option<B256> {
        let text = value.as_str();
        match self {
            Self::Address => hex::address_any_case(text?, "")
                .ok()
                .map(|a: Address| a.into_word()),
            Self::Bool => value.as_bool().map(|b| U256::from(u8::from(b)).into()),
            Self::String => text.map(|text| keccak256(text.as_bytes())),
            Self::Bytes => hex::data(text?, "").ok().map(keccak256),
            Self::FixedBytes(bytes) => {
                let data = hex::data(text?, "").ok().filter(|data| data.len() == bytes)?;
                let mut word = B256::ZERO;
                word[..bytes].copy_from_slice(&data);
                Some(word)
            }
            Self::Uint(bits) => hex::decimal(text?, "")
                .ok()
                .filter(|number| number.bit_len() <= bits)
                .map(Into::into),
        }
    }
}

/// `keccak256(0x1901 ‖ domainSeparator ‖ structHash)` under a domain of name, version and chain, without a contract.
pub fn signing_hash(name: &str, version: &str, chain_id: u64, struct_hash: B256) -> B256 {
    let separator = keccak256(
        [
            keccak256("EIP712Domain(string name,string version,uint256 chainId)"),
            keccak256(name),
            keccak256(version),
            U256::from(chain_id).into(),
        ]
        .concat(),
    );
    keccak256(
        [
            b"\x19\x01".as_slice(),
            separator.as_slice(),
            struct_hash.as_slice(),
        ]
        .concat(),
    )
}

#[cfg(test)]
mod tests {
    use super::FlatType;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_type_is_written_back_as_it_was_read() {
        let text = "Quote(address issuer,uint64 until,bytes32 id,string scheme,bytes data,bool open)";
        assert_eq!(FlatType::parse(text).unwrap().encode_type(), text);
    }

    #[test]
    fn other_types_are_refused() {
        for text in [
            "",
            "Quote",
            "Quote()",
            "Quote(address)",
            "Quote(address a,address a)",
            "Quote(uint a)",
            "Quote(uint12 a)",
            "Quote(uint064 a)",
            "Quote(bytes33 a)",
            "Quote(Other a)Other(bool b)",
            "Quote(address[] a)",
            "Quote(address  a)",
            "1Quote(address a)",
        ] {
            assert!(FlatType::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_member_that_is_missing_or_of_another_type_has_no_hash() {
        let flat = FlatType::parse("Quote(uint8 a,bool b)").unwrap();
        let hash = |value: serde_json::Value| flat.hash_struct(value.as_object().unwrap());
        hash(json!({"a": "255", "b": true, "unsigned": 1})).unwrap();
        for bad in [
            json!({"a": "256", "b": true}),
            json!({"a": 1, "b": true}),
            json!({"a": "01", "b": true}),
            json!({"a": "1", "b": "true"}),
            json!({"a": "1"}),
        ] {
            assert!(hash(bad.clone()).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "[A-Za-z(), 0-9]{0,60}") {
            if let Ok(flat) = FlatType::parse(&text) {
                prop_assert_eq!(FlatType::parse(&flat.encode_type()), Ok(flat));
            }
        }
    }
}
