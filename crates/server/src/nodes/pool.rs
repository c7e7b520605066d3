//! The nodes of one chain, asked as one: by priority or by quorum.

use super::node::{Aside, Head, Node, Standing, failure};
use super::quorum;
use crate::config::{ChainConfig, ReadMode};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use presight_view::rpc::{
    CallError, CallResult, ChainSettings, HttpError, RpcCall, Transport, TransportError,
};
use presight_wire::ChainId;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The nodes of one chain.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) chain: ChainId,
    pub(crate) settings: ChainSettings,
    pub(crate) nodes: Vec<Node>,
    pub(super) mode: ReadMode,
    pub(super) max_lag: u64,
    pub(super) poll: Duration,
}

impl Pool {
    pub(crate) fn new(chain: ChainId, config: &ChainConfig) -> Result<Self, HttpError> {
        let nodes = config
            .nodes
            .iter()
            .map(|url| Node::new(url, config.node_requests));
        Ok(Self {
            chain,
            settings: config.settings,
            nodes: nodes.collect::<Result<_, _>>()?,
            mode: config.read,
            max_lag: config.max_lag_blocks,
            poll: config.poll,
        })
    }

    /// Usable nodes that a read needs.
    pub(crate) fn needed(&self) -> usize {
        match self.mode {
            ReadMode::Priority => 1,
            ReadMode::Quorum(nodes) => nodes,
        }
    }

    /// Nodes that are used now.
    pub(crate) fn usable(&self) -> usize {
        let usable = |node: &&Node| node.known().standing == Standing::Usable;
        self.nodes.iter().filter(usable).count()
    }

    /// The block reads are pinned to now, as far as it was last seen: the first usable node's, or the one a quorum has
    /// reached.
    pub(crate) fn head(&self) -> Option<Head> {
        let known = self.nodes.iter().map(Node::known);
        let mut heads: Vec<Head> = known
            .filter(|known| known.standing == Standing::Usable)
            .filter_map(|known| known.head)
            .collect();
        match self.mode {
            ReadMode::Priority => heads.first().copied(),
            ReadMode::Quorum(wanted) => {
                heads.sort_by_key(|head| std::cmp::Reverse(head.number));
                heads.get(wanted.checked_sub(1)?).copied()
            }
        }
    }

    /// Nodes to be asked, in order: those not set aside, then those that failed lately. One that is on another chain,
    /// lags or disagrees is not asked.
    fn candidates(&self) -> impl Iterator<Item = &Node> {
        let with = |wanted: fn(&Standing) -> bool| {
            self.nodes
                .iter()
                .filter(move |node| wanted(&node.known().standing))
        };
        with(|standing| matches!(standing, Standing::Usable | Standing::Unknown)).chain(with(|standing| {
            matches!(standing, Standing::Aside(Aside::Failing(_)))
        }))
    }

    /// The first node that answers every call. One that does not has half of the time that is left.
    async fn by_priority(&self, batch: &[RpcCall], deadline: Instant) -> Vec<CallResult> {
        let mut nodes: Vec<&Node> = self.candidates().collect();
        let mut last = no_node(batch);
        nodes.reverse();
        while let Some(node) = nodes.pop() {
            let now = Instant::now();
            let until = if nodes.is_empty() {
                deadline
            } else {
                now + deadline.saturating_duration_since(now) / 2
            };
            last = node.send(batch, until).await;
            if self.is_of_chain(node, batch, &last) && failure(&last).is_none() {
                break;
            }
        }
        last
    }

    /// What enough nodes agree on.
    async fn by_quorum(&self, wanted: usize, batch: &[RpcCall], deadline: Instant) -> Vec<CallResult> {
        let disagreement = || {
            batch
                .iter()
                .map(|_| Err(CallError::Disagreement { wanted }))
                .collect()
        };
        let nodes: Vec<&Node> = self.candidates().take(self.usable().max(wanted)).collect();
        if nodes.len() < wanted {
            return disagreement();
        }
        let answers = self.ask_all(&nodes, wanted, batch, deadline).await;
        // Nodes reach a new block at different moments: all are asked for the one that enough of them have.
        let moving: Vec<usize> = (0..batch.len()).filter(|&i| quorum::moves(&batch[i])).collect();
        if !moving.is_empty() {
            let fixed = moving
                .iter()
                .map(|&i| quorum::fixed(wanted, answers.iter().map(|answer| &answer[i])));
            let Some(fixed) = fixed.collect::<Option<Vec<RpcCall>>>() else {
                return disagreement();
            };
            let again = self.ask_all(&nodes, wanted, &fixed, deadline).await;
            let mut results = agreed(wanted, batch, &answers);
            for (&place, result) in moving.iter().zip(agreed(wanted, &fixed, &again)) {
                results[place] = result;
            }
            return results;
        }
        agreed(wanted, batch, &answers)
    }

    /// The answers of all nodes, or of enough of them when a majority agrees already.
    async fn ask_all(
        &self,
        nodes: &[&Node],
        wanted: usize,
        batch: &[RpcCall],
        deadline: Instant,
    ) -> Vec<Vec<CallResult>> {
        let mut open: FuturesUnordered<_> = nodes
            .iter()
            .map(|node| async {
                let results = node.send(batch, deadline).await;
                match self.is_of_chain(node, batch, &results) {
                    true => results,
                    false => batch.iter().map(|_| Err(CallError::Absent)).collect(),
                }
            })
            .collect();
        let mut answers = Vec::new();
        while let Some(answer) = open.next().await {
            answers.push(answer);
            let majority = answers.len() >= wanted && wanted * 2 > nodes.len();
            if majority && agreed(wanted, batch, &answers).iter().all(Result::is_ok) {
                break;
            }
        }
        answers
    }

    /// Sets a node aside that says it is on another chain.
    fn is_of_chain(&self, node: &Node, batch: &[RpcCall], results: &[CallResult]) -> bool {
        let said = batch
            .iter()
            .zip(results)
            .find(|(call, _)| call.method == "eth_chainId");
        match said {
            Some((_, Ok(said))) if !is_chain(&self.chain, said) => {
                node.set_aside(Aside::WrongChain(shown(said)));
                false
            }
            _ => true,
        }
    }
}

/// What enough nodes agree on, per call.
fn agreed(wanted: usize, batch: &[RpcCall], answers: &[Vec<CallResult>]) -> Vec<CallResult> {
    let agreed = |(i, call)| quorum::agreed(call, wanted, answers.iter().map(|answer| &answer[i]));
    batch.iter().enumerate().map(agreed).collect()
}

/// Whether an answer to `eth_chainId` is this chain.
pub(super) fn is_chain(chain: &ChainId, said: &Value) -> bool {
    quantity(Some(said)).is_some_and(|id| chain.evm_id() == Some(id))
}

/// A `0x` quantity below 2^64.
pub(super) fn quantity(value: Option<&Value>) -> Option<u64> {
    let quantity = presight_wire::hex::quantity(value?.as_str()?, "").ok()?;
    u64::try_from(quantity).ok()
}

/// What a node said, escaped and cut short.
pub(super) fn shown(said: &Value) -> String {
    let text = said.to_string();
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

fn no_node(batch: &[RpcCall]) -> Vec<CallResult> {
    let why = TransportError::Connection("every node of the chain is set aside".to_owned());
    batch.iter().map(|_| Err(why.clone().into())).collect()
}

/// The pool as one run's transport.
#[derive(Debug, Clone)]
pub(crate) struct Lane(pub(crate) Arc<Pool>);

impl Transport for Lane {
    async fn send(&self, batch: &[RpcCall], deadline: Instant) -> Result<Vec<CallResult>, TransportError> {
        Ok(match self.0.mode {
            ReadMode::Priority => self.0.by_priority(batch, deadline).await,
            ReadMode::Quorum(wanted) => self.0.by_quorum(wanted, batch, deadline).await,
        })
    }
}
