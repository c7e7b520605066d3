//! The `types` of typed data.

use super::index::Index;
use super::type_name::{Type, is_identifier, is_struct_name};
use crate::envelope::{Code, Problems};
use crate::tree::{At, Tree};

/// The declared structs.
pub(super) struct Types<'t> {
    pub(super) structs: Vec<Struct<'t>>,
    index: Index<'t>,
    /// Whether they have no error: only then do values have types to be read by.
    pub(super) sound: bool,
}

/// One struct.
pub(super) struct Struct<'t> {
    pub(super) members: Vec<Member<'t>>,
    index: Index<'t>,
}

/// One member of a struct.
pub(super) struct Member<'t> {
    pub(super) name: &'t str,
    pub(super) written: &'t str,
    pub(super) ty: Type,
}

impl<'t> Types<'t> {
    /// Reads the declarations. `None` when they are no object.
    pub(super) fn read(value: &'t Tree<'_>, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        let before = problems.error_count();
        let Some(declared) = value.as_object() else {
            wrong_type("an object", value, at, problems);
            return None;
        };
        let index = Index::new(declared.iter().map(|(name, _)| name));
        let mut structs = Vec::with_capacity(declared.len());
        for (name, members) in declared.iter() {
            let at = at.member(name);
            if !is_struct_name(name) {
                problems.add(Code::Eip712TypeName, &at, "not a name for a struct");
            }
            structs.push(Struct::read(members, &index, &at, problems));
        }
        Some(Self {
            structs,
            index,
            sound: problems.error_count() == before,
        })
    }

    /// The struct of a name.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name)
    }
}

impl<'t> Struct<'t> {
    fn read(value: &'t Tree<'_>, types: &Index<'_>, at: &At<'_>, problems: &mut Problems) -> Self {
        let items = value.as_array();
        if items.is_none() {
            wrong_type("an array of members", value, at, problems);
        }
        let items = items.unwrap_or_default();
        let names = items
            .iter()
            .map(|item| item.get("name").and_then(Tree::as_str).unwrap_or_default());
        let index = Index::new(names);
        let members = items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| Member::read(item, types, &at.index(i), problems))
            .collect();
        for position in index.repeated() {
            let name = items.get(position).and_then(|item| item.get("name")?.as_str());
            if name.is_some_and(|name| !name.is_empty()) {
                let message = "the struct has a member of this name already";
                problems.add(
                    Code::Eip712DuplicateField,
                    &at.index(position).member("name"),
                    message,
                );
            }
        }
        Self { members, index }
    }

    /// The position of a member.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name)
    }
}

impl<'t> Member<'t> {
    fn read(value: &'t Tree<'_>, types: &Index<'_>, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        let Some(members) = value.as_object() else {
            wrong_type("an object with `name` and `type`", value, at, problems);
            return None;
        };
        for (key, _) in members.iter().filter(|(key, _)| !matches!(*key, "name" | "type")) {
            problems.add(
                Code::UnknownField,
                &at.member(key),
                "no part of a struct's member",
            );
        }
        let name = text(value, "name", at, problems);
        if let Some(name) = name
            && !is_identifier(name)
        {
            problems.add(Code::Eip712FieldName, &at.member("name"), "not an identifier");
        }
        let written = text(value, "type", at, problems)?;
        let ty = Type::parse(written, |name| types.get(name));
        if ty.is_none() {
            let message = "neither an EIP-712 type nor a declared struct, nor an array of one";
            problems.add(Code::Eip712UnknownType, &at.member("type"), message);
        }
        Some(Self {
            name: name?,
            written,
            ty: ty?,
        })
    }
}

fn text<'t>(
    value: &'t Tree<'_>,
    name: &'static str,
    at: &At<'_>,
    problems: &mut Problems,
) -> Option<&'t str> {
    let Some(member) = value.get(name) else {
        problems.add(Code::MissingField, &at.member(name), "the member is missing");
        return None;
    };
    if member.as_str().is_none() {
        wrong_type("a string", member, &at.member(name), problems);
    }
    member.as_str()
}

fn wrong_type(expected: &str, found: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    let message = format!("{expected} expected, {} found", found.type_name());
    problems.add(Code::WrongType, at, message);
}
