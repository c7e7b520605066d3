//! What signed messages are spent with: counters and bit fields that a simulation moved on.

use super::Hearing;
use super::slots::{ChangedSlot, is_address, to_address, to_word};
use crate::simulate::Change;
use alloy_primitives::{Address, U256};
use std::collections::BTreeSet;

/// A counter or bit field that moved on. Every message signed for its old value is void.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonce {
    /// The contract.
    pub contract: Address,
    /// Whose messages; of a Safe the contract itself.
    pub owner: Address,
    /// Which messages.
    pub spends: Spends,
    /// Its values.
    pub value: Change<U256>,
}

/// Which messages a nonce is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spends {
    /// Permits of a token (ERC-2612), and whatever else a contract counts in `nonces(address)`.
    Permits,
    /// Permits of one allowance of a Permit2 contract.
    Allowance {
        /// The token.
        token: Address,
        /// Who may take it.
        spender: Address,
    },
    /// Signed transfers of a Permit2 contract: 256 of them, at this word of the bit field.
    Transfers {
        /// The index of the word.
        word: U256,
    },
    /// Operations of an account at an entry point (ERC-4337), of this key.
    Operations {
        /// The key, of 192 bits.
        key: U256,
    },
    /// Transactions of a Safe.
    Transactions,
}

impl Spends {
    /// The word of the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Permits => "permits",
            Self::Allowance { .. } => "permit2-allowance",
            Self::Transfers { .. } => "permit2-transfers",
            Self::Operations { .. } => "operations",
            Self::Transactions => "safe-transactions",
        }
    }
}

/// The slot of a Safe's nonce.
const SAFE_NONCE: u64 = 5;

/// Nonces among the slots whose meaning is not known, where the contract tells them.
pub(super) fn heard(hearing: &mut Hearing<'_, '_>) {
    let asked: BTreeSet<Question> = hearing.slots.open().iter().flat_map(Question::about).collect();
    for question in asked {
        let Question {
            contract,
            owner,
            spends,
        } = question;
        let account = to_word(owner);
        let (signature, keys) = match spends {
            Spends::Permits => ("nonces(address)", vec![account]),
            Spends::Transfers { word } => ("nonceBitmap(address,uint256)", vec![account, word]),
            Spends::Operations { key } => ("nonceSequenceNumber(address,uint192)", vec![account, key]),
            Spends::Transactions => ("nonce()", Vec::new()),
            Spends::Allowance { .. } => continue, // told with the allowance
        };
        let value = hearing.asker.ask(contract, signature, &keys).words(0);
        if let Some(value) = value.filter(|value| value.before != value.after) {
            hearing.slots.settle_value(contract, &keys, &value);
            hearing.effects.nonces.push(Nonce {
                contract,
                owner,
                spends,
                value,
            });
        }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    contract: Address,
    owner: Address,
    spends: Spends,
}

impl Question {
    fn about(open: &ChangedSlot) -> Vec<Self> {
        let contract = open.contract;
        let of = |owner: U256, spends| Self {
            contract,
            owner: to_address(owner),
            spends,
        };
        match *open.keys.as_slice() {
            [] if open.slot == U256::from(SAFE_NONCE) => vec![Self {
                contract,
                owner: contract,
                spends: Spends::Transactions,
            }],
            [owner] if is_address(owner) => vec![of(owner, Spends::Permits)],
            // A word may look like an address, and the other way round.
            [one, other] => [(one, other), (other, one)]
                .into_iter()
                .filter(|(owner, _)| is_address(*owner))
                .flat_map(|(owner, other)| {
                    let operations = Spends::Operations { key: other };
                    [
                        of(owner, Spends::Transfers { word: other }),
                        of(owner, operations),
                    ]
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}
