//! CAIP-2 chain identifiers and CAIP-10 account identifiers.

use crate::error::{Refusal, shown};
use crate::hex;
use alloy_primitives::Address;
use std::fmt;

/// A CAIP-2 chain identifier, such as `eip155:1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId {
    namespace: String,
    reference: String,
}

impl ChainId {
    /// The EVM chain with this EIP-155 chain id.
    pub fn evm(chain_id: u64) -> Self {
        Self {
            namespace: "eip155".into(),
            reference: chain_id.to_string(),
        }
    }

    /// Reads a CAIP-2 identifier. In `eip155` the reference is a decimal chain id without leading zeros.
    pub fn parse(text: &str, pointer: &str) -> Result<Self, Refusal> {
        let bad = |why: &str| {
            Refusal::new(
                "bad-chain-id",
                pointer,
                format!("`{}` is not a CAIP-2 chain id: {why}", shown(text)),
            )
        };
        let (namespace, reference) = text.split_once(':').ok_or_else(|| bad("no `:`"))?;
        if !(3..=8).contains(&namespace.len())
            || !namespace
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        {
            return Err(bad("the namespace is 3 to 8 of a-z, 0-9 and -"));
        }
        if !(1..=32).contains(&reference.len())
            || !reference
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        {
            return Err(bad("the reference is 1 to 32 of a-z, A-Z, 0-9, - and _"));
        }
        if namespace == "eip155" {
            let canonical = reference
                .parse::<u64>()
                .ok()
                .filter(|id| id.to_string() == reference);
            if canonical.is_none() {
                return Err(bad(
                    "an eip155 reference is a decimal chain id below 2^64 without leading zeros",
                ));
            }
        }
        Ok(Self {
            namespace: namespace.into(),
            reference: reference.into(),
        })
    }

    /// The CAIP-2 namespace, such as `eip155` or `solana`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The EIP-155 chain id, for chains of the `eip155` namespace.
    pub fn evm_id(&self) -> Option<u64> {
        if self.namespace == "eip155" {
            self.reference.parse().ok()
        } else {
            None
        }
    }
}

impl fmt::Display for ChainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.namespace, self.reference)
    }
}

impl serde::Serialize for ChainId {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

/// A CAIP-10 account on an EVM chain. Printed in lower case (I-8).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId {
    /// The chain; always of the `eip155` namespace.
    pub chain: ChainId,
    /// The 20-byte address.
    pub address: Address,
}

impl AccountId {
    /// The account `address` on `chain`.
    pub fn new(chain: ChainId, address: Address) -> Self {
        Self { chain, address }
    }

    /// Reads a CAIP-10 account of the `eip155` namespace; a mixed-case address must carry its EIP-55 checksum.
    ///
    /// # Errors
    /// `bad-account-id`, `bad-chain-id`, `unsupported-chain`, `bad-address`, `bad-checksum`.
    pub fn parse(text: &str, pointer: &str) -> Result<Self, Refusal> {
        let account = Self::parse_any_case(text, pointer)?;
        if let Some((_, address)) = text.rsplit_once(':') {
            hex::address(address, pointer)?;
        }
        Ok(account)
    }

    /// Reads a CAIP-10 account of the `eip155` namespace; the letter case of the address is not looked at (I-8).
    ///
    /// # Errors
    /// `bad-account-id`, `bad-chain-id`, `unsupported-chain`, `bad-address`.
    pub fn parse_any_case(text: &str, pointer: &str) -> Result<Self, Refusal> {
        let (chain, address) = text.rsplit_once(':').ok_or_else(|| {
            let message = format!("`{}` is not a CAIP-10 account: no `:`", shown(text));
            Refusal::new("bad-account-id", pointer, message)
        })?;
        let chain = ChainId::parse(chain, pointer)?;
        if chain.evm_id().is_none() {
            return Err(Refusal::new(
                "unsupported-chain",
                pointer,
                format!("`{chain}` is not an eip155 chain"),
            ));
        }
        Ok(Self {
            chain,
            address: hex::address_any_case(address, pointer)?,
        })
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:#x}", self.chain, self.address)
    }
}

impl serde::Serialize for AccountId {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOWER: &str = "eip155:1:0x52908400098527886e0f7030069857d2e4169ee7";

    #[test]
    fn reads_and_prints_chains() {
        for text in [
            "eip155:1",
            "eip155:18446744073709551615",
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
        ] {
            assert_eq!(ChainId::parse(text, "").unwrap().to_string(), text);
        }
        assert_eq!(ChainId::parse("eip155:10", "").unwrap().evm_id(), Some(10));
        assert_eq!(ChainId::parse("xrpl:0", "").unwrap().evm_id(), None);
    }

    #[test]
    fn refuses_malformed_chains() {
        for text in [
            "",
            "1",
            "eip155",
            "eip155:",
            ":1",
            "ei:1",
            "EIP155:1",
            "eip155-long:1",
            "eip155:01",
            "eip155:-1",
            "abc:é",
            "eip155:1:2",
        ] {
            let refusal = ChainId::parse(text, "/c").unwrap_err();
            assert_eq!(
                (refusal.code, &*refusal.pointer),
                ("bad-chain-id", "/c"),
                "{text}"
            );
        }
    }

    #[test]
    fn accounts_are_printed_in_lower_case() {
        let checksummed = LOWER.replace(
            "0x52908400098527886e0f7030069857d2e4169ee7",
            "0x52908400098527886E0F7030069857D2E4169EE7",
        );
        assert_eq!(AccountId::parse(&checksummed, "").unwrap().to_string(), LOWER);
    }

    #[test]
    fn a_wrong_checksum_is_seen_unless_case_is_not_looked_at() {
        let wrong = LOWER.replace("e0f7", "E0f7");
        assert_eq!(AccountId::parse(&wrong, "").unwrap_err().code, "bad-checksum");
        assert_eq!(AccountId::parse_any_case(&wrong, "").unwrap().to_string(), LOWER);
    }

    #[test]
    fn refuses_malformed_accounts() {
        let code = |text: &str| AccountId::parse(text, "").unwrap_err().code;
        assert_eq!(
            code("0x52908400098527886e0f7030069857d2e4169ee7"),
            "bad-account-id"
        );
        assert_eq!(
            code("1:0x52908400098527886e0f7030069857d2e4169ee7"),
            "bad-chain-id"
        );
        assert_eq!(code("xrpl:0:rabc"), "unsupported-chain");
        assert_eq!(code("eip155:1:0x12"), "bad-address");
        assert_eq!(code("eip155:1:"), "bad-address");
    }
}
