//! Who and where a sign-in message (ERC-4361) is for, against what the envelope says.

use super::code::{ConsumerCode, Note};
use presight_wire::envelope::{Message, SignatureContent};
use presight_wire::hex;

const PATH: &str = "/content/messageText";

/// Judges a sign-in message. Its grammar is the validator's: the account is its second line, and the chain has a line.
pub(crate) fn judge(content: &SignatureContent, notes: &mut Vec<Note>) {
    let Message::SignIn(text) = &content.message else {
        return;
    };
    let account = text
        .lines()
        .nth(1)
        .and_then(|line| hex::address_any_case(line, "").ok());
    if let (Some(account), Some(from)) = (account, content.from)
        && account != from
    {
        let message = format!("the message signs {account:#x} in");
        notes.push(Note::new(ConsumerCode::SignerMismatch, PATH, message));
    }
    // The statement is one line; the last such line is the field.
    let chain = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("Chain ID: "));
    if let Some(chain) = chain
        && chain != content.chain.id().to_string()
    {
        let message = format!("the message is for chain {chain}");
        notes.push(Note::new(ConsumerCode::SignInChainMismatch, PATH, message));
    }
}
