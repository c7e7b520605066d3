//! Faults of a node, made on purpose: test support for showing that no fault makes a wrong read.

use crate::rpc::{CallError, CallResult, RpcCall, Transport, TransportError};
use alloy_primitives::keccak256;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::time::Instant;

/// What goes wrong with one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// No answer in time.
    Timeout,
    /// The connection breaks.
    Transport,
    /// A JSON-RPC error.
    Refused,
    /// The JSON-RPC error of a node that does not have the block.
    PinLost,
    /// The batch's answer leaves the call out.
    Absent,
    /// The answer is `null`.
    Null,
    /// The answer is `"0x"`.
    EmptyHex,
    /// The answer is cut in half.
    Truncated,
    /// The answer has another JSON type.
    WrongType,
    /// The node answers for the parent of the block that was asked for.
    ParentBlock,
    /// A header comes with its parent's hash; a read at a hash is made at one the chain does not have.
    StaleHash,
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 11] = [
        Self::Timeout,
        Self::Transport,
        Self::Refused,
        Self::PinLost,
        Self::Absent,
        Self::Null,
        Self::EmptyHex,
        Self::Truncated,
        Self::WrongType,
        Self::ParentBlock,
        Self::StaleHash,
    ];

    /// Whether the faulty answer can be a well-formed one with another value, which only a proof can tell from the
    /// true one: reads by plain calls trust the node for it.
    pub fn needs_proofs(self) -> bool {
        matches!(self, Self::EmptyHex | Self::Truncated | Self::ParentBlock)
    }
}

/// One fault at one call of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FaultPlan {
    /// Which call, from 0, in the order the run makes them.
    pub index: usize,
    /// What goes wrong with it.
    pub fault: Fault,
}

/// A transport that counts the calls, and spoils the answer to the planned one. Put it over a retrying transport, so
/// that the fault is final.
#[derive(Debug, Clone)]
pub struct Faulty<T> {
    inner: T,
    plan: Option<FaultPlan>,
    seen: Arc<AtomicUsize>,
}

impl<T: Transport> Faulty<T> {
    /// A transport that spoils what the plan says; with no plan, it only counts.
    pub fn new(inner: T, plan: Option<FaultPlan>) -> Self {
        Self {
            inner,
            plan,
            seen: Arc::default(),
        }
    }

    /// Counts together with another transport, for runs over several chains.
    #[must_use]
    pub fn counting_with<U>(mut self, other: &Faulty<U>) -> Self {
        self.seen = Arc::clone(&other.seen);
        self
    }

    /// The calls made so far.
    pub fn calls_seen(&self) -> usize {
        self.seen.load(Ordering::SeqCst)
    }

    /// The counter itself, which outlives the transport.
    pub fn counter(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.seen)
    }

    /// The call as the faulty node would understand it.
    async fn misdirected(&self, call: &RpcCall, fault: Fault, deadline: Instant) -> RpcCall {
        let mut call = call.clone();
        match fault {
            Fault::ParentBlock if call.method == "eth_getBlockByNumber" => {
                if let Some(number) = self.number_of(&call, deadline).await {
                    call = RpcCall::block_by_number(number.saturating_sub(1));
                }
            }
            Fault::ParentBlock => {
                if let Some(hash) = pinned_hash(&mut call.params) {
                    let asked = RpcCall {
                        method: "eth_getBlockByHash",
                        params: Value::Array(vec![hash.clone(), false.into()]),
                    };
                    if let Ok(block) = self.ask(asked, deadline).await
                        && let Some(parent) = block.get("parentHash")
                    {
                        *hash = parent.clone();
                    }
                }
            }
            Fault::StaleHash => {
                if let Some(hash) = pinned_hash(&mut call.params) {
                    *hash = keccak256(hash.to_string()).to_string().into();
                }
            }
            _ => {}
        }
        call
    }

    async fn number_of(&self, call: &RpcCall, deadline: Instant) -> Option<u64> {
        let block = self.ask(call.clone(), deadline).await.ok()?;
        let digits = block.get("number")?.as_str()?.strip_prefix("0x")?;
        u64::from_str_radix(digits, 16).ok()
    }

    async fn ask(&self, call: RpcCall, deadline: Instant) -> CallResult {
        self.inner
            .send(&[call], deadline)
            .await?
            .pop()
            .unwrap_or(Err(CallError::Absent))
    }
}

impl<T: Transport> Transport for Faulty<T> {
    async fn send(&self, batch: &[RpcCall], deadline: Instant) -> Result<Vec<CallResult>, TransportError> {
        let first = self.seen.fetch_add(batch.len(), Ordering::SeqCst);
        let planned = self
            .plan
            .and_then(|plan| Some((plan.index.checked_sub(first)?, plan.fault)));
        let Some((place, fault)) = planned.filter(|(place, _)| *place < batch.len()) else {
            return self.inner.send(batch, deadline).await;
        };
        let mut batch = batch.to_vec();
        batch[place] = self.misdirected(&batch[place], fault, deadline).await;
        let mut results = self.inner.send(&batch, deadline).await?;
        if let Some(result) = results.get_mut(place) {
            *result = spoiled(result.clone(), fault);
        }
        Ok(results)
    }
}

/// The `blockHash` of an EIP-1898 parameter.
fn pinned_hash(params: &mut Value) -> Option<&mut Value> {
    params
        .as_array_mut()?
        .iter_mut()
        .find_map(|parameter| parameter.get_mut("blockHash"))
}

fn spoiled(result: CallResult, fault: Fault) -> CallResult {
    match fault {
        Fault::Timeout => Err(TransportError::Timeout.into()),
        Fault::Transport => Err(TransportError::Connection("broken on purpose".into()).into()),
        Fault::Refused => Err(CallError::Refused {
            code: -32_000,
            message: "refused on purpose".into(),
        }),
        Fault::PinLost => Err(CallError::Refused {
            code: -32_001,
            message: "header not found".into(),
        }),
        Fault::Absent => Err(CallError::Absent),
        Fault::Null => Ok(Value::Null),
        Fault::EmptyHex => Ok("0x".into()),
        Fault::Truncated => result.map(truncated),
        Fault::WrongType => result.map(|value| {
            if value.is_string() {
                1.into()
            } else {
                "wrong".into()
            }
        }),
        Fault::StaleHash => result.map(|mut value| {
            if let Some(parent) = value.get("parentHash").cloned()
                && let Some(hash) = value.get_mut("hash")
            {
                *hash = parent;
            }
            value
        }),
        Fault::ParentBlock => result,
    }
}

fn truncated(value: Value) -> Value {
    match value {
        Value::String(text) => text
            .chars()
            .take(text.chars().count() / 2)
            .collect::<String>()
            .into(),
        Value::Array(mut items) => {
            items.truncate(items.len() / 2);
            items.into()
        }
        Value::Object(members) => {
            let half = members.len() / 2;
            members.into_iter().take(half).collect::<Map<_, _>>().into()
        }
        other => other,
    }
}
