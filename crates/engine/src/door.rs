//! Where chain state comes from.

use crate::fault::Fault;
use presight_view::{Driven, Snapshot, View, run_recorded};

/// Runs the core over chain state until it has every read it asks for.
pub trait Door {
    /// Why the core was not run at all.
    type Error: From<Fault>;

    /// Runs the core.
    ///
    /// # Errors
    /// When there is nothing to run it over. State that was not to be had is no error: it is not read.
    fn run<T>(&self, core: impl Fn(&View<'_>) -> T) -> Result<Driven<T>, Self::Error>;
}

/// A recorded view.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a>(pub &'a Snapshot);

impl Door for Recorded<'_> {
    type Error = Fault;

    fn run<T>(&self, core: impl Fn(&View<'_>) -> T) -> Result<Driven<T>, Fault> {
        Ok(run_recorded(self.0, core))
    }
}
