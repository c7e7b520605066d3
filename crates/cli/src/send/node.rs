//! The node that takes the transaction.

use crate::exit::Failure;
use alloy_primitives::{Address, B256, Bytes, U256};
use anyhow::Context as _;
use presight_view::rpc::{CallError, CallResult, Http, RetrySettings, Retrying, RpcCall, Transport};
use presight_wire::{Refusal, hex};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep};

/// What one request may take.
const REQUEST: Duration = Duration::from_secs(10);
/// The wait between two questions for a receipt.
const PAUSE: Duration = Duration::from_millis(500);

/// A node, asked one thing at a time.
pub(crate) struct Node {
    http: Http,
    runtime: Runtime,
}

impl Node {
    pub(crate) fn new(url: &str) -> Result<Self, Failure> {
        let http = Http::new(url, REQUEST).map_err(|e| Refusal::new("bad-rpc", "", e.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("no runtime")?;
        Ok(Self { http, runtime })
    }

    /// Asks, and asks again while a failure may pass.
    pub(crate) fn ask(&self, method: &'static str, params: Value) -> Result<Value, Failure> {
        let patient = Retrying::new(self.http.clone(), RetrySettings::default());
        self.once(&patient, method, params)
            .map_err(|e| refused(method, &e))
    }

    pub(crate) fn quantity(&self, method: &'static str, params: Value) -> Result<U256, Failure> {
        let value = self.ask(method, params)?;
        let text = value.as_str().unwrap_or_default();
        hex::quantity(text, "").map_err(|_| strange(method).into())
    }

    pub(crate) fn small(&self, method: &'static str, params: Value) -> Result<u64, Failure> {
        u64::try_from(self.quantity(method, params)?).map_err(|_| strange(method).into())
    }

    pub(crate) fn data(&self, method: &'static str, params: Value) -> Result<Bytes, Failure> {
        let value = self.ask(method, params)?;
        let text = value.as_str().unwrap_or_default();
        hex::data(text, "").map_err(|_| strange(method).into())
    }

    pub(crate) fn code(&self, address: Address) -> Result<Bytes, Failure> {
        self.data("eth_getCode", json!([address, "latest"]))
    }

    /// Sends a transaction, once. No answer is no failure: it may have been taken, and the receipt will tell.
    pub(crate) fn send(&self, raw: &Bytes) -> Result<(), Failure> {
        match self.once(&self.http, "eth_sendRawTransaction", json!([raw])) {
            Err(error @ CallError::Refused { .. }) => Err(refused("eth_sendRawTransaction", &error)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The receipt of a transaction; `None` when it has none by then.
    pub(crate) fn receipt(&self, hash: B256, within: Duration) -> Option<Value> {
        let end = Instant::now() + within;
        loop {
            // A node that does not answer is asked again until the end.
            if let Ok(receipt) = self.once(&self.http, "eth_getTransactionReceipt", json!([hash]))
                && receipt.is_object()
            {
                return Some(receipt);
            }
            if Instant::now() + PAUSE > end {
                return None;
            }
            self.runtime.block_on(async { sleep(PAUSE).await });
        }
    }

    fn once(&self, transport: &impl Transport, method: &'static str, params: Value) -> CallResult {
        let call = [RpcCall::new(method, params)];
        let sent = async { transport.send(&call, Instant::now() + REQUEST).await };
        self.runtime
            .block_on(sent)?
            .pop()
            .unwrap_or(Err(CallError::Absent))
    }
}

fn refused(method: &str, error: &CallError) -> Failure {
    Refusal::new("node-refused", "", format!("{method}: {error}")).into()
}

/// An answer of another form.
pub(crate) fn strange(method: &str) -> Refusal {
    Refusal::new("node-answer", "", format!("{method}: not an answer of its form"))
}
