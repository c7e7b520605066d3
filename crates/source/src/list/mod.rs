//! Published lists of addresses, `presight-list/1` (docs/lists.md): they state their inclusion criteria and, for each entry,
//! the evidence it was listed on (ERC-8481 §Addresses, `on-list`).

mod import;
mod read;
mod write;

pub use import::{Found, import};

use alloy_primitives::Address;
use presight_wire::{AccountId, Refusal, Timestamp};
use std::collections::BTreeMap;

/// The format's name.
pub const FORMAT: &str = "presight-list/1";
/// Bytes of one list.
pub const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;
/// Entries of one list.
pub const MAX_ENTRIES: usize = 200_000;
/// Pieces of evidence of one entry.
pub const MAX_ENTRY_EVIDENCE: usize = 32;
/// Bytes of one text in a list.
pub const MAX_TEXT_BYTES: usize = 2_048;

/// A published list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// What it is called.
    pub name: String,
    /// The publisher's version.
    pub version: String,
    /// When it was published.
    pub published: Timestamp,
    /// When it ends to be what the publisher says.
    pub expires: Option<Timestamp>,
    /// What an address is listed for.
    pub criteria: String,
    /// What it was made from.
    pub sources: Vec<String>,
    /// The entries by address and scope.
    pub entries: BTreeMap<(Address, Scope), Vec<String>>,
}

/// On which chains an address is listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// On every EVM chain: the account is one of a key.
    EveryEvm,
    /// On this EVM chain, by its number.
    Evm(u64),
}

impl List {
    /// Reads a list.
    ///
    /// # Errors
    /// What is not a list, with a code and the pointer of the place: the codes of the strict JSON reader, and `bad-list`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        read::list(bytes)
    }

    /// The list as a document: the same list always gives the same bytes.
    pub fn to_json(&self) -> String {
        write::to_json(self)
    }

    /// Whether the account is listed on its chain.
    pub fn contains(&self, account: &AccountId) -> bool {
        let listed = |scope| self.entries.contains_key(&(account.address, scope));
        match account.chain.evm_id() {
            Some(id) => listed(Scope::EveryEvm) || listed(Scope::Evm(id)),
            None => false,
        }
    }

    /// Why the list does not say what holds at this time; `None` when it does.
    pub fn stale(&self, now: Timestamp, max_age_days: Option<u16>) -> Option<&'static str> {
        const DAY: i64 = 86_400;
        let age = now.0.saturating_sub(self.published.0);
        if age < 0 {
            Some("it was published after the report was made")
        } else if self.expires.is_some_and(|expires| expires <= now) {
            Some("it has expired")
        } else if max_age_days.is_some_and(|days| age > DAY * i64::from(days)) {
            Some("it is older than is configured")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use presight_wire::ChainId;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn account(chain: u64, byte: u8) -> AccountId {
        AccountId::new(ChainId::evm(chain), Address::repeat_byte(byte))
    }

    fn example() -> Value {
        json!({
            "format": FORMAT, "name": "Drainers", "version": "2026-11-30.1",
            "published": "2026-11-30T00:00:00Z", "expires": "2026-12-07T00:00:00Z",
            "criteria": "Took funds through approvals, shown by the named transaction.",
            "sources": ["https://example.com/list"],
            "entries": [
                { "address": Address::repeat_byte(1), "evidence": ["tx 0x01 on eip155:1"] },
                { "address": Address::repeat_byte(2), "chain": "eip155:10", "evidence": ["reported", "tx 0x02"] },
            ],
        })
    }

    fn parse(list: &Value) -> Result<List, (&'static str, String)> {
        List::parse(list.to_string().as_bytes()).map_err(|refusal| (refusal.code, refusal.pointer))
    }

    #[test]
    fn an_entry_counts_on_its_chains() {
        let list = parse(&example()).unwrap();
        assert!(list.contains(&account(1, 1)) && list.contains(&account(137, 1)));
        assert!(list.contains(&account(10, 2)) && !list.contains(&account(1, 2)));
        assert!(!list.contains(&account(1, 3)));
    }

    #[test]
    fn a_list_is_stale_outside_its_time() {
        let list = parse(&example()).unwrap();
        let at = |text| Timestamp::parse(text, "").unwrap();
        assert_eq!(list.stale(at("2026-11-30T00:00:00Z"), Some(1)), None);
        assert_eq!(list.stale(at("2026-12-01T00:00:00Z"), Some(1)), None);
        for (now, days) in [
            ("2026-11-29T23:59:59Z", None),
            ("2026-12-01T00:00:01Z", Some(1)),
            ("2026-12-07T00:00:00Z", None),
        ] {
            assert_ne!(list.stale(at(now), days), None, "{now}");
        }
    }

    #[test]
    fn what_is_not_a_list_is_refused_at_its_place() {
        let without = |member: &str| {
            let mut list = example();
            list.as_object_mut().unwrap().remove(member);
            list
        };
        for member in ["format", "name", "version", "published", "criteria", "entries"] {
            assert_eq!(
                parse(&without(member)),
                Err(("missing-member", String::new())),
                "{member}"
            );
        }
        parse(&without("expires")).unwrap();
        parse(&without("sources")).unwrap();
        let set = |pointer: &str, value: Value| {
            let mut list = example();
            *list.pointer_mut(pointer).unwrap() = value;
            parse(&list)
        };
        for (pointer, value, code, place) in [
            ("/format", json!("presight-list/2"), "bad-list", "/format"),
            ("/criteria", json!(""), "bad-list", "/criteria"),
            (
                "/criteria",
                json!("a".repeat(MAX_TEXT_BYTES + 1)),
                "bad-list",
                "/criteria",
            ),
            ("/version", json!("1 of 2"), "bad-list", "/version"),
            ("/published", json!("yesterday"), "bad-time", "/published"),
            (
                "/entries/0/address",
                json!("0x01"),
                "bad-address",
                "/entries/0/address",
            ),
            (
                "/entries/0/evidence",
                json!([]),
                "bad-list",
                "/entries/0/evidence",
            ),
            (
                "/entries/0/evidence/0",
                json!(" "),
                "bad-list",
                "/entries/0/evidence/0",
            ),
            (
                "/entries/1/chain",
                json!("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"),
                "bad-list",
                "/entries/1/chain",
            ),
            (
                "/entries/1",
                json!({ "address": Address::repeat_byte(1), "evidence": ["again"] }),
                "bad-list",
                "/entries/1",
            ),
            (
                "/entries/1",
                json!({ "address": Address::repeat_byte(1), "chains": [] }),
                "unknown-member",
                "/entries/1/chains",
            ),
        ] {
            assert_eq!(set(pointer, value), Err((code, place.to_owned())), "{pointer}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(
            entries in proptest::collection::btree_map(
                (any::<[u8; 20]>(), proptest::option::of(any::<u64>())),
                proptest::collection::vec("[ -~]{0,9}[a-z]", 1..3), 0..6,
            ),
            expires in proptest::option::of(0i64..4_000_000_000),
            name in "[a-zé]{1,9}",
        ) {
            let scope = |chain: Option<u64>| chain.map_or(Scope::EveryEvm, Scope::Evm);
            let list = List {
                name, version: "1".to_owned(), published: Timestamp(0), expires: expires.map(Timestamp),
                criteria: "any".to_owned(), sources: Vec::new(),
                entries: entries.into_iter().map(|((a, chain), e)| ((Address::from(a), scope(chain)), e)).collect(),
            };
            let written = list.to_json();
            prop_assert_eq!(List::parse(written.as_bytes()), Ok(list));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = List::parse(&bytes);
        }
    }
}
