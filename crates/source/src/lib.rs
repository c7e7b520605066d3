//! The source of an ERC-8481 report: one module per finding kind, the registry of kinds, and the assembler.
//!
//! Everything here is synchronous and pure: outside data comes through a [`presight_view::View`] only.

pub mod assemble;
pub mod config;
pub mod context;
pub mod entities;
pub mod findings;
pub mod kind;
pub mod list;
pub mod patterns;
pub mod payment;
pub mod registration;
pub mod registry;
pub mod sign;
pub mod simulation;

pub use assemble::{Pending, assemble};
pub use config::Config;
pub use context::Context;
pub use kind::{Approved, Entity, Fact, Kind};
pub use sign::{SignError, sign};
pub use simulation::{Sent, Simulated};

/// The version of the method. Unicode's version is part of it, because the text findings depend on it (I-32).
pub const METHOD: &str = concat!("presight/", env!("CARGO_PKG_VERSION"), " unicode/18.0.0");

/// The method as reports name it: [`METHOD`], and the hash of what is configured.
pub fn method(config: &Config) -> String {
    match config.hash() {
        None => METHOD.to_owned(),
        Some(hash) => format!("{METHOD} sources/{hash}"),
    }
}
