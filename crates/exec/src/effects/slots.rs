//! The slots that changed, and what is known of where they are: the keys that were hashed on the way to them.

use crate::simulate::{Change, Outcome};
use alloy_primitives::{Address, Bytes, U256, keccak256};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How far a member of a struct may lie behind the hash of its mapping's key.
const MAX_STRUCT_SLOTS: u64 = 64;
/// Mappings within mappings that are followed.
const MAX_NESTING: usize = 8;

/// A slot that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedSlot {
    /// The contract.
    pub contract: Address,
    /// The slot.
    pub slot: U256,
    /// Its values.
    pub change: Change<U256>,
    /// The keys of the mappings it lies in, outermost first, where their pre-images were seen.
    pub keys: Vec<U256>,
    /// The slot of the outermost mapping, where it was seen.
    pub base: Option<U256>,
}

impl ChangedSlot {
    /// Whether these are all among its keys.
    fn lies_under(&self, keys: &[U256]) -> bool {
        !keys.is_empty() && keys.iter().all(|key| self.keys.contains(key))
    }
}

/// The slots that changed, those first whose meaning is not known yet.
pub(super) struct Slots {
    open: Vec<ChangedSlot>,
}

impl Slots {
    pub(super) fn of(outcome: &mut Outcome) -> Self {
        outcome.preimages.extend(COMPILED.iter().cloned());
        let open = outcome.changes.slots().map(|(contract, slot, change)| {
            let place = place(slot, &outcome.preimages, MAX_NESTING).unwrap_or_default();
            ChangedSlot {
                contract,
                slot,
                change: change.clone(),
                keys: place.keys,
                base: place.base,
            }
        });
        Self { open: open.collect() }
    }

    /// Slots whose meaning is not known yet.
    pub(super) fn open(&self) -> &[ChangedSlot] {
        &self.open
    }

    /// The change of a contract's slot that lies under these keys and holds this value now.
    pub(super) fn under(&self, contract: Address, keys: &[U256], after: U256) -> Option<Change<U256>> {
        let found = self
            .open
            .iter()
            .find(|open| open.contract == contract && open.lies_under(keys) && open.change.after == after);
        found.map(|open| open.change.clone())
    }

    /// What is left in the end.
    pub(super) fn into_open(self) -> Vec<ChangedSlot> {
        self.open
    }

    /// The meaning of one slot is known.
    pub(super) fn settle(&mut self, contract: Address, slot: U256) {
        self.open
            .retain(|open| open.contract != contract || open.slot != slot);
    }

    /// A value of a contract changed that lies under these keys. In a contract's own storage its slot may hold
    /// other values besides; in another contract's it must hold this value.
    pub(super) fn settle_under(&mut self, contract: Address, keys: &[U256], after: U256) {
        self.open.retain(|open| {
            !(open.lies_under(keys) && (open.contract == contract || open.change.after == after))
        });
    }
}

/// Hashes that compilers compute: the heads of a Safe's lists of modules and owners (slots 1 and 2).
static COMPILED: LazyLock<[(U256, Bytes); 2]> = LazyLock::new(|| {
    [1u64, 2].map(|slot| {
        let preimage = [U256::ONE, U256::from(slot)].map(|word| word.to_be_bytes::<32>());
        let preimage = Bytes::from(preimage.concat());
        (keccak256(&preimage).into(), preimage)
    })
});

#[derive(Debug, Default)]
struct Place {
    keys: Vec<U256>,
    base: Option<U256>,
}

/// Follows a slot back through the hashes it was computed with: Solidity hashes key and slot, Vyper slot and key,
/// Solady packs addresses around a seed.
fn place(slot: U256, preimages: &BTreeMap<U256, Bytes>, nesting: usize) -> Option<Place> {
    let (hash, preimage) = preimages.range(..=slot).next_back()?;
    if nesting == 0 || slot - hash > U256::from(MAX_STRUCT_SLOTS) {
        return None;
    }
    let word = |at: usize| preimage.get(at..at + 32).map(U256::from_be_slice);
    let address = |at: usize| preimage.get(at..at + 20).map(U256::from_be_slice);
    match preimage.len() {
        64 => {
            let (first, second) = (word(0)?, word(32)?);
            let (key, mut inner) = if let Some(inner) = place(second, preimages, nesting - 1) {
                (first, inner)
            } else if let Some(inner) = place(first, preimages, nesting - 1) {
                (second, inner)
            } else if is_slot_number(first) && !is_slot_number(second) && is_address(second) {
                (
                    second,
                    Place {
                        keys: Vec::new(),
                        base: Some(first),
                    },
                )
            } else {
                (
                    first,
                    Place {
                        keys: Vec::new(),
                        base: Some(second),
                    },
                )
            };
            inner.keys.push(key);
            Some(inner)
        }
        52 => Some(Place {
            keys: vec![address(0)?, address(32)?],
            base: None,
        }),
        32 if is_slot_number(word(0)?) => Some(Place {
            keys: Vec::new(),
            base: word(0),
        }),
        32 => Some(Place {
            keys: vec![address(0)?],
            base: None,
        }),
        _ => Some(Place::default()),
    }
}

/// The compiler numbers slots from zero.
fn is_slot_number(word: U256) -> bool {
    word < U256::from(1 << 16)
}

/// Whether a word may be an address.
pub(super) fn is_address(word: U256) -> bool {
    !word.is_zero() && word.bit_len() <= 160
}

/// The address a word holds.
pub(super) fn to_address(word: U256) -> Address {
    Address::from_word(word.into())
}

/// An address as a word.
pub(super) fn to_word(address: Address) -> U256 {
    address.into_word().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::address;

    const OWNER: Address = address!("0x1111111111111111111111111111111111111111");
    const SPENDER: Address = address!("0x2222222222222222222222222222222222222222");

    struct Hashes(BTreeMap<U256, Bytes>);

    impl Hashes {
        fn hash(&mut self, preimage: Vec<u8>) -> U256 {
            let hash = keccak256(&preimage).into();
            self.0.insert(hash, preimage.into());
            hash
        }

        fn pair(&mut self, first: U256, second: U256) -> U256 {
            self.hash([first.to_be_bytes::<32>(), second.to_be_bytes()].concat())
        }
    }

    fn keys(hashes: &Hashes, slot: U256) -> Vec<U256> {
        place(slot, &hashes.0, MAX_NESTING).unwrap_or_default().keys
    }

    #[test]
    fn layouts_of_allowances_come_out_the_same() {
        let (owner, spender) = (to_word(OWNER), to_word(SPENDER));
        let mut hashes = Hashes(BTreeMap::new());

        let inner = hashes.pair(owner, U256::from(4));
        let solidity = hashes.pair(spender, inner);
        assert_eq!(keys(&hashes, solidity), [owner, spender]);

        let inner = hashes.pair(U256::from(4), owner);
        let vyper = hashes.pair(inner, spender);
        assert_eq!(keys(&hashes, vyper), [owner, spender]);

        let namespace: U256 = keccak256("a namespace").into();
        let inner = hashes.pair(owner, namespace);
        let namespaced = hashes.pair(spender, inner);
        assert_eq!(keys(&hashes, namespaced), [owner, spender]);

        let solady = hashes.hash([OWNER.as_slice(), &[7; 12], SPENDER.as_slice()].concat());
        assert_eq!(keys(&hashes, solady), [owner, spender]);
    }

    #[test]
    fn members_of_structs_lie_behind_their_hash() {
        let mut hashes = Hashes(BTreeMap::new());
        let hash = hashes.pair(to_word(OWNER), U256::from(9));
        assert_eq!(keys(&hashes, hash + U256::from(3)), [to_word(OWNER)]);
        assert!(keys(&hashes, hash + U256::from(65)).is_empty());
        assert!(keys(&hashes, U256::from(3)).is_empty());
    }
}
