//! The calls of a simulation with the names of their functions, where the decoder knows them.

use crate::words::printable;
use alloy_primitives::{Bytes, hex};
use presight_decode::{Called, called};
use presight_exec::simulate::{Frame, FrameKind};
use presight_wire::request::Call;
use serde_json::{Map, Value, json};

/// Characters of an argument that are printed; `--json` has all of it.
const MAX_ARGUMENT: usize = 100;

/// Adds selectors, signatures and arguments to the calls and the trace of a `simulate` document.
pub(super) fn name(document: &mut Value, calls: &[Call], frames: &[Frame]) {
    let calls = calls.iter().map(|call| Some((&call.data, call.data.len())));
    add(&mut document["calls"], calls);
    add(&mut document["trace"], frames.iter().map(calldata));
}

fn add<'c>(values: &mut Value, calls: impl Iterator<Item = Option<(&'c Bytes, usize)>>) {
    for (value, call) in values.as_array_mut().into_iter().flatten().zip(calls) {
        let Some((data, length)) = call else { continue };
        if let Some(selector) = data.first_chunk::<4>() {
            value["selector"] = json!(hex::encode_prefixed(selector));
        }
        let Some(Called { signature, args }) = called(data, length) else {
            continue;
        };
        value["signature"] = json!(signature);
        if let Some(args) = args {
            let args = args.into_iter().map(|(name, arg)| (name.to_owned(), arg));
            value["args"] = Value::Object(args.collect::<Map<_, _>>());
        }
    }
}

/// The calldata that is held of a frame, and the length of all of it. A creation has code instead.
fn calldata(frame: &Frame) -> Option<(&Bytes, usize)> {
    match frame.kind {
        FrameKind::Create | FrameKind::Create2 | FrameKind::SelfDestruct => None,
        FrameKind::Call | FrameKind::CallCode | FrameKind::DelegateCall | FrameKind::StaticCall => {
            Some((&frame.input, frame.input_len))
        }
    }
}

/// The function that a frame runs, with its arguments: `approve(spender: 0x…, amount: 5)`. An unknown one is its selector.
pub fn function(frame: &Frame) -> Option<String> {
    let (data, length) = calldata(frame)?;
    let selector = data.first_chunk::<4>()?;
    let Some(Called { signature, args }) = called(data, length) else {
        return Some(hex::encode_prefixed(selector));
    };
    let name = signature.split('(').next().unwrap_or(signature);
    let Some(args) = args else {
        return Some(signature.to_owned());
    };
    let args = args
        .iter()
        .map(|(name, arg)| format!("{name}: {}", argument(arg)));
    Some(format!("{name}({})", args.collect::<Vec<_>>().join(", ")))
}

fn argument(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let text = printable(&text);
    match text.char_indices().nth(MAX_ARGUMENT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
