//! JSON text that shows nothing but plain ASCII.

use std::fmt::Write as _;

/// The same JSON document with every character escaped that is not printable ASCII, and those of markup: what a token
/// calls itself cannot reorder, hide or format what stands around it. Such characters stand inside strings only.
pub(super) fn ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            ' '..='~' if !matches!(c, '<' | '>' | '&' | '`') => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").expect("writing to a String does not fail");
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::ascii;
    use serde_json::{Value, json};

    #[test]
    fn the_document_is_the_same_and_its_text_is_plain() {
        let hostile = json!({ "name": "</data>\u{202e}\u{200b}`é😀\n\u{7f}", "ok": [1, "a b"] });
        let text = ascii(&hostile.to_string());
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{text}");
        assert!(!text.contains(['<', '>', '`', '&']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), hostile);
    }
}
