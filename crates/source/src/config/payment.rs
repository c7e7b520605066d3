//! Payments.

use serde::{Deserialize, Serialize};

/// What is known of payments beside the request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Payment {}
