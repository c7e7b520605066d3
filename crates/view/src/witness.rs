//! What a report was made from, and nothing else.

use crate::snapshot::{AccountSnapshot, Answer, ChainSnapshot, Snapshot};
use crate::want::Want;
use alloy_primitives::Address;
use presight_wire::{ChainId, Reason};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Snapshot {
    /// The snapshot restricted to the reads that were made, closed. Every read is explicit in it: an empty account
    /// of a complete chain as zeros, and what was not to be had as that failure, so that a run on the witness gives
    /// the same values and the same reasons.
    pub fn witness(&self, used: &BTreeSet<Want>) -> Self {
        let mut witness = Self {
            closed: Some(Reason::Unavailable),
            ..Self::new(self.clock)
        };
        for want in used {
            self.keep(want, &mut witness);
        }
        self.keep_history(used, &mut witness);
        witness.keep_proofs(self);
        witness
    }

    fn keep(&self, want: &Want, witness: &mut Self) {
        match want {
            Want::Block(chain) => drop(self.kept_chain(chain, witness)),
            Want::BlockHash(chain, number) => {
                let Some((held, kept)) = self.kept_chain(chain, witness) else {
                    return;
                };
                let pinned = held.block.known().is_some_and(|block| block.number == *number);
                let answer = held
                    .block_hashes
                    .get(number)
                    .cloned()
                    .or(self.closed.map(Answer::Failed));
                if let (false, Some(answer)) = (pinned, answer) {
                    kept.block_hashes.insert(*number, answer);
                }
            }
            Want::Header(chain, number) => {
                let Some((held, kept)) = self.kept_chain(chain, witness) else {
                    return;
                };
                let answer = held.headers.get(number).cloned();
                if let Some(answer) = answer.or(self.closed.map(Answer::Failed)) {
                    kept.headers.insert(*number, answer);
                }
            }
            Want::Balance(chain, address) => {
                let Some((held, kept)) = self.kept_chain(chain, witness) else {
                    return;
                };
                let answer = held
                    .accounts
                    .get(address)
                    .and_then(|account| account.balance.clone());
                kept.accounts.entry(*address).or_default().balance = self.explicit(answer, held);
            }
            Want::Nonce(chain, address) => {
                let Some((held, kept)) = self.kept_chain(chain, witness) else {
                    return;
                };
                let answer = held
                    .accounts
                    .get(address)
                    .and_then(|account| account.nonce.clone());
                kept.accounts.entry(*address).or_default().nonce = self.explicit(answer, held);
            }
            Want::Code(chain, address) => {
                let Some((held, kept)) = self.kept_chain(chain, witness) else {
                    return;
                };
                let answer = held
                    .accounts
                    .get(address)
                    .and_then(|account| account.code.clone());
                kept.accounts.entry(*address).or_default().code = self.explicit(answer, held);
            }
            Want::Storage(chain, address, slot) => {
                let Some((held, kept)) = self.kept_chain(chain, witness) else {
                    return;
                };
                let answer = held
                    .accounts
                    .get(address)
                    .and_then(|account| account.storage.get(slot).cloned());
                if let Some(answer) = self.explicit(answer, held) {
                    kept.accounts
                        .entry(*address)
                        .or_default()
                        .storage
                        .insert(*slot, answer);
                }
            }
            Want::NodeExecution(chain, request) => {
                let Some((held, kept)) = self.kept_chain(chain, witness) else {
                    return;
                };
                let answer = held.node_executions.as_ref().and_then(|held| held.get(request));
                let answer = answer.cloned().or(self.closed.map(Answer::Failed));
                if let (Some(kept), Some(answer)) = (&mut kept.node_executions, answer) {
                    kept.insert(request.clone(), answer);
                }
            }
            Want::Document(url) | Want::Answer(url) => {
                let answer = self
                    .documents
                    .get(url)
                    .cloned()
                    .or(self.closed.map(Answer::Failed));
                if let Some(answer) = answer {
                    witness.documents.insert(url.clone(), answer);
                }
            }
            Want::SourceVerification(chain, address) => {
                let Some((held, kept)) = self.kept_chain(chain, witness) else {
                    return;
                };
                for (verifier, contracts) in held.source_verification.iter().flatten() {
                    let verifiers = kept.source_verification.get_or_insert_default();
                    let found = contracts.get(address).map(|found| (*address, *found));
                    verifiers.entry(verifier.clone()).or_default().extend(found);
                }
            }
            // Kept all together, by `keep_history`.
            Want::History(..) | Want::Authorizations(..) | Want::CallHint(..) => {}
        }
    }

    /// Keeps of each chain's history what it says of the addresses that were asked about.
    fn keep_history(&self, used: &BTreeSet<Want>, witness: &mut Self) {
        let mut asked: BTreeMap<&ChainId, (BTreeSet<Address>, BTreeSet<Address>)> = BTreeMap::new();
        for want in used {
            match want {
                Want::History(chain, address) => asked.entry(chain).or_default().0.insert(*address),
                Want::Authorizations(chain, delegate) => asked.entry(chain).or_default().1.insert(*delegate),
                _ => continue,
            };
        }
        for (chain, (addresses, delegates)) in asked {
            let Some((held, kept)) = self.kept_chain(chain, witness) else {
                continue;
            };
            kept.history = Some(match &held.history {
                Some(Answer::Known(history)) => {
                    Answer::Known(Arc::new(history.restricted(&addresses, &delegates)))
                }
                Some(Answer::Failed(reason)) => Answer::Failed(*reason),
                None => Answer::Failed(self.closed.unwrap_or(Reason::Unavailable)),
            });
        }
    }

    /// What is held of a chain whose block is known, and its place in the witness.
    fn kept_chain<'a>(
        &'a self,
        id: &ChainId,
        witness: &'a mut Self,
    ) -> Option<(&'a ChainSnapshot, &'a mut ChainSnapshot)> {
        let Some(held) = self.chains.get(id) else {
            let failed = ChainSnapshot::new(Answer::Failed(self.closed?), Default::default());
            witness.chains.entry(id.clone()).or_insert(failed);
            return None;
        };
        let kept = witness.chains.entry(id.clone()).or_insert_with(|| ChainSnapshot {
            header: held.header.clone(),
            node_executions: held.node_executions.as_ref().map(|_| BTreeMap::new()),
            ..ChainSnapshot::new(held.block.clone(), held.hard_fork)
        });
        held.block.known().is_some().then_some((held, kept))
    }

    /// The answer a view of this snapshot gives, written out.
    fn explicit<T: Default>(&self, answer: Option<Answer<T>>, held: &ChainSnapshot) -> Option<Answer<T>> {
        answer
            .or_else(|| held.complete.then(|| Answer::Known(T::default())))
            .or(self.closed.map(Answer::Failed))
    }

    /// Takes over the proofs of what the witness holds.
    fn keep_proofs(&mut self, from: &Self) {
        for (id, kept) in &mut self.chains {
            let Some(held) = from.chains.get(id) else { continue };
            for (address, account) in &kept.accounts {
                let Some(proof) = held.proofs.get(address) else {
                    continue;
                };
                if *account == AccountSnapshot::default() {
                    continue;
                }
                let mut proof = proof.clone();
                proof.storage.retain(|slot, _| account.storage.contains_key(slot));
                kept.proofs.insert(*address, proof);
            }
        }
    }
}
