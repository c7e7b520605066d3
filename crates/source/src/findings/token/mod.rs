//! What the tokens are (ERC-8481 §Tokens).

pub mod observation;
