//! A simulation as JSON: the command line's `simulate` document, without its effects.

use super::{AccountChange, Change, Frame, Log, Outcome, standing};
use alloy_primitives::{Address, hex};
use presight_view::NodeMethod;
use serde_json::{Value, json};

impl Outcome {
    /// The `simulate` document without `effects`.
    pub fn to_value(&self) -> Value {
        let mut value = json!({
            "status": self.status.as_str(),
            "gasUsed": self.gas_used,
            "block": self.at.block.to_string(),
            "calls": self.calls.iter().map(|call| {
                let mut value = json!({ "status": call.status.as_str(), "gasUsed": call.gas_used });
                if let Some(reason) = &call.reason {
                    value["reason"] = json!(reason);
                }
                if let Some(created) = call.created {
                    value["created"] = json!(format!("{created:#x}"));
                }
                value
            }).collect::<Vec<_>>(),
            "logs": self.logs.iter().map(log).collect::<Vec<_>>(),
            "trace": trace(&self.frames),
            "stateDiff": self.changes.iter().map(|(address, change)| account(address, change)).collect::<Vec<_>>(),
            "caveats": self.caveats.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "boundsHit": self.bounds.iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
        if let Some(reason) = &self.reason {
            value["reason"] = json!(reason);
        }
        if let Some(method) = self.node {
            value["executedByNode"] = json!(method.as_str());
            if method == NodeMethod::SimulateV1 {
                value["stateDiff"] = Value::Null;
            }
        }
        value
    }
}

fn log(log: &Log) -> Value {
    json!({
        "call": log.call,
        "address": format!("{:#x}", log.address),
        "topics": log.topics,
        "data": log.data,
    })
}

fn account(address: Address, change: &AccountChange) -> Value {
    let slots = change.storage.iter().map(|(slot, change)| {
        let mut value = between(change, |word| json!(format!("{word:#066x}")));
        value["slot"] = json!(format!("{slot:#066x}"));
        value
    });
    let mut value = json!({ "account": format!("{address:#x}"), "storage": slots.collect::<Vec<_>>() });
    if let Some(balance) = &change.balance {
        value["balance"] = between(balance, |wei| json!(wei.to_string()));
    }
    if let Some(nonce) = &change.nonce {
        value["nonce"] = between(nonce, |nonce| json!(nonce.to_string()));
    }
    if let Some(code) = &change.code {
        value["code"] = between(code, |code| json!(code));
    }
    if change.destroyed {
        value["destroyed"] = json!(true);
    }
    value
}

fn between<T>(change: &Change<T>, word: impl Fn(&T) -> Value) -> Value {
    json!({ "before": word(&change.before), "after": word(&change.after) })
}

fn trace(frames: &[Frame]) -> Value {
    let stands = standing(frames);
    let frames = frames.iter().zip(stands);
    frames.map(|(frame, stands)| frame_value(frame, stands)).collect()
}

fn frame_value(frame: &Frame, stands: bool) -> Value {
    let mut value = json!({
        "call": frame.call,
        "depth": frame.depth,
        "kind": frame.kind.as_str(),
        "from": format!("{:#x}", frame.caller),
        "to": format!("{:#x}", frame.code),
        "value": frame.value.to_string(),
        "success": frame.success,
        "stands": stands,
    });
    if frame.code != frame.account {
        value["storage"] = json!(format!("{:#x}", frame.account));
    }
    if let Some(selector) = frame.selector() {
        value["selector"] = json!(hex::encode_prefixed(selector));
    }
    value
}
