//! The door: everything a report may read comes through a [`View`].
//!
//! A [`Snapshot`] holds what has been read so far, pinned to one block per chain. A [`View`] lends it to the
//! synchronous core and notes what was missing; the rim fetches the misses in one wave and runs the core again.
//! A recorded view is a snapshot that is closed: what it does not hold is not read.

pub mod ahead;
mod block;
mod change;
pub mod documents;
pub mod drive;
pub mod executed;
pub mod fault;
pub mod file;
pub mod hard_fork;
pub mod history;
pub mod node_execution;
pub mod problem;
pub mod proof;
pub mod rpc;
pub mod snapshot;
mod trace;
pub mod view;
pub mod want;
mod witness;

pub use change::{AccountChange, Change};
pub use drive::{Backend, Driven, run, run_recorded};
pub use file::{Proofs, ViewFile};
pub use hard_fork::HardFork;
pub use history::{History, Verification};
pub use node_execution::{NodeExecution, NodeMethod, NodeRequest};
pub use problem::{Problem, Subject};
pub use snapshot::{AccountSnapshot, Answer, Block, ChainSnapshot, Document, Snapshot};
pub use trace::{Frame, FrameKind, Log, MAX_FRAME_INPUT};
pub use view::{Lookup, Unread, View};
pub use want::{CallHint, Want};
