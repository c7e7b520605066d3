//! Calls that a node executed, where they cannot be executed here: precompiles of a chain's own, another machine.

use super::outcome::{Bound, CallEnd, Caveat, MAX_LOGS, Outcome, Status};
use super::trace::{Frame, FrameKind, MAX_FRAMES};
use super::{Revert, Simulation, caveats};
use alloy_primitives::{Address, Bytes};
use presight_view::node_execution::{NodeCall, NodeCallEnd, NodeDetail, NodeEnd, NodeQuestion};
use presight_view::{Lookup, MAX_FRAME_INPUT, NodeExecution, NodeRequest, View};
use presight_wire::{NotRead, Reason};

/// What a node says that the calls of a request do.
#[derive(Debug, Clone)]
pub struct ByNode<'v> {
    /// What happened, in the shape of a simulation executed here.
    pub outcome: Outcome,
    /// What the node said.
    pub(crate) execution: &'v NodeExecution,
}

/// Has the node of the chain execute the calls of a request.
///
/// # Errors
/// Not read, `unsupported`, where the node is not to be asked, and for an authorization list, whose tuples a node
/// takes only signed. Not read for the view's reason where the node did not answer, or not in the form of its method.
pub fn by_node<'v>(view: &'v View<'v>, simulation: &Simulation<'_>) -> Lookup<ByNode<'v>> {
    if !simulation.authorization_list.is_empty() {
        let note = "a node executes an authorization list only when its tuples are signed";
        return Err(NotRead::new(Reason::Unsupported).with_note(note).into());
    }
    let execution = view.node_execution(simulation.chain, request(simulation, Vec::new()))?;
    let mut outcome = Outcome::new(view.at(simulation.chain)?);
    outcome.node = Some(execution.method);
    for (index, end) in execution.calls.iter().enumerate() {
        add(&mut outcome, simulation, index, end);
    }
    outcome.caveats = caveats(view, simulation, view.block(simulation.chain)?, &outcome);
    // The node counts gas as the chain does.
    outcome.caveats.retain(|caveat| *caveat != Caveat::GasOfEthereum);
    outcome.caveats.push(Caveat::NodesWord(execution.method));
    Ok(ByNode { outcome, execution })
}

/// What is asked of the node: the calls, then questions to contracts.
pub(crate) fn request(simulation: &Simulation<'_>, questions: Vec<NodeQuestion>) -> NodeRequest {
    let calls = simulation.calls.iter().map(|call| NodeCall {
        to: call.to,
        value: call.value,
        data: call.data.clone(),
    });
    NodeRequest {
        sender: simulation.sender,
        calls: calls.collect(),
        questions,
    }
}

fn add(outcome: &mut Outcome, simulation: &Simulation<'_>, index: usize, end: &NodeCallEnd) {
    let (status, revert, reason) = match &end.end {
        NodeEnd::Success => (Status::Success, None, None),
        NodeEnd::Reverted => {
            let revert = Revert::decode(&end.output);
            let reason = revert.to_string();
            (Status::Revert, Some(revert), Some(reason))
        }
        NodeEnd::Failed(words) => {
            let reason = format!("halted, in the node's words: {words}");
            (Status::Halt, None, Some(reason))
        }
    };
    let room = MAX_LOGS.saturating_sub(outcome.logs.len());
    if end.logs.len() > room {
        outcome.bounds.insert(Bound::Logs);
    }
    outcome.logs.extend(end.logs.iter().take(room).cloned());
    match &end.detail {
        NodeDetail::Transfers(_) => {
            if let Some(frame) = outermost(simulation, index, status == Status::Success) {
                add_frames(outcome, &[frame]);
            }
        }
        NodeDetail::Trace { frames, changes } => {
            add_frames(outcome, frames);
            for (address, change) in changes {
                outcome.changes.add(*address, change.clone());
            }
        }
    }
    outcome.end(CallEnd {
        status,
        gas_used: end.gas_used,
        reason,
        output: match end.end {
            NodeEnd::Success | NodeEnd::Reverted => end.output.clone(),
            NodeEnd::Failed(_) => Bytes::new(),
        },
        revert,
        created: None,
    });
}

fn add_frames(outcome: &mut Outcome, frames: &[Frame]) {
    let first = outcome.frames.len();
    let room = MAX_FRAMES.saturating_sub(first);
    if frames.len() > room {
        outcome.bounds.insert(Bound::Frames);
    }
    outcome.frames.extend(frames.iter().take(room).map(|frame| Frame {
        parent: frame.parent.map(|parent| parent + first),
        ..frame.clone()
    }));
}

/// The frame of the call itself, which a node that gives no call tree does not give.
fn outermost(simulation: &Simulation<'_>, index: usize, success: bool) -> Option<Frame> {
    let call = simulation.calls.get(index)?;
    let (caller, account): (Address, Address) = (simulation.sender, call.to);
    Some(Frame {
        call: index,
        parent: None,
        depth: 0,
        kind: FrameKind::Call,
        caller,
        account,
        code: account,
        value: call.value,
        input: Bytes::copy_from_slice(call.data.get(..MAX_FRAME_INPUT).unwrap_or(&call.data)),
        input_len: call.data.len(),
        success,
    })
}
