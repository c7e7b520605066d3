//! What several nodes agree on.

use super::pool::quantity;
use presight_view::rpc::{CallError, CallResult, RpcCall};
use serde_json::{Value, json};

/// The members of a block that everything read of it comes from. Nodes differ in others.
const HEADER: [&str; 21] = [
    "number",
    "hash",
    "parentHash",
    "timestamp",
    "stateRoot",
    "transactionsRoot",
    "receiptsRoot",
    "logsBloom",
    "sha3Uncles",
    "baseFeePerGas",
    "gasLimit",
    "gasUsed",
    "miner",
    "difficulty",
    "mixHash",
    "nonce",
    "extraData",
    "excessBlobGas",
    "blobGasUsed",
    "withdrawalsRoot",
    "parentBeaconBlockRoot",
];

/// Whether honest nodes may answer a call differently because each is at its own head.
pub(super) fn moves(call: &RpcCall) -> bool {
    let named = call.params.get(0).and_then(Value::as_str);
    call.method == "eth_getBlockByNumber" && named.is_some_and(|name| !name.starts_with("0x"))
}

/// The call for the newest block that this many of the nodes have reached.
pub(super) fn fixed<'a>(wanted: usize, answers: impl Iterator<Item = &'a CallResult>) -> Option<RpcCall> {
    let mut numbers: Vec<u64> = answers
        .filter_map(|answer| quantity(answer.as_ref().ok()?.get("number")))
        .collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers
        .get(wanted.checked_sub(1)?)
        .map(|number| RpcCall::block_by_number(*number))
}

/// The answer that at least this many nodes give, and no other answer does. Errors count like answers: nodes that
/// agree that they do not have a block have answered.
pub(super) fn agreed<'a>(
    call: &RpcCall,
    wanted: usize,
    answers: impl Iterator<Item = &'a CallResult>,
) -> CallResult {
    let answers: Vec<&CallResult> = answers.collect();
    if call.method == "eth_createAccessList" {
        // A hint: what it names is read by quorum.
        let hint = answers.iter().find(|answer| answer.is_ok());
        return hint.map_or(Err(CallError::Absent), |hint| (*hint).clone());
    }
    let mut voices: Vec<(Value, usize, &CallResult)> = Vec::new();
    for answer in answers {
        let Some(said) = compared(call, answer) else {
            continue;
        };
        match voices.iter_mut().find(|(other, ..)| *other == said) {
            Some((_, votes, _)) => *votes += 1,
            None => voices.push((said, 1, answer)),
        }
    }
    let mut enough = voices.iter().filter(|(_, votes, _)| *votes >= wanted);
    match (enough.next(), enough.next()) {
        (Some((_, _, answer)), None) => (*answer).clone(),
        _ => Err(CallError::Disagreement { wanted }),
    }
}

/// An answer as it is compared with those of other nodes; none for a node that did not answer.
fn compared(call: &RpcCall, answer: &CallResult) -> Option<Value> {
    match answer {
        Ok(value) if call.method.starts_with("eth_getBlockBy") && value.is_object() => {
            Some(HEADER.iter().map(|name| lower(&value[*name])).collect())
        }
        Ok(value) => Some(lower(value)),
        Err(error) if error.is_pin_lost() => Some(json!({ "error": "no such block" })),
        Err(CallError::Refused { code, .. }) => Some(json!({ "error": code })),
        Err(_) => None,
    }
}

/// Hex in lower case.
fn lower(value: &Value) -> Value {
    match value {
        Value::String(text) => text.to_ascii_lowercase().into(),
        Value::Array(items) => items.iter().map(lower).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), lower(value)))
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use presight_view::rpc::TransportError;

    fn balance() -> RpcCall {
        RpcCall::new("eth_getBalance", json!([]))
    }

    fn ok(text: &str) -> CallResult {
        Ok(text.into())
    }

    #[test]
    fn a_value_counts_when_enough_nodes_give_it() {
        let answers = [ok("0xAb"), ok("0xab"), ok("0x1")];
        assert_eq!(agreed(&balance(), 2, answers.iter()), ok("0xAb"));
        let disagree = Err(CallError::Disagreement { wanted: 3 });
        assert_eq!(agreed(&balance(), 3, answers.iter()), disagree);
    }

    #[test]
    fn two_answers_with_enough_votes_are_none() {
        let answers = [ok("0x1"), ok("0x1"), ok("0x2"), ok("0x2")];
        assert!(agreed(&balance(), 2, answers.iter()).is_err());
    }

    #[test]
    fn silence_is_no_vote_and_a_lost_block_is_one() {
        let silent = || CallResult::Err(TransportError::Timeout.into());
        let answers = [silent(), silent(), ok("0x1")];
        assert!(agreed(&balance(), 2, answers.iter()).is_err());
        let lost = |message: &str| {
            CallResult::Err(CallError::Refused {
                code: -32_000,
                message: message.into(),
            })
        };
        let answers = [lost("header not found"), lost("unknown block"), ok("0x1")];
        let agreed = agreed(&balance(), 2, answers.iter()).unwrap_err();
        assert!(agreed.is_pin_lost());
    }

    #[test]
    fn a_new_block_is_the_newest_that_enough_nodes_have() {
        let at = |number: &str| Ok(json!({ "number": number }));
        let answers = [at("0x10"), at("0x12"), at("0x11")];
        assert_eq!(fixed(2, answers.iter()), Some(RpcCall::block_by_number(0x11)));
        assert_eq!(fixed(4, answers.iter()), None);
    }

    #[test]
    fn blocks_are_compared_by_their_headers() {
        let call = RpcCall::block_by_number(1);
        let answers = [
            Ok(json!({ "hash": "0x1", "size": "0x5" })),
            Ok(json!({ "hash": "0x1", "totalDifficulty": "0x0" })),
        ];
        assert!(agreed(&call, 2, answers.iter()).is_ok());
        let lie = [
            answers[0].clone(),
            Ok(json!({ "hash": "0x1", "timestamp": "0x0" })),
        ];
        assert!(agreed(&call, 2, lie.iter()).is_err());
    }
}
