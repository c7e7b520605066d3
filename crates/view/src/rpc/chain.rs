//! One chain's node: pinning, waves of reads, and the check of the pin.

use super::ask::{Ask, access_list, hinted_reads};
use super::execute::PinLost;
use super::settings::{BlockTag, ChainSettings, NodeExecutionSetting};
use super::transport::{CallError, CallResult, RpcCall, Transport};
use crate::block;
use crate::hard_fork::HardFork;
use crate::problem::Problem;
use crate::snapshot::{Answer, Block, ChainSnapshot};
use crate::want::{CallHint, Want};
use alloy_consensus::Header;
use alloy_primitives::{Address, B256};
use presight_wire::node::Node;
use presight_wire::{ChainId, Reason};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tokio::time::Instant;

/// A node, and what a run has learned of it.
#[derive(Debug)]
pub(super) struct ChainNode<T> {
    pub(super) chain: ChainId,
    transport: T,
    pub(super) settings: ChainSettings,
    /// Calls announced by the core whose reads were looked up already.
    hinted: BTreeSet<Want>,
    /// Reads that a hint named or that the core may want soon, and calls it may announce, for the next wave.
    prefetch: BTreeSet<Want>,
    /// Calls whose access list the node did not give.
    unlisted: Vec<CallHint>,
    /// Whether the pin was lost once already.
    repinned: bool,
    pub(super) calls: usize,
    pub(super) problems: Vec<Problem>,
}

/// What a check of the pin, or its loss, leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pin {
    /// The chain still has the block.
    Holds,
    /// It has not: pin another and read again.
    Again,
    /// It has not, a second time.
    Lost,
}

/// A chain whose pin was lost twice.
pub(super) fn lost() -> ChainSnapshot {
    ChainSnapshot::new(Answer::Failed(Reason::Unavailable), HardFork::default())
}

impl<T: Transport> ChainNode<T> {
    pub(super) fn new(chain: ChainId, transport: T, settings: ChainSettings) -> Self {
        Self {
            chain,
            transport,
            settings,
            hinted: BTreeSet::new(),
            prefetch: BTreeSet::new(),
            unlisted: Vec::new(),
            repinned: false,
            calls: 0,
            problems: Vec::new(),
        }
    }

    /// Reads this beside what the next wave wants, if it can.
    pub(super) fn expect(&mut self, want: Want) {
        self.prefetch.insert(want);
    }

    /// One wave: pins the chain when it is not pinned, else reads what is wanted. None when the pin was lost and the
    /// chain has to be pinned again.
    pub(super) async fn fetch(
        &mut self,
        held: Option<ChainSnapshot>,
        wants: &BTreeSet<&Want>,
        deadline: Instant,
    ) -> Option<ChainSnapshot> {
        let Some(mut held) = held else {
            return Some(self.pin(wants, deadline).await);
        };
        let Answer::Known(pin) = held.block.clone() else {
            return Some(held);
        };
        let asks = self.asks(&held, wants, &pin);
        let calls: Vec<RpcCall> = asks.iter().map(|ask| ask.call(pin.hash)).collect();
        let results = self.send(&calls, deadline).await;
        let answered: Vec<(Ask, CallResult)> = asks.into_iter().zip(results).collect();
        if answered
            .iter()
            .any(|(ask, result)| ask.is_pinned() && is_pin_lost(result))
        {
            return match self.lose_pin("the node no longer has the pinned block") {
                Pin::Again => None,
                _ => Some(lost()),
            };
        }
        self.take_hints(&answered);
        match self.execute_wanted(&mut held, wants, &pin, deadline).await {
            Ok(()) => {}
            Err(PinLost) => {
                return match self.lose_pin("the node no longer has the pinned block") {
                    Pin::Again => None,
                    _ => Some(lost()),
                };
            }
        }
        if self.settings.prove {
            self.take_proved(&mut held, &pin, wants, answered);
        } else {
            self.take_plain(&mut held, &pin, wants, answered);
        }
        Some(held)
    }

    /// Checks that the pinned number still has the pinned hash. A node that cannot say leaves the pin as it is:
    /// every read was made at the hash, by a node that was asked to refuse hashes off its chain.
    pub(super) async fn confirm(&mut self, pin: &Block, deadline: Instant) -> Pin {
        let mut results = self.send(&[RpcCall::block_by_number(pin.number)], deadline).await;
        match results.pop().unwrap_or(Err(CallError::Absent)) {
            Ok(Value::Null) => self.lose_pin("the pinned number has no block any more"),
            Ok(found) => match block::from_json(&Node::root(&found)) {
                Ok((found, _)) if found.hash == pin.hash && found.number == pin.number => Pin::Holds,
                Ok(_) => self.lose_pin("the pinned number has another block now"),
                Err(refusal) => self.not_rechecked(&refusal.to_string()),
            },
            Err(error) if error.is_pin_lost() => self.lose_pin("the node no longer has the pinned block"),
            Err(error) => self.not_rechecked(&error.to_string()),
        }
    }

    fn not_rechecked(&mut self, why: &str) -> Pin {
        self.note(
            "pin-not-rechecked",
            format!("whether the pinned block still is the chain's was not seen: {why}"),
        );
        Pin::Holds
    }

    fn lose_pin(&mut self, why: &str) -> Pin {
        self.note("pin-lost", why.to_owned());
        self.hinted.clear();
        self.prefetch.clear();
        self.unlisted.clear();
        if std::mem::replace(&mut self.repinned, true) {
            Pin::Lost
        } else {
            Pin::Again
        }
    }

    async fn pin(&mut self, wants: &BTreeSet<&Want>, deadline: Instant) -> ChainSnapshot {
        match self.pinned(wants, deadline).await {
            Ok(pinned) => pinned,
            Err((reason, why)) => {
                self.note("not-pinned", why);
                ChainSnapshot::new(Answer::Failed(reason), HardFork::default())
            }
        }
    }

    /// Reads the block, and beside it what the announced calls touch.
    async fn pinned(
        &mut self,
        wants: &BTreeSet<&Want>,
        deadline: Instant,
    ) -> Result<ChainSnapshot, (Reason, String)> {
        let mut calls = vec![RpcCall::new("eth_chainId", json!([])), self.settings.block.call()];
        let hints = self.new_hints(wants.iter().copied());
        let tag = tag_of(self.settings.block);
        calls.extend(hints.iter().map(|hint| access_list(hint, &tag)));
        let mut results = self.send(&calls, deadline).await;
        let lists = results.split_off(results.len().min(2));
        let asks = hints.into_iter().map(Ask::AccessList);
        self.take_hints(&asks.zip(lists).collect::<Vec<_>>());
        let mut values = Vec::with_capacity(results.len());
        for result in results {
            values.push(result.map_err(|error| (error.reason(), error.to_string()))?);
        }
        let unavailable = |why: String| (Reason::Unavailable, why);
        let [chain_id, found] = values.as_slice() else {
            return Err(unavailable("no answer".into()));
        };
        let chain_id = block::quantity_u64(&Node::root(chain_id)).map_err(|e| unavailable(e.to_string()))?;
        if self.chain.evm_id() != Some(chain_id) {
            return Err(unavailable(format!("the node is on chain {chain_id}")));
        }
        if found.is_null() {
            return Err(unavailable("the node has no such block".into()));
        }
        let (block, header) = block::from_json(&Node::root(found)).map_err(|e| unavailable(e.to_string()))?;
        if !answers(&self.settings.block, &block) {
            return Err(unavailable(format!(
                "another block was asked for than {} {}",
                block.number, block.hash
            )));
        }
        self.with_header(block, header).map_err(unavailable)
    }

    /// The pinned chain, when its header is as good as the settings ask for.
    fn with_header(&mut self, block: Block, header: Option<Header>) -> Result<ChainSnapshot, String> {
        let fork = HardFork::scheduled(&self.chain, block.number, block.timestamp);
        let asks_node = self.settings.node_execution != NodeExecutionSetting::Off;
        let pinned = ChainSnapshot {
            header,
            node_executions: asks_node.then(BTreeMap::new),
            ..ChainSnapshot::new(Answer::Known(block), self.settings.hard_fork.unwrap_or(fork))
        };
        if pinned.header_is_verified() {
            return Ok(pinned);
        }
        let why = "the block's header is not one that hashes to its hash".to_owned();
        if self.settings.needs_header(&self.chain) {
            return Err(why);
        }
        self.note("header-not-verified", why);
        Ok(ChainSnapshot {
            header: None,
            ..pinned
        })
    }

    fn asks(&mut self, held: &ChainSnapshot, wants: &BTreeSet<&Want>, pin: &Block) -> Vec<Ask> {
        let prefetch = std::mem::take(&mut self.prefetch);
        let reads: BTreeSet<&Want> = wants
            .iter()
            .copied()
            .chain(&prefetch)
            .filter(|want| !want.is_hint())
            .collect();
        let mut asks = if self.settings.prove {
            Ask::proving(held, &reads, pin)
        } else {
            Ask::plain(held, &reads)
        };
        let hints = self.new_hints(wants.iter().copied().chain(&prefetch));
        asks.extend(hints.into_iter().map(Ask::AccessList));
        asks.extend(self.unlisted.drain(..).map(Ask::Prestate));
        asks
    }

    /// Announced calls whose reads were not looked up yet.
    fn new_hints<'w>(&mut self, wants: impl Iterator<Item = &'w Want>) -> Vec<CallHint> {
        let hints = wants.filter_map(|want| match want {
            Want::CallHint(_, hint) if self.hinted.insert(want.clone()) => Some(hint.clone()),
            _ => None,
        });
        hints.collect()
    }

    /// A hint that gives nothing is no fault. A node may refuse the access list of a call that reverts, and trace it.
    fn take_hints(&mut self, answered: &[(Ask, CallResult)]) {
        for (ask, result) in answered {
            match (ask, result) {
                (Ask::AccessList(hint) | Ask::Prestate(hint), Ok(touched)) => {
                    self.prefetch.extend(hinted_reads(&self.chain, hint, touched));
                }
                (Ask::AccessList(hint), Err(_)) if !hint.from.is_zero() => self.unlisted.push(hint.clone()),
                _ => {}
            }
        }
    }

    pub(super) fn take_plain(
        &mut self,
        held: &mut ChainSnapshot,
        pin: &Block,
        wants: &BTreeSet<&Want>,
        answered: Vec<(Ask, CallResult)>,
    ) {
        for (ask, result) in answered {
            let Some(want) = ask.want(&self.chain) else {
                continue;
            };
            let outcome = match result {
                Ok(value) => ask
                    .take(held, pin, &value, self.settings.needs_header(&self.chain))
                    .map_err(|why| (Reason::Unavailable, why)),
                Err(error) => Err((error.reason(), error.to_string())),
            };
            let Err((reason, why)) = outcome else { continue };
            // A prefetched read that fails was never asked for: it is asked for again when it is needed.
            if wants.contains(&want) {
                self.note("read-failed", format!("{}: {why}", ask.describe()));
                held.fail(&want, reason);
            }
        }
    }

    pub(super) async fn send(&mut self, calls: &[RpcCall], deadline: Instant) -> Vec<CallResult> {
        self.calls += calls.len();
        match self.transport.send(calls, deadline).await {
            Ok(results) if results.len() == calls.len() => results,
            Ok(_) => calls.iter().map(|_| Err(CallError::Absent)).collect(),
            Err(error) => calls.iter().map(|_| Err(error.clone().into())).collect(),
        }
    }

    pub(super) fn note(&mut self, code: &'static str, why: String) {
        self.problems.push(Problem::of_chain(code, &self.chain, why));
    }

    pub(super) fn note_account(&mut self, code: &'static str, address: Address, why: String) {
        self.problems
            .push(Problem::of_account(code, &self.chain, address, why));
    }
}

fn is_pin_lost(result: &CallResult) -> bool {
    matches!(result, Err(error) if error.is_pin_lost())
}

/// The block as a parameter.
fn tag_of(tag: BlockTag) -> Value {
    match tag {
        BlockTag::Latest => json!("latest"),
        BlockTag::Safe => json!("safe"),
        BlockTag::Finalized => json!("finalized"),
        BlockTag::Number(number) => json!(format!("{number:#x}")),
        BlockTag::Hash(hash) => json!({ "blockHash": hash }),
    }
}

fn answers(tag: &BlockTag, block: &Block) -> bool {
    match tag {
        BlockTag::Number(number) => block.number == *number,
        BlockTag::Hash(hash) => block.hash == *hash,
        BlockTag::Latest | BlockTag::Safe | BlockTag::Finalized => block.hash != B256::ZERO,
    }
}
