//! What calls did that a node executed.

use super::candidates;
use super::reread::{Answers, Asker};
use super::{Effects, NativeChange, Part, code, created, hear, layout, native};
use crate::chains::{is_ethereum, is_reserved};
use crate::simulate::{Bound, ByNode, Change, Simulation, node_request};
use alloy_primitives::{Address, Bytes, U256};
use presight_view::node_execution::{MAX_NODE_QUESTIONS, NodeDetail, NodeMethod, NodeQuestion};
use presight_view::{Lookup, NodeExecution, NodeRequest, Unread, View};
use presight_wire::ChainId;
use std::collections::{BTreeMap, BTreeSet};

/// How often the node is asked questions: answers lead to further ones.
const MAX_ROUNDS: usize = 4;

type Question = (Address, Bytes);

/// What calls did that a node executed. Contracts are asked at the node, before and after; bounds that are hit on the
/// way are added to the outcome. What the node does not tell is named in [`Effects::not_read`].
///
/// # Errors
/// Pending, while the node's answers are not there yet.
pub fn of_node(view: &View<'_>, simulation: &Simulation<'_>, told: &mut ByNode<'_>) -> Lookup<Effects> {
    let ByNode { outcome, execution } = told;
    let begun = match execution.method {
        NodeMethod::SimulateV1 => {
            let native = natively(view, simulation.chain, execution)?;
            let mut not_read = BTreeSet::from([Part::Untold, Part::Code, Part::Unattributed]);
            if native.is_none() {
                not_read.insert(Part::Native);
            }
            Effects {
                native: native.unwrap_or_default(),
                not_read,
                ..Effects::default()
            }
        }
        NodeMethod::TraceCall => {
            outcome.preimages.extend(layout::COMPILED.iter().cloned());
            candidates::add_preimages(outcome);
            Effects {
                native: native(outcome),
                code: code(outcome),
                ..Effects::default()
            }
        }
    };
    let mut known = BTreeMap::new();
    for _ in 0..MAX_ROUNDS {
        let (effects, asker) = hear(outcome, begun.clone(), Asker::at_node(&known, created(outcome)));
        let open = asker.into_open();
        if open.is_empty() {
            return Ok(effects);
        }
        if known.len() + open.len() > MAX_NODE_QUESTIONS {
            break;
        }
        known.extend(answers(view, simulation, execution, open)?);
    }
    outcome.bounds.insert(Bound::NodeQuestions);
    Ok(hear(outcome, begun, Asker::at_node(&known, created(outcome))).0)
}

/// Puts questions to the node, before the calls and after them.
fn answers(
    view: &View<'_>,
    simulation: &Simulation<'_>,
    execution: &NodeExecution,
    open: BTreeSet<Question>,
) -> Lookup<Vec<(Question, Answers)>> {
    let questions: Vec<NodeQuestion> = open
        .iter()
        .map(|(to, data)| NodeQuestion {
            to: *to,
            data: data.clone(),
        })
        .collect();
    let nothing_sent = NodeRequest {
        calls: Vec::new(),
        ..node_request(simulation, questions.clone())
    };
    let before = view.node_execution(simulation.chain, nothing_sent);
    let after = view.node_execution(simulation.chain, node_request(simulation, questions));
    let (before, after) = match (before, after) {
        (Err(Unread::Pending), _) | (_, Err(Unread::Pending)) => return Err(Unread::Pending),
        // The calls did something else this time: what comes after them says nothing about the first time.
        (Ok(before), Ok(after)) if after.calls == execution.calls => (before, after),
        _ => return Ok(open.into_iter().map(|key| (key, Answers::default())).collect()),
    };
    let given = before.answers.iter().zip(&after.answers);
    Ok(open
        .into_iter()
        .zip(given)
        .map(|(key, (before, after))| (key, Answers::given(before.clone(), after.clone())))
        .collect())
}

/// Native balances after the transfers that the node tells of; `None` when they do not follow from these.
fn natively(
    view: &View<'_>,
    chain: &ChainId,
    execution: &NodeExecution,
) -> Lookup<Option<Vec<NativeChange>>> {
    let mut flows: BTreeMap<Address, (U256, U256)> = BTreeMap::new();
    for end in &execution.calls {
        let NodeDetail::Transfers(transfers) = &end.detail else {
            return Ok(None);
        };
        for transfer in transfers {
            let gave = &mut flows.entry(transfer.from).or_default().1;
            *gave = gave.saturating_add(transfer.value);
            let got = &mut flows.entry(transfer.to).or_default().0;
            *got = got.saturating_add(transfer.value);
        }
    }
    let mut changes = Vec::new();
    let mut pending = false;
    for (account, (got, gave)) in flows {
        // A chain's own precompile may make or unmake what it gets.
        if is_reserved(account) && !is_ethereum(chain) {
            return Ok(None);
        }
        let before = match view.balance(chain, account) {
            Ok(before) => before,
            Err(Unread::Pending) => {
                pending = true;
                continue;
            }
            Err(Unread::NotRead(_)) => return Ok(None),
        };
        let after = before.checked_add(got).and_then(|sum| sum.checked_sub(gave));
        let Some(after) = after else { return Ok(None) };
        if let Some(balance) = Change::between(before, after) {
            changes.push(NativeChange { account, balance });
        }
    }
    if pending {
        return Err(Unread::Pending);
    }
    Ok(Some(changes))
}
