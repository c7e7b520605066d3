//! Evaluating checked expressions over one report.

pub(crate) mod facts;
pub(crate) mod functions;
pub(crate) mod integer;
pub(crate) mod machine;
pub(crate) mod value;
