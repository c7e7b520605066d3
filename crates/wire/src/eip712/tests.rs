use super::*;
use crate::tree;

fn codes(data: &str) -> Vec<(Code, String)> {
    let tree = tree::read(data.as_bytes(), 64).unwrap();
    problems(tree.as_object().unwrap())
        .errors
        .into_iter()
        .map(|p| (p.code, p.path))
        .collect()
}

/// Typed data with one member `x` of a type, and its value.
fn one(ty: &str, value: &str) -> Vec<(Code, String)> {
    codes(&format!(
        r#"{{"domain":{{"name":"a"}},"types":{{"T":[{{"name":"x","type":"{ty}"}}]}},"primaryType":"T","message":{{"x":{value}}}}}"#
    ))
}

#[test]
fn integers_of_every_spelling() {
    let max = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    let min = "-57896044618658097711785492504343953926634992332820282019728792003956564819968";
    for (ty, value) in [
        ("uint8", "255"),
        ("uint8", "25.5e1"),
        ("uint8", "\"0x00000ff\""),
        ("uint8", "\"0xFF\""),
        ("uint256", &format!("\"{max}\"")),
        ("int256", &format!("\"{min}\"")),
        ("int8", "-128"),
        ("int8", "\"-128\""),
        ("int8", "-0"),
        ("uint256", "9007199254740991"),
    ] {
        assert_eq!(one(ty, value), [], "{ty} {value}");
    }
    for (ty, value) in [
        ("uint8", "256"),
        ("uint8", "-1"),
        ("uint8", "\"0x\""),
        ("uint8", "\"0x100\""),
        ("uint8", "\"\""),
        ("uint8", "\"-\""),
        ("uint8", "\"01\""),
        ("uint8", "\"+1\""),
        ("uint8", "\"-0x1\""),
        ("int8", "\"-0\""),
        ("int8", "128"),
        ("int8", "\"-129\""),
        ("int8", "\"-01\""),
        ("uint256", "9007199254740992"),
        (
            "uint256",
            "\"115792089237316195423570985008687907853269984665640564039457584007913129639936\"",
        ),
    ] {
        assert_eq!(
            one(ty, value),
            [(Code::Eip712Value, "/message/x".into())],
            "{ty} {value}"
        );
    }
}

#[test]
fn types_that_are_none() {
    for ty in [
        "uint",
        "int",
        "uint0",
        "uint08",
        "bytes032",
        "T[0]",
        "T[01]",
        "T]",
        "T[]x",
        "[]",
        "U",
        "T[99999999999999999999]",
    ] {
        assert_eq!(
            one(ty, "[]"),
            [(Code::Eip712UnknownType, "/types/T/0/type".into())],
            "{ty}"
        );
    }
}

#[test]
fn names_that_are_none() {
    for name in [
        "uint", "uint7", "bytes33", "address", "", "1a", "a-b", "a b", "é", "a:b",
    ] {
        let data = format!(r#"{{"types":{{"{name}":[{{"name":"{name}","type":"bool"}}]}}}}"#);
        assert!(
            codes(&data).contains(&(Code::Eip712TypeName, format!("/types/{name}"))),
            "{name}"
        );
    }
    assert_eq!(codes(r#"{"types":{"$a_1":[{"name":"_$1","type":"bool"}]}}"#), []);
}

#[test]
fn each_repeated_member_is_named() {
    let data = r#"{"types":{"T":[{"name":"a","type":"bool"},{"name":"b","type":"bool"},{"name":"a","type":"bool"},{"name":"a","type":"bool"}]}}"#;
    let repeated = |i: usize| (Code::Eip712DuplicateField, format!("/types/T/{i}/name"));
    assert_eq!(codes(data), [repeated(2), repeated(3)]);
}

#[test]
fn a_domain_member_that_the_declared_type_lacks() {
    let data = r#"{"domain":{"name":"a","x":1},"types":{"EIP712Domain":[{"name":"name","type":"string"}]}}"#;
    assert_eq!(
        codes(data),
        [
            (Code::Eip712Domain, "/domain/x".into()),
            (Code::Eip712Domain, "/types/EIP712Domain".into())
        ]
    );
}

/// Missing members of many objects are as many problems as there are; the walk ends when no more are listed.
#[test]
fn many_missing_members_end_early() {
    let fields: Vec<_> = (0..5000)
        .map(|i| format!(r#"{{"name":"m{i}","type":"bool"}}"#))
        .collect();
    let data = format!(
        r#"{{"types":{{"T":[{{"name":"x","type":"M[]"}}],"M":[{}]}},"primaryType":"T","message":{{"x":[{}{{}}]}}}}"#,
        fields.join(","),
        "{},".repeat(100_000),
    );
    let tree = tree::read(data.as_bytes(), 64).unwrap();
    let found = problems(tree.as_object().unwrap());
    assert!(found.cut);
    assert_eq!(found.errors.len(), crate::envelope::MAX_PROBLEMS);
}
