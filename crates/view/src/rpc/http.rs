//! JSON-RPC over HTTP(S): one request per batch.

use super::transport::{CallError, CallResult, RpcCall, Transport, TransportError};
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Bytes of one answer.
pub const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;
/// Characters of a node's error message that are kept.
const MAX_MESSAGE: usize = 300;

/// A node behind an HTTP(S) URL.
#[derive(Clone)]
pub struct Http {
    client: Client,
    url: Url,
    call_timeout: Duration,
}

/// Why a URL cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// It is no `http` or `https` URL.
    #[error("a node's URL starts with http:// or https://")]
    Url,
    /// The TLS set-up failed.
    #[error("the HTTP client could not be built: {0}")]
    Client(String),
}

/// Installs ring as this process's TLS provider. Does nothing when one is installed already.
pub fn install_tls_provider() {
    // The error says that another provider was there first, which then serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

impl Http {
    /// A node, each request of which may take `call_timeout`.
    ///
    /// # Errors
    /// When the URL is none of HTTP, or TLS cannot be set up.
    pub fn new(url: &str, call_timeout: Duration) -> Result<Self, HttpError> {
        install_tls_provider();
        let url: Url = url.parse().map_err(|_| HttpError::Url)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(HttpError::Url);
        }
        // A redirect would send the key in the URL, or the request, to another party.
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|e| HttpError::Client(e.without_url().to_string()))?;
        Ok(Self {
            client,
            url,
            call_timeout,
        })
    }

    async fn exchange(&self, body: Vec<u8>) -> Result<Value, TransportError> {
        let request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let response = request.send().await.map_err(connection)?;
        let status = response.status();
        if !status.is_success() {
            return Err(TransportError::Status {
                status: status.as_u16(),
                retry_after: retry_after(&response),
            });
        }
        let bytes = bounded_body(response).await?;
        serde_json::from_slice(&bytes).map_err(|e| TransportError::Malformed(e.to_string()))
    }
}

impl Transport for Http {
    async fn send(&self, batch: &[RpcCall], deadline: Instant) -> Result<Vec<CallResult>, TransportError> {
        let body = match batch {
            [] => return Ok(Vec::new()),
            // Nodes that refuse batches refuse batches of one as well.
            [call] => request_object(0, call),
            calls => calls
                .iter()
                .enumerate()
                .map(|(id, call)| request_object(id, call))
                .collect(),
        };
        let until = deadline.min(Instant::now() + self.call_timeout);
        let answer = timeout_at(until, self.exchange(body.to_string().into_bytes()))
            .await
            .map_err(|_| TransportError::Timeout)??;
        read_answer(answer, batch.len())
    }
}

/// Scheme and host only: path, query and credentials may hold a key.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Http({self})")
    }
}

impl fmt::Display for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redacted(&self.url))
    }
}

fn redacted(url: &Url) -> String {
    let mut shown = format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default());
    if let Some(port) = url.port() {
        shown.push_str(&format!(":{port}"));
    }
    if url.path() != "/" || url.query().is_some() {
        shown.push_str("/…");
    }
    shown
}

fn request_object(id: usize, call: &RpcCall) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": call.method, "params": call.params })
}

fn connection(error: reqwest::Error) -> TransportError {
    if error.is_timeout() {
        return TransportError::Timeout;
    }
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    TransportError::Connection(cause.to_string())
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response
        .headers()
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds))
}

async fn bounded_body(mut response: Response) -> Result<Vec<u8>, TransportError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(connection)? {
        if bytes.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(TransportError::TooLarge {
                limit: MAX_RESPONSE_BYTES,
            });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// One result per call. A batch may be answered in any order; an answer to a call that was not made is ignored, and
/// a call that is answered twice is not answered.
fn read_answer(answer: Value, calls: usize) -> Result<Vec<CallResult>, TransportError> {
    let entries = match answer {
        Value::Array(entries) => entries,
        object if calls == 1 => vec![object],
        object => {
            let message = match entry_result(object) {
                Err(CallError::Refused { message, .. }) => message,
                _ => return Err(TransportError::Malformed("an array expected".into())),
            };
            return Err(TransportError::BatchRefused(message));
        }
    };
    let mut results: Vec<Option<CallResult>> = vec![None; calls];
    for entry in entries {
        let id = entry
            .get("id")
            .and_then(Value::as_u64)
            .and_then(|id| usize::try_from(id).ok());
        let unnumbered_refusal = calls == 1 && entry.get("error").is_some();
        let Some(place) = id
            .or(unnumbered_refusal.then_some(0))
            .and_then(|id| results.get_mut(id))
        else {
            continue;
        };
        *place = match place {
            None => Some(entry_result(entry)),
            Some(_) => Some(Err(malformed("two answers to one call"))),
        };
    }
    Ok(results
        .into_iter()
        .map(|result| result.unwrap_or(Err(CallError::Absent)))
        .collect())
}

fn entry_result(mut entry: Value) -> CallResult {
    let result = entry.get_mut("result").map(Value::take);
    match (result, entry.get("error")) {
        (Some(result), None | Some(Value::Null)) => Ok(result),
        (None | Some(Value::Null), Some(error)) if error.is_object() => Err(CallError::Refused {
            code: error
                .get("code")
                .and_then(Value::as_i64)
                .ok_or_else(|| malformed("an error without a code"))?,
            message: error
                .get("message")
                .and_then(Value::as_str)
                .map_or_else(String::new, shortened),
        }),
        _ => Err(malformed("neither one result nor one error")),
    }
}

fn malformed(what: &str) -> CallError {
    TransportError::Malformed(what.into()).into()
}

fn shortened(message: &str) -> String {
    message.chars().take(MAX_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(answer: Value, calls: usize) -> Vec<CallResult> {
        read_answer(answer, calls).unwrap()
    }

    #[test]
    fn answers_are_matched_by_id_in_any_order() {
        let answer =
            json!([{ "id": 1, "result": "b" }, { "id": 7, "result": "?" }, { "id": 0, "result": "a" }]);
        assert_eq!(
            results(answer, 3),
            [Ok(json!("a")), Ok(json!("b")), Err(CallError::Absent)]
        );
    }

    #[test]
    fn two_answers_to_one_call_are_none() {
        let answer =
            json!([{ "id": 0, "result": "a" }, { "id": 0, "result": "b" }, { "id": 1, "result": "c" }]);
        let got = results(answer, 2);
        assert!(matches!(
            got[0],
            Err(CallError::Transport(TransportError::Malformed(_)))
        ));
        assert_eq!(got[1], Ok(json!("c")));
    }

    #[test]
    fn null_is_a_result_and_nothing_is_not() {
        assert_eq!(results(json!({ "id": 0, "result": null }), 1), [Ok(Value::Null)]);
        for entry in [
            json!({ "id": 0 }),
            json!({ "id": 0, "result": "a", "error": { "code": 1 } }),
            json!({"id": 0, "error": 5}),
        ] {
            assert!(matches!(
                results(entry, 1)[0],
                Err(CallError::Transport(TransportError::Malformed(_)))
            ));
        }
        assert_eq!(results(json!("text"), 1), [Err(CallError::Absent)]);
    }

    #[test]
    fn one_error_for_a_batch_refuses_the_batch() {
        let answer = json!({ "id": null, "error": { "code": -32600, "message": "batch too large" } });
        let refused = read_answer(answer.clone(), 2).unwrap_err();
        assert_eq!(refused, TransportError::BatchRefused("batch too large".into()));
        assert!(refused.is_about_size());
        assert!(matches!(
            &results(answer, 1)[0],
            Err(CallError::Refused { code: -32600, .. })
        ));
    }

    #[test]
    fn a_url_is_shown_without_what_may_be_a_key() {
        let shown = |url: &str| Http::new(url, Duration::from_secs(1)).unwrap().to_string();
        assert_eq!(
            shown("https://user:secret@node.example:8545/v3/secret?k=secret"),
            "https://node.example:8545/…"
        );
        assert_eq!(shown("http://127.0.0.1:8545"), "http://127.0.0.1:8545");
        assert!(Http::new("ftp://node.example", Duration::from_secs(1)).is_err());
    }
}
