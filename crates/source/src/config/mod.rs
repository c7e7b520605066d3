//! What a source can be told about the world: contracts, documents and formats that no request names and no specification
//! fixes. Without it the kinds that need it are not read, `unsupported` (I-14).
//!
//! One file, TOML or JSON, one table a group of kinds:
//!
//! ```toml
//! [payment]
//! [history]
//! [[lists]]
//! [[verifiers]]
//! [[observations]]
//! [[patterns]]
//! ```
//!
//! A table is a `struct` of its own file here. It derives `Deserialize` with `deny_unknown_fields` and `Serialize`, and what is
//! not set is not written, so that equal configurations have equal hashes.

mod history;
mod lists;
mod observations;
mod patterns;
pub mod payment;
mod verifiers;

pub use history::{Digits, History};
pub use lists::{Lists, PublishedList};
pub use observations::{ObservationKind, Observations, Registry};
pub use patterns::{PatternSet, Patterns};
pub use payment::Payment;
pub use verifiers::{Verifier, Verifiers};

use alloy_primitives::B256;
use presight_wire::jcs;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a source is configured to read from. The default configures nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Config {
    /// Payment requirements, quotes, payee verification and mandates.
    #[serde(skip_serializing_if = "is_default")]
    pub payment: Payment,
    /// How far back addresses are looked at, and how alike they are.
    #[serde(skip_serializing_if = "is_default")]
    pub history: History,
    /// Published lists of addresses.
    #[serde(skip_serializing_if = "is_default")]
    pub lists: Lists,
    /// Verifiers of source code.
    #[serde(skip_serializing_if = "is_default")]
    pub verifiers: Verifiers,
    /// Registries of Launch Observations.
    #[serde(skip_serializing_if = "is_default")]
    pub observations: Observations,
    /// Published sets of text patterns beside the built-in one.
    #[serde(skip_serializing_if = "is_default")]
    pub patterns: Patterns,
}

/// A configuration that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ConfigError {
    /// Line of the file, from 1.
    pub line: usize,
    /// Column of the line, from 1.
    pub column: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl Config {
    /// Reads a configuration: JSON when it begins with `{`, otherwise TOML.
    ///
    /// # Errors
    /// Where the file is not understood; unknown keys are errors.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| ConfigError {
                line: error.line(),
                column: error.column(),
                message: error.to_string(),
            })
        } else {
            toml::from_str(text).map_err(|error| {
                let (line, column) = place(text, error.span().map_or(0, |span| span.start));
                ConfigError {
                    line,
                    column,
                    message: error.message().to_owned(),
                }
            })
        }
    }

    /// Names the configuration in a report's `method`: the keccak-256 of its canonical JSON. `None` when nothing is configured.
    pub fn hash(&self) -> Option<B256> {
        match serde_json::to_value(self).expect("strings, numbers, lists and tables with names are JSON") {
            Value::Object(tables) if tables.is_empty() => None,
            tables => Some(jcs::digest(&tables)),
        }
    }
}

/// Whether a member says nothing that its absence would not say.
fn is_default<T: Default + PartialEq>(member: &T) -> bool {
    *member == T::default()
}

/// Line and column of a byte, both from 1.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::Config;

    #[test]
    fn nothing_configured_has_no_hash() {
        for nothing in ["", "# nothing\n", "{}", "[payment]\n", r#"{"payment":{}}"#] {
            assert_eq!(Config::parse(nothing), Ok(Config::default()), "{nothing}");
        }
        assert_eq!(Config::default().hash(), None);
    }

    #[test]
    fn unknown_keys_are_errors_at_their_place() {
        let error = Config::parse("# a comment\n\n[payments]\n").unwrap_err();
        assert_eq!((error.line, error.column), (3, 2), "{error}");
        assert!(error.message.contains("payments"), "{error}");
        let error = Config::parse("{\n  \"payment\": { \"qoute\": 1 } }").unwrap_err();
        assert_eq!(error.line, 2, "{error}");
        assert!(error.message.contains("qoute"), "{error}");
    }

    #[test]
    fn a_key_given_twice_is_an_error() {
        Config::parse("[payment]\n[payment]\n").unwrap_err();
        Config::parse(r#"{"payment":{},"payment":{}}"#).unwrap_err();
    }
}
