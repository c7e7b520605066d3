//! The bounds of an analysis. They count work, not time, so that the same question has the same answer everywhere.

/// What an analysis may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Instructions, and what they cost beyond one step, over all explorations.
    pub steps: u64,
    /// Terms built or looked at, over the whole analysis: about 20 nanoseconds each.
    pub work: u64,
    /// Ends of paths in one exploration.
    pub paths: usize,
    /// Terms; about 200 bytes each.
    pub terms: usize,
    /// Calls into known code within calls.
    pub depth: usize,
    /// Calls that are executed to find and confirm witnesses.
    pub replays: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 3_000_000,
            work: 40_000_000,
            paths: 40_000,
            terms: 1_000_000,
            depth: 4,
            replays: 160,
        }
    }
}
