//! Candidates for a list, each once, in the order they were found, and bounded.

use std::collections::BTreeMap;

/// Entities of one list that what the signer owns is about.
pub const MAX_OWN: usize = 2_000;
/// Further entities of one list: those that contracts have among themselves.
pub const MAX_OTHERS: usize = 64;

/// Candidates in order, with whether what the signer owns is about them.
#[derive(Debug)]
pub(super) struct Candidates<T> {
    order: Vec<T>,
    own: BTreeMap<T, bool>,
}

impl<T> Default for Candidates<T> {
    fn default() -> Self {
        Self {
            order: Vec::new(),
            own: BTreeMap::new(),
        }
    }
}

impl<T: Clone + Ord> Candidates<T> {
    pub(super) fn add(&mut self, candidate: T, own: bool) {
        match self.own.get_mut(&candidate) {
            Some(known) => *known |= own,
            None => {
                self.own.insert(candidate.clone(), own);
                self.order.push(candidate);
            }
        }
    }

    pub(super) fn only(mut self, keep: impl Fn(&T) -> bool) -> Self {
        self.order.retain(keep);
        self
    }

    /// Those within the bounds; says how many of `what` are beyond them.
    pub(super) fn bounded(self, what: &str, left_out: &mut Vec<String>) -> Vec<T> {
        let (mut own, mut others) = (0usize, 0usize);
        let mut kept = Vec::new();
        for candidate in self.order {
            let is_own = self.own.get(&candidate).is_some_and(|own| *own);
            let (count, most) = if is_own {
                (&mut own, MAX_OWN)
            } else {
                (&mut others, MAX_OTHERS)
            };
            *count += 1;
            if *count <= most {
                kept.push(candidate);
            }
        }
        let beyond = |count: usize, most: usize, name: &str| {
            (count > most).then(|| format!("{} {what} are not listed: {name} is {most}", count - most))
        };
        left_out.extend(beyond(own, MAX_OWN, "MAX_OWN"));
        left_out.extend(beyond(others, MAX_OTHERS, "MAX_OTHERS"));
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_others_leaves_ones_own() {
        let mut found = Candidates::default();
        for number in 0..1_000u32 {
            found.add(number, false);
        }
        found.add(2_000, true);
        found.add(5, true);
        let mut left_out = Vec::new();
        let kept = found.bounded("tokens", &mut left_out);
        assert_eq!(kept.len(), MAX_OTHERS + 2);
        assert!(kept.contains(&2_000) && kept.contains(&5) && kept.contains(&0));
        assert_eq!(left_out, ["935 tokens are not listed: MAX_OTHERS is 64"]);
    }
}
