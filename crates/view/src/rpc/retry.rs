//! Batches of a size the node takes, sent again while an error may pass.

use super::transport::{CallError, CallResult, RpcCall, Transport, TransportError};
use futures::{StreamExt, stream};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Requests to one node at a time.
const MAX_PARALLEL: usize = 4;
/// The wait before the second attempt; doubled for each one after it.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest wait that the node did not ask for.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// How batches are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetrySettings {
    /// Calls in one request, at most. Halved for good when the node refuses a batch.
    pub max_batch: usize,
    /// Attempts for one request, the first included.
    pub attempts: u32,
}

impl Default for RetrySettings {
    fn default() -> Self {
        Self {
            max_batch: 100,
            attempts: 3,
        }
    }
}

/// A transport that splits batches and tries again. Its own [`send`](Transport::send) never fails as a whole.
#[derive(Debug)]
pub struct Retrying<T> {
    inner: T,
    attempts: u32,
    max_batch: AtomicUsize,
}

impl<T: Transport> Retrying<T> {
    /// Sends over `inner`.
    pub fn new(inner: T, settings: RetrySettings) -> Self {
        Self {
            inner,
            attempts: settings.attempts,
            max_batch: AtomicUsize::new(settings.max_batch.max(1)),
        }
    }

    /// The transport below.
    pub fn inner(&self) -> &T {
        &self.inner
    }

    async fn send_splitting(&self, calls: &[RpcCall], deadline: Instant) -> Vec<CallResult> {
        let mut results = Vec::with_capacity(calls.len());
        let mut parts = vec![calls];
        while let Some(part) = parts.pop() {
            match self.send_retrying(part, deadline).await {
                Ok(given) => results.extend(given),
                Err(error) if error.is_about_size() && part.len() > 1 => {
                    let half = part.len() / 2;
                    self.max_batch.fetch_min(half, Ordering::Relaxed);
                    let (first, second) = part.split_at(half);
                    parts.extend([second, first]);
                }
                Err(error) => results.extend(part.iter().map(|_| Err(error.clone().into()))),
            }
        }
        results
    }

    /// One request, again while it fails in a way that may pass, and while there are attempts and time left. Of a
    /// batch that was answered in part, only what the node throttled is sent again.
    async fn send_retrying(
        &self,
        calls: &[RpcCall],
        deadline: Instant,
    ) -> Result<Vec<CallResult>, TransportError> {
        let mut results: Vec<CallResult> = vec![Err(CallError::Absent); calls.len()];
        let mut open: Vec<usize> = (0..calls.len()).collect();
        for attempt in 1.. {
            let asked: Vec<RpcCall> = open.iter().map(|&i| calls[i].clone()).collect();
            let failure = match self.inner.send(&asked, deadline).await {
                Ok(given) => {
                    for (&i, result) in open.iter().zip(given) {
                        results[i] = result;
                    }
                    open.retain(|&i| matches!(&results[i], Err(error) if error.is_throttled()));
                    if open.is_empty() {
                        break;
                    }
                    None
                }
                Err(error) => Some(error),
            };
            let wait = failure
                .as_ref()
                .and_then(TransportError::retry_after)
                .unwrap_or_else(|| pause(attempt));
            let again = failure.as_ref().is_none_or(TransportError::may_pass)
                && attempt < self.attempts
                && Instant::now() + wait < deadline;
            if again {
                sleep(wait).await;
                continue;
            }
            match failure {
                Some(error) if open.len() == calls.len() => return Err(error),
                Some(error) => open.iter().for_each(|&i| results[i] = Err(error.clone().into())),
                None => {}
            }
            break;
        }
        Ok(results)
    }
}

impl<T: Transport> Transport for Retrying<T> {
    async fn send(&self, batch: &[RpcCall], deadline: Instant) -> Result<Vec<CallResult>, TransportError> {
        let size = self.max_batch.load(Ordering::Relaxed);
        let parts: Vec<_> = batch
            .chunks(size)
            .map(|part| self.send_splitting(part, deadline))
            .collect();
        let results: Vec<Vec<CallResult>> = stream::iter(parts).buffered(MAX_PARALLEL).collect().await;
        Ok(results.into_iter().flatten().collect())
    }
}

/// Doubling waits, each between half and one and a half of its step, so that many clients do not return at once.
fn pause(attempt: u32) -> Duration {
    let step = FIRST_PAUSE
        .saturating_mul(2_u32.saturating_pow(attempt - 1))
        .min(MAX_PAUSE);
    let random = RandomState::new().build_hasher().finish();
    step / 2 + step.saturating_mul(u32::try_from(random % 1024).expect("below 1024")) / 1024
}
