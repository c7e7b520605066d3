//! `erc.presign.text.addresses`

use super::rule;
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_wire::kinds::Group;
use serde_json::Value;

/// Every 20-byte hex address and CAIP-10 account in the text, as found and in order: non-overlapping,
/// leftmost-longest (I-31).
#[derive(Debug)]
pub struct Addresses;

impl Kind for Addresses {
    fn name(&self) -> &'static str {
        "erc.presign.text.addresses"
    }

    fn group(&self) -> Group {
        Group::Text
    }

    fn read(&self, _: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        rule(entity, |text| find(text).into_iter().map(Value::from).collect())
    }
}

/// CAIP-2 namespaces registered in the CAIP namespaces registry.
const NAMESPACES: &[&str] = &[
    "acknacki", "aleo", "alephium", "algorand", "amax", "antelope", "aptos", "arweave", "atto", "bip122",
    "bsv", "canton", "casper", "ccd", "chia", "conflux", "cosmos", "dashevo", "eip155", "eosio", "ergo",
    "fil", "flow", "hedera", "hive", "iota", "kadena", "mvx", "near", "neo", "polkadot", "reef", "solana",
    "stacks", "starknet", "stellar", "sui", "tezos", "tron", "tvm", "vechain", "waves", "xahau", "xrpl",
    "zilliqa",
];

/// The addresses of a text by the rule of the kind.
pub fn find(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut position = 0;
    while position < bytes.len() {
        let starts_word = position == 0 || !is_word(bytes[position - 1]);
        let end = if starts_word {
            caip10_end(bytes, position).or_else(|| hex_end(bytes, position))
        } else {
            None
        };
        match end {
            Some(end) => {
                found.push(&text[position..end]);
                position = end;
            }
            None => position += 1,
        }
    }
    found
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn run(bytes: &[u8], from: usize, max: usize, accept: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().take(max).take_while(|b| accept(**b)).count() + from
}

/// The end of `0x` + exactly 40 hex digits at `start`.
fn hex_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits = start
        .checked_add(2)
        .filter(|_| bytes[start..].starts_with(b"0x"))?;
    let end = run(bytes, digits, 41, |b| b.is_ascii_hexdigit());
    (end - digits == 40).then_some(end)
}

/// The end of a CAIP-10 account at `start`.
fn caip10_end(bytes: &[u8], start: usize) -> Option<usize> {
    let namespace = run(bytes, start, 9, |b| {
        b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'
    });
    let name = std::str::from_utf8(&bytes[start..namespace]).ok()?;
    if !NAMESPACES.contains(&name) || bytes.get(namespace) != Some(&b':') {
        return None;
    }
    let reference = run(bytes, namespace + 1, 33, |b| {
        b.is_ascii_alphanumeric() || b == b'-' || b == b'_'
    });
    if !(1..=32).contains(&(reference - namespace - 1)) || bytes.get(reference) != Some(&b':') {
        return None;
    }
    let address = reference + 1;
    if name == "eip155" {
        return hex_end(bytes, address);
    }
    // The grammar ends an address at 128 characters; a trailing `.` or `-` ends a sentence, not an address.
    let mut end = run(bytes, address, 128, |b| {
        b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'%')
    });
    while end > address && matches!(bytes[end - 1], b'.' | b'-') {
        end -= 1;
    }
    (end > address).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::find;

    const A: &str = "0x52908400098527886E0F7030069857D2E4169EE7";

    #[test]
    fn finds_hex_addresses_as_they_stand() {
        assert_eq!(
            find(&format!("approve {A}, then {}.", A.to_lowercase())),
            [A, &A.to_lowercase()]
        );
        assert_eq!(find(&format!("({A})")), [A]);
        assert_eq!(find(&format!("é{A}é")), [A]);
        assert_eq!(find(&format!("{A}g")), [A]);
    }

    #[test]
    fn a_longer_or_shorter_hex_string_or_a_word_before_is_no_address() {
        assert!(find(&format!("{A}a")).is_empty());
        assert!(find(&A[..41]).is_empty());
        assert!(find(&format!("x{A}")).is_empty());
        assert!(find(&format!("_{A}")).is_empty());
        assert!(find(&A.replacen("0x", "0X", 1)).is_empty());
        assert!(find(&format!("0x{}", "ab".repeat(32))).is_empty());
    }

    #[test]
    fn finds_caip10_accounts_whole() {
        let evm = format!("eip155:1:{A}");
        assert_eq!(find(&format!("pay {evm}.")), [evm.as_str()]);
        let solana = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv";
        assert_eq!(find(&format!("to {solana}.-")), [solana]);
        let cosmos = "cosmos:cosmoshub-3:cosmos1t2uflqwqe0fsj0shcfkrvpukewcw40yjj6hdc0";
        assert_eq!(find(cosmos), [cosmos]);
        let hedera = "hedera:mainnet:0.0.1234567890-zbhlt";
        assert_eq!(find(hedera), [hedera]);
    }

    #[test]
    fn other_colons_are_no_accounts() {
        assert!(find("http:example:8080").is_empty());
        assert!(find("unknown:1:abcdef").is_empty());
        assert!(find("xeip155:1:short").is_empty());
        assert!(find("eip155:1:0x1234").is_empty());
        assert!(find("solana::abc").is_empty());
        assert!(find("solana:abc:").is_empty());
        assert!(find(&format!("solana:{}:abc", "a".repeat(33))).is_empty());
    }

    #[test]
    fn a_word_before_a_caip10_account_leaves_the_address_in_it() {
        assert_eq!(find(&format!("xeip155:1:{A}")), [A]);
        assert_eq!(find(&format!("eip155:{}:{A}", "1".repeat(33))), [A]);
    }
}
