//! Evaluating checked expressions over one report.

pub(crate) mod facts;
mod field;
mod functions;
pub(crate) mod integer;
mod json;
pub(crate) mod machine;
mod terms;
pub(crate) mod value;
mod variable;
