//! Why a question got no answer, as clients are told (RFC 9457).

use presight_engine::Fault;
use presight_wire::{Refusal, error::pointer_push};
use serde_json::{Value, json};
use std::time::Duration;

/// A problem: HTTP status, stable code, words, and the place in the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) detail: String,
    pub(crate) pointer: String,
    pub(crate) retry_after: Option<Duration>,
}

impl Problem {
    pub(crate) fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
            pointer: String::new(),
            retry_after: None,
        }
    }

    /// Try again after this long.
    pub(crate) fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The problem of a part of the document.
    pub(crate) fn within(mut self, member: &str) -> Self {
        self.pointer = format!("{}{}", pointer_push("", member), self.pointer);
        self
    }

    /// `Retry-After` in whole seconds, at least one.
    pub(crate) fn retry_after_seconds(&self) -> Option<u64> {
        self.retry_after
            .map(|wait| wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
            .map(|seconds| seconds.max(1))
    }

    /// The problem document.
    pub(crate) fn to_value(&self, request_id: &str) -> Value {
        let mut document = json!({
            "type": "about:blank",
            "title": title(self.status),
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "requestId": request_id,
        });
        if !self.pointer.is_empty() {
            document["pointer"] = json!(self.pointer);
        }
        document
    }
}

/// JSON that cannot be read is 400, a document that is too large 413, anything else that is wrong with it 422.
impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.code {
            "too-large" if refusal.pointer.is_empty() => 413,
            "too-deep" => 400,
            code if code.starts_with("json-") => 400,
            _ => 422,
        };
        Self {
            pointer: refusal.pointer,
            ..Self::new(status, refusal.code, refusal.message)
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused(refusal) => refusal.into(),
            fault => {
                tracing::error!(%fault, "no answer was made");
                Self::new(500, "internal", "the answer could not be made")
            }
        }
    }
}

fn title(status: u16) -> &'static str {
    axum::http::StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_told_from_what_is_wrong() {
        let status = |code, pointer: &str| Problem::from(Refusal::new(code, pointer, "")).status;
        assert_eq!(status("json-syntax", ""), 400);
        assert_eq!(status("json-duplicate-key", "/a"), 400);
        assert_eq!(status("too-deep", "/a"), 400);
        assert_eq!(status("too-large", ""), 413);
        assert_eq!(status("too-large", "/subject/calls/0/data"), 422);
        assert_eq!(status("unknown-member", "/x"), 422);
    }

    #[test]
    fn a_wait_is_told_in_whole_seconds_and_never_zero() {
        let after = |wait| Problem::new(429, "x", "").after(wait).retry_after_seconds();
        assert_eq!(after(Duration::from_millis(1)), Some(1));
        assert_eq!(after(Duration::ZERO), Some(1));
        assert_eq!(after(Duration::from_millis(1001)), Some(2));
    }
}
