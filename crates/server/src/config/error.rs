//! What is wrong with a configuration, and where.

/// A fault of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    /// Stable, kebab-case.
    pub code: &'static str,
    /// `FILE:LINE:COLUMN`, or the name of the environment variable.
    pub place: String,
    /// Lower case, no final period.
    pub message: String,
}

impl ConfigError {
    pub(crate) fn new(code: &'static str, place: impl std::fmt::Display, message: impl Into<String>) -> Self {
        Self {
            code,
            place: place.to_string(),
            message: message.into(),
        }
    }
}
