use super::type_name::{Base, BaseError, Type};
use super::types::Types;
use super::{DOMAIN, Path};
use crate::collector::Collector;
use serde_json::json;

fn types(value: &serde_json::Value) -> Types {
    Types::read(
        value.as_object().unwrap(),
        &Path::Root(""),
        &mut Collector::default(),
    )
    .unwrap()
}

#[test]
fn type_names() {
    let parsed = Type::parse("uint16[2][]").unwrap();
    assert_eq!(
        (parsed.base, parsed.dimensions),
        (Base::Uint(16), vec![Some(2), None])
    );
    assert_eq!(Base::parse("bytes32"), Ok(Base::FixedBytes(32)));
    assert_eq!(Base::parse("int"), Ok(Base::Int(256)));
    assert_eq!(Base::parse("A:B"), Ok(Base::Struct("A:B".into())));
    for bad in [
        "uint0", "uint7", "uint264", "uint08", "int12", "bytes0", "bytes33",
    ] {
        assert_eq!(Base::parse(bad), Err(BaseError::BadWidth), "{bad}");
    }
    for bad in ["", "1A", "A B", "A(", "A,B", "A:", "Pérmit", "address payable"] {
        assert_eq!(Base::parse(bad), Err(BaseError::BadName), "{bad}");
    }
    for bad in [
        "uint8[",
        "uint8]",
        "uint8[-1]",
        "uint8[01]",
        "uint8[0]",
        "uint8[2]x",
        "[]",
        "uint8[ ]",
    ] {
        assert_eq!(Type::parse(bad), None, "{bad}");
    }
}

#[test]
fn encode_type_sorts_what_a_type_refers_to() {
    let types = types(&json!({
        "Transaction": [
            { "name": "from", "type": "Person" },
            { "name": "to", "type": "Person[2][]" },
            { "name": "tx", "type": "Asset" },
        ],
        "Person": [{ "name": "wallet", "type": "address" }, { "name": "name", "type": "string" }],
        "Asset": [{ "name": "token", "type": "address" }, { "name": "amount", "type": "uint256" }],
        "Unused": [],
    }));
    assert_eq!(
        types.encode_type("Transaction"),
        "Transaction(Person from,Person[2][] to,Asset tx)Asset(address token,uint256 amount)\
         Person(address wallet,string name)"
    );
}

/// EIP-712 allows recursive types; each is listed once, and the type itself comes first.
#[test]
fn recursive_types_are_encoded() {
    let types = types(&json!({
        "Tree": [{ "name": "leaf", "type": "Leaf" }, { "name": "branches", "type": "Tree[]" }],
        "Leaf": [{ "name": "of", "type": "Tree[]" }],
    }));
    assert_eq!(
        types.encode_type("Tree"),
        "Tree(Leaf leaf,Tree[] branches)Leaf(Tree[] of)"
    );
    assert_eq!(
        types.encode_type("Leaf"),
        "Leaf(Tree[] of)Tree(Leaf leaf,Tree[] branches)"
    );
}

#[test]
fn a_domain_may_be_reached_from_the_message() {
    let mut types = types(&json!({ "A": [{ "name": "d", "type": DOMAIN }], "EIP712Domain": [] }));
    types.hash_reachable("A");
    assert_eq!(types.hash(DOMAIN), alloy_primitives::keccak256("EIP712Domain()"));
}

#[test]
fn pointers_are_escaped() {
    let root = Path::Root("/m");
    let slash = root.member("a/b~c");
    assert_eq!(slash.index(2).pointer(), "/m/a~1b~0c/2");
}
