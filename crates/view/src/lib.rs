//! The door: everything a report may read comes through a [`View`].
//!
//! A [`Snapshot`] holds what has been read so far, pinned to one block per chain. A [`View`] lends it to the
//! synchronous core and notes what was missing; the rim fetches the misses in one wave and runs the core again.
//! A recorded view is a snapshot that is closed: what it does not hold is not read.

pub mod snapshot;
pub mod view;
pub mod want;

pub use snapshot::{Answer, Block, ChainSnapshot, Document, HardFork, Snapshot};
pub use view::{Lookup, Unread, View};
pub use want::Want;
