use super::*;
use proptest::prelude::*;

fn fault(text: &[u8]) -> (FaultCode, String) {
    let fault = read(text, 64).unwrap_err();
    (fault.code, fault.pointer)
}

#[test]
fn strings_without_escapes_are_borrowed() {
    let tree = read(br#"{"plain":"text","escaped":"\ud83d\ude00\n"}"#, 64).unwrap();
    assert!(matches!(
        tree.get("plain"),
        Some(Tree::String(Cow::Borrowed("text")))
    ));
    assert_eq!(tree.get("escaped").and_then(Tree::as_str), Some("\u{1f600}\n"));
}

#[test]
fn the_first_fault_in_document_order_is_named() {
    assert_eq!(
        fault(br#"{"a":[1,{"k":1,"\u006b":2}]}"#),
        (FaultCode::DuplicateKey, "/a/1/k".into())
    );
    assert_eq!(
        fault(br#"{"a":{"b~":"\ud800"}}"#),
        (FaultCode::LoneSurrogate, "/a/b~0".into())
    );
    assert_eq!(
        fault(br#"{"a":{"\ud800":1}}"#),
        (FaultCode::LoneSurrogate, "/a".into())
    );
    assert_eq!(
        fault(br#"{"a":[0,1e999]}"#),
        (FaultCode::NumberRange, "/a/1".into())
    );
    assert_eq!(
        fault(b"{\"a\":1,\"a\":2,\"\xff\":3}"),
        (FaultCode::DuplicateKey, "/a".into())
    );
    assert_eq!(
        fault(b"{\"a\":\"\xff\",\"a\":2}"),
        (FaultCode::InvalidUtf8, String::new())
    );
    assert_eq!(fault(b"{\"a\":1}\xff"), (FaultCode::InvalidUtf8, String::new()));
    assert_eq!(fault(b"{\"a\":1,}\xff"), (FaultCode::Syntax, String::new()));
    assert_eq!(fault(&b"[".repeat(100_000)), (FaultCode::TooDeep, String::new()));
}

#[test]
fn a_repeated_name_is_found_among_many() {
    let members: Vec<_> = (0..1000).map(|i| format!("\"n{i}\":{i}")).collect();
    assert_eq!(
        read(format!("{{{}}}", members.join(",")).as_bytes(), 1)
            .unwrap()
            .as_object()
            .unwrap()
            .len(),
        1000
    );
    for repeated in [3, 16, 999] {
        let text = format!("{{{},\"n{repeated}\":0}}", members.join(","));
        assert_eq!(
            fault(text.as_bytes()),
            (FaultCode::DuplicateKey, format!("/n{repeated}"))
        );
    }
}

#[test]
fn integers_are_judged_by_value() {
    let number = |text: &str| read(text.as_bytes(), 1).unwrap().as_number().unwrap();
    for (text, integer) in [
        ("-0", 0),
        ("6.0", 6),
        ("17883504e2", 1_788_350_400),
        ("9007199254740991", 9_007_199_254_740_991),
    ] {
        assert_eq!(number(text), Number::Integer(integer), "{text}");
    }
    for (text, rounded) in [
        ("9007199254740992", false),
        ("9007199254740993", true),
        ("9007199254740993.0", false),
        ("1e30", false),
        ("295147905179352830000", true),
        ("295147905179352825856", false),
        ("0.1", false),
    ] {
        assert!(
            matches!(number(text), Number::Double { rounded: r, .. } if r == rounded),
            "{text}"
        );
    }
}

#[test]
fn values_read_elsewhere_are_bounded_in_depth() {
    let nested = |depth: usize| (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    assert!(Tree::of(&nested(64), 64).is_ok());
    assert_eq!(Tree::of(&nested(65), 64).unwrap_err().code, FaultCode::TooDeep);
}

/// JSON-like texts: pieces of documents in any order.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"a\""),
        Just("\"b\\u0061\""),
        Just("1"),
        Just("-0.50e1"),
        Just("true"),
        Just("null"),
        Just(" "),
        Just("\"\u{e9}\""),
        Just("9007199254740993"),
        Just("\"\\ud800\""),
        Just("{\"a\":[1,2],\"b\":{}}"),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// A general reader takes the same texts but for those with a repeated name, and sees the same document.
    #[test]
    fn reads_what_serde_json_reads(text in text()) {
        let theirs = serde_json::from_str::<Value>(&text);
        match read(text.as_bytes(), 64) {
            Ok(tree) => prop_assert_eq!(
                crate::jcs::canonical(&tree.to_value()),
                crate::jcs::canonical(&theirs.unwrap())
            ),
            Err(fault) => prop_assert!(theirs.is_err() || fault.code == FaultCode::DuplicateKey),
        }
    }

    #[test]
    fn finds_the_end_of_plain_text(bytes: Vec<u8>) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let expected = serde_json::to_string(&text).unwrap();
        let tree = read(expected.as_bytes(), 1).unwrap();
        prop_assert_eq!(tree.as_str(), Some(&*text));
    }

    #[test]
    fn never_panics(bytes: Vec<u8>) {
        let _ = read(&bytes, 64);
    }
}
