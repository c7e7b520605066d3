//! Sending a transaction and waiting for it.

mod node;
mod transaction;

pub(crate) use node::{Node, strange};

use crate::exit::Failure;
use alloy_primitives::{Address, B256, Bytes};
use presight_wire::report::sign::SigningKey;
use presight_wire::{Refusal, hex};
use serde_json::{Value, json};
use std::time::Duration;
use transaction::Transaction;

/// What is offered for gas above what is estimated, in hundredths.
const GAS_MARGIN: u64 = 120;

/// Sends transactions of a key.
pub(crate) struct Sender<'a> {
    pub(crate) node: &'a Node,
    pub(crate) key: &'a SigningKey,
    pub(crate) chain_id: u64,
    pub(crate) wait: Duration,
    /// Shows what would be sent, and sends nothing.
    pub(crate) dry_run: bool,
}

/// What became of a transaction.
pub(crate) enum Sent {
    /// It was not sent, only shown.
    Not,
    /// It has this hash, and no receipt yet.
    Pending(B256),
    /// It is in a block.
    Mined(Value),
}

impl Sender<'_> {
    /// Shows a transaction, sends it and waits for it.
    pub(crate) fn send(&self, to: Address, data: Bytes) -> Result<Sent, Failure> {
        let transaction = self.prepared(to, data)?;
        let most = transaction.most().ok_or_else(|| strange("eth_estimateGas"))?;
        eprintln!(
            "  {} bytes to {to:#x}, at most {} gas for at most {most} wei",
            transaction.data.len(),
            transaction.gas
        );
        if self.dry_run {
            return Ok(Sent::Not);
        }
        let signed = transaction.sign(self.key);
        eprintln!("  sends {}", signed.hash);
        self.node.send(&signed.raw)?;
        Ok(self
            .node
            .receipt(signed.hash, self.wait)
            .map_or(Sent::Pending(signed.hash), Sent::Mined))
    }

    fn prepared(&self, to: Address, data: Bytes) -> Result<Transaction, Failure> {
        let from = self.key.address();
        let head = self.node.ask("eth_getBlockByNumber", json!(["latest", false]))?;
        let base_fee = head["baseFeePerGas"]
            .as_str()
            .and_then(|fee| hex::quantity(fee, "").ok())
            .and_then(|fee| u128::try_from(fee).ok())
            .ok_or_else(|| {
                Refusal::new(
                    "no-base-fee",
                    "",
                    "the chain's blocks have no base fee (EIP-1559)",
                )
            })?;
        let tip = u128::try_from(self.node.quantity("eth_maxPriorityFeePerGas", json!([]))?)
            .map_err(|_| strange("eth_maxPriorityFeePerGas"))?;
        let call = json!({ "from": from, "to": to, "data": data });
        let estimate = self.node.small("eth_estimateGas", json!([call]))?;
        Ok(Transaction {
            chain_id: self.chain_id,
            nonce: self
                .node
                .small("eth_getTransactionCount", json!([from, "pending"]))?,
            max_priority_fee: tip,
            // Blocks may double the base fee within six.
            max_fee: base_fee.saturating_mul(2).saturating_add(tip),
            gas: estimate.saturating_mul(GAS_MARGIN) / 100,
            to,
            data,
        })
    }
}

/// Whether a receipt says that the transaction did what it was to do.
pub(crate) fn succeeded(receipt: &Value) -> bool {
    receipt["status"] == "0x1"
}
