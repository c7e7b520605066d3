//! Where compilers and libraries keep mappings: a slot followed back through the hashes it was computed with.

use super::slots::is_address;
use alloy_primitives::{Bytes, U256, keccak256};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How far a member of a struct may lie behind the hash of its mapping's key.
pub(super) const MAX_STRUCT_SLOTS: u64 = 64;
/// Mappings within mappings that are followed.
const MAX_NESTING: usize = 8;
/// Hashes for items of Solady's ERC-721 tokens that are tried.
const MAX_ITEM_HASHES: usize = 256;

/// Solady's seeds of its ERC-721 and ERC-1155 tokens, at the end of what it hashes.
const SOLADY_ERC721: [u8; 4] = [0x7d, 0x88, 0x25, 0x53];
const SOLADY_ERC1155: [u8; 8] = [0x9a, 0x31, 0x11, 0x03, 0x84, 0xe0, 0xb0, 0xc9];

/// Hashes that compilers compute: the heads of a Safe's lists of modules and owners (slots 1 and 2).
pub(super) static COMPILED: LazyLock<[(U256, Bytes); 2]> = LazyLock::new(|| {
    [1u64, 2].map(|slot| {
        let preimage = [U256::ONE, U256::from(slot)].map(|word| word.to_be_bytes::<32>());
        let preimage = Bytes::from(preimage.concat());
        (keccak256(&preimage).into(), preimage)
    })
});

/// Where a slot is.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The keys of the mappings it lies in, outermost first.
    pub(super) keys: Vec<U256>,
    /// The slot of the outermost mapping.
    pub(super) base: Option<U256>,
}

impl Place {
    fn under(keys: Vec<U256>) -> Self {
        Self { keys, base: None }
    }

    fn in_mapping(base: U256, key: U256) -> Self {
        Self {
            keys: vec![key],
            base: Some(base),
        }
    }
}

/// The hashes that were computed, with their pre-images.
pub(super) struct Hashes<'o> {
    all: &'o BTreeMap<U256, Bytes>,
    /// Those that lead to items of Solady's ERC-721 tokens.
    items: Vec<(U256, &'o Bytes)>,
}

impl<'o> Hashes<'o> {
    pub(super) fn of(all: &'o BTreeMap<U256, Bytes>) -> Self {
        let items = all.iter().map(|(hash, preimage)| (*hash, preimage));
        let items = items.filter(|(_, preimage)| preimage.len() == 32 && preimage.ends_with(&SOLADY_ERC721));
        Self {
            all,
            items: items.take(MAX_ITEM_HASHES).collect(),
        }
    }

    /// Follows a slot back: Solidity hashes key and slot, Vyper slot and key, Solady packs keys around a seed.
    pub(super) fn place(&self, slot: U256) -> Option<Place> {
        nested(slot, self.all, MAX_NESTING).or_else(|| self.item(slot))
    }

    /// Solady keeps the owner of an ERC-721 item at twice its id behind a hash of the id's high bytes, and who is
    /// approved for it in the slot after that.
    fn item(&self, slot: U256) -> Option<Place> {
        self.items.iter().find_map(|(hash, preimage)| {
            let half: U256 = slot.wrapping_sub(*hash) >> 1;
            // The highest bit of the id is lost when it is doubled.
            let ids = [half, half | (U256::ONE << 255)];
            let id = ids
                .into_iter()
                .find(|id| id.to_be_bytes::<32>()[..28] == preimage[..28])?;
            Some(Place::under(vec![id]))
        })
    }
}

fn nested(slot: U256, preimages: &BTreeMap<U256, Bytes>, nesting: usize) -> Option<Place> {
    let (hash, preimage) = preimages.range(..=slot).next_back()?;
    if nesting == 0 || slot - hash > U256::from(MAX_STRUCT_SLOTS) {
        return None;
    }
    let word = |at: usize| preimage.get(at..at + 32).map(U256::from_be_slice);
    let address = |at: usize| preimage.get(at..at + 20).map(U256::from_be_slice);
    match preimage.len() {
        64 => {
            let (first, second) = (word(0)?, word(32)?);
            if preimage.ends_with(&SOLADY_ERC1155) {
                return Some(Place::under(vec![first, address(32)?]));
            }
            if let Some(mut outer) = nested(second, preimages, nesting - 1) {
                outer.keys.push(first);
                return Some(outer);
            }
            if let Some(mut outer) = nested(first, preimages, nesting - 1) {
                outer.keys.push(second);
                return Some(outer);
            }
            let is_vyper = is_slot_number(first) && !is_slot_number(second) && is_address(second);
            Some(if is_vyper {
                Place::in_mapping(first, second)
            } else {
                Place::in_mapping(second, first)
            })
        }
        // Solady: owner and spender of an allowance, operator and owner of an ERC-1155 token.
        52 if preimage.ends_with(&SOLADY_ERC1155) => Some(Place::under(vec![address(20)?, address(0)?])),
        52 => Some(Place::under(vec![address(0)?, address(32)?])),
        // Solady: owner and operator of an ERC-721 token; the owner alone.
        48 => Some(Place::under(vec![address(0)?, address(28)?])),
        28 => Some(Place::under(vec![address(0)?])),
        32 if is_slot_number(word(0)?) => Some(Place {
            keys: Vec::new(),
            base: word(0),
        }),
        32 if preimage.ends_with(&SOLADY_ERC721) => None,
        32 => Some(Place::under(vec![address(0)?])),
        _ => Some(Place::default()),
    }
}

/// The compiler numbers slots from zero.
fn is_slot_number(word: U256) -> bool {
    word < U256::from(1 << 16)
}

#[cfg(test)]
mod tests {
    use super::super::slots::to_word;
    use super::*;
    use alloy_primitives::{Address, address};

    const OWNER: Address = address!("0x1111111111111111111111111111111111111111");
    const SPENDER: Address = address!("0x2222222222222222222222222222222222222222");

    #[derive(Default)]
    struct Computed(BTreeMap<U256, Bytes>);

    impl Computed {
        fn hash(&mut self, parts: &[&[u8]]) -> U256 {
            let preimage = parts.concat();
            let hash = keccak256(&preimage).into();
            self.0.insert(hash, preimage.into());
            hash
        }

        fn pair(&mut self, first: U256, second: U256) -> U256 {
            self.hash(&[&first.to_be_bytes::<32>(), &second.to_be_bytes::<32>()])
        }

        fn keys(&self, slot: U256) -> Vec<U256> {
            Hashes::of(&self.0).place(slot).unwrap_or_default().keys
        }
    }

    #[test]
    fn layouts_of_allowances_come_out_the_same() {
        let (owner, spender) = (to_word(OWNER), to_word(SPENDER));
        let mut hashes = Computed::default();

        let inner = hashes.pair(owner, U256::from(4));
        let solidity = hashes.pair(spender, inner);
        assert_eq!(hashes.keys(solidity), [owner, spender]);

        let inner = hashes.pair(U256::from(4), owner);
        let vyper = hashes.pair(inner, spender);
        assert_eq!(hashes.keys(vyper), [owner, spender]);

        let namespace: U256 = keccak256("a namespace").into();
        let inner = hashes.pair(owner, namespace);
        let namespaced = hashes.pair(spender, inner);
        assert_eq!(hashes.keys(namespaced), [owner, spender]);

        let solady = hashes.hash(&[OWNER.as_slice(), &[7; 12], SPENDER.as_slice()]);
        assert_eq!(hashes.keys(solady), [owner, spender]);
    }

    #[test]
    fn layouts_of_solady_s_items_and_ids() {
        let (owner, operator) = (to_word(OWNER), to_word(SPENDER));
        let mut hashes = Computed::default();
        let of_item = hashes.hash(&[OWNER.as_slice(), &[7; 8], SPENDER.as_slice()]);
        assert_eq!(hashes.keys(of_item), [owner, operator]);
        let tail = [&[0; 4][..], &SOLADY_ERC1155].concat();
        let of_id = hashes.hash(&[SPENDER.as_slice(), OWNER.as_slice(), &tail]);
        assert_eq!(hashes.keys(of_id), [owner, operator]);
        let id = U256::from(9);
        let balance = hashes.hash(&[&id.to_be_bytes::<32>(), OWNER.as_slice(), &tail]);
        assert_eq!(hashes.keys(balance), [id, owner]);
        for id in [
            U256::ZERO,
            U256::from(300),
            U256::MAX,
            U256::ONE << 255,
            U256::MAX >> 1,
        ] {
            let high = &id.to_be_bytes::<32>()[..28];
            let ownership = hashes
                .hash(&[high, &SOLADY_ERC721])
                .wrapping_add(id)
                .wrapping_add(id);
            assert_eq!(hashes.keys(ownership), [id]);
            assert_eq!(hashes.keys(ownership.wrapping_add(U256::ONE)), [id]);
        }
    }

    #[test]
    fn members_of_structs_lie_behind_their_hash() {
        let mut hashes = Computed::default();
        let hash = hashes.pair(to_word(OWNER), U256::from(9));
        assert_eq!(hashes.keys(hash + U256::from(3)), [to_word(OWNER)]);
        assert!(hashes.keys(hash + U256::from(65)).is_empty());
        assert!(hashes.keys(U256::from(3)).is_empty());
    }
}
