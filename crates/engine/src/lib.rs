//! One entry for the command line and the service: a request in, its report, verdict, simulation, verification or
//! decoding out, with the JSON documents they answer with.
//!
//! Each question is asked over a [`Door`], which is whatever runs the synchronous core: a recorded view, or nodes.
//! Nothing here touches the network or a clock; [`identity::load_key`] reads a key's file.

pub mod check;
pub mod decode;
mod door;
mod fault;
pub mod identity;
pub mod policies;
pub mod report;
pub mod settings;
pub mod simulate;
pub mod verify;
pub mod words;

pub use check::{Checked, check};
pub use door::{Door, Recorded};
pub use fault::Fault;
pub use identity::Identity;
pub use report::{Reported, Told, report};
pub use simulate::{Simulated, simulate};
pub use verify::verify;
