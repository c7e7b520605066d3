//! One node: what it is asked through, and what is known of it.

use presight_view::rpc::{
    CallError, CallResult, Http, RetrySettings, Retrying, RpcCall, Transport, TransportError,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

/// What one request to a node may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// Attempts for one request: another node is the better second chance.
const ATTEMPTS: u32 = 2;

/// A node of a chain, shared by all runs.
#[derive(Debug)]
pub(crate) struct Node {
    /// Its URL without what may be a key.
    pub(crate) shown: String,
    transport: Retrying<Http>,
    turns: Semaphore,
    known: Mutex<Known>,
    calls: AtomicU64,
    failures: AtomicU64,
}

/// What was last seen of a node.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) standing: Standing,
    pub(crate) head: Option<Head>,
}

/// Whether a node is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not seen yet.
    Unknown,
    /// Used.
    Usable,
    /// Set aside, and why.
    Aside(Aside),
}

/// Why a node is set aside.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Aside {
    /// It does not answer, or not as a node does. It is asked again when no other node is left.
    #[error("{0}")]
    Failing(String),
    /// It is on another chain than it is configured for.
    #[error("it says it is on chain {0}")]
    WrongChain(String),
    /// It is too far behind the best node of the chain.
    #[error("it is {0} blocks behind the best node")]
    Lagging(u64),
    /// It has another block than the other nodes.
    #[error("it has another block {0} than the other nodes")]
    OtherBlock(u64),
}

impl Standing {
    /// A short word, for health and metrics.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Usable => "usable",
            Self::Aside(Aside::Failing(_)) => "failing",
            Self::Aside(Aside::WrongChain(_)) => "wrong-chain",
            Self::Aside(Aside::Lagging(_)) => "lagging",
            Self::Aside(Aside::OtherBlock(_)) => "other-block",
        }
    }
}

/// The block a node was last seen at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    pub(crate) hash: alloy_primitives::B256,
    /// Unix seconds.
    pub(crate) timestamp: u64,
}

impl Node {
    pub(crate) fn new(url: &str, requests: usize) -> Result<Self, presight_view::rpc::HttpError> {
        let http = Http::new(url, CALL_TIMEOUT)?;
        let settings = RetrySettings {
            attempts: ATTEMPTS,
            ..RetrySettings::default()
        };
        Ok(Self {
            shown: http.to_string(),
            transport: Retrying::new(http, settings),
            turns: Semaphore::new(requests),
            known: Mutex::new(Known {
                standing: Standing::Unknown,
                head: None,
            }),
            calls: AtomicU64::new(0),
            failures: AtomicU64::new(0),
        })
    }

    /// One result per call. Waits for a turn, of which a node has few, until the deadline.
    pub(crate) async fn send(&self, batch: &[RpcCall], deadline: Instant) -> Vec<CallResult> {
        let Ok(Ok(_turn)) = timeout_at(deadline, self.turns.acquire()).await else {
            return batch
                .iter()
                .map(|_| Err(TransportError::Timeout.into()))
                .collect();
        };
        let results = self.send_at_once(batch, deadline).await;
        // A deadline that a client chose may be too short for any node: only the watch judges by time.
        if let Some(why) = failure(&results).filter(|why| !matches!(why, TransportError::Timeout)) {
            self.set_aside(Aside::Failing(why.to_string()));
        }
        results
    }

    /// The same without a turn, for the watch: a node that is busy with our own requests is not one that fails.
    pub(super) async fn send_at_once(&self, batch: &[RpcCall], deadline: Instant) -> Vec<CallResult> {
        let calls = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        self.calls.fetch_add(calls, Ordering::Relaxed);
        let results = match timeout_at(deadline, self.transport.send(batch, deadline)).await {
            Ok(Ok(results)) if results.len() == batch.len() => results,
            Ok(Ok(_)) => batch.iter().map(|_| Err(CallError::Absent)).collect(),
            Ok(Err(error)) => batch.iter().map(|_| Err(error.clone().into())).collect(),
            Err(_) => batch
                .iter()
                .map(|_| Err(TransportError::Timeout.into()))
                .collect(),
        };
        if failure(&results).is_some() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        results
    }

    pub(crate) fn known(&self) -> Known {
        self.lock().clone()
    }

    pub(crate) fn set_aside(&self, why: Aside) {
        self.stand(Standing::Aside(why), None);
    }

    /// Takes what was seen. A change is logged.
    pub(crate) fn stand(&self, standing: Standing, head: Option<Head>) {
        let mut known = self.lock();
        if known.standing != standing && known.standing.word() != standing.word() {
            match &standing {
                Standing::Aside(why) => tracing::warn!(node = self.shown, %why, "node set aside"),
                _ => tracing::info!(node = self.shown, "node usable"),
            }
        }
        known.standing = standing;
        known.head = head.or(known.head);
    }

    /// Calls made to it, and requests that failed, since the service started.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (
            self.calls.load(Ordering::Relaxed),
            self.failures.load(Ordering::Relaxed),
        )
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why the node did not answer, if a call of the batch was not answered at all.
pub(crate) fn failure(results: &[CallResult]) -> Option<&TransportError> {
    results.iter().find_map(|result| match result {
        Err(CallError::Transport(why)) => Some(why),
        _ => None,
    })
}
