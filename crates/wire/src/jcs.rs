//! RFC 8785 canonical bytes and the ERC's `digest`.

use alloy_primitives::{B256, keccak256};
use serde_json::{Map, Number, Value};

use crate::limits::MAX_SAFE_INTEGER;

/// Canonical bytes (RFC 8785) of a JSON value. Integers beyond ±(2^53 - 1) are written as the nearest double, which
/// is what RFC 8785 takes every number for; [`crate::json::parse`] refuses them where the value matters.
pub fn canonical(value: &Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    write_value(&mut out, value);
    out
}

/// `keccak256` of the canonical bytes (ERC-8481 §Terms).
pub fn digest(value: &Value) -> B256 {
    keccak256(canonical(value))
}

/// `digest` of an object without some of its own members; of any other value as it is.
pub(crate) fn digest_without(value: &Value, omitted: &[&str]) -> B256 {
    match value {
        Value::Object(members) => {
            let mut out = Vec::with_capacity(1024);
            write_object(&mut out, members, omitted);
            keccak256(out)
        }
        other => digest(other),
    }
}

fn write_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => write_array(out, items),
        Value::Object(members) => write_object(out, members, &[]),
    }
}

fn write_array(out: &mut Vec<u8>, items: &[Value]) {
    out.push(b'[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_value(out, item);
    }
    out.push(b']');
}

fn write_object(out: &mut Vec<u8>, members: &Map<String, Value>, omitted: &[&str]) {
    let kept = members
        .iter()
        .filter(|(name, _)| !omitted.contains(&name.as_str()));
    out.push(b'{');
    if members.keys().is_sorted() && members.keys().all(|name| name.is_ascii()) {
        write_members(out, kept);
    } else {
        let mut sorted: Vec<(&String, &Value)> = kept.collect();
        sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        write_members(out, sorted.into_iter());
    }
    out.push(b'}');
}

fn write_members<'a>(out: &mut Vec<u8>, members: impl Iterator<Item = (&'a String, &'a Value)>) {
    for (i, (name, value)) in members.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write_string(out, name);
        out.push(b':');
        write_value(out, value);
    }
}

fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(length) = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)) {
        out.extend_from_slice(&rest[..length]);
        write_escape(out, rest[length]);
        rest = &rest[length + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(byte >> 4)]);
            out.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

fn write_number(out: &mut Vec<u8>, number: &Number) {
    let safe = |n: &i64| n.unsigned_abs() <= MAX_SAFE_INTEGER;
    if let Some(integer) = number.as_i64().filter(safe) {
        out.extend_from_slice(integer.to_string().as_bytes());
    } else {
        let double = number
            .as_f64()
            .expect("a number that is no 64-bit integer is a finite double");
        out.extend_from_slice(ryu_js::Buffer::new().format_finite(double).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn text(value: &Value) -> String {
        String::from_utf8(canonical(value)).unwrap()
    }

    #[test]
    fn orders_names_by_utf16_code_units() {
        let value = json!({"\u{e000}": 1, "\u{10000}": 2, "b": 3, "a": 4});
        assert_eq!(text(&value), "{\"a\":4,\"b\":3,\"\u{10000}\":2,\"\u{e000}\":1}");
    }

    #[test]
    fn writes_numbers_as_ecmascript_does() {
        let value = json!([0, -0.0, 1.0, 1e21, 1e-7, u64::MAX, i64::MIN, -5, 0.1]);
        assert_eq!(
            text(&value),
            "[0,0,1,1e+21,1e-7,18446744073709552000,-9223372036854776000,-5,0.1]"
        );
    }

    #[test]
    fn digests_the_canonical_bytes() {
        assert_eq!(digest(&json!({"b": 1, "a": 2})), keccak256(br#"{"a":2,"b":1}"#));
    }

    #[test]
    fn leaves_out_only_own_members() {
        let whole = json!({"a": {"x": 1}, "x": 2, "b": 3});
        assert_eq!(
            digest_without(&whole, &["x", "b"]),
            keccak256(br#"{"a":{"x":1}}"#)
        );
        assert_eq!(digest_without(&json!([1]), &["x"]), keccak256(b"[1]"));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>()
                .prop_filter("finite", |f| f.is_finite())
                .prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 60, 8, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                proptest::collection::btree_map(any::<String>(), inner, 0..8)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_two_other_implementations(value in any_json()) {
            let ours = canonical(&value);
            prop_assert_eq!(&ours, &serde_json_canonicalizer::to_vec(&value).unwrap());
            prop_assert_eq!(&ours, &serde_jcs::to_vec(&value).unwrap());
        }

        #[test]
        fn is_a_fixed_point(value in any_json()) {
            let once = canonical(&value);
            let again = crate::json::parse(&once, crate::json::Numbers::Double).unwrap();
            prop_assert_eq!(canonical(&again), once);
        }
    }
}
