//! Candidates for a list, each once, in the order they were found, and bounded.

use std::collections::BTreeMap;

/// Entities of one list that what the signer owns is about.
pub const MAX_OWN: usize = 2_000;
/// Further entities of one list: those that contracts have among themselves.
pub const MAX_OTHERS: usize = 64;

/// Why a candidate is listed; the later the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    /// What the signer owns is about it.
    own: bool,
    /// The state bears it out, and not an event alone.
    observed: bool,
}

/// Candidates in order.
#[derive(Debug)]
pub(super) struct Candidates<T> {
    order: Vec<T>,
    weights: BTreeMap<T, Weight>,
}

impl<T> Default for Candidates<T> {
    fn default() -> Self {
        Self {
            order: Vec::new(),
            weights: BTreeMap::new(),
        }
    }
}

impl<T: Clone + Ord> Candidates<T> {
    /// A candidate, with whether what the signer owns is about it, and whether the state bears it out.
    pub(super) fn add(&mut self, candidate: T, own: bool, observed: bool) {
        let weight = Weight { own, observed };
        match self.weights.get_mut(&candidate) {
            Some(known) => *known = weight.max(*known),
            None => {
                self.weights.insert(candidate.clone(), weight);
                self.order.push(candidate);
            }
        }
    }

    pub(super) fn only(mut self, keep: impl Fn(&T) -> bool) -> Self {
        self.order.retain(keep);
        self
    }

    /// Those within the bounds, what is observed before what is only claimed; says how many of `what` are beyond them.
    pub(super) fn bounded(self, what: &str, left_out: &mut Vec<String>) -> Vec<T> {
        let mut kept = vec![false; self.order.len()];
        let mut bound = |own: bool, most: usize, name: &str| {
            let mut places: Vec<(bool, usize)> = self
                .order
                .iter()
                .enumerate()
                .filter_map(|(place, candidate)| {
                    let weight = self.weights.get(candidate)?;
                    (weight.own == own).then_some((!weight.observed, place))
                })
                .collect();
            places.sort_unstable();
            for (_, place) in places.iter().take(most) {
                kept[*place] = true;
            }
            let beyond = places.len().saturating_sub(most);
            (beyond > 0).then(|| format!("{beyond} {what} are not listed: {name} is {most}"))
        };
        left_out.extend(bound(true, MAX_OWN, "MAX_OWN"));
        left_out.extend(bound(false, MAX_OTHERS, "MAX_OTHERS"));
        let all = self.order.into_iter().zip(kept);
        all.filter_map(|(candidate, kept)| kept.then_some(candidate))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_others_leaves_ones_own() {
        let mut found = Candidates::default();
        for number in 0..1_000u32 {
            found.add(number, false, true);
        }
        found.add(2_000, true, true);
        found.add(5, true, false);
        let mut left_out = Vec::new();
        let kept = found.bounded("tokens", &mut left_out);
        assert_eq!(kept.len(), MAX_OTHERS + 2);
        assert!(kept.contains(&2_000) && kept.contains(&5) && kept.contains(&0));
        assert_eq!(left_out, ["935 tokens are not listed: MAX_OTHERS is 64"]);
    }

    #[test]
    fn a_flood_of_claims_leaves_what_is_observed_in_its_order() {
        let mut found = Candidates::default();
        for number in 0..5_500u32 {
            found.add(number, true, false);
        }
        found.add(9_000, true, true);
        found.add(7, true, true);
        let mut left_out = Vec::new();
        let kept = found.bounded("addresses", &mut left_out);
        assert_eq!(kept.len(), MAX_OWN);
        assert!(kept.contains(&7) && kept.last() == Some(&9_000));
        assert!(kept.is_sorted());
        assert_eq!(left_out, ["3501 addresses are not listed: MAX_OWN is 2000"]);
    }
}
