//! One JSON-RPC request over HTTP/1.1, blocking.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long a node may take over one request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Why a request gave no result.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The connection failed.
    #[error("no answer from the node: {0}")]
    Io(#[from] std::io::Error),
    /// The answer is not JSON-RPC over HTTP.
    #[error("not a JSON-RPC answer: {0}")]
    Malformed(String),
    /// The node refused.
    #[error("the node refused: {0}")]
    Refused(Value),
}

pub(crate) fn request(address: SocketAddr, method: &str, params: &Value) -> Result<Value, RequestError> {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (_, body) = answer
        .split_once("\r\n\r\n")
        .ok_or_else(|| RequestError::Malformed(answer.clone()))?;
    let mut parsed: Value =
        serde_json::from_str(body).map_err(|e| RequestError::Malformed(format!("{e}: {body}")))?;
    match parsed.get("error") {
        Some(error) => Err(RequestError::Refused(error.clone())),
        None => Ok(parsed["result"].take()),
    }
}
