//! Answers that are taken only when they are proved against the pinned header.

use super::ask::{Ask, MAX_LINKED, code};
use super::chain::ChainNode;
use super::transport::{CallResult, Transport};
use crate::block;
use crate::proof::AccountProof;
use crate::snapshot::{Answer, Block, ChainSnapshot};
use crate::want::Want;
use alloy_primitives::{Address, B256, U256, keccak256};
use presight_wire::Reason;
use presight_wire::node::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Why something is not taken: the reason of the finding, and the words for people.
type Untaken = (Reason, String);

impl<T: Transport> ChainNode<T> {
    /// Takes a wave of proofs, codes and headers. What is wanted and does not verify is not read.
    pub(super) fn take_proved(
        &mut self,
        held: &mut ChainSnapshot,
        pin: &Block,
        wants: &BTreeSet<&Want>,
        answered: Vec<(Ask, CallResult)>,
    ) {
        let mut codes = Vec::new();
        let mut headers = BTreeMap::new();
        let mut blocks = Vec::new();
        for (ask, result) in answered {
            match ask {
                Ask::Proof(address, slots) => {
                    if let Err((reason, why)) = take_proof(held, pin, address, &slots, result) {
                        self.note_account("proof-invalid", address, why);
                        fail_account(held, address, wants, reason);
                    }
                }
                Ask::Code(address) => codes.push((address, result)),
                Ask::Header(number) => drop(headers.insert(number, result)),
                Ask::Block(_) => blocks.push((ask, result)),
                _ => {}
            }
        }
        for (address, result) in codes {
            if let Err((reason, why)) = take_code(held, address, result) {
                self.note_account("code-not-proved", address, why);
                fail_if_wanted(held, wants, &Want::Code(self.chain.clone(), address), reason);
            }
        }
        if let Err((reason, why)) = take_headers(held, pin, headers) {
            self.note("header-not-linked", why);
            fail_missing_hashes(held, wants, reason);
        }
        self.fail_too_deep(held, pin, wants);
        // Too far from the pinned block to be linked to it: what they say hashes to their hash, no more.
        self.take_plain(held, pin, wants, blocks);
    }

    fn fail_too_deep(&mut self, held: &mut ChainSnapshot, pin: &Block, wants: &BTreeSet<&Want>) {
        for want in wants {
            if let Want::BlockHash(_, number) = want
                && !held.holds(want)
            {
                let why = format!(
                    "block {number} is not among the {MAX_LINKED} before block {}",
                    pin.number
                );
                self.note("header-not-linked", why);
                held.fail(want, Reason::Unavailable);
            }
        }
    }
}

fn take_proof(
    held: &mut ChainSnapshot,
    pin: &Block,
    address: Address,
    slots: &[U256],
    result: CallResult,
) -> Result<(), Untaken> {
    let unavailable = |why: String| (Reason::Unavailable, why);
    let answer = result.map_err(|error| (error.reason(), error.to_string()))?;
    let (stated, mut proof) =
        AccountProof::from_json(&Node::root(&answer)).map_err(|refusal| unavailable(refusal.to_string()))?;
    if stated != address {
        return Err(unavailable(format!("a proof of {stated:#x} was given instead")));
    }
    proof.storage.retain(|slot, _| slots.contains(slot));
    if proof.storage.len() != slots.len() {
        return Err(unavailable("a slot is left out".into()));
    }
    let root = pin
        .state_root
        .ok_or_else(|| unavailable("the block has no state root".into()))?;
    proof
        .verify(address, root)
        .map_err(|error| unavailable(error.to_string()))?;
    let account = held.accounts.entry(address).or_default();
    account.balance = Some(Answer::Known(proof.balance));
    account.nonce = Some(Answer::Known(proof.nonce));
    for (slot, proved) in &proof.storage {
        account.storage.insert(*slot, Answer::Known(proved.value));
    }
    match held.proofs.get_mut(&address) {
        // Two proofs against one root agree on the account.
        Some(known) => drop(known.absorb(proof)),
        None => drop(held.proofs.insert(address, proof)),
    }
    Ok(())
}

fn take_code(held: &mut ChainSnapshot, address: Address, result: CallResult) -> Result<(), Untaken> {
    let unavailable = |why: String| (Reason::Unavailable, why);
    let answer = result.map_err(|error| (error.reason(), error.to_string()))?;
    let code = code(&Node::root(&answer)).map_err(|refusal| unavailable(refusal.to_string()))?;
    let proof = held
        .proofs
        .get(&address)
        .ok_or_else(|| unavailable("the account is not proved".into()))?;
    if keccak256(&code) != proof.code_hash {
        return Err(unavailable(
            "the code does not hash to the proved code hash".into(),
        ));
    }
    held.accounts.entry(address).or_default().code = Some(Answer::Known(code));
    Ok(())
}

/// Walks from the pinned block's parent down, each header named by the hash in the one above it.
fn take_headers(
    held: &mut ChainSnapshot,
    pin: &Block,
    mut headers: BTreeMap<u64, CallResult>,
) -> Result<(), Untaken> {
    let mut expected = pin.parent_hash;
    while let Some((number, result)) = headers.pop_last() {
        let unavailable = |why: &str| (Reason::Unavailable, format!("block {number}: {why}"));
        let answer = result.map_err(|error| (error.reason(), format!("block {number}: {error}")))?;
        let (_, header) = block::from_json(&Node::root(&answer)).map_err(|e| unavailable(&e.to_string()))?;
        let header = header.ok_or_else(|| unavailable("its header is not whole"))?;
        let hash: B256 = header.hash_slow();
        if header.number != number || Some(hash) != expected {
            return Err(unavailable("it is not the parent of the block above it"));
        }
        held.block_hashes.insert(number, Answer::Known(hash));
        expected = Some(header.parent_hash);
    }
    Ok(())
}

/// Nothing that is wanted of the account and not proved already is read.
fn fail_account(held: &mut ChainSnapshot, address: Address, wants: &BTreeSet<&Want>, reason: Reason) {
    for want in wants {
        let concerned = match want {
            Want::Balance(_, a) | Want::Nonce(_, a) | Want::Storage(_, a, _) => *a == address,
            Want::Code(_, a) => *a == address && !held.proofs.contains_key(a),
            _ => false,
        };
        if concerned {
            fail_if_unheld(held, want, reason);
        }
    }
}

fn fail_if_wanted(held: &mut ChainSnapshot, wants: &BTreeSet<&Want>, want: &Want, reason: Reason) {
    if wants.contains(want) {
        fail_if_unheld(held, want, reason);
    }
}

fn fail_missing_hashes(held: &mut ChainSnapshot, wants: &BTreeSet<&Want>, reason: Reason) {
    for want in wants.iter().filter(|want| matches!(want, Want::BlockHash(..))) {
        fail_if_unheld(held, want, reason);
    }
}

fn fail_if_unheld(held: &mut ChainSnapshot, want: &Want, reason: Reason) {
    if !held.holds(want) {
        held.fail(want, reason);
    }
}
