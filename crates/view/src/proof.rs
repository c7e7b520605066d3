//! Merkle proofs of accounts and slots (`eth_getProof`, EIP-1186) against a state root.

use crate::block::{hash, quantity, quantity_u64};
use alloy_primitives::{Address, B256, Bytes, KECCAK256_EMPTY, U256, keccak256};
use alloy_trie::{EMPTY_ROOT_HASH, HashBuilder, Nibbles, TrieAccount, proof::verify_proof};
use presight_wire::error::Refusal;
use presight_wire::hex;
use presight_wire::node::Node;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Nodes of one proof: a path of 64 nibbles has at most 65.
const MAX_PROOF_NODES: usize = 65;
/// Slots proved in one `eth_getProof` answer.
const MAX_PROVED_SLOTS: usize = 100_000;

/// What `eth_getProof` says of an account, with the trie nodes that show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountProof {
    /// Balance in wei.
    pub balance: U256,
    /// Nonce.
    pub nonce: u64,
    /// `keccak256` of the code; of nothing for an account without code.
    pub code_hash: B256,
    /// Root of the account's storage trie.
    pub storage_hash: B256,
    /// Trie nodes from the state root to the account, or to where it would be.
    pub account_proof: Vec<Bytes>,
    /// The proved slots.
    pub storage: BTreeMap<U256, SlotProof>,
}

/// What `eth_getProof` says of one slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotProof {
    /// The slot's value.
    pub value: U256,
    /// Trie nodes from the storage root to the slot, or to where it would be.
    pub proof: Vec<Bytes>,
}

/// Why a proof does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The account's own proof does not lead from the state root to what is stated.
    #[error("the account proof does not verify against the state root: {0}")]
    Account(String),
    /// A slot's proof does not lead from the storage root to what is stated.
    #[error("the proof of slot {slot:#x} does not verify against the storage root: {why}")]
    Slot {
        /// The slot.
        slot: U256,
        /// The verifier's words.
        why: String,
    },
}

impl AccountProof {
    /// Checks every proof against the state root: the account's leaf or its absence, and each slot's.
    pub fn verify(&self, address: Address, state_root: B256) -> Result<(), ProofError> {
        self.verify_account(address, state_root)
            .map_err(ProofError::Account)?;
        for (slot, proof) in &self.storage {
            proof
                .verify(*slot, self.storage_hash)
                .map_err(|why| ProofError::Slot { slot: *slot, why })?;
        }
        Ok(())
    }

    fn verify_account(&self, address: Address, state_root: B256) -> Result<(), String> {
        let account = TrieAccount {
            nonce: self.nonce,
            balance: self.balance,
            storage_root: self.storage_hash,
            code_hash: self.code_hash,
        };
        let key = Nibbles::unpack(keccak256(address));
        let leaf = alloy_rlp::encode(account);
        let present = verify_proof(state_root, key, Some(leaf), nodes(&self.account_proof));
        if present.is_err() && account == TrieAccount::default() {
            // An absent account and an empty one (possible before EIP-161) read the same.
            return verify_proof(state_root, key, None, nodes(&self.account_proof))
                .map_err(|e| e.to_string());
        }
        present.map_err(|e| e.to_string())
    }

    /// Adds the slots of another proof of the same account. False, with nothing changed, when the two disagree
    /// on the account.
    pub fn absorb(&mut self, other: Self) -> bool {
        let same = (self.balance, self.nonce, self.code_hash, self.storage_hash)
            == (other.balance, other.nonce, other.code_hash, other.storage_hash);
        if same {
            self.storage.extend(other.storage);
        }
        same
    }

    /// Reads one `eth_getProof` result: the address it says it is of, and the proof. Nothing is verified.
    pub fn from_json(node: &Node<'_>) -> Result<(Address, Self), Refusal> {
        let address = node.required("address")?;
        let address = hex::address_any_case(address.string()?, &address.pointer)?;
        let mut storage = BTreeMap::new();
        for slot in node
            .required("storageProof")?
            .array(MAX_PROVED_SLOTS, "the number of proved slots")?
        {
            let (key, proof) = SlotProof::from_json(&slot)?;
            if storage.insert(key, proof).is_some() {
                return Err(slot.refuse("duplicate-member", "this slot is proved twice"));
            }
        }
        let proof = Self {
            balance: quantity(&node.required("balance")?)?,
            nonce: quantity_u64(&node.required("nonce")?)?,
            code_hash: empty_as(KECCAK256_EMPTY, hash(&node.required("codeHash")?)?),
            storage_hash: empty_as(EMPTY_ROOT_HASH, hash(&node.required("storageHash")?)?),
            account_proof: proof_nodes(&node.required("accountProof")?)?,
            storage,
        };
        Ok((address, proof))
    }

    /// The proof in `eth_getProof`'s form.
    pub fn to_json(&self, address: Address) -> Value {
        let storage: Vec<Value> = self
            .storage
            .iter()
            .map(|(slot, p)| json!({ "key": B256::from(*slot), "value": p.value, "proof": p.proof }))
            .collect();
        json!({
            "address": format!("{address:#x}"),
            "balance": self.balance,
            "nonce": format!("{:#x}", self.nonce),
            "codeHash": self.code_hash,
            "storageHash": self.storage_hash,
            "accountProof": self.account_proof,
            "storageProof": storage,
        })
    }
}

impl SlotProof {
    fn verify(&self, slot: U256, storage_root: B256) -> Result<(), String> {
        let key = Nibbles::unpack(keccak256(B256::from(slot)));
        let shows =
            |leaf| verify_proof(storage_root, key, leaf, nodes(&self.proof)).map_err(|e| e.to_string());
        let leaf = alloy_rlp::encode(self.value);
        if !self.value.is_zero() {
            return shows(Some(leaf));
        }
        // Zero is absence; development nodes also keep zeros that were written, as leaves.
        shows(None).or_else(|absent| shows(Some(leaf)).map_err(|_| absent))
    }

    fn from_json(node: &Node<'_>) -> Result<(U256, Self), Refusal> {
        let key = quantity(&node.required("key")?)?;
        let value = quantity(&node.required("value")?)?;
        Ok((
            key,
            Self {
                value,
                proof: proof_nodes(&node.required("proof")?)?,
            },
        ))
    }
}

/// The root of the storage trie that holds these slots and no others.
pub(crate) fn storage_root(slots: impl Iterator<Item = (U256, U256)>) -> B256 {
    let leaves: BTreeMap<B256, U256> = slots
        .map(|(slot, value)| (keccak256(B256::from(slot)), value))
        .collect();
    let mut builder = HashBuilder::default();
    for (key, value) in &leaves {
        builder.add_leaf(Nibbles::unpack(key), &alloy_rlp::encode(value));
    }
    builder.root()
}

/// Some clients end the proof of an absent slot with an empty byte string, which is no trie node and shows nothing.
fn nodes(proof: &[Bytes]) -> impl Iterator<Item = &Bytes> {
    proof.iter().filter(|node| !node.is_empty())
}

/// Clients state an absent account's hashes as zero or as those of nothing: both mean nothing.
fn empty_as(nothing: B256, stated: B256) -> B256 {
    if stated.is_zero() { nothing } else { stated }
}

fn proof_nodes(node: &Node<'_>) -> Result<Vec<Bytes>, Refusal> {
    let nodes = node.array(MAX_PROOF_NODES, "the number of nodes in a proof")?;
    nodes.iter().map(|n| hex::data(n.string()?, &n.pointer)).collect()
}
