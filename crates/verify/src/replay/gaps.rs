//! The recomputation, and what it lacked.

use super::compare::{items, key};
use alloy_primitives::B256;
use presight_decode::Decoded;
use presight_source::{Config, assemble};
use presight_view::drive::Driven;
use presight_view::{Snapshot, View, Want, run_recorded};
use presight_wire::report::{Report, Source};
use presight_wire::{Reason, Refusal, Request};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Runs the source over a witness.
///
/// # Errors
/// `incomplete-witness` when the source cannot finish.
pub(super) fn recompute(
    witness: &Snapshot,
    request: &Request,
    decoded: &Decoded,
    source: &Source,
    config: &Config,
) -> Result<(Report, Gaps), Refusal> {
    let core = |view: &View<'_>| assemble(view, request, decoded, source, config);
    let unfinished = |_| Refusal::new("incomplete-witness", "", "the witness does not hold every read");
    let Driven { value, used, .. } = run_recorded(witness, core);
    let report = value.map_err(unfinished)?;
    let otherwise = run_recorded(&closed_otherwise(witness), core);
    let otherwise = otherwise.value.map_err(unfinished)?.to_value();
    Ok((report, Gaps::of(&otherwise, witness, &used)))
}

/// What a recomputation lacked. A witness holds every read of its report, the failed ones with their reason: a read
/// that it does not hold is a gap.
pub(super) struct Gaps {
    /// The findings of a second run, in which what the witness does not hold is not read for another reason.
    otherwise: HashMap<B256, Value>,
    /// Every chain that was asked about, with its entry in `blocks` when the witness holds its block.
    chains: BTreeMap<String, Option<Value>>,
}

impl Gaps {
    fn of(otherwise: &Value, witness: &Snapshot, used: &BTreeSet<Want>) -> Self {
        let chains = used.iter().filter_map(|want| match want {
            Want::Block(chain) => {
                let held = witness.chains.get(chain).and_then(|held| held.block.known());
                let entry = held.map(|block| {
                    json!({ "chainId": chain, "block": block.number.to_string(), "hash": block.hash })
                });
                Some((chain.to_string(), entry))
            }
            _ => None,
        });
        Self {
            otherwise: by_key(items(otherwise)),
            chains: chains.collect(),
        }
    }

    /// Whether a recomputed finding rests on a read that the witness does not hold: it comes out otherwise when
    /// such reads are missing for another reason.
    pub(super) fn lacks(&self, recomputed: &Value) -> bool {
        self.otherwise.get(&key(recomputed)) != Some(recomputed)
    }

    /// Whether the chain was asked about and the witness does not hold its block.
    pub(super) fn lacks_chain(&self, chain: &Value) -> bool {
        let asked = chain.as_str().and_then(|chain| self.chains.get(chain));
        asked.is_some_and(Option::is_none)
    }

    /// Whether an entry of a report's `blocks` is one that more of the witness might have brought: of a chain that was
    /// asked about, and the witness' own block where it holds that.
    pub(super) fn admits_block(&self, entry: &Value) -> bool {
        let chain = entry.get("chainId").and_then(Value::as_str);
        match chain.and_then(|chain| self.chains.get(chain)) {
            None => false,
            Some(None) => true,
            Some(Some(held)) => held == entry,
        }
    }
}

fn closed_otherwise(witness: &Snapshot) -> Snapshot {
    let reason = match witness.closed {
        Some(Reason::Incomplete) => Reason::Unavailable,
        _ => Reason::Incomplete,
    };
    Snapshot {
        closed: Some(reason),
        ..witness.clone()
    }
}

fn by_key(findings: &[Value]) -> HashMap<B256, Value> {
    findings.iter().map(|f| (key(f), f.clone())).collect()
}

#[cfg(test)]
impl Gaps {
    /// The gaps of a run that asked about one chain and lacks it, and that gave these findings whatever its gaps.
    pub(super) fn besides(held: &[Value], lacked_chain: &str) -> Self {
        Self {
            otherwise: by_key(held),
            chains: BTreeMap::from([(lacked_chain.to_owned(), None)]),
        }
    }
}
