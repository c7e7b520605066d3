//! The one error of this crate: why a document was refused, and where.

use std::fmt;

/// A refusal of input: a stable code, the JSON pointer (RFC 6901) of the place, and a message for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// Stable, kebab-case, part of the interface.
    pub code: &'static str,
    /// RFC 6901 pointer into the document; empty for the whole document.
    pub pointer: String,
    /// Lower case, no final period; names what was expected and what was found.
    pub message: String,
}

impl Refusal {
    /// A refusal at a place.
    pub fn new(code: &'static str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            pointer: pointer.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            write!(f, "{}: {}", self.code, self.message)
        } else {
            write!(f, "{}: {} (at {})", self.code, self.message, self.pointer)
        }
    }
}

/// Text from outside as a message shows it: escaped, at most 80 characters.
pub(crate) fn shown(text: &str) -> String {
    let start: String = text.chars().take(80).collect();
    let cut = if start.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", start.escape_debug())
}

/// Appends one member name or index to a JSON pointer, escaped as RFC 6901 §3 says.
pub fn pointer_push(pointer: &str, segment: &str) -> String {
    let mut out = String::with_capacity(pointer.len() + segment.len() + 1);
    out.push_str(pointer);
    push_segment(&mut out, segment);
    out
}

/// As [`pointer_push`], in place.
pub(crate) fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    let mut rest = segment;
    while let Some((plain, special)) = rest.find(['~', '/']).map(|place| rest.split_at(place)) {
        pointer.push_str(plain);
        pointer.push_str(if special.starts_with('~') { "~0" } else { "~1" });
        rest = &special[1..];
    }
    pointer.push_str(rest);
}
