//! Documents of about 1 MiB made to take long: each is judged, with its problems bounded. The times are printed (the target is
//! 100 ms of optimised code on an idle core); they decide nothing, because other work runs beside tests.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use presight_wire::envelope::{MAX_ENVELOPE_BYTES, MAX_PROBLEMS, OFFLINE, Validation, validate, verify};
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

fn judge(name: &str, text: &str) -> Validation {
    let (mut best, mut result) = (Duration::MAX, None);
    for _ in 0..3 {
        let start = Instant::now();
        result = Some(validate(text.as_bytes()).unwrap());
        best = best.min(start.elapsed());
    }
    println!("{name}: {} bytes in {best:?}", text.len());
    result.unwrap()
}

/// Copies of a piece up to a mebibyte, separated by commas.
fn many(piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0.. {
        text.push_str(&piece(i));
        if text.len() >= MIB {
            break;
        }
        text.push(',');
    }
    text
}

/// A signature envelope with these members of typed data.
fn typed(types: &str, primary: &str, message: &str) -> String {
    format!(
        r#"{{"$schema":"a:b","kind":"signature","issuedAt":"2026-11-30T12:00:00Z","content":{{"chain":"eip155:1","scheme":"eip-712","domain":{{"name":"a"}},"types":{types},"primaryType":"{primary}","message":{message},"description":{{"short":"a","action":"other"}}}}}}"#
    )
}

fn with_meta(meta: &str) -> String {
    format!(r#"{{"kind":"signature","meta":{{"m":[{meta}]}}}}"#)
}

#[test]
fn nested_documents() {
    let code = |v: Validation| (v.errors.len(), v.errors[0].code.as_str());
    assert_eq!(code(judge("arrays", &"[".repeat(MIB))), (1, "json-too-deep"));
    assert_eq!(
        code(judge("objects", &"{\"a\":".repeat(MIB / 5))),
        (1, "json-too-deep")
    );
    let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
    judge("many deep arrays", &with_meta(&many(|_| deep.clone())));
    let deep = format!("{}1{}", "{\"a\":".repeat(60), "}".repeat(60));
    judge("many deep objects", &with_meta(&many(|_| deep.clone())));
}

#[test]
fn wide_documents() {
    let members = many(|i| format!("\"m{i}\":{i}"));
    let found = judge("many unknown members", &format!("{{{members}}}"));
    assert_eq!(found.errors.len(), 4);
    assert!(
        judge("many members in meta", &with_meta(&format!("{{{members}}}")))
            .errors
            .len()
            > 1
    );
    let found = judge("the last of many is repeated", &format!("{{{members},\"m0\":1}}"));
    assert_eq!(found.errors[0].code.as_str(), "json-duplicate-key");
    let found = judge(
        "many bad calls",
        &format!(
            r#"{{"kind":"evm-batch","content":{{"calls":[{}]}}}}"#,
            many(|_| "{}".into())
        ),
    );
    assert!(found.cut && found.errors.len() == MAX_PROBLEMS);
    judge("numbers", &with_meta(&many(|_| "9007199254740993".into())));
    judge(
        "long numbers",
        &with_meta(&many(|_| format!("0.{}", "1".repeat(5000)))),
    );
    judge(
        "escapes",
        &with_meta(&format!("\"{}\"", "\\ud83d\\ude00".repeat(MIB / 12))),
    );
    judge(
        "names that differ at their end",
        &format!("{{{}}}", many(|i| format!("\"{}{i}\":1", "a".repeat(100)))),
    );
}

/// A long name is repeated in the path of every problem below it: the paths are bounded together.
#[test]
fn long_names() {
    let name = "n".repeat(MIB / 2);
    let fields = many(|_| "{}".into());
    let found = judge(
        "a long name",
        &typed(&format!(r#"{{"{name}":[{fields}]}}"#), "T", "{}"),
    );
    assert!(found.cut);
    let bytes: usize = found.errors.iter().map(|p| p.path.len() + p.message.len()).sum();
    assert!(bytes < 2 * presight_wire::envelope::MAX_PROBLEM_BYTES, "{bytes}");
}

#[test]
fn typed_data() {
    let found = judge(
        "many types",
        &typed(
            &format!(
                "{{{}}}",
                many(|i| format!(r#""T{i}":[{{"name":"a","type":"T{}[]"}}]"#, i / 2))
            ),
            "T0",
            r#"{"a":[]}"#,
        ),
    );
    assert!(found.is_valid(), "{:?}", found.errors.first());
    let fields = many(|i| format!(r#"{{"name":"m{i}","type":"T[]"}}"#));
    judge(
        "many members",
        &typed(&format!(r#"{{"T":[{fields}]}}"#), "T", "{}"),
    );
    let fields: Vec<_> = (0..5000)
        .map(|i| format!(r#"{{"name":"m{i}","type":"T[]"}}"#))
        .collect();
    let items = format!(r#"{{"m0":[{}]}}"#, many(|i| format!(r#"{{"m{}":[]}}"#, i % 5000)));
    assert!(
        judge(
            "many missing members",
            &typed(&format!(r#"{{"T":[{}]}}"#, fields.join(",")), "T", &items)
        )
        .cut
    );
    let items = many(|_| "{\"a\":[]}".into());
    let found = judge(
        "many structs",
        &typed(
            r#"{"T":[{"name":"a","type":"T[]"}]}"#,
            "T",
            &format!(r#"{{"a":[{items}]}}"#),
        ),
    );
    assert!(found.is_valid());
    let dimensions = format!(
        r#"{{"T":[{{"name":"a","type":"bool{}"}}]}}"#,
        "[]".repeat(MIB / 2)
    );
    judge("many dimensions", &typed(&dimensions, "T", r#"{"a":[[[]]]}"#));
    judge(
        "a long type name",
        &typed(
            &format!(r#"{{"T":[{{"name":"a","type":"{}"}}]}}"#, "x".repeat(MIB)),
            "T",
            "{}",
        ),
    );
}

#[test]
fn texts() {
    let siwe = |text: &str| {
        format!(
            r#"{{"$schema":"a:b","kind":"signature","issuedAt":"2026-11-30T12:00:00Z","content":{{"chain":"eip155:1","scheme":"siwe","messageText":"{text}","description":{{"short":"a","action":"other"}}}}}}"#
        )
    };
    let start = r"a.b wants you to sign in with your Ethereum account:\n0x26831A2Df3862091B500BD68946083Cba9a1b37E\n\n\nURI: a:b\nVersion: 1\nChain ID: 1\nNonce: 12345678\nIssued At: 2026-11-30T12:00:00Z\nResources:";
    let resources = format!("{start}{}", "\\n- a:b".repeat(MIB / 7));
    assert!(judge("many resources", &siwe(&resources)).is_valid());
    assert!(!judge("line ends", &siwe(&"\\n".repeat(MIB / 2))).is_valid());
    assert!(!judge("a long domain", &siwe(&format!("{}{start}", "[".repeat(MIB)))).is_valid());
    judge("a long id", &format!(r#"{{"id":"{}"}}"#, "é".repeat(MIB / 2)));
}

#[test]
fn a_long_key_is_not_decoded() {
    let text = format!(
        r#"{{"content":1,"producer":{{"id":"did:key:z{}","signature":{{"scheme":"p256","signature":"0x","coverage":"content"}}}}}}"#,
        "z".repeat(MIB)
    );
    let start = Instant::now();
    let outcome = verify(text.as_bytes(), OFFLINE).unwrap();
    assert_eq!(outcome.reason.unwrap().as_str(), "key-encoding");
    println!("a long key: {:?}", start.elapsed());
}

#[test]
fn larger_documents_are_not_judged() {
    let text = " ".repeat(MAX_ENVELOPE_BYTES + 1);
    let refusal = validate(text.as_bytes()).unwrap_err();
    assert_eq!(refusal.code, "too-large");
    assert!(refusal.message.contains("MAX_ENVELOPE_BYTES"));
}

/// What a document is full of hides neither an error nor a warning of another kind.
#[test]
fn padding_hides_nothing() {
    let paddings = [
        (0..10_000).map(|i| format!("\"m{i}\":{i},")).collect::<String>(),
        format!("\"{}\":1,", "n".repeat(2 * MIB)),
    ];
    let message = r#"{"holder":"not an address","extra":1}"#;
    let types = r#"{"T":[{"name":"holder","type":"address"}]}"#;
    for padding in paddings {
        let bad = typed(types, "T", message);
        let plain = judge("an invalid message", &bad);
        let padded = judge("a padded invalid message", &format!("{{{padding}{}", &bad[1..]));
        assert_eq!((plain.errors.len(), &padded.errors), (2, &plain.errors));
        let good = typed(types, "T", &format!(r#"{{"holder":"0x{}"}}"#, "1".repeat(40)));
        let codes = |found: &Validation| {
            let codes = found.warnings.iter().map(|warning| warning.code);
            codes.collect::<std::collections::BTreeSet<_>>()
        };
        let plain = judge("warnings", &good);
        assert!(plain.is_valid() && !plain.cut, "{:?}", plain.errors);
        let padded = judge("padded warnings", &format!("{{{padding}{}", &good[1..]));
        assert!(codes(&padded).is_superset(&codes(&plain)) && codes(&plain).len() > 1);
    }
}
