//! Published lists of addresses.

use alloy_primitives::B256;
use serde::{Deserialize, Serialize};

/// The published lists that `address.on-list` looks in, one finding for each. No URI twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Vec<PublishedList>")]
pub struct Lists(Vec<PublishedList>);

/// A published list of addresses.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PublishedList {
    /// Where it is published: `https:` or `ipfs:`.
    pub uri: String,
    /// The keccak-256 of its bytes. What is there with another hash is not read.
    pub hash: B256,
    /// Days after its publication from which it is stale, and not read. Without it, it is used until its own `expires`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u16>,
}

impl Lists {
    /// The lists.
    pub fn iter(&self) -> impl Iterator<Item = &PublishedList> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<Vec<PublishedList>> for Lists {
    type Error = String;

    fn try_from(lists: Vec<PublishedList>) -> Result<Self, String> {
        let twice = lists
            .iter()
            .enumerate()
            .find(|(at, list)| lists[..*at].iter().any(|before| before.uri == list.uri));
        match twice {
            Some((_, list)) => Err(format!("the list `{}` is given twice", list.uri)),
            None => Ok(Self(lists)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    #[test]
    fn a_list_has_a_hash_and_is_given_once() {
        let list = |uri: &str| format!("[[lists]]\nuri = \"{uri}\"\nhash = \"0x{}\"\n", "11".repeat(32));
        let two = Config::parse(&(list("https://a.example") + &list("https://b.example"))).unwrap();
        assert_eq!(two.lists.iter().count(), 2);
        Config::parse(&(list("https://a.example") + &list("https://a.example"))).unwrap_err();
        Config::parse("[[lists]]\nuri = \"https://a.example\"\n").unwrap_err();
        Config::parse(&(list("https://a.example") + "age = 1\n")).unwrap_err();
    }
}
