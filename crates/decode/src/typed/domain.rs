//! The EIP-712 domain: what is declared, what is given, and which readings of it wallets hash.

use super::item::{Item, Reader, hash_struct};
use super::path::Path;
use super::type_name::Type;
use super::types::{DOMAIN, Member, Struct};
use crate::collector::Collector;
use crate::model::Flag;
use alloy_primitives::{Address, B256, U256, keccak256};
use presight_wire::Refusal;
use serde_json::Value;

/// The members EIP-712 knows, in its order.
const STANDARD: [(&str, &str); 5] = [
    ("name", "string"),
    ("version", "string"),
    ("chainId", "uint256"),
    ("verifyingContract", "address"),
    ("salt", "bytes32"),
];

/// A domain with its separators.
pub(crate) struct Domain {
    pub(crate) chain_id: Option<U256>,
    pub(crate) verifying_contract: Option<Address>,
    /// One, or two where wallets hash different readings.
    pub(crate) separators: Vec<B256>,
}

/// The domain type that wallets infer from the members given: the standard ones, in the standard order.
pub(crate) fn inferred_type(domain: &Value) -> Struct {
    let given = STANDARD
        .iter()
        .filter(|(name, _)| domain.get(name).is_some_and(|v| !v.is_null()));
    let members = given.map(|(name, ty)| Member {
        name: (*name).to_owned(),
        ty: Type::parse(ty).expect("the standard members have built-in types"),
    });
    Struct {
        members: members.collect(),
    }
}

impl Domain {
    /// Reads the domain by its declared type; where none is declared, by the inferred one.
    pub(crate) fn read<'t>(
        domain: &'t Value,
        inferred: &'t Struct,
        reader: &mut Reader<'t, '_>,
        types_path: &Path<'_>,
        path: &Path<'_>,
    ) -> Result<Self, Refusal> {
        if !domain.is_object() {
            return Err(Refusal::new("wrong-type", path.pointer(), "an object expected"));
        }
        let declared = reader.types.get(DOMAIN);
        flag_undeclared(domain, declared.unwrap_or(inferred), reader, path)?;
        let declared_separator = match declared {
            None => None,
            Some(declared) => Some(separate(domain, declared, reader, path)?.1),
        };
        // The inferred type reads most members a second time: what is odd about them is reported once.
        let mut aside = Collector::default();
        let mut second = Reader {
            types: reader.types,
            collector: &mut aside,
        };
        let (items, inferred_separator) = separate(domain, inferred, &mut second, path)?;
        for flag in aside.flags {
            if !reader.collector.flags.contains(&flag) {
                reader.collector.flag(flag)?;
            }
        }
        let separators = match (declared, declared_separator) {
            (Some(declared), Some(separator)) if separator == inferred_separator && is_standard(declared) => {
                vec![separator]
            }
            (Some(_), Some(separator)) => {
                let message =
                    "not the standard domain for the members given: wallets differ on what is signed";
                let pointer = types_path.member(DOMAIN).pointer();
                reader
                    .collector
                    .flag(Flag::new("non-standard-domain", pointer, message))?;
                vec![separator, inferred_separator]
            }
            _ => {
                let message = "`EIP712Domain` is not declared: wallets differ on what is signed";
                reader
                    .collector
                    .flag(Flag::new("domain-type-missing", types_path.pointer(), message))?;
                vec![inferred_separator, keccak256(keccak256(format!("{DOMAIN}()")))]
            }
        };
        let find = |name: &str| {
            inferred
                .members
                .iter()
                .zip(&items)
                .find(|(m, _)| m.name == name)
                .map(|(_, i)| i)
        };
        Ok(Self {
            chain_id: match find("chainId") {
                Some(Item::Uint(chain_id)) => Some(*chain_id),
                _ => None,
            },
            verifying_contract: match find("verifyingContract") {
                Some(Item::Address(address)) => Some(*address),
                _ => None,
            },
            separators,
        })
    }
}

/// Reads the domain by a type; its members and its separator under that type.
fn separate<'t>(
    domain: &'t Value,
    definition: &'t Struct,
    reader: &mut Reader<'t, '_>,
    path: &Path<'_>,
) -> Result<(Vec<Item<'t>>, B256), Refusal> {
    require_declared(domain, definition, path)?;
    let items = reader.members(definition, domain, path)?;
    let encoded = reader.types.encode_type_of(DOMAIN, definition);
    let separator = hash_struct(keccak256(encoded), &items, reader.types);
    Ok((items, separator))
}

fn require_declared(domain: &Value, declared: &Struct, path: &Path<'_>) -> Result<(), Refusal> {
    match declared.members.iter().find(|m| domain.get(&m.name).is_none()) {
        None => Ok(()),
        Some(member) => Err(Refusal::new(
            "declared-domain-field-absent",
            path.member(&member.name).pointer(),
            "the domain type declares this member and the domain has no value for it",
        )),
    }
}

/// Flags each member given that `declared` does not have.
fn flag_undeclared(
    domain: &Value,
    declared: &Struct,
    reader: &mut Reader<'_, '_>,
    path: &Path<'_>,
) -> Result<(), Refusal> {
    let given = domain.as_object().into_iter().flat_map(|o| o.keys());
    for name in given.filter(|name| !declared.members.iter().any(|m| m.name == **name)) {
        let message = "the domain type does not declare this member";
        let flag = Flag::new("undeclared-domain-field", path.member(name).pointer(), message);
        reader.collector.flag(flag)?;
    }
    Ok(())
}

/// Whether the members are standard ones with their standard types, in the standard order, each once.
fn is_standard(declared: &Struct) -> bool {
    let mut standard = STANDARD.iter();
    declared
        .members
        .iter()
        .all(|m| standard.any(|(name, ty)| *name == m.name && *ty == m.ty.written))
}
