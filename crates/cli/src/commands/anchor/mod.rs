//! `presight anchor`

mod contract;

pub(crate) use contract::emitter;

use crate::args::Anchor as Args;
use crate::door::chain_and_url;
use crate::exit::{Exit, Failure, print};
use crate::input;
use crate::send::{Node, Sender, Sent, strange, succeeded};
use alloy_primitives::{Address, B256, Bytes, U256};
use contract::{Anchor, DEPLOYER, SALT, anchor_call, anchored_at_call, is_event};
use presight_engine::identity::load_key;
use presight_engine::words::printable;
use presight_verify::Unverified;
use presight_wire::limits::MAX_REPORT_BYTES;
use presight_wire::report::sign::SigningKey;
use presight_wire::{ChainId, Refusal, hex};
use serde_json::{Value, json};
use std::time::Duration;

/// Where Arbitrum's chains have ArbSys, with this code.
const ARB_SYS: Address = Address::with_last_byte(100);
const ARB_SYS_CODE: [u8; 1] = [0xfe];

/// Anchors a report: shows what it sends, sends it, and waits for it.
pub(crate) fn run(args: &Args, as_json: bool) -> Result<Exit, Failure> {
    let anchoring = Anchoring::of(args)?;
    let (chain, url) = chain_and_url(&args.rpc)?;
    let key = load_key(&args.key_file)?;
    anchoring.ensure_counts(&key)?;
    let node = Node::new(url)?;
    let chain_id = node.small("eth_chainId", json!([]))?;
    if chain.evm_id() != Some(chain_id) {
        return Err(Refusal::new("wrong-chain", "", format!("the node is on chain {chain_id}")).into());
    }
    let sender = Sender {
        node: &node,
        key: &key,
        chain_id,
        wait: Duration::from_secs(args.wait),
        dry_run: args.dry_run,
    };
    let anchor = if node.code(ARB_SYS)?.as_ref() == ARB_SYS_CODE.as_slice() {
        Anchor::Arbitrum
    } else {
        Anchor::Plain
    };
    let contract = match &args.contract {
        Some(contract) => hex::address(contract, "")?,
        None => anchor.address()?,
    };
    let shipped = args.contract.is_none();
    if node.code(contract)?.is_empty() {
        if !shipped || !args.deploy {
            let message = format!(
                "there is no anchor at {contract:#x} on {chain}; --deploy puts one at its usual address"
            );
            return Err(Refusal::new("no-anchor", "", message).into());
        }
        let data = Bytes::from([SALT.as_slice(), &anchor.creation()?].concat());
        eprintln!("creates the anchor {contract:#x} on {chain}");
        match sender.send(DEPLOYER, data)? {
            Sent::Mined(receipt) if succeeded(&receipt) => {}
            sent => return Ok(told(&anchoring, &chain, contract, &key, &sent, None, as_json)),
        }
    }
    if shipped && node.code(contract)? != anchor.runtime()? {
        let message = format!("what is at {contract:#x} on {chain} is not the anchor of this version");
        return Err(Refusal::new("another-anchor", "", message).into());
    }
    eprintln!("{}", anchoring.in_words(&chain, contract, &key));
    let sent = sender.send(contract, anchoring.call.clone())?;
    let recorded = match &sent {
        Sent::Mined(receipt) if succeeded(receipt) => {
            Some(anchoring.recorded(&node, contract, &key, receipt)?)
        }
        _ => None,
    };
    Ok(told(&anchoring, &chain, contract, &key, &sent, recorded, as_json))
}

/// A report to be anchored.
struct Anchoring {
    subject: B256,
    report: B256,
    signer: Address,
    uri: String,
    call: Bytes,
}

impl Anchoring {
    fn of(args: &Args) -> Result<Self, Failure> {
        let unverified = Unverified::parse(&input::read(&args.report, MAX_REPORT_BYTES)?)?;
        let report_hash = unverified.report_hash();
        // What is anchored is a hash: nothing of the report is taken for true.
        let received = unverified.trust_unverified()?;
        if received.report.signature.is_none() {
            let message = "the report is not signed: nobody would count its anchoring";
            return Err(Refusal::new("unsigned", "/signature", message).into());
        }
        let subject = received.report.subject_digest;
        Ok(Self {
            subject,
            report: report_hash,
            signer: received.report.source.signer.address,
            call: anchor_call(subject, report_hash, &args.uri)?,
            uri: args.uri.clone(),
        })
    }

    /// An anchoring counts only from the report's signer (ERC-8481 §On-chain anchoring).
    fn ensure_counts(&self, key: &SigningKey) -> Result<(), Refusal> {
        if self.signer == key.address() {
            return Ok(());
        }
        let message = format!(
            "the key is that of {:#x}, and the report's signer is {:#x}: the anchoring would not count",
            key.address(),
            self.signer
        );
        Err(Refusal::new("wrong-signer", "/source/signer", message))
    }

    fn in_words(&self, chain: &ChainId, contract: Address, key: &SigningKey) -> String {
        format!(
            "anchors on {chain} at {contract:#x}, as {:#x}:\n  report hash     {}\n  subject digest  {}\n  URI             {}",
            key.address(),
            self.report,
            self.subject,
            if self.uri.is_empty() {
                "none".to_owned()
            } else {
                printable(&self.uri)
            },
        )
    }

    /// What the contract has recorded, after the event that the receipt has to have.
    fn recorded(
        &self,
        node: &Node,
        contract: Address,
        key: &SigningKey,
        receipt: &Value,
    ) -> Result<Recorded, Failure> {
        let mut logs = receipt["logs"].as_array().into_iter().flatten();
        if !logs.any(|log| is_event(log, contract, key.address(), self.subject, self.report)) {
            return Err(strange("eth_getTransactionReceipt").into());
        }
        let call = json!({ "to": contract, "data": anchored_at_call(key.address(), self.report) });
        let answer = node.data("eth_call", json!([call, receipt["blockNumber"]]))?;
        let word = |index: usize| {
            let word = answer.get(index * 32..(index + 1) * 32).map(U256::from_be_slice);
            word.and_then(|word| u64::try_from(word).ok())
        };
        match (word(0), word(1)) {
            (Some(timestamp), Some(block)) if timestamp != 0 => Ok(Recorded { timestamp, block }),
            _ => Err(strange("eth_call").into()),
        }
    }
}

/// When a report was first anchored, by the contract.
#[derive(Debug, Clone, Copy)]
struct Recorded {
    timestamp: u64,
    block: u64,
}

/// Tells what became of it.
fn told(
    anchoring: &Anchoring,
    chain: &ChainId,
    contract: Address,
    key: &SigningKey,
    sent: &Sent,
    recorded: Option<Recorded>,
    as_json: bool,
) -> Exit {
    let (status, exit) = match (sent, recorded) {
        (Sent::Not, _) => ("not-sent", Exit::Clean),
        (Sent::Pending(_), _) => ("pending", Exit::NotEvaluated),
        (Sent::Mined(_), Some(_)) => ("anchored", Exit::Clean),
        (Sent::Mined(_), None) => ("failed", Exit::Block),
    };
    let mut document = json!({
        "status": status,
        "chainId": chain.to_string(),
        "contract": format!("{contract:#x}"),
        "source": format!("{:#x}", key.address()),
        "subjectDigest": anchoring.subject,
        "reportHash": anchoring.report,
        "reportURI": anchoring.uri,
    });
    match sent {
        Sent::Not => {}
        Sent::Pending(hash) => document["transaction"] = json!(hash),
        Sent::Mined(receipt) => {
            document["transaction"] = receipt["transactionHash"].clone();
            document["receipt"] = receipt.clone();
        }
    }
    if let Some(recorded) = recorded {
        document["anchoredAt"] = json!({
            "timestamp": recorded.timestamp.to_string(), "blockNumber": recorded.block.to_string(),
        });
    }
    print(&if as_json {
        document.to_string()
    } else {
        in_words(&document, sent, recorded)
    });
    exit
}

fn in_words(document: &Value, sent: &Sent, recorded: Option<Recorded>) -> String {
    let transaction = printable(document["transaction"].as_str().unwrap_or_default());
    match (sent, recorded) {
        (Sent::Not, _) => "not sent".to_owned(),
        (Sent::Pending(_), _) => format!("pending: {transaction} has no receipt yet; it may still be taken"),
        (Sent::Mined(receipt), Some(Recorded { timestamp, block })) => format!(
            "anchored: {transaction} in block {}\nthe contract's record of this report: block {block}, Unix time {timestamp}",
            printable(receipt["blockNumber"].as_str().unwrap_or_default()),
        ),
        (Sent::Mined(_), None) => format!("failed: {transaction} reverted"),
    }
}
