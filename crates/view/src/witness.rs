//! What a report was made from, and nothing else.

use crate::snapshot::{AccountSnapshot, Answer, ChainSnapshot, Snapshot};
use crate::want::Want;
use presight_wire::{ChainId, Reason};
use std::collections::{BTreeMap, BTreeSet};

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
            Want::Document(url) => {
                let answer = self
                    .documents
                    .get(url)
                    .cloned()
                    .or(self.closed.map(Answer::Failed));
                if let Some(answer) = answer {
                    witness.documents.insert(url.clone(), answer);
                }
            }
            Want::CallHint(..) => {}
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
            history: held.history.clone(),
            source_verification: held.source_verification.clone(),
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
