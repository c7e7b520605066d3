//! What the bytes of a request say by themselves.

use presight_decode::{CallNode, Command, Decoded, Operation};
use serde_json::{Value, json};

/// `{ entities, calls, flags, typedData? }`.
pub fn document(decoded: &Decoded) -> Value {
    let mut document = json!({
        "entities": decoded.entities.to_value(),
        "calls": decoded.calls.iter().map(call).collect::<Vec<_>>(),
        "flags": decoded.flags.iter().map(|f| json!({
            "code": f.code, "pointer": f.pointer, "message": f.message,
        })).collect::<Vec<_>>(),
    });
    if let Some(typed) = &decoded.typed_data {
        document["typedData"] = json!({
            "primaryType": typed.primary_type,
            "chainId": typed.chain_id.map(|id| id.to_string()),
            "verifyingContract": typed.verifying_contract.map(|a| format!("{a:#x}")),
            "form": typed.recognised,
            "signatureDeadline": typed.signature_deadline.map(|d| d.to_string()),
            "digest": typed.digests.first(),
            "digests": typed.digests,
            "calls": typed.inner.iter().map(call).collect::<Vec<_>>(),
        });
    }
    document
}

fn call(node: &CallNode) -> Value {
    let mut value = json!({
        "to": format!("{:#x}", node.to),
        "value": node.value.to_string(),
        "opaque": node.opaque,
        "operation": match node.operation {
            Operation::Call => "call",
            Operation::DelegateCall => "delegatecall",
        },
        "inner": node.inner.iter().map(call).collect::<Vec<_>>(),
        "flags": node.flags,
    });
    if let Some(selector) = node.selector {
        value["selector"] = json!(alloy_primitives::hex::encode_prefixed(selector));
    }
    if let Some(signature) = node.signature {
        value["signature"] = json!(signature);
        value["args"] = arguments(&node.args);
    }
    if !node.commands.is_empty() {
        value["commands"] = node.commands.iter().map(command).collect();
    }
    value
}

fn command(command: &Command) -> Value {
    json!({
        "byte": format!("{:#04x}", command.byte),
        "name": command.name,
        "args": arguments(&command.args),
        "opaque": command.opaque,
        "inner": command.inner.iter().map(self::command).collect::<Vec<_>>(),
    })
}

fn arguments(args: &[(&'static str, Value)]) -> Value {
    let members: serde_json::Map<String, Value> = args
        .iter()
        .map(|(name, arg)| ((*name).to_owned(), arg.clone()))
        .collect();
    Value::Object(members)
}
