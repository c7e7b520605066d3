//! Why a policy was not loaded, and where in its file.

use std::fmt;

/// A fault of a policy file: a stable code, the place and a message for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PolicyError {
    /// Stable, kebab-case.
    pub code: &'static str,
    /// Lower case, no final period.
    pub message: String,
    /// Line of the file, from 1.
    pub line: usize,
    /// Column of the line in characters, from 1.
    pub column: usize,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {} ({})",
            self.line, self.column, self.message, self.code
        )
    }
}

/// A fault before its offset has become a line and a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    /// Byte of the file.
    pub(crate) offset: usize,
}

impl Fault {
    pub(crate) fn new(code: &'static str, offset: usize, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            offset,
        }
    }

    pub(crate) fn placed(self, text: &str) -> PolicyError {
        let mut offset = self.offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        PolicyError {
            code: self.code,
            message: self.message,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// Text from outside as a message shows it: escaped, at most 80 characters.
pub(crate) fn shown(text: &str) -> String {
    let start: String = text.chars().take(80).collect();
    let cut = if start.len() < text.len() { "…" } else { "" };
    format!("`{}{cut}`", start.escape_debug())
}
