//! The projection to `wallet_sendCalls` (§8.4) and the status codes that come back (§9).

use super::code::Code;
use super::document::Envelope;
use super::fields::Content;
use super::validate::refused;
use super::words::{Kind, Operation};
use crate::error::Refusal;
use serde_json::{Map, Value, json};

/// What a wallet is asked, and what of the envelope could not be said in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendCalls {
    /// The JSON-RPC method and its parameters.
    pub request: Value,
    /// Pointers to capabilities of the envelope that the request leaves out.
    pub dropped: Vec<String>,
}

/// Projects a batch. `version` is the one negotiated with the wallet; it is never the envelope's. Members of a call
/// that the request has are passed on as written.
///
/// `atomicRequired`, which ERC-5792 requires, is `false` where the envelope asks for nothing. `paymasterService`,
/// `permissions` (§8.1: forwarded unchanged) and vendor entries are kept; `requiresAccountType`, which no wallet RPC
/// knows, is dropped: the consumer has to honour it itself.
///
/// # Errors
/// `not-a-batch` for other kinds; `delegatecall-not-projectable` for a call that ERC-5792 would run as an ordinary one.
pub fn send_calls(envelope: &Envelope, version: &str) -> Result<SendCalls, Refusal> {
    let content = match &envelope.fields().content {
        Content::Calls(content) if envelope.kind() == Kind::EvmBatch => content,
        _ => {
            let message = "only an `evm-batch` is projected to wallet_sendCalls (§8.4)";
            return Err(refused(Code::NotABatch, "/kind", message));
        }
    };
    if let Some(index) = content
        .calls
        .iter()
        .position(|call| call.operation == Operation::DelegateCall)
    {
        let message = "wallet_sendCalls has no delegatecall: the call would run as another one";
        let pointer = format!("/content/calls/{index}/operation");
        return Err(refused(Code::DelegatecallNotProjectable, pointer, message));
    }
    let document = envelope.value();
    let mut request = Map::new();
    request.insert("version".to_owned(), version.into());
    copy(document, &["id"], &mut request);
    copy(&document["content"], &["from"], &mut request);
    request.insert("chainId".to_owned(), format!("{:#x}", content.chain.id()).into());
    let calls = document["content"]["calls"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|call| {
            let mut projected = Map::new();
            copy(call, &["to", "data", "value", "capabilities"], &mut projected);
            Value::Object(projected)
        });
    request.insert("calls".to_owned(), calls.collect());
    let dropped = capabilities(&document["capabilities"], &mut request);
    Ok(SendCalls {
        request: json!({ "method": "wallet_sendCalls", "params": [request] }),
        dropped,
    })
}

/// Projects the envelope's capabilities; those that are left out.
fn capabilities(capabilities: &Value, request: &mut Map<String, Value>) -> Vec<String> {
    let atomic = capabilities.get("atomicRequired").and_then(Value::as_bool) == Some(true);
    request.insert("atomicRequired".to_owned(), atomic.into());
    let mut kept = Map::new();
    let mut dropped = Vec::new();
    for (name, value) in capabilities.as_object().into_iter().flatten() {
        match name.as_str() {
            "atomicRequired" => {}
            "requiresAccountType" => dropped.push(format!("/capabilities/{name}")),
            _ => {
                kept.insert(name.clone(), value.clone());
            }
        }
    }
    if !kept.is_empty() {
        request.insert("capabilities".to_owned(), Value::Object(kept));
    }
    dropped
}

/// Copies the members that are there.
fn copy(from: &Value, names: &[&str], to: &mut Map<String, Value>) {
    for name in names {
        if let Some(value) = from.get(name) {
            to.insert((*name).to_owned(), value.clone());
        }
    }
}

/// What became of submitted calls (§9, ERC-5792).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallsStatus {
    /// 100: submitted, nothing final.
    Pending,
    /// 200: on chain, final.
    Confirmed,
    /// 400: never submitted.
    OffchainFailure,
    /// 500: reverted whole.
    Reverted,
    /// 600: reverted in part.
    PartlyReverted,
}

impl CallsStatus {
    /// The code.
    pub fn code(self) -> u16 {
        match self {
            Self::Pending => 100,
            Self::Confirmed => 200,
            Self::OffchainFailure => 400,
            Self::Reverted => 500,
            Self::PartlyReverted => 600,
        }
    }

    /// The status of a code; `None` of one that ERC-5792 does not define.
    pub fn from_code(code: u16) -> Option<Self> {
        [
            Self::Pending,
            Self::Confirmed,
            Self::OffchainFailure,
            Self::Reverted,
            Self::PartlyReverted,
        ]
        .into_iter()
        .find(|status| status.code() == code)
    }
}
