//! Values of a message, read strictly by their declared types, and their EIP-712 encoding.

use super::integer;
use super::path::Path;
use super::type_name::{Base, Type};
use super::types::{Struct, Types};
use crate::collector::Collector;
use crate::model::Flag;
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use presight_wire::{Refusal, hex};
use serde_json::Value;

/// A value together with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item<'t> {
    Address(Address),
    Bool(bool),
    String(&'t str),
    Bytes(Bytes),
    FixedBytes(Bytes),
    Uint(U256),
    /// Two's complement.
    Int(U256),
    Struct(&'t str, Vec<Item<'t>>),
    Array(Vec<Item<'t>>),
}

/// Reads values by the types of one document.
pub(crate) struct Reader<'t, 'c> {
    pub(crate) types: &'t Types,
    pub(crate) collector: &'c mut Collector,
}

impl<'t> Reader<'t, '_> {
    /// Reads `value` as the members of the struct type `name`.
    pub(crate) fn structure(
        &mut self,
        name: &'t str,
        value: &'t Value,
        path: &Path<'_>,
    ) -> Result<Item<'t>, Refusal> {
        let definition = self.types.get(name).ok_or_else(|| {
            Refusal::new(
                "type-undefined",
                path.pointer(),
                format!("`{}` is not defined", name.escape_debug()),
            )
        })?;
        let members = self.members(definition, value, path)?;
        let Some(object) = value.as_object() else {
            return Ok(Item::Struct(name, members));
        };
        for key in object
            .keys()
            .filter(|key| !definition.members.iter().any(|m| m.name == **key))
        {
            let message = format!("`{name}` has no such member: it may be shown and is not signed");
            self.collector
                .flag(Flag::new("extra-member", path.member(key).pointer(), message))?;
        }
        Ok(Item::Struct(name, members))
    }

    /// Reads the members that `definition` declares.
    pub(crate) fn members(
        &mut self,
        definition: &'t Struct,
        value: &'t Value,
        path: &Path<'_>,
    ) -> Result<Vec<Item<'t>>, Refusal> {
        let object = value.as_object().ok_or_else(|| {
            Refusal::new(
                "bad-struct",
                path.pointer(),
                "an object with the type's members expected",
            )
        })?;
        let members = definition.members.iter().map(|member| {
            let value = object.get(&member.name).ok_or_else(|| {
                let message = format!("member `{}` is missing", member.name.escape_debug());
                Refusal::new("missing-member", path.pointer(), message)
            })?;
            self.read(&member.ty, value, &path.member(&member.name))
        });
        members.collect()
    }

    /// Reads `value` as `ty`.
    pub(crate) fn read(
        &mut self,
        ty: &'t Type,
        value: &'t Value,
        path: &Path<'_>,
    ) -> Result<Item<'t>, Refusal> {
        self.dimension(&ty.base, &ty.dimensions, value, path)
    }

    fn dimension(
        &mut self,
        base: &'t Base,
        dimensions: &[Option<usize>],
        value: &'t Value,
        path: &Path<'_>,
    ) -> Result<Item<'t>, Refusal> {
        let Some((length, inner)) = dimensions.split_last() else {
            return self.scalar(base, value, path);
        };
        let items = value
            .as_array()
            .ok_or_else(|| Refusal::new("bad-array", path.pointer(), "an array expected"))?;
        if let Some(length) = length.filter(|length| *length != items.len()) {
            let message = format!("{length} elements expected, {} found", items.len());
            return Err(Refusal::new("array-length", path.pointer(), message));
        }
        let items = items
            .iter()
            .enumerate()
            .map(|(i, item)| self.dimension(base, inner, item, &path.index(i)));
        Ok(Item::Array(items.collect::<Result<_, _>>()?))
    }

    fn scalar(&mut self, base: &'t Base, value: &'t Value, path: &Path<'_>) -> Result<Item<'t>, Refusal> {
        match base {
            Base::Struct(name) => self.structure(name, value, path),
            Base::Address => self.address(value, path).map(Item::Address),
            Base::Uint(bits) => integer::unsigned(value, *bits, path, self.collector).map(Item::Uint),
            Base::Int(bits) => integer::signed(value, *bits, path, self.collector).map(Item::Int),
            Base::Bool => value
                .as_bool()
                .map(Item::Bool)
                .ok_or_else(|| Refusal::new("bad-boolean", path.pointer(), "true or false expected")),
            Base::String => value
                .as_str()
                .map(Item::String)
                .ok_or_else(|| Refusal::new("bad-string", path.pointer(), "a string expected")),
            Base::Bytes => bytes(value, path).map(Item::Bytes),
            Base::FixedBytes(length) => {
                let bytes = bytes(value, path)?;
                if bytes.len() == *length {
                    return Ok(Item::FixedBytes(bytes));
                }
                let message = format!("{length} bytes expected, {} found", bytes.len());
                Err(Refusal::new("bad-bytes", path.pointer(), message))
            }
        }
    }

    fn address(&mut self, value: &Value, path: &Path<'_>) -> Result<Address, Refusal> {
        let Some(text) = value.as_str() else {
            let message = "an address as a string expected: 0x and 40 hex digits";
            return Err(Refusal::new("bad-address", path.pointer(), message));
        };
        let address = hex::address_any_case(text, "").map_err(|r| Refusal {
            pointer: path.pointer(),
            ..r
        })?;
        if hex::has_wrong_checksum(text, address) {
            let message = format!(
                "wrong EIP-55 checksum; the checksum form is `{}`",
                address.to_checksum(None)
            );
            self.collector
                .flag(Flag::new("bad-checksum", path.pointer(), message))?;
        }
        Ok(address)
    }
}

fn bytes(value: &Value, path: &Path<'_>) -> Result<Bytes, Refusal> {
    let text = value
        .as_str()
        .ok_or_else(|| Refusal::new("bad-bytes", path.pointer(), "a hex string expected"))?;
    hex::data(text, "").map_err(|r| Refusal::new("bad-bytes", path.pointer(), r.message))
}

impl Item<'_> {
    /// Every address in the value.
    pub(crate) fn addresses(&self) -> Vec<Address> {
        match self {
            Self::Address(address) => vec![*address],
            Self::Struct(_, items) | Self::Array(items) => items.iter().flat_map(Self::addresses).collect(),
            _ => Vec::new(),
        }
    }

    /// The 32 bytes that stand for the value in `encodeData` (EIP-712).
    pub(crate) fn word(&self, types: &Types) -> B256 {
        match self {
            Self::Address(address) => address.into_word(),
            Self::Bool(value) => B256::from(U256::from(*value)),
            Self::Uint(value) | Self::Int(value) => B256::from(*value),
            Self::FixedBytes(bytes) => B256::right_padding_from(bytes),
            Self::Bytes(bytes) => keccak256(bytes),
            Self::String(text) => keccak256(text),
            Self::Struct(name, members) => hash_struct(types.hash(name), members, types),
            Self::Array(items) => keccak256(words(items, types)),
        }
    }
}

/// `hashStruct`: `keccak256(typeHash ‖ encodeData)`.
pub(crate) fn hash_struct(type_hash: B256, members: &[Item<'_>], types: &Types) -> B256 {
    let mut encoded = type_hash.to_vec();
    encoded.extend(words(members, types));
    keccak256(encoded)
}

fn words(items: &[Item<'_>], types: &Types) -> Vec<u8> {
    items.iter().flat_map(|item| item.word(types).0).collect()
}
