//! JSON-RPC calls and what carries them.

use alloy_primitives::B256;
use presight_wire::Reason;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// One JSON-RPC call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcCall {
    /// The method.
    pub method: &'static str,
    /// Its positional parameters: an array.
    pub params: Value,
}

impl RpcCall {
    /// A call.
    pub fn new(method: &'static str, params: Value) -> Self {
        Self { method, params }
    }

    /// `eth_getBlockByNumber` for a number, without transactions.
    pub fn block_by_number(number: u64) -> Self {
        Self::new("eth_getBlockByNumber", json!([format!("{number:#x}"), false]))
    }

    /// `eth_getBlockByHash`, without transactions.
    pub fn block_by_hash(hash: B256) -> Self {
        Self::new("eth_getBlockByHash", json!([hash, false]))
    }
}

/// The answer to one call.
pub type CallResult = Result<Value, CallError>;

/// Why one call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The node answered with an error.
    #[error("the node refused: {message} ({code})")]
    Refused {
        /// JSON-RPC's error code.
        code: i64,
        /// The node's words.
        message: String,
    },
    /// The node answered other calls of the batch, and not this one.
    #[error("the node left the call unanswered")]
    Absent,
    /// Several nodes were asked, and too few of them gave the same answer.
    #[error("fewer than {wanted} nodes gave the same answer")]
    Disagreement {
        /// How many had to.
        wanted: usize,
    },
    /// The request that carried it failed.
    #[error(transparent)]
    Transport(#[from] TransportError),
}

impl CallError {
    /// Why what was asked for is not read.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Transport(TransportError::Timeout) => Reason::Timeout,
            _ => Reason::Unavailable,
        }
    }

    /// Whether the node says that it does not have the block the call is pinned to. It never means "no data".
    pub fn is_pin_lost(&self) -> bool {
        let Self::Refused { code, message } = self else {
            return false;
        };
        let message = message.to_lowercase();
        let words = [
            "header not found",
            "header for hash not found",
            "block not found",
            "unknown block",
            "not canonical",
            "not currently canonical",
            "no longer canonical",
        ];
        *code == -32001 || words.iter().any(|words| message.contains(words))
    }

    /// Whether the node says that it does not have the method.
    pub fn is_method_unknown(&self) -> bool {
        let Self::Refused { code, message } = self else {
            return false;
        };
        let message = message.to_lowercase();
        let words = [
            "method not found",
            "does not exist",
            "not available",
            "not supported",
        ];
        *code == -32601 || message.contains("method") && words.iter().any(|words| message.contains(words))
    }

    /// Whether the node refuses because it is asked too much.
    pub fn is_throttled(&self) -> bool {
        let Self::Refused { code, message } = self else {
            return false;
        };
        let message = message.to_lowercase();
        matches!(code, 429 | -32005)
            || message.contains("rate limit")
            || message.contains("too many requests")
    }
}

/// Why a whole request failed. Never holds the URL, which may hold a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// No answer in time.
    #[error("no answer from the node in time")]
    Timeout,
    /// The connection could not be made or broke.
    #[error("the connection to the node failed: {0}")]
    Connection(String),
    /// An HTTP status that is no success.
    #[error("the node answered with HTTP status {status}")]
    Status {
        /// The status.
        status: u16,
        /// The wait the node asks for.
        retry_after: Option<Duration>,
    },
    /// One error for the whole batch.
    #[error("the node refused the batch: {0}")]
    BatchRefused(String),
    /// The answer is larger than we take.
    #[error("the node's answer is larger than {limit} bytes")]
    TooLarge {
        /// The bound, in bytes.
        limit: usize,
    },
    /// The answer is not JSON-RPC.
    #[error("the node's answer is not JSON-RPC: {0}")]
    Malformed(String),
}

impl TransportError {
    /// Whether the same request may succeed later.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Timeout | Self::Connection(_) | Self::Malformed(_) => true,
            Self::Status { status, .. } => *status == 429 || (500..600).contains(status),
            Self::BatchRefused(_) | Self::TooLarge { .. } => false,
        }
    }

    /// Whether a smaller batch may succeed.
    pub fn is_about_size(&self) -> bool {
        matches!(
            self,
            Self::BatchRefused(_) | Self::TooLarge { .. } | Self::Status { status: 413, .. }
        )
    }

    /// The wait the node asks for.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// Carries batches of calls to one node.
pub trait Transport: Send + Sync {
    /// Sends the calls as one batch and gives one result per call, in their order, by the deadline.
    fn send(
        &self,
        batch: &[RpcCall],
        deadline: Instant,
    ) -> impl Future<Output = Result<Vec<CallResult>, TransportError>> + Send;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: i64, message: &str) -> CallError {
        CallError::Refused {
            code,
            message: message.into(),
        }
    }

    #[test]
    fn a_node_without_the_block_is_known_by_code_or_words() {
        assert!(refused(-32001, "Resource not found").is_pin_lost());
        assert!(refused(-32000, "header not found").is_pin_lost());
        assert!(refused(-32000, "Hash is not currently canonical").is_pin_lost());
        assert!(refused(-32000, "Block not found: hash 0x12").is_pin_lost());
        assert!(!refused(-32000, "execution reverted").is_pin_lost());
        assert!(!refused(-32601, "method not found").is_pin_lost());
        assert!(!CallError::Absent.is_pin_lost());
    }

    #[test]
    fn only_the_end_of_time_is_a_timeout() {
        assert_eq!(CallError::from(TransportError::Timeout).reason(), Reason::Timeout);
        assert_eq!(CallError::Absent.reason(), Reason::Unavailable);
        assert_eq!(refused(-32000, "timeout").reason(), Reason::Unavailable);
    }
}
