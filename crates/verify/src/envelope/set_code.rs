//! Texts that speak of an EIP-7702 authorization. No specified kind carries one, so nothing in an envelope can be what
//! they say (§Security Considerations).

use super::code::{ConsumerCode, Note};
use presight_wire::envelope::Content;

/// How such a text names it: words in lower case, with a space around each.
const NAMES: [&str; 12] = [
    " 7702 ",
    " eip7702 ",
    " set code ",
    " setcode ",
    " authorization tuple ",
    " authorization tuples ",
    " authorization list ",
    " authorisation tuple ",
    " authorisation tuples ",
    " authorisation list ",
    " delegation designator ",
    " type 4 transaction ",
];
/// The marker before a delegate in an account's code.
const DESIGNATOR: &str = "0xef0100";

/// Notes each text that does.
pub(crate) fn judge(content: &Content, notes: &mut Vec<Note>) {
    let description = content.description();
    let mut judge = |path: String, text: &str| {
        if speaks_of_it(text) {
            let message = "an envelope cannot carry an authorization that sets an account's code";
            notes.push(Note::new(ConsumerCode::SetCodeClaimed, path, message));
        }
    };
    judge("/content/description/short".to_owned(), &description.short);
    if let Some(long) = &description.long {
        judge("/content/description/long".to_owned(), long);
    }
    let Some(metadata) = content.metadata() else {
        return;
    };
    judge("/content/metadata/protocol".to_owned(), &metadata.protocol);
    for (index, movement) in metadata.token_movements.iter().enumerate() {
        judge(
            format!("/content/metadata/tokenMovements/{index}/symbol"),
            &movement.symbol,
        );
    }
    for (index, party) in metadata.counterparties.iter().enumerate() {
        if let Some(label) = &party.label {
            judge(format!("/content/metadata/counterparties/{index}/label"), label);
        }
    }
}

fn speaks_of_it(text: &str) -> bool {
    let lower = plain(text).to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let words = format!(" {} ", words.join(" "));
    NAMES.iter().any(|name| words.contains(name)) || lower.contains(DESIGNATOR)
}

/// The text without characters that are not seen, and with full-width forms as the ASCII they look like.
fn plain(text: &str) -> String {
    let seen = text
        .chars()
        .filter(|c| !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}'));
    seen.map(|c| match c {
        '\u{ff01}'..='\u{ff5e}' => u8::try_from(u32::from(c) - 0xfee0).map_or(c, char::from),
        _ => c,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::speaks_of_it;

    #[test]
    fn names_of_the_transaction_and_its_marker() {
        for text in [
            "Upgrade your account (EIP-7702)",
            "eip 7702 upgrade",
            "7702 smart account",
            "SET_CODE for gas-free swaps",
            "Sign the authorization tuple",
            "code 0xEF0100aa",
            "EIP-77\u{200b}02 upgrade",
            "EIP\u{2011}\u{ff17}\u{ff17}\u{ff10}\u{ff12}",
        ] {
            assert!(speaks_of_it(text), "{text}");
        }
        for text in [
            "Pay 77021 USD",
            "Deposit 0.7702001 ETH",
            "Delegate your votes",
            "Set codename",
        ] {
            assert!(!speaks_of_it(text), "{text}");
        }
    }
}
