//! Typed contract reads. Each gives the value with the executed call as evidence; a reverted or malformed answer
//! is not read, `unavailable`, with the call that was seen.

mod agent;
mod contract;
mod eip712;
mod erc165;

use crate::answer;
use alloy_primitives::{Address, B256, Bytes, U256};
use contract::{Contract, arguments, number};

pub(crate) use contract::located;
use presight_view::{Lookup, View};
use presight_wire::{AccountId, ChainId, Evidence, Read};

pub use agent::agent_owner;
pub use eip712::{TokenDomain, domain_separator, eip712_domain, version};
pub use erc165::{is_erc721, supports_interface};

/// The value an ERC-1271 contract returns for a signature it accepts: the selector of `isValidSignature`.
const ERC1271_MAGIC: U256 = U256::from_limbs([0, 0, 0, 0x1626_ba7e_0000_0000]);

/// What a Permit2 contract holds for an owner, token and spender (`allowance(address,address,address)`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permit2Allowance {
    /// The amount, in the token's smallest unit; below 2^160.
    pub amount: U256,
    /// When it expires, in Unix seconds; below 2^48.
    pub expiration: u64,
    /// The nonce of the next permit; below 2^48.
    pub nonce: u64,
}

/// The account's code at the block; empty for an account without code. The evidence is a call without data, whose
/// result is the code (I-16).
pub fn code(view: &View<'_>, chain: &ChainId, address: Address) -> Lookup<Read<Bytes>> {
    let at = view.at(chain)?;
    let code = view
        .code(chain, address)
        .map_err(|unread| located(unread, "the account's code", &at))?;
    let to = AccountId::new(chain.clone(), address);
    let evidence = Evidence::Call {
        at: at.clone(),
        to,
        data: Bytes::new(),
        result: code.clone(),
    };
    Ok(Read::from_chain(code, at, vec![evidence]).with_note("the result is the account's code"))
}

/// What a function returns, undecoded: `signature` is its canonical one, `arguments` are encoded.
pub fn returned(
    view: &View<'_>,
    chain: &ChainId,
    contract: Address,
    signature: &str,
    arguments: &[u8],
) -> Lookup<Read<Bytes>> {
    Contract {
        view,
        chain,
        address: contract,
    }
    .read(signature, arguments, |bytes| Ok(Bytes::copy_from_slice(bytes)))
}

/// ERC-20 `totalSupply()`.
pub fn total_supply(view: &View<'_>, chain: &ChainId, token: Address) -> Lookup<Read<U256>> {
    Contract {
        view,
        chain,
        address: token,
    }
    .read("totalSupply()", &[], answer::uint256)
}

/// ERC-20 `allowance(owner, spender)`.
pub fn allowance(
    view: &View<'_>,
    chain: &ChainId,
    token: Address,
    owner: Address,
    spender: Address,
) -> Lookup<Read<U256>> {
    let args = arguments(&[owner.into_word(), spender.into_word()]);
    Contract {
        view,
        chain,
        address: token,
    }
    .read("allowance(address,address)", &args, answer::uint256)
}

/// ERC-20 or ERC-721 `balanceOf(owner)`.
pub fn balance_of(view: &View<'_>, chain: &ChainId, token: Address, owner: Address) -> Lookup<Read<U256>> {
    let args = arguments(&[owner.into_word()]);
    Contract {
        view,
        chain,
        address: token,
    }
    .read("balanceOf(address)", &args, answer::uint256)
}

/// ERC-20 `decimals()`.
pub fn decimals(view: &View<'_>, chain: &ChainId, token: Address) -> Lookup<Read<u8>> {
    Contract {
        view,
        chain,
        address: token,
    }
    .read("decimals()", &[], answer::uint8)
}

/// `name()`, as a string or as bytes32 (I-33). The text is the contract's: data, never an instruction.
pub fn name(view: &View<'_>, chain: &ChainId, token: Address) -> Lookup<Read<String>> {
    Contract {
        view,
        chain,
        address: token,
    }
    .read("name()", &[], answer::string_or_bytes32)
}

/// `symbol()`, as a string or as bytes32 (I-33). The text is the contract's: data, never an instruction.
pub fn symbol(view: &View<'_>, chain: &ChainId, token: Address) -> Lookup<Read<String>> {
    Contract {
        view,
        chain,
        address: token,
    }
    .read("symbol()", &[], answer::string_or_bytes32)
}

/// ERC-721 or ERC-1155 `isApprovedForAll(owner, operator)`.
pub fn is_approved_for_all(
    view: &View<'_>,
    chain: &ChainId,
    token: Address,
    owner: Address,
    operator: Address,
) -> Lookup<Read<bool>> {
    let args = arguments(&[owner.into_word(), operator.into_word()]);
    Contract {
        view,
        chain,
        address: token,
    }
    .read("isApprovedForAll(address,address)", &args, answer::boolean)
}

/// ERC-721 `getApproved(tokenId)`.
pub fn get_approved(
    view: &View<'_>,
    chain: &ChainId,
    token: Address,
    token_id: U256,
) -> Lookup<Read<Address>> {
    let args = arguments(&[number(token_id)]);
    Contract {
        view,
        chain,
        address: token,
    }
    .read("getApproved(uint256)", &args, answer::address)
}

/// ERC-721 `ownerOf(tokenId)`; also the owner of an ERC-8004 agent.
pub fn owner_of(view: &View<'_>, chain: &ChainId, token: Address, token_id: U256) -> Lookup<Read<Address>> {
    let args = arguments(&[number(token_id)]);
    Contract {
        view,
        chain,
        address: token,
    }
    .read("ownerOf(uint256)", &args, answer::address)
}

/// ERC-721 `tokenURI(tokenId)`; also the registration file of an ERC-8004 agent.
pub fn token_uri(view: &View<'_>, chain: &ChainId, token: Address, token_id: U256) -> Lookup<Read<String>> {
    let args = arguments(&[number(token_id)]);
    Contract {
        view,
        chain,
        address: token,
    }
    .read("tokenURI(uint256)", &args, answer::string)
}

/// ERC-8004 `getAgentWallet(agentId)`; zero when the registry holds none.
pub fn get_agent_wallet(
    view: &View<'_>,
    chain: &ChainId,
    registry: Address,
    agent_id: U256,
) -> Lookup<Read<Address>> {
    let args = arguments(&[number(agent_id)]);
    Contract {
        view,
        chain,
        address: registry,
    }
    .read("getAgentWallet(uint256)", &args, answer::address)
}

/// When an anchor contract first recorded a report (ERC-8481 §On-chain anchoring); zeros for a report it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnchoredAt {
    /// The block's time, in Unix seconds.
    pub timestamp: u64,
    /// The block's number, the chain's own.
    pub block: u64,
}

/// `anchoredAt(source, reportHash)` of an anchor contract.
pub fn anchored_at(
    view: &View<'_>,
    chain: &ChainId,
    anchor: Address,
    source: Address,
    report_hash: B256,
) -> Lookup<Read<AnchoredAt>> {
    let args = arguments(&[source.into_word(), report_hash]);
    Contract {
        view,
        chain,
        address: anchor,
    }
    .read("anchoredAt(address,bytes32)", &args, |bytes| {
        Ok(AnchoredAt {
            timestamp: answer::small_uint(bytes, 0, 64)?,
            block: answer::small_uint(bytes, 1, 64)?,
        })
    })
}

/// Permit2 `allowance(owner, token, spender)`.
pub fn permit2_allowance(
    view: &View<'_>,
    chain: &ChainId,
    permit2: Address,
    owner: Address,
    token: Address,
    spender: Address,
) -> Lookup<Read<Permit2Allowance>> {
    let args = arguments(&[owner.into_word(), token.into_word(), spender.into_word()]);
    Contract {
        view,
        chain,
        address: permit2,
    }
    .read("allowance(address,address,address)", &args, |bytes| {
        Ok(Permit2Allowance {
            amount: answer::uint(bytes, 0, 160)?,
            expiration: answer::small_uint(bytes, 1, 48)?,
            nonce: answer::small_uint(bytes, 2, 48)?,
        })
    })
}

/// ERC-1271 `isValidSignature(hash, signature)`: whether the magic value came back. A revert or any other answer
/// is `false`; an account without code accepts nothing.
///
/// # Errors
/// State that the view does not hold, or a call that a bound of this engine stopped.
pub fn is_valid_signature(
    view: &View<'_>,
    chain: &ChainId,
    account: Address,
    hash: B256,
    signature: &[u8],
) -> Lookup<Read<bool>> {
    let mut args = arguments(&[hash, number(U256::from(64)), number(U256::from(signature.len()))]);
    args.extend_from_slice(signature);
    args.resize(96 + signature.len().next_multiple_of(32), 0);
    let asked = Contract {
        view,
        chain,
        address: account,
    }
    .ask("isValidSignature(bytes32,bytes)", &args)?;
    let accepted = asked
        .returned()
        .is_some_and(|bytes| answer::word(bytes, 0) == Ok(ERC1271_MAGIC));
    asked.judged(accepted)
}
