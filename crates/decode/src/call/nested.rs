//! Calls inside calls. Each nested format is one arm here: from an understood function to the calls it makes.

use super::Call;
use super::function::Function;

/// How deep calls may nest before what is inside is left opaque.
pub(crate) const MAX_NESTING: usize = 8;

/// The calls a function makes, in order. None of the functions understood so far takes calls as arguments.
pub(crate) fn calls(function: &Function) -> Vec<Call> {
    match function {
        Function::TokenCall(_) | Function::Permit2Call(_) | Function::TokenOnly => Vec::new(),
    }
}
