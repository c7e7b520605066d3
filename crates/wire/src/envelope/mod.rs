//! Prepared Transaction Envelopes (ERC-8265): reading, judging, signing, verifying and projecting them.
//!
//! What needs a clock, a chain or an address book is the consumer's and not here.

mod advice;
mod code;
mod instant;
mod message;
mod problem;
mod rules;
mod shape;
mod shapes;
mod siwe;
mod uri;
mod validate;
mod walk;

pub use code::{Code, Severity, page};
pub use problem::{MAX_PROBLEM_BYTES, MAX_PROBLEMS, Problem, Validation};
pub use shapes::{MAX_ID_CHARS, MAX_TIME, SCHEMA_URL};
pub use validate::{Kind, MAX_ENVELOPE_BYTES, validate, validate_value};

pub(crate) use problem::Problems;
pub(crate) use shape::Rule;
pub(crate) use walk::value as judge_value;
