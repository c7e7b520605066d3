//! The past of addresses.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Hex digits of an address.
const ADDRESS_DIGITS: u8 = 40;

/// How the past of addresses is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct History {
    /// How alike two addresses are that `address.lookalike` names; one finding for each. By default the first four and
    /// the last four hex digits (I-28b).
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub lookalike: BTreeSet<Digits>,
    /// Blocks that `address.delegate-authorizations` looks back; by default 7200 (I-41).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authorization_blocks: Option<u32>,
}

impl History {
    /// How alike two addresses are that `address.lookalike` names.
    pub fn lookalike(&self) -> BTreeSet<Digits> {
        if self.lookalike.is_empty() {
            BTreeSet::from([Digits { prefix: 4, suffix: 4 }])
        } else {
            self.lookalike.clone()
        }
    }

    /// Blocks that `address.delegate-authorizations` looks back.
    pub fn authorization_blocks(&self) -> u64 {
        self.authorization_blocks.unwrap_or(7_200).into()
    }
}

/// Hex digits that two addresses share: some of the first, some of the last, together from 1 to 39.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "Unchecked")]
pub struct Digits {
    /// Of the first.
    pub prefix: u8,
    /// Of the last.
    pub suffix: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    prefix: u8,
    suffix: u8,
}

impl TryFrom<Unchecked> for Digits {
    type Error = String;

    fn try_from(Unchecked { prefix, suffix }: Unchecked) -> Result<Self, String> {
        match prefix.checked_add(suffix) {
            Some(1..ADDRESS_DIGITS) => Ok(Self { prefix, suffix }),
            _ => Err("two addresses share from 1 to 39 hex digits".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Digits;
    use crate::config::Config;

    #[test]
    fn digits_and_blocks_have_their_defaults_and_bounds() {
        let default = Config::default().history;
        assert_eq!(default.authorization_blocks(), 7_200);
        assert_eq!(
            default.lookalike().into_iter().collect::<Vec<_>>(),
            [Digits { prefix: 4, suffix: 4 }]
        );
        let given = "[history]\nauthorization-blocks = 1\nlookalike = [{ prefix = 6, suffix = 0 }]\n";
        let given = Config::parse(given).unwrap();
        assert_eq!(given.history.authorization_blocks(), 1);
        assert_eq!(given.history.lookalike().len(), 1);
        assert_ne!(given.hash(), None);
        for wrong in [
            "prefix = 20, suffix = 20",
            "prefix = 0, suffix = 0",
            "prefix = 255, suffix = 255",
            "prefix = 4",
        ] {
            let text = format!("[history]\nlookalike = [{{ {wrong} }}]\n");
            assert_eq!(Config::parse(&text).unwrap_err().line, 2, "{wrong}");
        }
    }
}
