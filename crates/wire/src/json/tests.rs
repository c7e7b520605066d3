use super::*;
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn refusal(text: impl AsRef<[u8]>) -> (&'static str, String) {
    let refusal = parse(text.as_ref(), Numbers::Exact).unwrap_err();
    (refusal.code, refusal.pointer)
}

fn at(code: &'static str, pointer: &str) -> (&'static str, String) {
    (code, pointer.to_owned())
}

#[test]
fn names_the_exact_place() {
    assert_eq!(
        refusal(r#"{"a":[0,{"b/~":1,"b/~":2}]}"#),
        at("json-duplicate-key", "/a/1/b~1~0")
    );
    assert_eq!(
        refusal(r#"{"a":{"x":1},"\u0061":2}"#),
        at("json-duplicate-key", "/a")
    );
    assert_eq!(
        refusal(r#"{"a":[0,"\ud800"]}"#),
        at("json-lone-surrogate", "/a/1")
    );
    assert_eq!(
        refusal(r#"{"a":[0,"\ud800\u0041"]}"#),
        at("json-lone-surrogate", "/a/1")
    );
    assert_eq!(refusal(r#"{"a":{"\udc00":1}}"#), at("json-lone-surrogate", "/a"));
    assert_eq!(refusal(r#"{"a":[1,1e309]}"#), at("json-number-range", "/a/1"));
    assert_eq!(
        refusal(r#"{"a":[1,9007199254740992]}"#),
        at("json-inexact-number", "/a/1")
    );
    assert_eq!(refusal(r#"{"a":[1,2"#), at("json-syntax", "/a"));
    assert_eq!(refusal(r#"{"a":[1,]}"#), at("json-syntax", "/a/1"));
    assert_eq!(refusal(r#"{"a":1,}"#), at("json-syntax", ""));
    assert_eq!(refusal(r#"{"a":"#), at("json-syntax", "/a"));
    assert_eq!(refusal(r#"{"a" 1}"#), at("json-syntax", "/a"));
    assert_eq!(refusal(r#"{"a":"x"#), at("json-syntax", "/a"));
    assert_eq!(refusal(b"{\"a\":\"\xff\"}"), at("json-syntax", "/a"));
    assert_eq!(refusal(b"{\"a\":\xff}"), at("json-syntax", "/a"));
    assert_eq!(refusal("\u{feff}{}"), at("json-syntax", ""));
    assert_eq!(refusal("{}x"), at("json-syntax", ""));
}

#[test]
fn refuses_what_is_not_json() {
    for text in [
        "", " ", "nul", "tru", "+1", "1.", "1e", "1e+", "-", "0x1", "01", "-01", "[1 2]", "{1:2}", "'a'",
    ] {
        assert_eq!(refusal(text).0, "json-syntax", "{text:?}");
    }
    for text in [
        "\"\t\"",
        r#""\u12""#,
        r#""\u+123""#,
        r#""\x""#,
        "\"\\",
        "]",
        "}",
        "[}",
        "{]",
        ",",
    ] {
        assert_eq!(refusal(text).0, "json-syntax", "{text:?}");
    }
}

#[test]
fn bounds_depth_and_size() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(parse(nested(MAX_DEPTH).as_bytes(), Numbers::Exact).is_ok());
    assert_eq!(
        refusal(nested(MAX_DEPTH + 1)),
        at("too-deep", &"/0".repeat(MAX_DEPTH))
    );
    assert_eq!(refusal("[".repeat(MAX_DOCUMENT_BYTES)).0, "too-deep");
    let spaced = |n: usize| format!("1{}", " ".repeat(n - 1));
    assert!(parse(spaced(MAX_DOCUMENT_BYTES).as_bytes(), Numbers::Exact).is_ok());
    assert_eq!(refusal(spaced(MAX_DOCUMENT_BYTES + 1)), at("too-large", ""));
    assert!(parse_bounded(b"[[1]]", Numbers::Exact, 5, 2).is_ok());
    assert_eq!(
        parse_bounded(b"[[1]]", Numbers::Exact, 4, 2).unwrap_err().code,
        "too-large"
    );
    assert_eq!(
        parse_bounded(b"[[1]]", Numbers::Exact, 5, 1).unwrap_err().code,
        "too-deep"
    );
}

#[test]
fn keeps_exact_numbers_only() {
    let integers = [
        ("0", 0_i64),
        ("-0", 0),
        ("0.000", 0),
        ("-0e5", 0),
        ("1.0", 1),
        ("10e-1", 1),
        ("1e3", 1000),
        ("9007199254740991", 9_007_199_254_740_991),
        ("-9007199254740991.0", -9_007_199_254_740_991),
        ("0e99999999999999999999", 0),
    ];
    for (text, expected) in integers {
        assert_eq!(
            parse(text.as_bytes(), Numbers::Exact).unwrap(),
            Value::from(expected),
            "{text}"
        );
    }
    for (text, expected) in [("0.1", 0.1), ("-1.5e-3", -0.0015), ("5e-324", 5e-324)] {
        assert_eq!(
            parse(text.as_bytes(), Numbers::Exact).unwrap(),
            Value::from(expected),
            "{text}"
        );
    }
    let inexact = [
        "9007199254740992",
        "-9007199254740992",
        "9007199254740993",
        "1e20",
        "18446744073709551616",
        "9007199254740991.4",
        "9007199254740992.5",
        "1.00000000000000000001",
        "1e-400",
    ];
    for text in inexact {
        assert_eq!(refusal(text).0, "json-inexact-number", "{text}");
        assert!(
            parse(text.as_bytes(), Numbers::Double).unwrap().is_number(),
            "{text}"
        );
    }
    for text in ["1e309", "-1e309", "1e99999999999999999999"] {
        assert_eq!(refusal(text).0, "json-number-range", "{text}");
        assert_eq!(
            parse(text.as_bytes(), Numbers::Double).unwrap_err().code,
            "json-number-range",
            "{text}"
        );
    }
}

#[test]
fn numbers_that_canonical_bytes_would_change() {
    let taken = |text: &str, numbers| parse(text.as_bytes(), numbers).is_ok();
    for text in [
        "0",
        "-0",
        "-0.0",
        "0e7",
        "1.50",
        "150e-2",
        "9007199254740992",
        "1e21",
        "1E+300",
        "-5e-324",
        "0.1",
        "100.00",
        "123456789012345680000",
    ] {
        assert!(taken(text, Numbers::AsWritten), "{text}");
    }
    for text in [
        "9007199254740993",
        "295147905179352825856",
        "1e-400",
        "1.00000000000000000001",
        "0.1000000000000000055511151231257827",
        "3.14159265358979323846",
        "1e-99999999999999999999",
    ] {
        assert!(!taken(text, Numbers::AsWritten), "{text}");
    }
    for (text, expected) in [
        ("9007199254740993", false),
        ("9007199254740992", true),
        ("1e-400", true),
    ] {
        assert_eq!(taken(text, Numbers::Unrounded), expected, "{text}");
    }
}

/// One mebibyte of each of the shapes that make careless readers quadratic.
#[test]
fn takes_linear_time() {
    let members: Vec<String> = (0..100_000).map(|i| format!("\"k{i}\":0")).collect();
    let mut shapes = vec![format!("{{{}}}", members.join(","))];
    for unit in ["[[[[]]]]", "{\"a\":[{}]}", "\"\\u0041\"", "1e0", "\"\""] {
        let copies = MAX_DOCUMENT_BYTES / (unit.len() + 1) - 1;
        shapes.push(format!("[{}]", vec![unit; copies].join(",")));
    }
    shapes.push(format!("0.{}", "1".repeat(MAX_DOCUMENT_BYTES - 2)));
    shapes.push(format!("1e-{}", "1".repeat(MAX_DOCUMENT_BYTES - 3)));
    for shape in shapes {
        let started = Instant::now();
        parse_bounded(
            shape.as_bytes(),
            Numbers::Double,
            2 * MAX_DOCUMENT_BYTES,
            MAX_DEPTH,
        )
        .unwrap();
        let spent = started.elapsed();
        assert!(spent < Duration::from_secs(5), "{:.40}… took {spent:?}", shape);
    }
}

proptest! {
    #[test]
    fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes, Numbers::Exact);
    }

    /// Whatever is accepted, a general reader accepts too and sees the same document.
    #[test]
    fn accepts_only_what_serde_json_accepts(text in r#"[\[\]{}",:0-9eE.+\-a\\ u]{0,24}"#) {
        if let Ok(ours) = parse(text.as_bytes(), Numbers::Double) {
            let theirs: Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(crate::jcs::canonical(&ours), crate::jcs::canonical(&theirs));
        }
    }
}
