//! Published sets of text patterns.

use alloy_primitives::B256;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The published sets that `text.pattern-match` looks for beside the built-in one, one finding for each. No URI twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Vec<PatternSet>")]
pub struct Patterns(Vec<PatternSet>);

/// A published set of text patterns.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PatternSet {
    /// Where it is published: `https:` or `ipfs:`.
    pub uri: String,
    /// The keccak-256 of its bytes. What is there with another hash is not read.
    pub hash: B256,
}

impl Patterns {
    /// The sets.
    pub fn iter(&self) -> impl Iterator<Item = &PatternSet> {
        self.0.iter()
    }
}

impl TryFrom<Vec<PatternSet>> for Patterns {
    type Error = String;

    fn try_from(sets: Vec<PatternSet>) -> Result<Self, String> {
        let uris: BTreeSet<_> = sets.iter().map(|set| &set.uri).collect();
        if uris.contains(&crate::patterns::BUILT_IN_URI.to_owned()) {
            return Err("the built-in set is always looked for".to_owned());
        }
        if uris.len() < sets.len() {
            return Err("a set of patterns is given twice".to_owned());
        }
        Ok(Self(sets))
    }
}
