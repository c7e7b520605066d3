//! What the addresses are (ERC-8481 §Addresses).

pub mod code;
pub mod delegate;
pub mod delegation;
pub mod on_list;
pub mod past;
pub mod source_verified;
