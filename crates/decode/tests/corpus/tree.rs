//! The call trees the index expects.

use super::expected::{list, text};
use presight_decode::{CallNode, Decoded, Operation};
use serde_json::Value;

/// Functions inside calls that no nested format and no token standard has.
const NOT_NAMED: [&str; 1] = ["deposit()"];

/// How the call trees of a request differ from the expected ones.
pub(crate) fn differences(expected: &Value, decoded: &Decoded) -> Vec<String> {
    let mut differences = Vec::new();
    compare_all("calls", list(expected, "calls"), &decoded.calls, &mut differences);
    let inner = decoded.typed_data.iter().flat_map(|typed| &typed.inner);
    let inner: Vec<_> = inner.cloned().collect();
    let typed_data = &expected["typedData"];
    compare_inner("typedData", typed_data, &inner, &mut differences);
    differences
}

/// The nodes of the expected trees below the outer calls.
pub(crate) fn inner_calls(expected: &Value) -> usize {
    let below = |node: &Value| {
        let inner = list(node, "inner");
        inner.len() + inner.iter().map(inner_calls_of).sum::<usize>()
    };
    list(expected, "calls").iter().map(below).sum::<usize>() + below(&expected["typedData"])
}

fn inner_calls_of(node: &Value) -> usize {
    let inner = list(node, "inner");
    inner.len() + inner.iter().map(inner_calls_of).sum::<usize>()
}

fn compare_all(place: &str, expected: &[Value], found: &[CallNode], differences: &mut Vec<String>) {
    if expected.len() != found.len() {
        differences.push(format!(
            "{place}: {} calls expected, {} found",
            expected.len(),
            found.len()
        ));
    }
    for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
        compare(&format!("{place}[{index}]"), expected, found, differences);
    }
}

fn compare(place: &str, expected: &Value, found: &CallNode, differences: &mut Vec<String>) {
    let mut same = |what: &str, expected: String, found: String| {
        if expected != found {
            differences.push(format!("{place}.{what}: {expected} expected, {found} found"));
        }
    };
    let selector = found.selector.map(alloy_primitives::hex::encode_prefixed);
    same("to", text(expected, "to").to_owned(), format!("{:#x}", found.to));
    same(
        "value",
        text(expected, "value").to_owned(),
        found.value.to_string(),
    );
    same(
        "selector",
        text(expected, "selector").to_owned(),
        selector.unwrap_or_default(),
    );
    let function = text(expected, "function");
    let inside = place.contains("inner");
    match found.signature {
        Some(signature) => same("function", function.to_owned(), signature.to_owned()),
        None if inside && !NOT_NAMED.contains(&function) => {
            same("function", function.to_owned(), String::new());
        }
        None => {}
    }
    let foreign = expected["foreignCode"] == true;
    same(
        "foreignCode",
        foreign.to_string(),
        found.flags.contains(&"delegatecall").to_string(),
    );
    let commands = found
        .commands
        .iter()
        .map(|c| format!("0x{:02x}", c.byte))
        .collect::<Vec<_>>();
    let expected_commands = list(expected, "commands").iter().filter_map(Value::as_str);
    same(
        "commands",
        expected_commands.collect::<Vec<_>>().join(" "),
        commands.join(" "),
    );
    compare_inner(place, expected, &found.inner, differences);
}

fn compare_inner(place: &str, expected: &Value, found: &[CallNode], differences: &mut Vec<String>) {
    compare_all(
        &format!("{place}.inner"),
        list(expected, "inner"),
        found,
        differences,
    );
    if let Some(operation) = expected["operation"].as_str() {
        let named = |operation| match operation {
            Operation::Call => "call",
            Operation::DelegateCall => "delegatecall",
        };
        let found: Vec<_> = found.iter().map(|node| named(node.operation)).collect();
        if found != [operation] {
            differences.push(format!(
                "{place}.operation: {operation} expected, {found:?} found"
            ));
        }
    }
}
