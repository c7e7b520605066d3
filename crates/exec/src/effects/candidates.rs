//! Pre-images of slots in the usual layouts. A node that executed the calls does not tell which hashes they computed, so the keys
//! that may have been hashed are: who takes part, under the first slots of a contract and of OpenZeppelin's
//! namespaces.

use super::layout::MAX_STRUCT_SLOTS;
use super::slots::{is_address, to_word};
use crate::simulate::Outcome;
use alloy_primitives::{Bytes, U256, keccak256};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Keys that are tried.
const MAX_KEYS: usize = 16;
/// Slots of a contract at which mappings are looked for.
const FIRST_SLOTS: u64 = 32;
/// Members of a namespace.
const MEMBERS: u64 = 4;

/// Slots at which mappings are looked for.
static BASES: LazyLock<Vec<U256>> = LazyLock::new(|| {
    let namespaces = ["ERC20", "ERC721", "ERC1155"].map(|name| {
        // ERC-7201 §Specification.
        let label: U256 = keccak256(format!("openzeppelin.storage.{name}")).into();
        let slot: U256 = keccak256((label - U256::ONE).to_be_bytes::<32>()).into();
        slot & !U256::from(0xff)
    });
    let members = namespaces
        .into_iter()
        .flat_map(|slot| (0..MEMBERS).map(move |member| slot + U256::from(member)));
    (0..FIRST_SLOTS).map(U256::from).chain(members).collect()
});

/// Adds the pre-images of slots that changed, where one of the usual layouts has them.
pub(super) fn add_preimages(outcome: &mut Outcome) {
    let changed: BTreeSet<U256> = outcome.changes.slots().map(|(_, slot, _)| slot).collect();
    let leads_to_a_change = |hash: U256| {
        let next = changed.range(hash..).next();
        next.is_some_and(|slot| slot - hash <= U256::from(MAX_STRUCT_SLOTS))
    };
    let keys = keys(outcome);
    let mut found = Vec::new();
    for (outer, outer_preimage) in keys
        .iter()
        .flat_map(|key| BASES.iter().flat_map(|base| pairs(*key, *base)))
    {
        let before = found.len();
        for key in &keys {
            found.extend(
                pairs(*key, outer)
                    .into_iter()
                    .filter(|(hash, _)| leads_to_a_change(*hash)),
            );
        }
        if found.len() > before || leads_to_a_change(outer) {
            found.push((outer, outer_preimage));
        }
    }
    outcome.preimages.extend(found);
}

/// The hashes of two words, one way round and the other: Solidity hashes the key first, Vyper the slot.
fn pairs(one: U256, other: U256) -> [(U256, Bytes); 2] {
    [[one, other], [other, one]].map(|words| {
        let preimage: Bytes = words.iter().flat_map(U256::to_be_bytes::<32>).collect();
        (keccak256(&preimage).into(), preimage)
    })
}

/// Who and what takes part: in events, in calldata, as senders and receivers.
fn keys(outcome: &Outcome) -> Vec<U256> {
    let mut keys = Vec::new();
    let mut add = |word: U256| {
        if keys.len() < MAX_KEYS && !keys.contains(&word) {
            keys.push(word);
        }
    };
    for log in &outcome.logs {
        log.topics.iter().skip(1).for_each(|topic| add((*topic).into()));
    }
    for frame in &outcome.frames {
        add(to_word(frame.caller));
        let arguments = frame.input.get(4..).unwrap_or_default();
        arguments
            .chunks_exact(32)
            .map(U256::from_be_slice)
            .filter(|word| is_address(*word))
            .for_each(&mut add);
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_those_of_openzeppelin() {
        let erc20 = "0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00";
        assert!(BASES.contains(&erc20.parse().unwrap()));
    }
}
