//! Problems, collected: all of them at once, not only the first.

use super::code::{Code, Severity};
use crate::tree::At;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Errors reported for one document, at most; [`Validation::cut`] says that there were more.
pub const MAX_PROBLEMS: usize = 10_000;
/// Bytes of all their paths and messages, at most: long member names in a document repeat in every path below them.
pub const MAX_PROBLEM_BYTES: usize = 2 * 1024 * 1024;
/// Warnings of one code, at most: many of one code leave the others their room, and the first of each is always
/// reported.
pub const MAX_WARNINGS_OF_A_CODE: usize = 1_000;
/// Bytes of their paths and messages, at most.
pub const MAX_WARNING_BYTES_OF_A_CODE: usize = 64 * 1024;

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
    /// Whether problems beyond the bounds may have been left out: [`MAX_PROBLEMS`] and [`MAX_PROBLEM_BYTES`] of
    /// errors, [`MAX_WARNINGS_OF_A_CODE`] and [`MAX_WARNING_BYTES_OF_A_CODE`] of warnings.
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
    errors_found: usize,
    error_room: Room,
    warnings: Vec<Problem>,
    warning_rooms: BTreeMap<Code, Room>,
    cut: bool,
}

/// What is taken of a bound.
#[derive(Debug, Default)]
struct Room {
    problems: usize,
    bytes: usize,
}

impl Room {
    fn is_full(&self, problems: usize, bytes: usize) -> bool {
        self.problems >= problems || self.bytes >= bytes
    }

    fn take(&mut self, problem: &Problem) {
        self.problems += 1;
        self.bytes += problem.path.len() + problem.message.len();
    }
}

impl Problems {
    /// Adds a problem at a place. The first error drops the warnings: a document with errors has none.
    pub(crate) fn add(&mut self, code: Code, at: &At<'_>, message: impl Into<Cow<'static, str>>) {
        match code.severity() {
            Severity::Error | Severity::Refusal => self.add_error(code, at, message.into()),
            Severity::Warning if self.has_errors() => {}
            Severity::Warning => self.add_warning(code, at, message.into()),
        }
    }

    fn add_error(&mut self, code: Code, at: &At<'_>, message: Cow<'static, str>) {
        if !self.has_errors() {
            *self = Self::default();
        }
        self.errors_found += 1;
        if self.lists_no_more_errors() {
            return;
        }
        let problem = Problem {
            code,
            path: at.pointer(),
            message,
        };
        self.error_room.take(&problem);
        self.errors.push(problem);
    }

    fn add_warning(&mut self, code: Code, at: &At<'_>, message: Cow<'static, str>) {
        let room = self.warning_rooms.entry(code).or_default();
        if room.is_full(MAX_WARNINGS_OF_A_CODE, MAX_WARNING_BYTES_OF_A_CODE) {
            self.cut = true;
            return;
        }
        let problem = Problem {
            code,
            path: at.pointer(),
            message,
        };
        room.take(&problem);
        self.warnings.push(problem);
    }

    /// Whether no more errors are listed: those that there may be are cut off. Never so before there is one.
    pub(crate) fn lists_no_more_errors(&mut self) -> bool {
        self.cut |= self.error_room.is_full(MAX_PROBLEMS, MAX_PROBLEM_BYTES);
        self.has_errors() && self.cut
    }

    /// Whether there is an error so far.
    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// How many errors were found so far, those not listed included.
    pub(crate) fn error_count(&self) -> usize {
        self.errors_found
    }

    pub(crate) fn into_validation(self) -> Validation {
        Validation {
            errors: self.errors,
            warnings: self.warnings,
            cut: self.cut,
        }
    }
}
