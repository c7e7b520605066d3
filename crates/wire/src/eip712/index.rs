//! Positions by name.

/// A list of names that is searched in logarithmic time.
#[derive(Debug)]
pub(super) struct Index<'t>(Vec<(&'t str, usize)>);

impl<'t> Index<'t> {
    /// The names in the order of their positions.
    pub(super) fn new(names: impl Iterator<Item = &'t str>) -> Self {
        let mut sorted: Vec<_> = names
            .enumerate()
            .map(|(position, name)| (name, position))
            .collect();
        sorted.sort_unstable();
        Self(sorted)
    }

    /// The first position of a name.
    pub(super) fn get(&self, name: &str) -> Option<usize> {
        let place = self.0.partition_point(|(n, _)| *n < name);
        self.0
            .get(place)
            .filter(|(n, _)| *n == name)
            .map(|(_, position)| *position)
    }

    /// The positions whose name came before.
    pub(super) fn repeated(&self) -> impl Iterator<Item = usize> {
        self.0
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| pair[1].1)
    }
}
