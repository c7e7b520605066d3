//! The `types` of an EIP-712 document: syntax, references, `encodeType`.

use super::path::Path;
use super::type_name::{Base, BaseError, Type};
use crate::collector::Collector;
use crate::model::Flag;
use alloy_primitives::{B256, keccak256};
use presight_wire::Refusal;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Struct types in one document.
pub const MAX_TYPES: usize = 100;
/// Members of one struct type.
pub const MAX_TYPE_MEMBERS: usize = 256;
/// Bytes of a type's or a member's name.
pub const MAX_NAME_BYTES: usize = 256;

/// The name of the domain's type.
pub(crate) const DOMAIN: &str = "EIP712Domain";

/// The struct types by name, and the type hash of each that was asked for with [`Types::hash_reachable`].
#[derive(Debug)]
pub(crate) struct Types {
    structs: BTreeMap<String, Struct>,
    hashes: BTreeMap<String, B256>,
}

/// One struct type.
#[derive(Debug, Clone)]
pub(crate) struct Struct {
    pub(crate) members: Vec<Member>,
}

/// One member of a struct type.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) ty: Type,
}

impl Types {
    /// Reads and checks the `types` object.
    pub(crate) fn read(
        types: &Map<String, Value>,
        path: &Path<'_>,
        collector: &mut Collector,
    ) -> Result<Self, Refusal> {
        if types.len() > MAX_TYPES {
            let message = format!("{} types; MAX_TYPES is {MAX_TYPES}", types.len());
            return Err(Refusal::new("too-many", path.pointer(), message));
        }
        let mut structs = BTreeMap::new();
        for (name, members) in types {
            let path = path.member(name);
            check_type_name(name, &path)?;
            structs.insert(name.clone(), Struct::read(members, &path, collector)?);
        }
        let types = Self {
            structs,
            hashes: BTreeMap::new(),
        };
        types.check_references(path)?;
        Ok(types)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Struct> {
        self.structs.get(name)
    }

    fn check_references(&self, path: &Path<'_>) -> Result<(), Refusal> {
        for (name, definition) in &self.structs {
            for (index, member) in definition.members.iter().enumerate() {
                if let Some(reference) = member.ty.reference()
                    && !self.structs.contains_key(reference)
                {
                    let message = format!("`{}` is no type and is not defined", reference.escape_debug());
                    return Err(Refusal::new(
                        "type-undefined",
                        type_pointer(path, name, index),
                        message,
                    ));
                }
            }
        }
        Ok(())
    }

    /// Computes the type hashes that hashing a `root` needs. Types may refer to themselves (EIP-712 §encodeType lists
    /// each once); a value of them is as deep as the document at most.
    pub(crate) fn hash_reachable(&mut self, root: &str) {
        let Some(definition) = self.get(root) else {
            return;
        };
        let names = self.dependencies(definition).into_keys().chain([root]);
        let hashes = names
            .map(|name| (name.to_owned(), keccak256(self.encode_type(name))))
            .collect::<Vec<_>>();
        self.hashes.extend(hashes);
    }

    /// The struct types that `definition` refers to, directly or not.
    fn dependencies<'t>(&'t self, definition: &'t Struct) -> BTreeMap<&'t str, &'t Struct> {
        let mut found = BTreeMap::new();
        let mut waiting = vec![definition];
        while let Some(definition) = waiting.pop() {
            for reference in definition.members.iter().filter_map(|m| m.ty.reference()) {
                if let Some((name, referred)) = self.structs.get_key_value(reference)
                    && found.insert(name.as_str(), referred).is_none()
                {
                    waiting.push(referred);
                }
            }
        }
        found
    }

    /// EIP-712 `encodeType` of a type in the document.
    pub(crate) fn encode_type(&self, name: &str) -> String {
        self.get(name)
            .map_or_else(String::new, |definition| self.encode_type_of(name, definition))
    }

    /// EIP-712 `encodeType`: the type's own definition, then the types it refers to in the order of their names.
    pub(crate) fn encode_type_of(&self, name: &str, definition: &Struct) -> String {
        let mut dependencies = self.dependencies(definition);
        dependencies.remove(name);
        let others = dependencies
            .iter()
            .map(|(name, definition)| definition.definition(name));
        std::iter::once(definition.definition(name))
            .chain(others)
            .collect()
    }

    /// `keccak256(encodeType(name))`.
    pub(crate) fn hash(&self, name: &str) -> B256 {
        self.hashes
            .get(name)
            .copied()
            .unwrap_or_else(|| keccak256(self.encode_type(name)))
    }
}

impl Struct {
    fn read(members: &Value, path: &Path<'_>, collector: &mut Collector) -> Result<Self, Refusal> {
        let Some(members) = members.as_array() else {
            return Err(Refusal::new(
                "wrong-type",
                path.pointer(),
                "an array of members expected",
            ));
        };
        if members.len() > MAX_TYPE_MEMBERS {
            let message = format!(
                "{} members; MAX_TYPE_MEMBERS is {MAX_TYPE_MEMBERS}",
                members.len()
            );
            return Err(Refusal::new("too-many", path.pointer(), message));
        }
        let mut names = BTreeSet::new();
        let mut read = Vec::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            let path = path.index(index);
            let member = Member::read(member, &path, collector)?;
            if !names.insert(member.name.clone()) {
                let message = "the type declares this member twice; both take the same value";
                collector.flag(Flag::new(
                    "duplicate-member",
                    path.member("name").pointer(),
                    message,
                ))?;
            }
            read.push(member);
        }
        Ok(Self { members: read })
    }

    /// `Name(type member,…)`.
    pub(crate) fn definition(&self, name: &str) -> String {
        let members: Vec<_> = self
            .members
            .iter()
            .map(|m| format!("{} {}", m.ty.written, m.name))
            .collect();
        format!("{name}({})", members.join(","))
    }
}

impl Member {
    fn read(member: &Value, path: &Path<'_>, collector: &mut Collector) -> Result<Self, Refusal> {
        let Some(members) = member.as_object() else {
            return Err(Refusal::new(
                "wrong-type",
                path.pointer(),
                "an object with `name` and `type` expected",
            ));
        };
        let text = |key: &'static str| {
            let value = members.get(key).ok_or_else(|| {
                Refusal::new(
                    "missing-member",
                    path.pointer(),
                    format!("member `{key}` is missing"),
                )
            })?;
            value
                .as_str()
                .ok_or_else(|| Refusal::new("wrong-type", path.member(key).pointer(), "a string expected"))
        };
        let (name, written) = (text("name")?, text("type")?);
        check_member_name(name, &path.member("name"), collector)?;
        let ty = read_type(written, &path.member("type"), collector)?;
        for key in members.keys().filter(|k| !matches!(k.as_str(), "name" | "type")) {
            let message = "no part of a type's member; it is not signed";
            collector.flag(Flag::new("extra-member", path.member(key).pointer(), message))?;
        }
        Ok(Self {
            name: name.to_owned(),
            ty,
        })
    }
}

fn read_type(written: &str, path: &Path<'_>, collector: &mut Collector) -> Result<Type, Refusal> {
    check_length(written, path)?;
    let ty = Type::parse(written).ok_or_else(|| {
        Refusal::new(
            "bad-type",
            path.pointer(),
            format!("`{}` is not a type", written.escape_debug()),
        )
    })?;
    if ty.is_alias() {
        let message = "an alias of a 256-bit type: hashed as written, and not understood by every wallet";
        collector.flag(Flag::new("type-alias", path.pointer(), message))?;
    }
    Ok(ty)
}

fn check_type_name(name: &str, path: &Path<'_>) -> Result<(), Refusal> {
    check_length(name, path)?;
    if !name.is_ascii() {
        let message = "a type name outside ASCII can look like another; wallets differ on it";
        return Err(Refusal::new("non-ascii-type-name", path.pointer(), message));
    }
    match Base::parse(name) {
        Ok(Base::Struct(_)) => Ok(()),
        Ok(_) | Err(BaseError::BadWidth) => {
            let message = format!("`{name}` is a built-in type's name");
            Err(Refusal::new("builtin-type-name", path.pointer(), message))
        }
        Err(BaseError::BadName) => Err(Refusal::new(
            "bad-type-name",
            path.pointer(),
            format!("`{}` is not a name", name.escape_debug()),
        )),
    }
}

/// Member names stand in `encodeType`: a name with its punctuation could imitate another type.
fn check_member_name(name: &str, path: &Path<'_>, collector: &mut Collector) -> Result<(), Refusal> {
    check_length(name, path)?;
    if name.is_empty()
        || name
            .chars()
            .any(|c| matches!(c, '(' | ')' | ',' | '[' | ']') || c.is_control())
    {
        let message = format!("`{}` is not a member name", name.escape_debug());
        return Err(Refusal::new("bad-member-name", path.pointer(), message));
    }
    let identifier = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'));
    if !identifier || name.as_bytes()[0].is_ascii_digit() {
        collector.flag(Flag::new(
            "odd-member-name",
            path.pointer(),
            "the name is not an identifier",
        ))?;
    }
    Ok(())
}

fn check_length(name: &str, path: &Path<'_>) -> Result<(), Refusal> {
    if name.len() <= MAX_NAME_BYTES {
        return Ok(());
    }
    // The name itself is the last segment of its place, so the place is the parent's.
    let pointer = match path {
        Path::Member(parent, segment) if segment.len() > MAX_NAME_BYTES => parent.pointer(),
        _ => path.pointer(),
    };
    Err(Refusal::new(
        "too-large",
        pointer,
        format!("{} bytes; MAX_NAME_BYTES is {MAX_NAME_BYTES}", name.len()),
    ))
}

fn type_pointer(types: &Path<'_>, name: &str, index: usize) -> String {
    types.member(name).index(index).member("type").pointer()
}
