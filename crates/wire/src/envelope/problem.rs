//! Problems, collected: all of them at once, not only the first.

use super::code::{Code, Severity};
use crate::tree::At;
use serde::Serialize;
use std::borrow::Cow;

/// Problems reported for one document, at most; [`Validation::cut`] says that there were more.
pub const MAX_PROBLEMS: usize = 10_000;
/// Bytes of all their paths and messages, at most: long member names in a document repeat in every path below them.
pub const MAX_PROBLEM_BYTES: usize = 2 * 1024 * 1024;

/// One thing that is wrong, or that a consumer should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What.
    pub code: Code,
    /// Where: an RFC 6901 pointer, empty for the whole document.
    pub path: String,
    /// For people.
    pub message: Cow<'static, str>,
}

/// What the validator found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validation {
    /// What makes the document invalid; empty exactly when it is valid.
    pub errors: Vec<Problem>,
    /// What a consumer should know; empty when there are errors.
    pub warnings: Vec<Problem>,
    /// Whether problems beyond [`MAX_PROBLEMS`] or [`MAX_PROBLEM_BYTES`] may have been left out.
    pub cut: bool,
}

impl Validation {
    /// Whether the document is a valid envelope.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}

/// Collects problems within the bounds.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    errors: Vec<Problem>,
    warnings: Vec<Problem>,
    bytes: usize,
    cut: bool,
}

impl Problems {
    /// Adds a problem at a place. The first error drops the warnings: a document with errors has none.
    pub(crate) fn add(&mut self, code: Code, at: &At<'_>, message: impl Into<Cow<'static, str>>) {
        let error = code.severity() == Severity::Error;
        if error && self.errors.is_empty() {
            *self = Self::default();
        } else if !error && !self.errors.is_empty() {
            return;
        }
        if self.is_full() {
            return;
        }
        let problem = Problem {
            code,
            path: at.pointer(),
            message: message.into(),
        };
        self.bytes += problem.path.len() + problem.message.len();
        if error {
            self.errors.push(problem);
        } else {
            self.warnings.push(problem);
        }
    }

    /// Whether no more problems are listed: those that there may be are cut off.
    pub(crate) fn is_full(&mut self) -> bool {
        self.cut |=
            self.errors.len() + self.warnings.len() >= MAX_PROBLEMS || self.bytes >= MAX_PROBLEM_BYTES;
        self.cut
    }

    /// Whether there is an error so far.
    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// How many errors there are so far.
    pub(crate) fn error_count(&self) -> usize {
        self.errors.len() + usize::from(self.cut)
    }

    pub(crate) fn into_validation(self) -> Validation {
        Validation {
            errors: self.errors,
            warnings: self.warnings,
            cut: self.cut,
        }
    }
}
