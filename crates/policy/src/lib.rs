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

/// A finding kind that rules can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownKind {
    /// Its name on the wire.
    pub name: &'static str,
    /// The entities it is about.
    pub group: presight_wire::kinds::Group,
    /// Its name as a member of them.
    pub member: &'static str,
}

/// The finding kinds that rules can name, in the order of reports.
pub fn known_kinds() -> impl Iterator<Item = KnownKind> {
    language::kind::KINDS.iter().map(|kind| KnownKind {
        name: kind.name,
        group: kind.group,
        member: kind.member,
    })
}
