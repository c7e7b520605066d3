//! Whether a report counts against its source (ERC-8481 §Signature and source identity, §On-chain anchoring).
//!
//! Who counts a source's anchored reports afterwards asks whether `source.signer` was bound when the report was
//! anchored, not whether it is now: [`locate`] reads the anchoring on today's view and finds the registry's block of
//! that time; [`attribute`] runs the signature and identity steps on a second view, pinned to that block.
//!
//! What the report says is not judged: a wrong report counts too. A key that was stolen counts until it is removed:
//! anchoring fixes when a report existed, not who held the key. Nor is an attributed report fit to sign by, so that
//! it is a type of its own.

mod attribution;
mod known;
mod past_block;

pub use attribution::{AttributedReport, Attribution, attribute};
pub use past_block::PROBES;

use crate::steps::{Outcome, settle, why};
use crate::unverified::Unverified;
use crate::verification::Step;
use crate::verify::Pending;
use past_block::last_at_or_before;
use presight_exec::reads::{self, AnchoredAt};
use presight_view::{Block, View};
use presight_wire::report::Source;
use presight_wire::{AccountId, ChainId};

/// A report's first anchoring by its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchoring {
    /// The anchor contract.
    pub contract: AccountId,
    /// When, in Unix seconds of the contract's chain.
    pub timestamp: u64,
    /// The contract's chain's own number of the block.
    pub block: u64,
}

/// The block that a binding is evaluated at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastBlock {
    /// The registry's chain.
    pub chain: ChainId,
    /// The last block at or before the anchoring.
    pub block: Block,
}

/// Where a report was anchored, and the registry's block of that time, as far as they were found.
#[derive(Debug, Clone)]
pub struct Located {
    steps: Vec<Step>,
    anchoring: Option<Anchoring>,
    past_block: Option<PastBlock>,
}

impl Located {
    /// The report's anchoring by its source.
    pub fn anchoring(&self) -> Option<&Anchoring> {
        self.anchoring.as_ref()
    }

    /// The block that the second view has to be pinned to; without it there is nothing to attribute by.
    pub fn past_block(&self) -> Option<&PastBlock> {
        self.past_block.as_ref()
    }
}

/// Reads the anchoring of a report on this contract, and finds the last block of its registry's chain whose timestamp
/// is at or before the anchoring's.
///
/// # Errors
/// [`Pending`] while the view wants reads it does not hold; never on a closed snapshot.
pub fn locate(report: &Unverified, contract: &AccountId, view: &View<'_>) -> Result<Located, Pending> {
    let mut located = Located {
        steps: Vec::new(),
        anchoring: None,
        past_block: None,
    };
    let source = match report.read() {
        Ok(received) => &received.report.source,
        Err(refusal) => {
            located
                .steps
                .push(Outcome::fail(refusal.to_string()).named("structure"));
            return Ok(located);
        }
    };
    // Both are asked for before either is waited for: one wave.
    let known = known::is_known(contract, view);
    let (outcome, anchoring) = anchored(report, source, contract, view)?;
    located.steps.push(outcome.named("anchored"));
    located.steps.push(known?.named("anchor-code"));
    let Some(anchoring) = anchoring else {
        return Ok(located);
    };
    let chain = &source.registry.chain;
    let outcome = match last_at_or_before(view, chain, anchoring.timestamp)? {
        Ok(block) => {
            let detail = format!(
                "block {} of {chain}, at {}, is the last at or before {}",
                block.number, block.timestamp, anchoring.timestamp
            );
            located.past_block = Some(PastBlock {
                chain: chain.clone(),
                block,
            });
            Outcome::pass(detail)
        }
        Err(outcome) => outcome,
    };
    located.anchoring = Some(anchoring);
    located.steps.push(outcome.named("registry-block"));
    Ok(located)
}

/// An anchoring counts only when its `source` is the report's `source.signer`.
fn anchored(
    report: &Unverified,
    source: &Source,
    contract: &AccountId,
    view: &View<'_>,
) -> Result<(Outcome, Option<Anchoring>), Pending> {
    let hash = report.report_hash();
    let (chain, signer) = (&contract.chain, source.signer.address);
    let read = settle(reads::anchored_at(view, chain, contract.address, signer, hash))?;
    let head = settle(view.block(chain))?;
    let (found, head) = match (read, head) {
        (Ok(read), Ok(head)) => (read.into_value(), head),
        (Err(not_read), _) | (_, Err(not_read)) => {
            let why = format!("anchoredAt of {contract} is not read: {}", why(&not_read));
            return Ok((Outcome::not_read(why), None));
        }
    };
    let AnchoredAt { timestamp, block } = found;
    if timestamp == 0 {
        let why = format!("{signer:#x} has not anchored {hash} on {contract}");
        return Ok((Outcome::fail(why), None));
    }
    if timestamp > head.timestamp || block > head.number {
        let why = format!(
            "{contract} says block {block} at {timestamp}, after the block it is read at, {} at {}",
            head.number, head.timestamp
        );
        return Ok((Outcome::fail(why), None));
    }
    let anchoring = Anchoring {
        contract: contract.clone(),
        timestamp,
        block,
    };
    let detail = format!("by {signer:#x} on {contract} in block {block}, at {timestamp}");
    Ok((Outcome::pass(detail), Some(anchoring)))
}
