//! `eth_simulateV1`: the calls of a request, and the questions after them, in one block on top of the pinned one.

use super::transport::RpcCall;
use crate::block::quantity_u64;
use crate::node_execution::{
    MAX_NODE_LOGS, NODE_CALL_GAS, NODE_QUESTION_GAS, NativeTransfer, NodeCallEnd, NodeDetail, NodeEnd,
    NodeExecution, NodeMethod, NodeRequest,
};
use crate::snapshot::Block;
use crate::trace::Log;
use alloy_primitives::{Address, B256, Bytes, U256, address, b256};
use presight_wire::error::Refusal;
use presight_wire::hex;
use presight_wire::node::Node;
use serde_json::{Value, json};

/// What native transfers are said to come from.
const NATIVE: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
/// `Transfer(address,address,uint256)`.
const TRANSFER: B256 = b256!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
/// The error code of a call that reverted.
const REVERTED: i64 = 3;
/// The error code of a call that stopped without a revert.
const STOPPED: i64 = -32_015;
/// Topics of a log.
pub(super) const MAX_TOPICS: usize = 4;

/// The gas of each call. Nodes refuse calls that together may use more than a block has: then each has what is left
/// of it.
fn gas(request: &NodeRequest, pin: &Block) -> Option<u64> {
    let calls = u64::try_from(request.calls.len()).ok()?;
    let limit = pin.gas_limit?;
    (NODE_CALL_GAS.checked_mul(calls)? <= limit).then_some(NODE_CALL_GAS)
}

/// The call, at the pinned block.
pub(super) fn call(request: &NodeRequest, pin: &Block) -> RpcCall {
    let gas = gas(request, pin);
    let calls = request.calls.iter().map(|call| {
        let mut sent = json!({
            "from": request.sender, "to": call.to, "value": format!("{:#x}", call.value), "input": call.data,
        });
        if let Some(gas) = gas {
            sent["gas"] = json!(format!("{gas:#x}"));
        }
        sent
    });
    let questions = request.questions.iter().map(|question| {
        json!({
            "from": Address::ZERO, "to": question.to, "input": question.data,
            "gas": format!("{NODE_QUESTION_GAS:#x}"),
        })
    });
    let calls: Vec<Value> = calls.chain(questions).collect();
    let options = json!({
        "blockStateCalls": [{ "calls": calls }],
        "traceTransfers": true,
        "validation": false,
    });
    let at = json!({ "blockHash": pin.hash, "requireCanonical": true });
    RpcCall::new("eth_simulateV1", json!([options, at]))
}

/// Reads the answer. It is one block with as many calls as were asked for.
pub(super) fn read(request: &NodeRequest, pin: &Block, node: &Node<'_>) -> Result<NodeExecution, Refusal> {
    let blocks = node.array(1, "the number of simulated blocks")?;
    let block = blocks
        .first()
        .ok_or_else(|| node.refuse("missing-member", "no block was simulated"))?;
    let number_node = block.required("number")?;
    let number = quantity_u64(&number_node)?;
    if number != pin.number && Some(number) != pin.number.checked_add(1) {
        let message = format!("block {number} was simulated on top of block {}", pin.number);
        return Err(number_node.refuse("bad-integer", message));
    }
    let asked = request.calls.len() + request.questions.len();
    let results_node = block.required("calls")?;
    let results = results_node.array(asked, "the number of calls asked for")?;
    if results.len() != asked {
        let message = format!("{} calls were answered of {asked}", results.len());
        return Err(results_node.refuse("missing-member", message));
    }
    let (calls, questions) = results.split_at(request.calls.len());
    let calls = calls.iter().enumerate();
    let gas = gas(request, pin);
    Ok(NodeExecution {
        method: NodeMethod::SimulateV1,
        calls: calls
            .map(|(index, result)| ended(index, result, gas))
            .collect::<Result<_, _>>()?,
        answers: questions.iter().map(answer).collect::<Result<_, _>>()?,
    })
}

/// Whether a call succeeded, and what it returned.
fn returned(node: &Node<'_>) -> Result<(bool, Bytes), Refusal> {
    let status = node.required("status")?;
    let returned = node.required("returnData")?;
    let returned = hex::data(returned.string()?, &returned.pointer)?;
    match status.string()? {
        "0x1" => Ok((true, returned)),
        "0x0" => Ok((false, returned)),
        _ => Err(status.refuse("bad-integer", "0x0 or 0x1 expected")),
    }
}

fn answer(node: &Node<'_>) -> Result<Option<Bytes>, Refusal> {
    let (success, returned) = returned(node)?;
    Ok(success.then_some(returned))
}

fn ended(index: usize, node: &Node<'_>, gas: Option<u64>) -> Result<NodeCallEnd, Refusal> {
    let (success, returned) = returned(node)?;
    let gas_used = quantity_u64(&node.required("gasUsed")?)?;
    let (end, output) = if success {
        (NodeEnd::Success, returned)
    } else {
        failed(node, returned, gas.is_some_and(|gas| gas_used < gas))?
    };
    let mut logs = Vec::new();
    let mut transfers = Vec::new();
    for entry in node.required("logs")?.array(MAX_NODE_LOGS, "MAX_NODE_LOGS")? {
        let log = log(index, &entry)?;
        if log.address == NATIVE {
            transfers.push(native(&log, &entry)?);
        } else {
            logs.push(log);
        }
    }
    if end != NodeEnd::Success && !(logs.is_empty() && transfers.is_empty()) {
        return Err(node.refuse("bad-log", "a call that failed has logs"));
    }
    Ok(NodeCallEnd {
        end,
        gas_used,
        output,
        logs,
        detail: NodeDetail::Transfers(transfers),
    })
}

/// Nodes put what a call reverted with into the error, or where it would have returned. Where they do not say that it
/// reverted, the gas that is left does: whatever else stops a call takes all of it.
fn failed(node: &Node<'_>, returned: Bytes, gas_is_left: bool) -> Result<(NodeEnd, Bytes), Refusal> {
    let error = node.required("error")?;
    let code = error.required("code")?;
    let code = code
        .value
        .as_i64()
        .ok_or_else(|| code.refuse("wrong-type", "an integer expected"))?;
    let message = error.required("message")?.string()?.to_owned();
    let data = match error.optional("data")? {
        Some(data) if data.value.is_string() => hex::data(data.string()?, &data.pointer)?,
        _ => Bytes::new(),
    };
    let output = if data.is_empty() { returned } else { data };
    if code == STOPPED {
        Ok((NodeEnd::Failed(bounded(&message)), output))
    } else if code == REVERTED || !output.is_empty() || gas_is_left {
        Ok((NodeEnd::Reverted, output))
    } else {
        Err(error.refuse("untold", "whether the call reverted is not told"))
    }
}

/// Characters of a node's words that are kept.
const MAX_WORDS: usize = 300;

pub(super) fn bounded(words: &str) -> String {
    words.chars().take(MAX_WORDS).collect()
}

/// An event as nodes give it.
pub(super) fn log(call: usize, node: &Node<'_>) -> Result<Log, Refusal> {
    let address = node.required("address")?;
    let data = node.required("data")?;
    let topics = node
        .required("topics")?
        .array(MAX_TOPICS, "the number of topics")?;
    let topics = topics
        .iter()
        .map(|topic| hex::b256(topic.string()?, &topic.pointer));
    Ok(Log {
        call,
        address: hex::address_any_case(address.string()?, &address.pointer)?,
        topics: topics.collect::<Result<_, _>>()?,
        data: hex::data(data.string()?, &data.pointer)?,
    })
}

fn native(log: &Log, node: &Node<'_>) -> Result<NativeTransfer, Refusal> {
    let party = |topic: &B256| {
        topic[..12]
            .iter()
            .all(|b| *b == 0)
            .then(|| Address::from_word(*topic))
    };
    match (log.topics.as_slice(), log.data.len()) {
        ([TRANSFER, from, to], 32) => Some((party(from), party(to))),
        _ => None,
    }
    .and_then(|parties| match parties {
        (Some(from), Some(to)) => Some(NativeTransfer {
            from,
            to,
            value: U256::from_be_slice(&log.data),
        }),
        _ => None,
    })
    .ok_or_else(|| node.refuse("bad-log", "not a native transfer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> NodeRequest {
        NodeRequest {
            sender: Address::repeat_byte(1),
            calls: vec![crate::node_execution::NodeCall {
                to: Address::repeat_byte(2),
                value: U256::from(5),
                data: Bytes::new(),
            }],
            questions: Vec::new(),
        }
    }

    fn answer() -> Value {
        let transfer = json!({
            "address": NATIVE, "topics": [TRANSFER, Address::repeat_byte(1).into_word(), Address::repeat_byte(2).into_word()],
            "data": format!("{:#066x}", 5),
        });
        json!([{ "number": "0x8", "calls": [
            { "returnData": "0x", "logs": [transfer], "gasUsed": "0x5208", "status": "0x1" }
        ] }])
    }

    fn read_on(answer: &Value) -> Result<NodeExecution, Refusal> {
        let pin = Block {
            number: 7,
            ..Block::default()
        };
        read(&request(), &pin, &Node::root(answer))
    }

    #[test]
    fn native_transfers_are_no_events() {
        let execution = read_on(&answer()).unwrap();
        assert!(execution.calls[0].logs.is_empty());
        let transfer = NativeTransfer {
            from: Address::repeat_byte(1),
            to: Address::repeat_byte(2),
            value: U256::from(5),
        };
        assert_eq!(execution.calls[0].detail, NodeDetail::Transfers(vec![transfer]));
    }

    #[test]
    fn an_answer_of_another_form_is_refused_at_its_place() {
        let cases: [(&str, Value, &str); 10] = [
            ("/0/number", json!("0x9"), "/0/number"),
            ("/0/calls", json!([]), "/0/calls"),
            ("/0/calls/0/status", json!("0x2"), "/0/calls/0/status"),
            ("/0/calls/0/status", json!("0x0"), "/0/calls/0"),
            ("/0/calls/0/gasUsed", json!(21_000), "/0/calls/0/gasUsed"),
            ("/0/calls/0/returnData", json!("0x0"), "/0/calls/0/returnData"),
            ("/0/calls/0/logs", Value::Null, "/0/calls/0/logs"),
            ("/0/calls/0/logs/0/data", json!("0x05"), "/0/calls/0/logs/0"),
            (
                "/0/calls/0/logs/0/topics/1",
                json!(B256::repeat_byte(1)),
                "/0/calls/0/logs/0",
            ),
            ("/0/calls/0", json!({}), "/0/calls/0"),
        ];
        for (place, value, refused_at) in cases {
            let mut answer = answer();
            *answer.pointer_mut(place).unwrap() = value;
            let refusal = read_on(&answer).unwrap_err();
            assert_eq!(refusal.pointer, refused_at, "{place}: {refusal}");
        }
        assert!(read_on(&json!([])).is_err());
        assert!(read_on(&Value::Null).is_err());
    }

    #[test]
    fn a_failure_says_what_it_reverted_with_wherever_it_stands() {
        let ended_with = |code: i64, data: Option<&str>, returned: &str, gas: Option<u64>| {
            let result = json!({
                "returnData": returned, "logs": [], "gasUsed": "0x1", "status": "0x0",
                "error": { "code": code, "message": "failed", "data": data },
            });
            let end = ended(0, &Node::root(&result), gas).map_err(|refusal| refusal.code)?;
            Ok((end.end, end.output.to_string()))
        };
        let with_data = Ok((NodeEnd::Reverted, "0x12".to_owned()));
        let without = Ok((NodeEnd::Reverted, "0x".to_owned()));
        assert_eq!(ended_with(3, Some("0x12"), "0x", None), with_data);
        assert_eq!(ended_with(-3200, None, "0x12", None), with_data);
        assert_eq!(ended_with(3, None, "0x", None), without);
        assert_eq!(ended_with(-3200, None, "0x", Some(2)), without);
        let stopped = Ok((NodeEnd::Failed("failed".into()), "0x".to_owned()));
        assert_eq!(ended_with(-32_015, None, "0x", Some(1)), stopped);
        assert_eq!(ended_with(-3200, None, "0x", Some(1)), Err("untold"));
        assert_eq!(ended_with(-3200, None, "0x", None), Err("untold"));
    }
}
