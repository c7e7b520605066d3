//! Published sets of text patterns, `presight-patterns/1` (docs/patterns.md): instructions addressed to an agent, described
//! precisely enough that anyone can rerun them (ERC-8481 §Texts, `pattern-match`).

mod decoded;
mod fold;
mod matcher;
mod read;

pub use fold::fold;

use alloy_primitives::{B256, keccak256};
use matcher::Matcher;
use presight_wire::Refusal;
use std::sync::LazyLock;

/// The format's name.
pub const FORMAT: &str = "presight-patterns/1";
/// Bytes of one set.
pub const MAX_SET_BYTES: usize = 1024 * 1024;
/// Patterns of one set.
pub const MAX_PATTERNS: usize = 1_000;
/// Parts of one pattern.
pub const MAX_PARTS: usize = 8;
/// Phrases of one part.
pub const MAX_PHRASES: usize = 64;
/// Bytes of one text in a set.
pub const MAX_TEXT_BYTES: usize = 512;
/// Folded bytes that may lie between two parts.
pub const MAX_GAP: usize = 200;

/// Where the built-in set is published.
pub const BUILT_IN_URI: &str =
    "https://raw.githubusercontent.com/presight/presight/main/patterns/agent-instructions-1.json";
const BUILT_IN: &str = include_str!("../../../../patterns/agent-instructions-1.json");

static BUILT_IN_SET: LazyLock<Set> =
    LazyLock::new(|| Set::parse(BUILT_IN.as_bytes()).expect("the built-in set is tested to be one"));

/// A published set.
#[derive(Debug)]
pub struct Set {
    /// What it is called.
    pub name: String,
    /// The publisher's version.
    pub version: String,
    /// The keccak-256 of its bytes.
    pub hash: B256,
    /// The patterns in the set's order.
    pub patterns: Vec<Pattern>,
    matcher: Matcher,
}

/// A pattern: phrases that follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Its name in findings.
    pub id: String,
    /// Folded bytes that may lie between two parts.
    pub gap: usize,
    /// One phrase of each part occurs, in this order, without overlap.
    pub parts: Vec<Vec<String>>,
    /// Texts that it matches.
    pub examples: Vec<String>,
    /// Texts that it does not match.
    pub counter_examples: Vec<String>,
}

impl Set {
    /// The set that is part of this source.
    pub fn built_in() -> &'static Self {
        &BUILT_IN_SET
    }

    /// Reads a set.
    ///
    /// # Errors
    /// What is not a set, with a code and the pointer of the place: the codes of the strict JSON reader, and `bad-patterns`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let read::Parts {
            name,
            version,
            patterns,
        } = read::set(bytes)?;
        let matcher = Matcher::new(&patterns)?;
        Ok(Self {
            name,
            version,
            hash: keccak256(bytes),
            patterns,
            matcher,
        })
    }

    /// The names of the patterns that match, in the set's order.
    pub fn matching(&self, text: &str) -> Vec<&str> {
        let mut matched = vec![false; self.patterns.len()];
        for form in decoded::forms(text) {
            self.matcher.find(&fold(&form), &mut matched);
        }
        let named = self.patterns.iter().zip(matched);
        named
            .filter_map(|(pattern, matched)| matched.then_some(pattern.id.as_str()))
            .collect()
    }
}

#[cfg(test)]
mod tests;
