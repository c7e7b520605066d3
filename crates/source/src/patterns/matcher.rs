//! Finding the patterns of a set in a folded text, in one pass over it.

use super::{Pattern, fold};
use aho_corasick::AhoCorasick;
use presight_wire::Refusal;
use std::collections::BTreeMap;

/// All phrases of a set, and where in its patterns they stand.
#[derive(Debug)]
pub(super) struct Matcher {
    phrases: AhoCorasick,
    /// By phrase: the patterns and parts it is of.
    uses: Vec<Vec<(usize, usize)>>,
    /// By pattern: its gap and the number of its parts.
    shapes: Vec<(usize, usize)>,
}

impl Matcher {
    pub(super) fn new(patterns: &[Pattern]) -> Result<Self, Refusal> {
        let mut uses: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (pattern, Pattern { parts, .. }) in patterns.iter().enumerate() {
            for (part, phrases) in parts.iter().enumerate() {
                for phrase in phrases {
                    let used = uses.entry(fold(phrase)).or_default();
                    if used.last() != Some(&(pattern, part)) {
                        used.push((pattern, part));
                    }
                }
            }
        }
        // A phrase that is two parts of a pattern never follows itself without a second occurrence: later parts first.
        uses.values_mut().for_each(|used| used.sort_by(|a, b| b.cmp(a)));
        let phrases = AhoCorasick::new(uses.keys())
            .map_err(|error| Refusal::new("bad-patterns", "/patterns", error.to_string()))?;
        Ok(Self {
            phrases,
            uses: uses.into_values().collect(),
            shapes: patterns.iter().map(|p| (p.gap, p.parts.len())).collect(),
        })
    }

    /// Notes the patterns that the folded text matches.
    pub(super) fn find(&self, folded: &str, matched: &mut [bool]) {
        // By pattern and part: where the beginnings up to this part end, in ascending order.
        let mut ends: Vec<Vec<Vec<usize>>> = self
            .shapes
            .iter()
            .map(|(_, parts)| vec![Vec::new(); *parts])
            .collect();
        for found in self.phrases.find_overlapping_iter(folded) {
            for (pattern, part) in &self.uses[found.pattern().as_usize()] {
                let (gap, parts) = self.shapes[*pattern];
                if matched[*pattern] || !follows(&ends[*pattern], *part, found.start(), gap) {
                    continue;
                }
                if part + 1 == parts {
                    matched[*pattern] = true;
                } else if ends[*pattern][*part].last() != Some(&found.end()) {
                    ends[*pattern][*part].push(found.end());
                }
            }
        }
    }
}

/// Whether a phrase of this part that starts here continues a beginning.
fn follows(ends: &[Vec<usize>], part: usize, start: usize, gap: usize) -> bool {
    let Some(before) = part.checked_sub(1) else {
        return true;
    };
    // Phrases are short, so that few of the ends lie beyond the start.
    let nearest = ends[before].iter().rev().find(|end| **end <= start);
    nearest.is_some_and(|end| start - end <= gap)
}
