//! Chain state from nodes, over JSON-RPC: one pinned block per chain, every read at its hash (EIP-1898).

mod ask;
mod chain;
mod execute;
mod http;
mod prove;
mod retry;
mod settings;
mod simulate_v1;
mod trace_call;
mod transport;

pub use http::{Http, HttpError, MAX_RESPONSE_BYTES, install_tls_provider};
pub use retry::{RetrySettings, Retrying};
pub use settings::{BlockTag, ChainSettings, NodeExecutionSetting};
pub use transport::{CallError, CallResult, RpcCall, Transport, TransportError};

use crate::drive::Backend;
use crate::problem::Problem;
use crate::snapshot::{Answer, ChainSnapshot, Snapshot};
use crate::want::Want;
use chain::ChainNode;
use futures::future::join_all;
use presight_wire::{ChainId, Reason};
use std::collections::{BTreeMap, BTreeSet};
use tokio::time::Instant;

/// A backend over one node per chain. It belongs to one run: pins, prefetched reads and problems are the run's.
#[derive(Debug, Default)]
pub struct Rpc<T> {
    nodes: BTreeMap<ChainId, ChainNode<T>>,
}

impl<T: Transport> Rpc<T> {
    /// A backend without chains: every chain is not read, `unsupported`.
    pub fn new() -> Self {
        Self {
            nodes: BTreeMap::new(),
        }
    }

    /// Reads this chain over this transport.
    #[must_use]
    pub fn with_chain(mut self, chain: ChainId, transport: T, settings: ChainSettings) -> Self {
        self.nodes
            .insert(chain.clone(), ChainNode::new(chain, transport, settings));
        self
    }
}

impl<T: Transport> Backend for Rpc<T> {
    fn expect(&mut self, wants: BTreeSet<Want>) {
        for want in wants {
            if let Some(node) = want.chain().and_then(|chain| self.nodes.get_mut(chain)) {
                node.expect(want);
            }
        }
    }

    async fn fetch(&mut self, wants: &BTreeSet<Want>, snapshot: &mut Snapshot, deadline: Instant) {
        let mut by_chain: BTreeMap<&ChainId, BTreeSet<&Want>> = BTreeMap::new();
        for want in wants {
            match (want, want.chain()) {
                (Want::Document(url) | Want::Answer(url), _) => {
                    snapshot
                        .documents
                        .insert(url.clone(), Answer::Failed(Reason::Unsupported));
                }
                (_, Some(chain)) if self.nodes.contains_key(chain) => {
                    by_chain.entry(chain).or_default().insert(want);
                }
                (_, Some(chain)) => {
                    let unsupported =
                        ChainSnapshot::new(Answer::Failed(Reason::Unsupported), Default::default());
                    snapshot.chains.insert(chain.clone(), unsupported);
                }
                (_, None) => {}
            }
        }
        let reads = self.nodes.iter_mut().filter_map(|(chain, node)| {
            let wants = by_chain.remove(chain)?;
            let held = snapshot.chains.remove(chain);
            Some(async move { (chain.clone(), node.fetch(held, &wants, deadline).await) })
        });
        for (chain, held) in join_all(reads.collect::<Vec<_>>()).await {
            if let Some(held) = held {
                snapshot.chains.insert(chain, held);
            }
        }
    }

    async fn confirm(&mut self, snapshot: &mut Snapshot, deadline: Instant) -> bool {
        let checks = self.nodes.iter_mut().filter_map(|(chain, node)| {
            let pinned = snapshot.chains.get(chain)?.block.known()?.clone();
            Some(async move { (chain.clone(), node.confirm(&pinned, deadline).await) })
        });
        let mut confirmed = true;
        for (chain, check) in join_all(checks.collect::<Vec<_>>()).await {
            match check {
                chain::Pin::Holds => continue,
                chain::Pin::Again => drop(snapshot.chains.remove(&chain)),
                chain::Pin::Lost => drop(snapshot.chains.insert(chain, chain::lost())),
            }
            confirmed = false;
        }
        confirmed
    }

    fn calls(&self) -> usize {
        self.nodes.values().map(|node| node.calls).sum()
    }

    fn take_problems(&mut self) -> Vec<Problem> {
        self.nodes
            .values_mut()
            .flat_map(|node| std::mem::take(&mut node.problems))
            .collect()
    }
}
