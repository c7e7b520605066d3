//! Texts that speak of an EIP-7702 authorization. No specified kind carries one, so nothing in an envelope can be what
//! they say (§Security Considerations).

use super::code::{ConsumerCode, Note};
use presight_wire::envelope::Content;

/// How such a text names it: words in lower case, with a space around each. Letters and digits are words of their own.
const NAMES: [&str; 12] = [
    " 7702 ",
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
    " type 4 tx ",
];
/// How it is named in one word.
const WORDS: [&str; 5] = [
    "authorizationtuple",
    "authorisationtuple",
    "authorizationlist",
    "authorisationlist",
    "setcodet",
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
    let plain = plain(text);
    let words = words(&plain);
    let spaced = format!(" {} ", words.join(" "));
    let lower = plain.to_lowercase();
    NAMES.iter().any(|name| spaced.contains(name))
        || WORDS.iter().any(|word| lower.contains(word))
        || lower.contains(DESIGNATOR)
}

/// The words in lower case. One ends where letters and digits meet, and before a capital that follows a small letter.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        let ends = !c.is_alphanumeric()
            || before.is_numeric() != c.is_numeric()
            || (before.is_lowercase() && c.is_uppercase());
        if ends {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The text without characters that are not seen, and with full-width forms as the ASCII they look like.
fn plain(text: &str) -> String {
    let seen = text.chars().filter(|c| !is_ignorable(*c));
    seen.map(|c| match c {
        '\u{ff01}'..='\u{ff5e}' => u8::try_from(u32::from(c) - 0xfee0).map_or(c, char::from),
        _ => c,
    })
    .collect()
}

/// `Default_Ignorable_Code_Point` of Unicode, and what sets the direction of writing.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
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
            "77\u{34f}02 account",
            "one authorizationTuple",
            "AUTHORIZATIONLIST",
            "a setCodeTx",
            "Eip7702Auth",
            "eip7702",
            "a type-4 tx",
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
