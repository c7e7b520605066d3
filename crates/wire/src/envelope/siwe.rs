//! The grammar of sign-in messages (ERC-4361), to the byte (D-13).

use super::instant::Instant;
use super::uri;
use alloy_primitives::Address;

/// A message that matches the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SignIn<'a> {
    /// The account's address, as written.
    pub(crate) address: &'a str,
}

impl SignIn<'_> {
    /// Whether the address is in EIP-55 form.
    pub(crate) fn has_checksum(self) -> bool {
        Address::parse_checksummed(self.address, None).is_ok()
    }
}

const GREETING: &str = " wants you to sign in with your Ethereum account:";

/// Reads a message; `None` where it does not match.
pub(crate) fn parse(text: &str) -> Option<SignIn<'_>> {
    let mut lines = text.split('\n').peekable();
    let origin = lines.next()?.strip_suffix(GREETING)?;
    is_origin(origin).then_some(())?;
    let address = lines.next().filter(|line| is_address(line))?;
    lines.next().filter(|line| line.is_empty())?;
    // A statement is never empty: an empty line here stands for its absence.
    let statement = lines.next()?;
    if !statement.is_empty() {
        is_statement(statement).then_some(())?;
        lines.next().filter(|line| line.is_empty())?;
    }
    let mut field = |label: &str, is_good: &dyn Fn(&str) -> bool| {
        lines
            .next()?
            .strip_prefix(label)
            .filter(|value| is_good(value))
            .map(|_| ())
    };
    let is_time = |text: &str| Instant::parse(text).is_some();
    field("URI: ", &uri::is_uri)?;
    field("Version: ", &|text| text == "1")?;
    field("Chain ID: ", &|text| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
    })?;
    field("Nonce: ", &|text| {
        text.len() >= 8 && text.bytes().all(|b| b.is_ascii_alphanumeric())
    })?;
    field("Issued At: ", &is_time)?;
    let mut option =
        |label: &str, is_good: &dyn Fn(&str) -> bool| match lines.next_if(|line| line.starts_with(label)) {
            None => true,
            Some(line) => is_good(&line[label.len()..]),
        };
    let options = option("Expiration Time: ", &is_time)
        && option("Not Before: ", &is_time)
        && option("Request ID: ", &uri::is_pchars);
    if lines.next_if_eq(&"Resources:").is_some() {
        while lines
            .next_if(|line| line.strip_prefix("- ").is_some_and(uri::is_uri))
            .is_some()
        {}
    }
    (options && lines.next().is_none()).then_some(SignIn { address })
}

/// `[ scheme "://" ] authority`; an empty authority names nobody.
fn is_origin(text: &str) -> bool {
    let domain = match text.split_once("://") {
        Some((scheme, domain)) if uri::is_scheme(scheme) => domain,
        _ => text,
    };
    !domain.is_empty() && uri::is_authority(domain)
}

fn is_address(text: &str) -> bool {
    text.strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_statement(text: &str) -> bool {
    text.bytes()
        .all(|b| uri::is_reserved(b) || uri::is_unreserved(b) || b == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MESSAGE: &str = "desk.example wants you to sign in with your Ethereum account:\n\
        0x26831A2Df3862091B500BD68946083Cba9a1b37E\n\nEnter.\n\nURI: https://desk.example/login\nVersion: 1\n\
        Chain ID: 1\nNonce: k3J9xQ0bT1\nIssued At: 2026-09-02T11:34:00Z";

    #[test]
    fn options_come_in_their_order() {
        for end in [
            "",
            "\nExpiration Time: 2026-09-03T00:00:00Z",
            "\nNot Before: 2026-09-03T00:00:00+01:00\nRequest ID: ",
            "\nRequest ID: a%20b\nResources:",
            "\nResources:\n- ipfs://x\n- urn:y",
        ] {
            assert!(parse(&format!("{MESSAGE}{end}")).is_some(), "{end}");
        }
        for end in [
            "\n",
            "\nNot Before: 2026-09-03T00:00:00Z\nExpiration Time: 2026-09-03T00:00:00Z",
            "\nExpiration Time: tomorrow",
            "\nRequest ID: a b",
            "\nResources:\n- x",
            "\nResources:\n",
            "\nResources: ",
            "\nResources:\nurn:y",
            "\nRequest ID: a\nRequest ID: b",
            " ",
        ] {
            assert!(parse(&format!("{MESSAGE}{end}")).is_none(), "{end}");
        }
    }

    #[test]
    fn domains_are_authorities() {
        for (domain, good) in [
            ("desk.example", true),
            ("app://desk.example", true),
            ("user@[::1]:80", true),
            ("", false),
            ("https://", false),
            ("desk.example/path", false),
            ("1x://desk.example", false),
            (" desk.example", false),
        ] {
            let text = MESSAGE.replacen("desk.example", domain, 1);
            assert_eq!(parse(&text).is_some(), good, "{domain}");
        }
    }

    proptest! {
        #[test]
        fn one_changed_byte_never_panics(place in 0..MESSAGE.len(), byte in 0_u8..128) {
            let mut text = MESSAGE.as_bytes().to_vec();
            text[place] = byte;
            let _ = parse(&String::from_utf8(text).unwrap());
        }
    }
}
