//! `presight verify --anchored`: whether a report counts against its source.

use super::{exit, open_reads, steps_in_words, tell};
use crate::args::Verify;
use crate::door;
use crate::exit::{Exit, Failure};
use presight_verify::anchoring::{attribute, locate};
use presight_verify::{Options, Unverified};
use presight_view::{View, run_recorded};
use presight_wire::{AccountId, Request};

/// Finds the anchoring on today's view, and runs the steps on a view of that time.
pub(super) fn run(
    args: &Verify,
    report: &Unverified,
    request: &Request,
    contract: &str,
    options: &Options,
    as_json: bool,
) -> Result<Exit, Failure> {
    let contract = AccountId::parse(contract, "")?;
    let located = door::run(&args.door, |view| locate(report, &contract, view))?
        .value
        .map_err(|_| open_reads())?;
    let attribute = |view: &View<'_>| attribute(report, request, &located, view, options);
    let driven = match (located.past_block(), &args.door.view, &args.past_view) {
        (Some(_), Some(_), Some(path)) => run_recorded(&door::view_file(path)?.snapshot, attribute),
        (Some(then), None, _) => door::run_at(&args.door, &then.chain, then.block.hash, attribute)?,
        _ => door::run_offline(attribute)?,
    };
    let attribution = driven.value.map_err(|_| open_reads())?;
    let words = steps_in_words(attribution.steps(), attribution.conclusion());
    tell(&attribution, &words, as_json)?;
    Ok(exit(attribution.conclusion()))
}
