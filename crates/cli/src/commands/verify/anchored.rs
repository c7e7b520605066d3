//! `presight verify --anchored`: whether a report counts against its source.

use super::{exit, open_reads, steps_in_words, tell};
use crate::args::Verify;
use crate::commands::anchor::emitter;
use crate::door;
use crate::exit::{Exit, Failure};
use crate::send::Node;
use alloy_primitives::B256;
use presight_engine::Door as _;
use presight_verify::anchoring::{attribute, locate};
use presight_verify::{Options, Unverified};
use presight_view::{View, run_recorded};
use presight_wire::{AccountId, ChainId, Refusal, Request};
use std::time::Duration;

/// Finds the anchoring on today's view, and runs the steps on a view of that time.
pub(super) fn run(
    args: &Verify,
    report: &Unverified,
    request: &Request,
    contract: &str,
    options: &Options,
    as_json: bool,
) -> Result<Exit, Failure> {
    let contract = contract_of(args, report, contract)?;
    let located = args
        .door
        .run(|view| locate(report, &contract, view))?
        .value
        .map_err(|_| open_reads())?;
    let attribute = |view: &View<'_>| attribute(report, request, &located, view, options);
    let driven = match (located.past_block(), &args.door.view, &args.past_view) {
        (Some(_), Some(_), Some(path)) => run_recorded(&door::view_file(path)?.snapshot, attribute),
        (Some(then), None, _) => door::run_at(&args.door, &then.chain, then.block.hash, attribute)?,
        _ => door::Offline.run(attribute)?,
    };
    let attribution = driven.value.map_err(|_| open_reads())?;
    let words = steps_in_words(attribution.steps(), attribution.conclusion());
    tell(&attribution, &words, as_json)?;
    Ok(exit(attribution.conclusion()))
}

/// The anchor contract: named itself, or by a transaction that anchored this report there. The transaction only says
/// where to look: when and by whom the report was anchored is read from the contract.
fn contract_of(args: &Verify, report: &Unverified, named: &str) -> Result<AccountId, Failure> {
    let Some((chain, transaction)) = transaction(named) else {
        return Ok(AccountId::parse(named, "")?);
    };
    let chain = ChainId::parse(chain, "")?;
    let mut nodes = args.door.rpc.iter().map(|argument| door::chain_and_url(argument));
    let url = nodes.find_map(|node| node.ok().filter(|(of, _)| *of == chain).map(|(_, url)| url));
    let Some(url) = url else {
        let message = format!("a transaction is looked up on a node of {chain}, and no --rpc names one");
        return Err(Refusal::new("no-node", "", message).into());
    };
    let receipt = Node::new(url)?.receipt(transaction, Duration::ZERO);
    let Some(receipt) = receipt else {
        let message = format!("the node has no receipt of {transaction} on {chain}");
        return Err(Refusal::new("no-receipt", "", message).into());
    };
    let mut logs = receipt["logs"].as_array().into_iter().flatten();
    let Some(emitter) = logs.find_map(|log| emitter(log, report.report_hash())) else {
        let message = format!("no ReportAnchored event of {transaction} is about this report");
        return Err(Refusal::new("no-anchoring", "", message).into());
    };
    Ok(AccountId::new(chain, emitter))
}

/// `CHAIN:HASH`.
fn transaction(named: &str) -> Option<(&str, B256)> {
    let (chain, hash) = named.rsplit_once(':')?;
    Some((chain, hash.parse().ok().filter(|_| hash.starts_with("0x"))?))
}
