//! The proofs of a view file against its blocks.

use crate::problem::Problem;
use crate::proof::{AccountProof, storage_root};
use crate::snapshot::{AccountSnapshot, Answer, ChainSnapshot, Snapshot};
use alloy_primitives::{Address, B256, U256, keccak256};
use presight_wire::{ChainId, Reason};
use std::collections::BTreeMap;

/// What the proofs of a view file show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proofs {
    /// The file has none.
    Absent,
    /// Every state value of the file is shown by a proof, against a state root that the block hash covers.
    Valid,
    /// All proofs hold, and the file also has what no `eth_getProof` answer shows: a node's own executions, earlier
    /// block hashes and headers, history, source verification, the emptiness of what a complete chain does not list.
    Partial,
    /// A proof does not hold, or a value differs from its proof, be it the emptiness of what a complete chain does
    /// not list: the accounts concerned are not read. Or a value that a proof could show has none, or the state root
    /// is not shown to belong to the block hash.
    Invalid,
}

/// Checks every proof. An account whose proof does not hold becomes not read.
pub(super) fn check(snapshot: &mut Snapshot) -> (Proofs, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut proofs = Proofs::Absent;
    let any = snapshot.chains.values().any(|chain| !chain.proofs.is_empty());
    for (id, chain) in &mut snapshot.chains {
        let found = check_chain(id, chain, &mut problems);
        if any {
            proofs = proofs.max(found).max(check_cover(id, chain, &mut problems));
        }
    }
    (proofs, problems)
}

fn check_chain(id: &ChainId, chain: &mut ChainSnapshot, problems: &mut Vec<Problem>) -> Proofs {
    let Answer::Known(block) = &chain.block else {
        return Proofs::Valid;
    };
    let (state_root, hash) = (block.state_root, block.hash);
    let forged = chain
        .header
        .as_ref()
        .is_some_and(|header| header.hash_slow() != hash);
    if forged {
        problems.push(Problem::of_chain(
            "header-not-verified",
            id,
            "the header does not hash to the block's hash",
        ));
    }
    let mut broken = Vec::new();
    for (address, proof) in &chain.proofs {
        let checked = match state_root {
            _ if forged => Err("the header does not hash to the block's hash".to_owned()),
            None => Err("the block has no stateRoot to check against".to_owned()),
            Some(root) => proof.verify(*address, root).map_err(|e| e.to_string()),
        };
        let agreed = checked.and_then(|()| agrees(proof, chain.accounts.get(address), chain.complete));
        if let Err(why) = agreed {
            problems.push(Problem::of_account("proof-invalid", id, *address, why));
            broken.push(*address);
        }
    }
    for address in &broken {
        distrust(chain, *address);
    }
    if broken.is_empty() {
        Proofs::Valid
    } else {
        Proofs::Invalid
    }
}

/// Whether everything a chain of a file with proofs says is shown by them.
fn check_cover(id: &ChainId, chain: &ChainSnapshot, problems: &mut Vec<Problem>) -> Proofs {
    if chain.block.known().is_none() {
        return Proofs::Valid;
    }
    if chain.header.is_none() {
        let why = "there is no header to show that the state root belongs to the block's hash";
        problems.push(Problem::of_chain("proof-missing", id, why));
    }
    let mut unproven = unproven(chain);
    let first = unproven.next();
    if let Some(first) = first {
        let why = match unproven.count() {
            0 => "a value of the account has no proof, and the file has proofs".to_owned(),
            more => format!(
                "a value of the account has no proof, and the file has proofs; so it is of {more} more"
            ),
        };
        problems.push(Problem::of_account("proof-missing", id, first, why));
    }
    if !chain.header_is_verified() || first.is_some() {
        Proofs::Invalid
    } else if has_unprovable(chain) {
        Proofs::Partial
    } else {
        Proofs::Valid
    }
}

/// Whether what the file says of an account is what the proof says. A complete chain says of what it does not list
/// that it is empty, and of the listed slots that they are the whole storage.
fn agrees(proof: &AccountProof, account: Option<&AccountSnapshot>, complete: bool) -> Result<(), String> {
    let nothing_listed = AccountSnapshot::default();
    let account = account.unwrap_or(&nothing_listed);
    if said(account.balance.as_ref(), complete).is_some_and(|balance| balance != proof.balance) {
        return Err(differs("the balance", account.balance.is_some()));
    }
    if said(account.nonce.as_ref(), complete).is_some_and(|nonce| nonce != proof.nonce) {
        return Err(differs("the nonce", account.nonce.is_some()));
    }
    if said(account.code.as_ref(), complete).is_some_and(|code| keccak256(code) != proof.code_hash) {
        return Err(differs("the hash of the code", account.code.is_some()));
    }
    for (slot, proved) in &proof.storage {
        let answer = account.storage.get(slot);
        if said(answer, complete).is_some_and(|value| value != proved.value) {
            return Err(differs(&format!("slot {slot:#x}"), answer.is_some()));
        }
    }
    if complete && !is_whole(&account.storage, proof.storage_hash) {
        return Err("the slots that a complete chain lists do not make the proved storage hash".into());
    }
    Ok(())
}

/// What the file says a value is, listed or not; `None` where it says nothing.
fn said<T: Clone + Default>(answer: Option<&Answer<T>>, complete: bool) -> Option<T> {
    match answer {
        Some(answer) => answer.known().cloned(),
        None => complete.then(T::default),
    }
}

fn differs(what: &str, listed: bool) -> String {
    if listed {
        format!("{what} differs from the proof")
    } else {
        format!("{what} is not listed, so empty in a complete chain; it differs from the proof")
    }
}

/// Whether all other slots are zero. Development nodes keep zeros that were written in the trie.
fn is_whole(storage: &BTreeMap<U256, Answer<U256>>, storage_hash: B256) -> bool {
    let known = || {
        storage
            .iter()
            .filter_map(|(slot, answer)| Some((*slot, *answer.known()?)))
    };
    storage_root(known().filter(|(_, value)| !value.is_zero())) == storage_hash
        || storage_root(known()) == storage_hash
}

fn known<T>(answer: Option<&Answer<T>>) -> Option<&T> {
    answer.and_then(Answer::known)
}

/// Whether the chain says what no proof of an account or slot can show. A complete chain also says what is not listed.
fn has_unprovable(chain: &ChainSnapshot) -> bool {
    let mut executed = chain.node_executions.iter().flatten();
    let history = chain.history.as_ref();
    chain.complete
        || history.is_some_and(|history| history.known().is_some())
        || chain.source_verification.is_some()
        || executed.any(|(_, answer)| answer.known().is_some())
        || chain.block_hashes.values().any(|answer| answer.known().is_some())
        || chain.headers.values().any(|answer| answer.known().is_some())
}

/// The accounts of which the chain says a value that no proof shows. The slots of a complete chain's account are shown
/// all together by its storage hash.
fn unproven(chain: &ChainSnapshot) -> impl Iterator<Item = Address> {
    let is_known = |answer: &Answer<_>| matches!(answer, Answer::Known(_));
    let lacking = move |(address, account): (&Address, &AccountSnapshot)| {
        let lacks = match chain.proofs.get(address) {
            Some(_) if chain.complete => false,
            Some(proof) => account
                .storage
                .iter()
                .any(|(slot, answer)| is_known(answer) && !proof.storage.contains_key(slot)),
            None => {
                known(account.balance.as_ref()).is_some()
                    || known(account.nonce.as_ref()).is_some()
                    || known(account.code.as_ref()).is_some()
                    || account.storage.values().any(is_known)
            }
        };
        lacks.then_some(*address)
    };
    chain.accounts.iter().filter_map(lacking)
}

/// Nothing of the account is read, and since the file said something false, nothing unlisted is taken as empty.
fn distrust(chain: &mut ChainSnapshot, address: Address) {
    let failed = Reason::Unavailable;
    chain.proofs.remove(&address);
    chain.complete = false;
    let account = chain.accounts.entry(address).or_default();
    account.balance = Some(Answer::Failed(failed));
    account.nonce = Some(Answer::Failed(failed));
    account.code = Some(Answer::Failed(failed));
    for answer in account.storage.values_mut() {
        *answer = Answer::Failed(failed);
    }
}
