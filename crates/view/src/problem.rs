//! What a reader of chain data and documents found wrong with them, for people to see.

use alloy_primitives::Address;
use presight_wire::ChainId;
use std::fmt;

/// Something wrong with the data of a chain or with a document. It never changes a value: what it concerns is already
/// not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Stable, kebab-case.
    pub code: &'static str,
    /// What it concerns.
    pub subject: Subject,
    /// Lower case, no final period. What it quotes of a node, a server or a file is escaped.
    pub message: String,
}

/// What a problem concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A whole chain.
    Chain(ChainId),
    /// One account.
    Account(ChainId, Address),
    /// The document at this URL, escaped and cut short.
    Document(String),
}

/// Characters of a document's URL that are shown.
const MAX_URL_SHOWN: usize = 120;

impl Problem {
    /// A problem of a whole chain.
    pub fn of_chain(code: &'static str, chain: &ChainId, message: impl Into<String>) -> Self {
        Self::new(code, Subject::Chain(chain.clone()), &message.into())
    }

    /// A problem of one account.
    pub fn of_account(
        code: &'static str,
        chain: &ChainId,
        address: Address,
        message: impl Into<String>,
    ) -> Self {
        Self::new(code, Subject::Account(chain.clone(), address), &message.into())
    }

    /// A problem of a document.
    pub fn of_document(code: &'static str, url: &str, message: impl Into<String>) -> Self {
        let mut shown: String = url.chars().take(MAX_URL_SHOWN).collect();
        if shown.len() < url.len() {
            shown.push('…');
        }
        Self::new(code, Subject::Document(printable(&shown)), &message.into())
    }

    fn new(code: &'static str, subject: Subject, message: &str) -> Self {
        Self {
            code,
            subject,
            message: printable(message),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, message, .. } = self;
        match &self.subject {
            Subject::Chain(chain) => write!(f, "{code} on {chain}: {message}"),
            Subject::Account(chain, address) => write!(f, "{code} on {chain}:{address:#x}: {message}"),
            Subject::Document(url) => write!(f, "{code} of {url}: {message}"),
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
