//! URLs as the envelope asks for them (D-14), and URIs by the grammar of RFC 3986.

use std::net::Ipv6Addr;

/// Whether the text is an absolute URL: a scheme, a colon, something after it, no white space and no control
/// characters; `http`, `https`, `ws` and `wss` need a host (D-14).
pub(crate) fn is_absolute_url(text: &str) -> bool {
    let Some((scheme, rest)) = has_scheme_form(text) else {
        return false;
    };
    let web = ["http", "https", "ws", "wss"];
    !text.chars().any(char::is_control)
        && (!web.iter().any(|name| scheme.eq_ignore_ascii_case(name)) || names_host(rest))
}

/// Scheme and rest of a text of the form `<scheme>:<non-empty, no white space>`, which the forms of a producer's id
/// share.
pub(crate) fn has_scheme_form(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    (is_scheme(scheme) && !rest.is_empty() && !rest.chars().any(char::is_whitespace))
        .then_some((scheme, rest))
}

/// Whether what follows the scheme's colon is `//` and an authority with a host.
fn names_host(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix("//") else {
        return false;
    };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.strip_prefix('[') {
        Some(literal) => literal.find(']').is_some_and(|end| end > 0),
        None => !host.split(':').next().unwrap_or_default().is_empty(),
    }
}

/// RFC 3986 `scheme`.
pub(crate) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// RFC 3986 `URI`.
pub(crate) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hierarchy, query) = rest.split_once('?').unwrap_or((rest, ""));
    let loose = |text: &str| is_made_of(text, |b| is_pchar(b) || matches!(b, b'/' | b'?'));
    is_scheme(scheme) && is_hierarchy(hierarchy) && loose(query) && loose(fragment)
}

/// `hier-part`: an authority with a path that is empty or starts with `/`, or a path that does not start with `//`.
fn is_hierarchy(text: &str) -> bool {
    let path = match text.strip_prefix("//") {
        None => text,
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !is_authority(authority) {
                return false;
            }
            path
        }
    };
    is_made_of(path, |b| is_pchar(b) || b == b'/')
}

/// RFC 3986 `authority`.
pub(crate) fn is_authority(text: &str) -> bool {
    let (user, rest) = match text.split_once('@') {
        Some((user, rest)) => (user, rest),
        None => ("", text),
    };
    let (host, port) = match rest.strip_prefix('[').and_then(|literal| literal.split_once(']')) {
        Some((literal, port)) => (is_ip_literal(literal), port),
        None => {
            let (name, port) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
            (is_made_of(name, is_name_byte), port)
        }
    };
    let is_port = |text: &str| {
        text.strip_prefix(':')
            .map_or(text, |port| port)
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    let port_follows_colon = port.is_empty() || port.starts_with(':');
    is_made_of(user, |b| is_name_byte(b) || b == b':') && host && port_follows_colon && is_port(port)
}

/// `IPv6address` or `IPvFuture`.
fn is_ip_literal(text: &str) -> bool {
    let Some(future) = text.strip_prefix(['v', 'V']) else {
        return text.parse::<Ipv6Addr>().is_ok();
    };
    future.split_once('.').is_some_and(|(version, address)| {
        let digits = !version.is_empty() && version.bytes().all(|b| b.is_ascii_hexdigit());
        let bytes = |b: u8| is_unreserved(b) || is_sub_delimiter(b) || b == b':';
        digits && !address.is_empty() && address.bytes().all(bytes)
    })
}

/// RFC 3986 `*pchar`.
pub(crate) fn is_pchars(text: &str) -> bool {
    is_made_of(text, is_pchar)
}

/// RFC 3986 `unreserved`.
pub(crate) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// RFC 3986 `reserved`.
pub(crate) fn is_reserved(byte: u8) -> bool {
    is_sub_delimiter(byte) || matches!(byte, b':' | b'/' | b'?' | b'#' | b'[' | b']' | b'@')
}

fn is_sub_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'='
    )
}

fn is_name_byte(byte: u8) -> bool {
    is_unreserved(byte) || is_sub_delimiter(byte)
}

fn is_pchar(byte: u8) -> bool {
    is_name_byte(byte) || matches!(byte, b':' | b'@')
}

/// Whether the text is of such bytes and of percent-encoded ones.
fn is_made_of(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'%', [a, b, after @ ..]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => after,
            (byte, after) if allowed(*byte) => after,
            _ => return false,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_urls() {
        for good in [
            "https://a.example",
            "HTTP://a",
            "https://user@a.example:1/x",
            "https://[::1]:8/",
            "cli://tool",
            "mcp:tool",
            "urn:x",
            "wss://a?x",
            "https://münchen.example",
        ] {
            assert!(is_absolute_url(good), "{good}");
        }
        for bad in [
            "",
            "a.example",
            "/x",
            "//a.example",
            "https:",
            "https:a.example",
            "https://",
            "https:///x",
            "https://:80",
            "https://user@",
            "https://[]",
            "https://a b",
            "x:\u{7f}y",
            "x:\u{2003}",
            "1x:y",
            "https://?x",
            "ws://#",
        ] {
            assert!(!is_absolute_url(bad), "{bad}");
        }
    }

    #[test]
    fn uris_by_the_grammar() {
        for good in [
            "https://a.example/b?c#d",
            "ipfs://bafy/x",
            "mailto:a@b",
            "urn:a:b",
            "x:",
            "x:/",
            "x://",
            "x:?q",
            "x:#f",
            "https://u:p@[2001:db8::1]:443/a%20b",
            "x://[v1.a:b]/",
            "x://h:/",
            "a+b-c.1:d",
            "x:a//b",
            "x:/a//b",
            "x:#/?",
        ] {
            assert!(is_uri(good), "{good}");
        }
        for bad in [
            "",
            "/x",
            "x",
            "1:x",
            "https://a b",
            "x:%2",
            "x:%zz",
            "x:[",
            "x://[::1",
            "x://[::g]",
            "x://[v.a]",
            "x://h:8a",
            "x://a@b@c",
            "x:a#b#c",
            "x:é",
            "x:\"",
            "x:^",
            "x://[::1]a",
        ] {
            assert!(!is_uri(bad), "{bad}");
        }
    }
}
