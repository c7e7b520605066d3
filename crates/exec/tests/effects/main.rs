//! What contracts do and do not say they do: each trap, and what is told of it.
#![allow(clippy::unwrap_used, reason = "a test")]

mod attribution;
#[path = "../common/mod.rs"]
mod common;
mod control;
mod grants;
mod hidden;
mod moves;
mod outcomes;
mod stage;
mod surroundings;
