//! Policies as they are listed.

use presight_policy::{Policy, Rule};
use serde_json::{Value, json};

/// `{ name, hash, description, verdicts, rules }`.
pub fn listed(policy: &Policy) -> Value {
    json!({
        "name": policy.name(),
        "hash": policy.hash(),
        "description": policy.description(),
        "verdicts": policy.verdicts().map(|(word, _)| word).collect::<Vec<_>>(),
        "rules": policy.rules().iter().map(Rule::code).collect::<Vec<_>>(),
    })
}
