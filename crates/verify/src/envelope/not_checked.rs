//! What was not checked, said.

use serde::Serialize;

/// A check that was not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotChecked {
    /// Pointer to what was not checked.
    pub path: String,
    /// Why not.
    pub reason: String,
}

impl NotChecked {
    pub(crate) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            reason: reason.into(),
        }
    }
}
