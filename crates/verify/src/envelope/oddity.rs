//! Oddities of the bytes: a wallet, a contract and a reader may take them differently.

use super::code::{ConsumerCode, Note};
use super::not_checked::NotChecked;
use presight_decode::Flag;

/// A message of text is no oddity: there is nothing to decode.
const TEXT: &str = "message-not-decoded";
/// What other codes tell, and what §6.2 lets a producer leave out.
const TOLD: [&str; 2] = ["delegatecall", "domain-type-missing"];
/// What a sign-in message says of its account and chain has its own codes.
const MESSAGE_TEXT: &str = "/content/messageText";

/// Warns of each.
pub(crate) fn judge(oddities: &[Flag], notes: &mut Vec<Note>, not_checked: &mut Vec<NotChecked>) {
    for Flag {
        code,
        pointer,
        message,
    } in oddities
    {
        if *code == TEXT {
            not_checked.push(NotChecked::new(pointer.clone(), message.clone()));
        } else if !TOLD.contains(code) && pointer != MESSAGE_TEXT {
            let message = format!("{code}: {message}");
            notes.push(Note::new(ConsumerCode::OddBytes, pointer.clone(), message));
        }
    }
}
