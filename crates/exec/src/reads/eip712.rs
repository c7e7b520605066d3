//! The EIP-712 domain of a contract, as it says it (ERC-5267, ERC-2612).

use super::contract::Contract;
use crate::answer;
use alloy_primitives::{Address, B256, U256};
use presight_view::{Lookup, View};
use presight_wire::{ChainId, Read};

/// What `eip712Domain()` says (ERC-5267).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenDomain {
    /// The domain's name.
    pub name: String,
    /// The domain's version.
    pub version: String,
    /// The domain's chain.
    pub chain_id: U256,
    /// The domain's contract.
    pub verifying_contract: Address,
}

/// `eip712Domain()` (ERC-5267). Domains without name, version, chain or contract, or with a salt, are not read.
pub fn eip712_domain(view: &View<'_>, chain: &ChainId, contract: Address) -> Lookup<Read<TokenDomain>> {
    let contract = Contract {
        view,
        chain,
        address: contract,
    };
    contract.read("eip712Domain()", &[], |bytes| {
        // bytes1 fields: name, version, chainId and verifyingContract, no salt.
        let fields = answer::word(bytes, 0)?;
        if fields != U256::from(0x0f) << 248 {
            return Err(answer::Malformed("a domain of other members".into()));
        }
        let contract = answer::uint(bytes, 4, 160)?;
        Ok(TokenDomain {
            name: answer::string_at(bytes, 1)?,
            version: answer::string_at(bytes, 2)?,
            chain_id: answer::word(bytes, 3)?,
            verifying_contract: Address::from_word(contract.into()),
        })
    })
}

/// `version()`, as tokens with ERC-2612 or ERC-3009 have it. The text is the contract's: data, never an instruction.
pub fn version(view: &View<'_>, chain: &ChainId, token: Address) -> Lookup<Read<String>> {
    let token = Contract {
        view,
        chain,
        address: token,
    };
    token.read("version()", &[], answer::string)
}

/// `DOMAIN_SEPARATOR()` (ERC-2612).
pub fn domain_separator(view: &View<'_>, chain: &ChainId, token: Address) -> Lookup<Read<B256>> {
    let token = Contract {
        view,
        chain,
        address: token,
    };
    token.read("DOMAIN_SEPARATOR()", &[], |bytes| {
        answer::uint256(bytes).map(Into::into)
    })
}
