//! What was asked for compared with what would be paid, whom, and by whose word (ERC-8481 §Payment).

pub mod matching;
pub mod payee_binding;
pub mod route;
