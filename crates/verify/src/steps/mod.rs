//! One module per part of verification. A step says how it ended; it decides nothing about the others.

pub(crate) mod binding;
pub(crate) mod blocks;
pub(crate) mod entities;
pub(crate) mod request_facts;
pub(crate) mod signature;
pub(crate) mod structure;
pub(crate) mod time;
pub(crate) mod trust;

use crate::verification::{Status, Step};
use crate::verify::Pending;
use presight_view::{Lookup, Unread};
use presight_wire::{NotRead, Refusal};
use std::fmt::Display;

/// How a step ended, before it has its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) status: Status,
    required: bool,
    detail: Option<String>,
}

impl Outcome {
    pub(crate) fn pass(detail: impl Into<Option<String>>) -> Self {
        Self {
            status: Status::Pass,
            required: true,
            detail: detail.into(),
        }
    }

    pub(crate) fn fail(detail: impl Into<String>) -> Self {
        Self {
            status: Status::Fail,
            required: true,
            detail: Some(detail.into()),
        }
    }

    pub(crate) fn not_read(detail: impl Into<String>) -> Self {
        Self {
            status: Status::NotRead,
            required: true,
            detail: Some(detail.into()),
        }
    }

    /// The conclusion does not wait for this step.
    #[must_use]
    pub(crate) fn optional_if(mut self, optional: bool) -> Self {
        self.required = !optional;
        self
    }

    /// A pass when the two are equal, otherwise a failure that shows both.
    pub(crate) fn equal<T: PartialEq + Display>(what: &str, reported: &T, own: &T) -> Self {
        if reported == own {
            Self::pass(None)
        } else {
            Self::fail(format!(
                "the report's {what} is {reported}, the request's is {own}"
            ))
        }
    }

    pub(crate) fn named(self, name: &'static str) -> Step {
        Step {
            name,
            status: self.status,
            required: self.required,
            detail: self.detail,
        }
    }
}

/// Tells what is not held yet from what is not to be had.
pub(crate) fn settle<T>(lookup: Lookup<T>) -> Result<Result<T, NotRead>, Pending> {
    match lookup {
        Ok(value) => Ok(Ok(value)),
        Err(Unread::NotRead(not_read)) => Ok(Err(not_read)),
        Err(Unread::Pending) => Err(Pending),
    }
}

/// Why something was not read, in words.
pub(crate) fn why(not_read: &NotRead) -> String {
    match &not_read.note {
        Some(note) => format!("{}: {note}", not_read.reason.as_str()),
        None => not_read.reason.as_str().to_owned(),
    }
}

/// Why our own decoding says nothing.
pub(crate) fn refused(refusal: &Refusal) -> String {
    format!("our own decoding refuses the request: {refusal}")
}

/// At most this many items of a list are spelled out in a detail.
const MAX_NAMED: usize = 8;

/// A list for people, cut short.
pub(crate) fn name_some(items: &[String]) -> String {
    let shown = items
        .iter()
        .take(MAX_NAMED)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("; ");
    match items.len().checked_sub(MAX_NAMED) {
        None | Some(0) => shown,
        Some(more) => format!("{shown}; and {more} more"),
    }
}
