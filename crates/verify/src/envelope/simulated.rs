//! The calls run on the chain's state, where the policy on delegatecalls asks for it (§Security Considerations).

use super::content::{DecodedContent, Signer};
use super::context::DelegatecallPolicy;
use crate::steps::{settle, why};
use crate::verify::Pending;
use alloy_primitives::Address;
use presight_decode::CallNode;
use presight_exec::effects;
use presight_exec::simulate::{self, FrameKind, Outcome, Simulation, Status, Surroundings};
use presight_view::View;
use presight_wire::ChainId;
use presight_wire::envelope::{Call, CallsContent, Content, Operation};
use presight_wire::request;
use serde_json::Value;

/// What became of the simulation that a policy asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Simulated {
    /// All calls succeeded; what they do, as `presight simulate` gives it.
    Succeeded(Value),
    /// It was not done, or not all calls succeeded: why.
    Not(String),
}

/// Simulates the calls when the policy is to let through only what was simulated.
///
/// # Errors
/// [`Pending`] while the view wants reads it does not hold.
pub(crate) fn simulate(
    content: &Content,
    decoded: Option<&DecodedContent>,
    policy: &DelegatecallPolicy,
    view: Option<&View<'_>>,
) -> Result<Option<Simulated>, Pending> {
    if *policy != DelegatecallPolicy::RequireSimulation {
        return Ok(None);
    }
    let ready = match (content, decoded, view) {
        (Content::Signature(_), _, _) => Err("a message is not simulated"),
        (_, None, _) => Err("it was not decoded"),
        (_, _, None) => Err("no chain state is given"),
        (Content::Calls(calls), Some(decoded), Some(view)) => Ok((calls, decoded, view)),
    };
    let outcome = match ready {
        Ok((calls, decoded, view)) => calls_on(calls, decoded, view)?,
        Err(why) => Simulated::Not(why.to_owned()),
    };
    Ok(Some(outcome))
}

fn calls_on(content: &CallsContent, decoded: &DecodedContent, view: &View<'_>) -> Result<Simulated, Pending> {
    let not = |why: &str| Ok(Simulated::Not(why.to_owned()));
    let Signer::Named(sender) = decoded.signer else {
        return not("`from` does not say whose calls they are");
    };
    let Ok(chain) = u64::try_from(content.chain.id()).map(ChainId::evm) else {
        return not("a chain id beyond 64 bits");
    };
    if content.calls.iter().any(|call| call.operation != Operation::Call) {
        return not("code that runs in the signer's own account is not simulated");
    }
    let calls: Vec<_> = content.calls.iter().map(sent).collect();
    let simulation = Simulation {
        chain: &chain,
        sender,
        calls: &calls,
        authorization_list: &[],
        authorities: &[],
        surroundings: Surroundings::default(),
    };
    let ran = simulate::run(view, &simulation).and_then(|mut simulated| {
        let effects = effects::of(&mut simulated)?;
        Ok((simulated.outcome, effects))
    });
    Ok(match settle(ran)? {
        Ok((outcome, effects)) if outcome.status == Status::Success => {
            if let Some(target) = not_run(decoded, &outcome) {
                return not(&format!(
                    "in simulation the code of {target:#x} did not run, or was undone"
                ));
            }
            let mut document = outcome.to_value();
            document["effects"] = effects.to_value();
            Simulated::Succeeded(document)
        }
        Ok((outcome, _)) => {
            let reason = outcome
                .reason
                .map_or(String::new(), |reason| format!(": {reason}"));
            Simulated::Not(format!(
                "in simulation it ends in {}{reason}",
                outcome.status.as_str()
            ))
        }
        Err(not_read) => Simulated::Not(format!("its simulation is not read: {}", why(&not_read))),
    })
}

/// A delegatecall of the content that the simulation did not make as often as it is named, with this calldata and in
/// the account's own context, or whose work does not stand: what it does was not simulated.
fn not_run(decoded: &DecodedContent, outcome: &Outcome) -> Option<Address> {
    let frames = outcome.standing_frames();
    let mut left: Vec<_> = frames
        .filter(|frame| frame.kind == FrameKind::DelegateCall)
        .collect();
    let mut named = Vec::new();
    for (index, node) in decoded.decoded.calls.iter().enumerate() {
        delegatecalls(node, index, &mut named);
    }
    for (index, node) in named {
        let ran = left.iter().position(|frame| {
            (frame.call, frame.account, frame.code) == (index, node.caller, node.to)
                && frame.input_len == node.data.len()
                && node.data.starts_with(&frame.input)
        });
        match ran {
            Some(ran) => left.swap_remove(ran),
            None => return Some(node.to),
        };
    }
    None
}

fn delegatecalls<'d>(node: &'d CallNode, index: usize, found: &mut Vec<(usize, &'d CallNode)>) {
    if node.operation == presight_decode::Operation::DelegateCall {
        found.push((index, node));
    }
    node.inner
        .iter()
        .for_each(|inner| delegatecalls(inner, index, found));
}

fn sent(call: &Call) -> request::Call {
    request::Call {
        to: call.to,
        value: call.value.unwrap_or_default(),
        data: call.data.clone().unwrap_or_default(),
    }
}
