//! Calls that the node is asked to execute.

use super::chain::ChainNode;
use super::settings::NodeExecutionSetting;
use super::transport::{CallError, RpcCall, Transport};
use super::{simulate_v1, trace_call};
use crate::node_execution::{
    MAX_NODE_CALLS, MAX_NODE_QUESTIONS, NodeDetail, NodeExecution, NodeMethod, NodeRequest,
};
use crate::snapshot::{Answer, Block, ChainSnapshot};
use crate::want::Want;
use presight_wire::error::Refusal;
use presight_wire::{Reason, node::Node};
use serde_json::Value;
use std::collections::BTreeSet;
use tokio::time::Instant;

/// The node no longer has the pinned block.
#[derive(Debug)]
pub(super) struct PinLost;

/// Why the node's execution is not taken.
#[derive(Debug)]
enum Untaken {
    /// A call failed.
    Call(CallError),
    /// It is not of the right form, or beyond a bound.
    Answer(String),
}

impl From<CallError> for Untaken {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl From<Refusal> for Untaken {
    fn from(refusal: Refusal) -> Self {
        Self::Answer(refusal.to_string())
    }
}

impl<T: Transport> ChainNode<T> {
    /// Has the node execute what is wanted and not held.
    pub(super) async fn execute_wanted(
        &mut self,
        held: &mut ChainSnapshot,
        wants: &BTreeSet<&Want>,
        pin: &Block,
        deadline: Instant,
    ) -> Result<(), PinLost> {
        for want in wants {
            let Want::NodeExecution(_, request) = want else {
                continue;
            };
            if held.holds(want) {
                continue;
            }
            let (reason, why) = match self.execute(request, held, pin, deadline).await {
                Ok(execution) => {
                    let executions = held.node_executions.get_or_insert_default();
                    executions.insert(request.clone(), Answer::Known(execution));
                    continue;
                }
                Err(Untaken::Call(error)) if error.is_pin_lost() => return Err(PinLost),
                Err(Untaken::Call(error)) => (error.reason(), error.to_string()),
                Err(Untaken::Answer(why)) => (Reason::Unavailable, why),
            };
            self.note("not-executed", format!("what the calls do, by the node: {why}"));
            held.fail(want, reason);
        }
        Ok(())
    }

    async fn execute(
        &mut self,
        request: &NodeRequest,
        held: &ChainSnapshot,
        pin: &Block,
        deadline: Instant,
    ) -> Result<NodeExecution, Untaken> {
        if request.calls.len() > MAX_NODE_CALLS || request.questions.len() > MAX_NODE_QUESTIONS {
            return Err(Untaken::Answer(format!(
                "more than MAX_NODE_CALLS = {MAX_NODE_CALLS} calls or MAX_NODE_QUESTIONS = {MAX_NODE_QUESTIONS} \
                 questions"
            )));
        }
        let setting = self.settings.node_execution;
        if setting == NodeExecutionSetting::By(NodeMethod::TraceCall) {
            return self.trace_calls(request, held, pin, deadline).await;
        }
        let simulated = self.simulate_v1(request, pin, deadline).await;
        let is_no_answer = match &simulated {
            Ok(_) => false,
            Err(Untaken::Call(error)) => error.is_method_unknown(),
            Err(Untaken::Answer(_)) => true,
        };
        if is_no_answer && setting == NodeExecutionSetting::Any {
            self.trace_calls(request, held, pin, deadline).await
        } else {
            simulated
        }
    }

    async fn simulate_v1(
        &mut self,
        request: &NodeRequest,
        pin: &Block,
        deadline: Instant,
    ) -> Result<NodeExecution, Untaken> {
        let answer = self.ask_one(simulate_v1::call(request, pin), deadline).await?;
        Ok(simulate_v1::read(request, pin, &Node::root(&answer))?)
    }

    /// Each call traced twice, for its call tree and for what it changes; the changes are put in the way of the next
    /// one.
    async fn trace_calls(
        &mut self,
        request: &NodeRequest,
        held: &ChainSnapshot,
        pin: &Block,
        deadline: Instant,
    ) -> Result<NodeExecution, Untaken> {
        let mut so_far = trace_call::Overrides::default();
        let mut calls = Vec::with_capacity(request.calls.len());
        for (index, call) in request.calls.iter().enumerate() {
            let asks = trace_call::calls(request.sender, call, &so_far, pin);
            let [traced, changed] = self.ask_two(asks, deadline).await?;
            let end = trace_call::read(index, &Node::root(&traced), &Node::root(&changed), held.hard_fork)?;
            if let NodeDetail::Trace { changes, .. } = &end.detail {
                so_far.add(changes);
            }
            calls.push(end);
        }
        let questions: Vec<RpcCall> = request
            .questions
            .iter()
            .map(|question| trace_call::question(question, &so_far, pin.hash))
            .collect();
        let mut answers = Vec::with_capacity(questions.len());
        for result in self.send(&questions, deadline).await {
            answers.push(trace_call::answer(&Node::root(&result?))?);
        }
        Ok(NodeExecution {
            method: NodeMethod::TraceCall,
            calls,
            answers,
        })
    }

    async fn ask_one(&mut self, call: RpcCall, deadline: Instant) -> Result<Value, CallError> {
        let mut results = self.send(&[call], deadline).await;
        results.pop().unwrap_or(Err(CallError::Absent))
    }

    async fn ask_two(&mut self, calls: [RpcCall; 2], deadline: Instant) -> Result<[Value; 2], CallError> {
        let results: Result<Vec<Value>, CallError> = self.send(&calls, deadline).await.into_iter().collect();
        results?.try_into().map_err(|_| CallError::Absent)
    }
}
