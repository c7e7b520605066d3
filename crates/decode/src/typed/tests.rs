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

#[test]
fn depth_of_types_is_bounded() {
    let chain = |length: usize| {
        let links = (0..length).map(|i| {
            (
                format!("T{i}"),
                json!([{ "name": "x", "type": format!("T{}", i + 1) }]),
            )
        });
        let end = (format!("T{length}"), json!([]));
        types(&serde_json::Value::Object(links.chain([end]).collect()))
    };
    assert!(
        chain(super::MAX_TYPE_DEPTH - 1)
            .check_reachable("T0", &Path::Root(""))
            .is_ok()
    );
    let refusal = chain(super::MAX_TYPE_DEPTH)
        .check_reachable("T0", &Path::Root(""))
        .unwrap_err();
    assert_eq!(refusal.code, "too-deep");
}

#[test]
fn a_domain_may_be_reached_from_the_message() {
    let mut types = types(&json!({ "A": [{ "name": "d", "type": DOMAIN }], "EIP712Domain": [] }));
    assert!(types.check_reachable("A", &Path::Root("")).is_ok());
}

#[test]
fn pointers_are_escaped() {
    let root = Path::Root("/m");
    let slash = root.member("a/b~c");
    assert_eq!(slash.index(2).pointer(), "/m/a~1b~0c/2");
}
