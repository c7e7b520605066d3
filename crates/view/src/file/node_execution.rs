//! What a node said that calls do, in a view file: an element of a chain's `nodeExecutions`.

use super::read::{members, put, reason};
use crate::block::{hash, quantity, quantity_u64};
use crate::change::{AccountChange, Change};
use crate::node_execution::{
    MAX_NODE_CALLS, MAX_NODE_CHANGES, MAX_NODE_FRAMES, MAX_NODE_LOGS, MAX_NODE_QUESTIONS, NativeTransfer,
    NodeCall, NodeCallEnd, NodeDetail, NodeEnd, NodeExecution, NodeMethod, NodeQuestion, NodeRequest,
};
use crate::snapshot::Answer;
use crate::trace::{Frame, FrameKind, Log};
use alloy_primitives::{Address, B256, Bytes, U256};
use presight_wire::error::Refusal;
use presight_wire::hex;
use presight_wire::node::Node;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Topics of a log.
const MAX_TOPICS: usize = 4;

type Recorded = (Arc<NodeRequest>, Answer<NodeExecution>);

/// The element: what was asked, and the outcome or why there is none.
pub(super) fn to_json((request, answer): (&Arc<NodeRequest>, &Answer<NodeExecution>)) -> Value {
    let mut members = Map::new();
    members.insert("sender".into(), hex_of(request.sender).into());
    let calls = request.calls.iter();
    members.insert(
        "calls".into(),
        calls
            .map(|call| json!({ "to": hex_of(call.to), "value": number(call.value), "data": call.data }))
            .collect(),
    );
    let questions = request.questions.iter();
    members.insert(
        "questions".into(),
        questions
            .map(|question| json!({ "to": hex_of(question.to), "data": question.data }))
            .collect(),
    );
    match answer {
        Answer::Known(execution) => {
            members.insert("method".into(), execution.method.as_str().into());
            members.insert("ends".into(), execution.calls.iter().map(end_to_json).collect());
            members.insert("answers".into(), json!(execution.answers));
        }
        Answer::Failed(reason) => {
            members.insert("notRead".into(), reason.as_str().into());
        }
    }
    members.into()
}

fn end_to_json(end: &NodeCallEnd) -> Value {
    let mut members = Map::new();
    let status = match &end.end {
        NodeEnd::Success => "success",
        NodeEnd::Reverted => "revert",
        NodeEnd::Failed(words) => {
            members.insert("words".into(), words.as_str().into());
            "halt"
        }
    };
    members.insert("status".into(), status.into());
    members.insert("gasUsed".into(), format!("{:#x}", end.gas_used).into());
    members.insert("output".into(), json!(end.output));
    members.insert(
        "logs".into(),
        end.logs
            .iter()
            .map(|log| json!({ "address": hex_of(log.address), "topics": log.topics, "data": log.data }))
            .collect(),
    );
    match &end.detail {
        NodeDetail::Transfers(transfers) => {
            members.insert(
                "transfers".into(),
                transfers
                    .iter()
                    .map(|t| json!({ "from": hex_of(t.from), "to": hex_of(t.to), "value": number(t.value) }))
                    .collect(),
            );
        }
        NodeDetail::Trace { frames, changes } => {
            members.insert("frames".into(), frames.iter().map(frame_to_json).collect());
            let changes: Map<String, Value> = changes
                .iter()
                .map(|(address, change)| (hex_of(*address), change_to_json(change)))
                .collect();
            members.insert("changes".into(), changes.into());
        }
    }
    members.into()
}

fn frame_to_json(frame: &Frame) -> Value {
    let mut value = json!({
        "kind": frame.kind.as_str(),
        "depth": frame.depth,
        "caller": hex_of(frame.caller),
        "account": hex_of(frame.account),
        "code": hex_of(frame.code),
        "value": number(frame.value),
        "input": frame.input,
        "inputLength": frame.input_len,
        "success": frame.success,
    });
    if let Some(parent) = frame.parent {
        value["parent"] = json!(parent);
    }
    value
}

fn change_to_json(change: &AccountChange) -> Value {
    let mut members = Map::new();
    if let Some(balance) = &change.balance {
        members.insert("balance".into(), pair(balance, |wei| number(*wei)));
    }
    if let Some(nonce) = &change.nonce {
        members.insert("nonce".into(), pair(nonce, |nonce| format!("{nonce:#x}")));
    }
    if let Some(code) = &change.code {
        members.insert("code".into(), pair(code, Bytes::to_string));
    }
    if !change.storage.is_empty() {
        let slots: Map<String, Value> = change
            .storage
            .iter()
            .map(|(slot, change)| (word(slot), pair(change, word)))
            .collect();
        members.insert("storage".into(), slots.into());
    }
    if change.destroyed {
        members.insert("destroyed".into(), true.into());
    }
    members.into()
}

fn pair<T>(change: &Change<T>, text: impl Fn(&T) -> String) -> Value {
    json!([text(&change.before), text(&change.after)])
}

fn word(word: &U256) -> String {
    B256::from(*word).to_string()
}

fn number(number: U256) -> String {
    format!("{number:#x}")
}

fn hex_of(address: Address) -> String {
    format!("{address:#x}")
}

/// Reads an element.
pub(super) fn from_json(node: &Node<'_>) -> Result<Recorded, Refusal> {
    node.object_with(&[
        "sender",
        "calls",
        "questions",
        "method",
        "ends",
        "answers",
        "notRead",
    ])?;
    let calls = node.required("calls")?.array(MAX_NODE_CALLS, "MAX_NODE_CALLS")?;
    let questions = node
        .required("questions")?
        .array(MAX_NODE_QUESTIONS, "MAX_NODE_QUESTIONS")?;
    let request = NodeRequest {
        sender: address(&node.required("sender")?)?,
        calls: calls.iter().map(call).collect::<Result<_, _>>()?,
        questions: questions.iter().map(question).collect::<Result<_, _>>()?,
    };
    let answer = if node.optional("notRead")?.is_some() {
        Answer::Failed(reason(node, "notRead")?)
    } else {
        Answer::Known(execution(node, &request)?)
    };
    Ok((Arc::new(request), answer))
}

fn execution(node: &Node<'_>, request: &NodeRequest) -> Result<NodeExecution, Refusal> {
    let method_node = node.required("method")?;
    let method = NodeMethod::parse(method_node.string()?).ok_or_else(|| {
        method_node.refuse(
            "bad-view",
            "no such method; known: eth_simulateV1, debug_traceCall",
        )
    })?;
    let ends_node = node.required("ends")?;
    let ends = ends_node.array(request.calls.len(), "the number of calls")?;
    let answers_node = node.required("answers")?;
    let answers = answers_node.array(request.questions.len(), "the number of questions")?;
    if ends.len() != request.calls.len() || answers.len() != request.questions.len() {
        return Err(node.refuse("bad-view", "not every call and question is answered"));
    }
    let calls = ends
        .iter()
        .enumerate()
        .map(|(index, node)| end(index, node, method));
    let answers = answers.iter().map(|answer| {
        if answer.value.is_null() {
            Ok(None)
        } else {
            data(answer).map(Some)
        }
    });
    Ok(NodeExecution {
        method,
        calls: calls.collect::<Result<_, _>>()?,
        answers: answers.collect::<Result<_, _>>()?,
    })
}

fn end(index: usize, node: &Node<'_>, method: NodeMethod) -> Result<NodeCallEnd, Refusal> {
    node.object_with(&[
        "status",
        "words",
        "gasUsed",
        "output",
        "logs",
        "transfers",
        "frames",
        "changes",
    ])?;
    let status = node.required("status")?;
    let end = match status.string()? {
        "success" => NodeEnd::Success,
        "revert" => NodeEnd::Reverted,
        "halt" => NodeEnd::Failed(node.required("words")?.string()?.to_owned()),
        _ => return Err(status.refuse("bad-view", "success, revert or halt expected")),
    };
    let logs = node.required("logs")?.array(MAX_NODE_LOGS, "MAX_NODE_LOGS")?;
    let detail = match method {
        NodeMethod::SimulateV1 => {
            let transfers = node
                .required("transfers")?
                .array(MAX_NODE_LOGS, "MAX_NODE_LOGS")?;
            NodeDetail::Transfers(transfers.iter().map(transfer).collect::<Result<_, _>>()?)
        }
        NodeMethod::TraceCall => NodeDetail::Trace {
            frames: frames(index, &node.required("frames")?)?,
            changes: changes(&node.required("changes")?)?,
        },
    };
    Ok(NodeCallEnd {
        end,
        gas_used: quantity_u64(&node.required("gasUsed")?)?,
        output: data(&node.required("output")?)?,
        logs: logs
            .iter()
            .map(|node| log(index, node))
            .collect::<Result<_, _>>()?,
        detail,
    })
}

fn frames(call: usize, node: &Node<'_>) -> Result<Vec<Frame>, Refusal> {
    let entries = node.array(MAX_NODE_FRAMES, "MAX_NODE_FRAMES")?;
    let mut frames: Vec<Frame> = Vec::with_capacity(entries.len());
    for entry in entries {
        let frame = frame(call, &entry)?;
        // A frame lies one deeper than the one it was entered from, and the first one lies in none.
        let depth = match frame.parent {
            Some(parent) => frames.get(parent).map(|parent| parent.depth + 1),
            None => frames.is_empty().then_some(0),
        };
        if depth != Some(frame.depth) {
            return Err(entry.refuse("bad-view", "the frame is not where its parent and depth say"));
        }
        frames.push(frame);
    }
    Ok(frames)
}

fn frame(call: usize, node: &Node<'_>) -> Result<Frame, Refusal> {
    node.object_with(&[
        "kind",
        "depth",
        "caller",
        "account",
        "code",
        "value",
        "input",
        "inputLength",
        "success",
        "parent",
    ])?;
    let kind = node.required("kind")?;
    let parent = node.optional("parent")?;
    Ok(Frame {
        call,
        parent: parent.as_ref().map(index).transpose()?,
        depth: index(&node.required("depth")?)?,
        kind: FrameKind::parse(kind.string()?)
            .ok_or_else(|| kind.refuse("bad-view", "no such kind of frame"))?,
        caller: address(&node.required("caller")?)?,
        account: address(&node.required("account")?)?,
        code: address(&node.required("code")?)?,
        value: quantity(&node.required("value")?)?,
        input: data(&node.required("input")?)?,
        input_len: index(&node.required("inputLength")?)?,
        success: node.required("success")?.boolean()?,
    })
}

fn changes(node: &Node<'_>) -> Result<BTreeMap<Address, AccountChange>, Refusal> {
    let mut changes = BTreeMap::new();
    let accounts = members(Some(node.clone()))?;
    if accounts.len() > MAX_NODE_CHANGES {
        return Err(node.refuse("too-many", format!("MAX_NODE_CHANGES is {MAX_NODE_CHANGES}")));
    }
    for (key, account) in accounts {
        put(
            &mut changes,
            hex::address(key, &account.pointer)?,
            change(&account)?,
            &account,
        )?;
    }
    Ok(changes)
}

fn change(node: &Node<'_>) -> Result<AccountChange, Refusal> {
    node.object_with(&["balance", "nonce", "code", "storage", "destroyed"])?;
    let mut change = AccountChange::default();
    if let Some(balance) = node.optional("balance")? {
        change.balance = Some(read_pair(&balance, quantity)?);
    }
    if let Some(nonce) = node.optional("nonce")? {
        change.nonce = Some(read_pair(&nonce, quantity_u64)?);
    }
    if let Some(code) = node.optional("code")? {
        change.code = Some(read_pair(&code, data)?);
    }
    for (key, slot) in members(node.optional("storage")?)? {
        let values = read_pair(&slot, quantity)?;
        put(
            &mut change.storage,
            hex::quantity(key, &slot.pointer)?,
            values,
            &slot,
        )?;
    }
    if let Some(destroyed) = node.optional("destroyed")? {
        change.destroyed = destroyed.boolean()?;
    }
    Ok(change)
}

fn read_pair<T: PartialEq>(
    node: &Node<'_>,
    read: impl Fn(&Node<'_>) -> Result<T, Refusal>,
) -> Result<Change<T>, Refusal> {
    let values = node.array(2, "the number of values, before and after,")?;
    let [before, after] = values.as_slice() else {
        return Err(node.refuse("bad-view", "two values expected, before and after"));
    };
    Change::between(read(before)?, read(after)?)
        .ok_or_else(|| node.refuse("bad-view", "the values before and after are the same"))
}

fn call(node: &Node<'_>) -> Result<NodeCall, Refusal> {
    node.object_with(&["to", "value", "data"])?;
    Ok(NodeCall {
        to: address(&node.required("to")?)?,
        value: quantity(&node.required("value")?)?,
        data: data(&node.required("data")?)?,
    })
}

fn question(node: &Node<'_>) -> Result<NodeQuestion, Refusal> {
    node.object_with(&["to", "data"])?;
    Ok(NodeQuestion {
        to: address(&node.required("to")?)?,
        data: data(&node.required("data")?)?,
    })
}

fn transfer(node: &Node<'_>) -> Result<NativeTransfer, Refusal> {
    node.object_with(&["from", "to", "value"])?;
    Ok(NativeTransfer {
        from: address(&node.required("from")?)?,
        to: address(&node.required("to")?)?,
        value: quantity(&node.required("value")?)?,
    })
}

fn log(call: usize, node: &Node<'_>) -> Result<Log, Refusal> {
    node.object_with(&["address", "topics", "data"])?;
    let topics = node
        .required("topics")?
        .array(MAX_TOPICS, "the number of topics")?;
    Ok(Log {
        call,
        address: address(&node.required("address")?)?,
        topics: topics.iter().map(hash).collect::<Result<_, _>>()?,
        data: data(&node.required("data")?)?,
    })
}

fn address(node: &Node<'_>) -> Result<Address, Refusal> {
    hex::address(node.string()?, &node.pointer)
}

fn data(node: &Node<'_>) -> Result<Bytes, Refusal> {
    hex::data(node.string()?, &node.pointer)
}

fn index(node: &Node<'_>) -> Result<usize, Refusal> {
    usize::try_from(node.small_integer()?).map_err(|_| node.refuse("bad-integer", "too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Address = Address::repeat_byte(0xaa);
    const B: Address = Address::repeat_byte(0xbb);

    fn frame(parent: Option<usize>, depth: usize) -> Frame {
        Frame {
            call: 0,
            parent,
            depth,
            kind: FrameKind::DelegateCall,
            caller: A,
            account: B,
            code: A,
            value: U256::from(3),
            input: Bytes::from_static(&[1, 2]),
            input_len: 700,
            success: true,
        }
    }

    fn traced() -> NodeDetail {
        let change = |before: u64, after: u64| Change {
            before: U256::from(before),
            after: U256::from(after),
        };
        let changed = AccountChange {
            balance: Some(change(0, 1)),
            nonce: Change::between(0, 1),
            code: Change::between(Bytes::new(), Bytes::from_static(&[0xfe])),
            storage: BTreeMap::from([(U256::from(7), change(1, 0))]),
            destroyed: true,
        };
        NodeDetail::Trace {
            frames: vec![
                frame(None, 0),
                frame(Some(0), 1),
                frame(Some(1), 2),
                frame(Some(0), 1),
            ],
            changes: BTreeMap::from([(A, changed)]),
        }
    }

    fn recorded(method: NodeMethod, detail: NodeDetail, end: NodeEnd) -> Recorded {
        let request = NodeRequest {
            sender: A,
            calls: vec![NodeCall {
                to: B,
                value: U256::from(5),
                data: Bytes::from_static(&[7]),
            }],
            questions: vec![
                NodeQuestion {
                    to: B,
                    data: Bytes::new(),
                };
                2
            ],
        };
        let execution = NodeExecution {
            method,
            calls: vec![NodeCallEnd {
                end,
                gas_used: 21_000,
                output: Bytes::from_static(&[9]),
                logs: vec![Log {
                    call: 0,
                    address: B,
                    topics: vec![B256::repeat_byte(1)],
                    data: Bytes::new(),
                }],
                detail,
            }],
            answers: vec![None, Some(Bytes::from_static(&[1]))],
        };
        (Arc::new(request), Answer::Known(execution))
    }

    fn written((request, answer): &Recorded) -> Value {
        to_json((request, answer))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let transfer = NativeTransfer {
            from: A,
            to: B,
            value: U256::from(5),
        };
        let by_simulation = |end| {
            recorded(
                NodeMethod::SimulateV1,
                NodeDetail::Transfers(vec![transfer.clone()]),
                end,
            )
        };
        let (request, _) = by_simulation(NodeEnd::Success);
        for recorded in [
            by_simulation(NodeEnd::Success),
            by_simulation(NodeEnd::Failed("out of gas".into())),
            recorded(NodeMethod::TraceCall, traced(), NodeEnd::Reverted),
            (request, Answer::Failed(presight_wire::Reason::Timeout)),
        ] {
            let value = written(&recorded);
            assert_eq!(from_json(&Node::root(&value)), Ok(recorded), "{value}");
        }
    }

    #[test]
    fn what_a_view_file_cannot_say_is_refused_at_its_place() {
        let good = written(&recorded(NodeMethod::TraceCall, traced(), NodeEnd::Reverted));
        let cases: [(&str, Value, &str); 14] = [
            ("/method", json!("eth_call"), "/method"),
            ("/method", json!("eth_simulateV1"), "/ends/0"),
            ("/ends", json!([]), ""),
            ("/answers", json!([null]), ""),
            ("/answers/0", json!("0x1"), "/answers/0"),
            ("/ends/0/status", json!("failure"), "/ends/0/status"),
            ("/ends/0/status", json!("halt"), "/ends/0"),
            ("/ends/0/frames/1/parent", json!(1), "/ends/0/frames/1"),
            ("/ends/0/frames/2/depth", json!(1), "/ends/0/frames/2"),
            ("/ends/0/frames/0/kind", json!("JUMP"), "/ends/0/frames/0/kind"),
            ("/ends/0/changes", json!([]), "/ends/0/changes"),
            ("/ends/0/logs/0/topics", json!(["0x"]), "/ends/0/logs/0/topics/0"),
            ("/ends/0/gasUsed", json!(21_000), "/ends/0/gasUsed"),
            ("/sender", json!("0x12"), "/sender"),
        ];
        for (place, value, refused_at) in cases {
            let mut entry = good.clone();
            *entry.pointer_mut(place).unwrap() = value;
            let refusal = from_json(&Node::root(&entry)).unwrap_err();
            assert_eq!(refusal.pointer, refused_at, "{place}: {refusal}");
        }
        let mut same = good;
        *same
            .pointer_mut(&format!("/ends/0/changes/{A:#x}/balance/0"))
            .unwrap() = json!("0x1");
        assert!(from_json(&Node::root(&same)).is_err());
    }
}
