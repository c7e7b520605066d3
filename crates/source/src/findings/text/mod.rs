//! What the texts hold (ERC-8481 §Texts). The rules are plain functions of a text, so that anyone can rerun them.

pub mod addresses;
pub mod control_chars;
pub mod mixed_script;
pub mod pattern_match;

use crate::kind::{Entity, Fact};
use serde_json::Value;

/// Applies a rule to the text of a text entity, where it was read.
fn rule(entity: &Entity<'_>, rule: impl FnOnce(&str) -> Value) -> Vec<Fact> {
    let Entity::Text { text, .. } = entity else {
        return Vec::new();
    };
    Fact::only((*text).clone().map(|read| read.map(|text| rule(&text))))
}
