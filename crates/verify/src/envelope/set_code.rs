//! Texts that speak of an EIP-7702 authorization. No specified kind carries one, so nothing in an envelope can be what
//! they say (§Security Considerations).

use super::code::{ConsumerCode, Note};
use presight_wire::envelope::Content;

/// How such a text names it: words in lower case, with a space around each.
const NAMES: [&str; 7] = [
    " 7702 ",
    " eip7702 ",
    " set code ",
    " setcode ",
    " authorization tuple ",
    " authorization tuples ",
    " authorization list ",
];
/// The marker before a delegate in an account's code.
const DESIGNATOR: &str = "0xef0100";

/// Notes each text that does.
pub(crate) fn judge(content: &Content, notes: &mut Vec<Note>) {
    let description = content.description();
    let long = description.long.as_deref();
    let protocol = content.metadata().map(|metadata| metadata.protocol.as_str());
    let texts = [
        ("/content/description/short", Some(description.short.as_str())),
        ("/content/description/long", long),
        ("/content/metadata/protocol", protocol),
    ];
    for (path, text) in texts {
        if text.is_some_and(speaks_of_it) {
            let message = "an envelope cannot carry an authorization that sets an account's code";
            notes.push(Note::new(ConsumerCode::SetCodeClaimed, path, message));
        }
    }
}

fn speaks_of_it(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let words = format!(" {} ", words.join(" "));
    NAMES.iter().any(|name| words.contains(name)) || lower.contains(DESIGNATOR)
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
