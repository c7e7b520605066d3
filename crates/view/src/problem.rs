//! What a reader of chain data found wrong with it, for people to see.

use alloy_primitives::Address;
use presight_wire::ChainId;
use std::fmt;

/// Something wrong with the data of a chain. It never changes a value: what it concerns is already not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable, kebab-case.
    pub code: &'static str,
    /// The chain concerned.
    pub chain: ChainId,
    /// The account concerned, if it is one.
    pub address: Option<Address>,
    /// Lower case, no final period. What it quotes of a node or a file is escaped.
    pub message: String,
}

impl Problem {
    /// A problem of a whole chain.
    pub fn of_chain(code: &'static str, chain: &ChainId, message: impl Into<String>) -> Self {
        Self {
            code,
            chain: chain.clone(),
            address: None,
            message: printable(&message.into()),
        }
    }

    /// A problem of one account.
    pub fn of_account(
        code: &'static str,
        chain: &ChainId,
        address: Address,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            chain: chain.clone(),
            address: Some(address),
            message: printable(&message.into()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(address) => write!(
                f,
                "{} on {}:{address:#x}: {}",
                self.code, self.chain, self.message
            ),
            None => write!(f, "{} on {}: {}", self.code, self.chain, self.message),
        }
    }
}

/// The text with what is not printable, control characters above all, as escapes.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\'' | '"' | '\\' => shown.push(c),
            c => shown.extend(c.escape_debug()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_never_carries_control_characters_to_a_terminal() {
        let quoted = "the node refused: `it's \u{1b}[2J\r\n\u{202e}gone\u{9b}\0 é` (1)";
        let shown = "the node refused: `it's \\u{1b}[2J\\r\\n\\u{202e}gone\\u{9b}\\0 é` (1)";
        assert_eq!(Problem::of_chain("a", &ChainId::evm(1), quoted).message, shown);
        let problem = Problem::of_account("a", &ChainId::evm(1), Address::ZERO, quoted);
        assert!(problem.to_string().ends_with(shown), "{problem}");
    }
}
