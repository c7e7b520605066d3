//! Verdicts: rules over the facts of a report. Everything that says "red", "medium" or "BLOCK" is a policy, a file that
//! anyone can read, copy and change; this crate only evaluates it, and touches nothing outside its arguments.
//!
//! - [`Policy::load`] reads a policy file (TOML or JSON) and checks every name and type in it, with line and column.
//! - [`Policy::evaluate`] gives the [`Verdict`] over an [`Input`]: a report this program made, or one that was verified.
//! - [`presets`] are the policies that come with Presight.
//!
//! A fact that a rule needs and that was not read is never taken for anything: the rule's outcome is then itself not
//! known, and what follows is what the policy says under `not-read`, by default that there is no verdict.

mod cases;
mod document;
mod error;
mod evaluate;
mod language;
pub mod limits;
mod load;
mod not_read;
mod policy;
pub mod presets;
mod run;
mod verdict;

pub use cases::{CaseOutcome, CaseReport};
pub use error::PolicyError;
pub use evaluate::facts::Input;
pub use evaluate::value::About;
pub use language::subject::Subject;
pub use policy::{Parameter, Policy, Rule};
pub use verdict::{Effect, Exit, NeededFact, Reason, Verdict};

/// The finding kinds that rules can name.
pub fn known_kinds() -> impl Iterator<Item = &'static str> {
    language::kind::KINDS.iter().map(|kind| kind.name)
}
