//! `presight decode`

use crate::exit::{Exit, Failure, print, say};
use crate::input;
use presight_decode::{CallNode, Decoded};
use presight_engine::decode;
use presight_engine::words::printable;
use presight_wire::Request;
use std::path::Path;

/// Prints the entities and the call tree of a request.
pub(crate) fn run(request: &Path, as_json: bool) -> Result<Exit, Failure> {
    let request = Request::parse(&input::document(request)?)?;
    let decoded = presight_decode::decode(&request)?;
    if as_json {
        print(&decode::document(&decoded).to_string());
    } else {
        say(words(&decoded).trim_end());
    }
    Ok(Exit::Clean)
}

fn words(decoded: &Decoded) -> String {
    let mut lines = Vec::new();
    for (index, node) in decoded.calls.iter().enumerate() {
        call_in_words(node, &format!("call {index}"), 0, &mut lines);
    }
    if let Some(typed) = &decoded.typed_data {
        let form = typed
            .recognised
            .map_or(String::new(), |form| format!(" ({form})"));
        lines.push(format!("typed data {}{form}", printable(&typed.primary_type)));
        for (index, node) in typed.inner.iter().enumerate() {
            call_in_words(node, &format!("lets run {index}"), 1, &mut lines);
        }
        for digest in &typed.digests {
            lines.push(format!("  signs {digest}"));
        }
    }
    let entities = &decoded.entities;
    lines.extend(entities.tokens.iter().map(|token| format!("token     {token}")));
    for (index, approval) in entities.approvals.iter().enumerate() {
        lines.push(format!(
            "approval  {index}: {} of {} to {}",
            approval.form.as_str(),
            approval.token,
            approval.spender
        ));
    }
    lines.extend(
        entities
            .addresses
            .iter()
            .map(|a| format!("address   {} as {}", a.address, a.role.as_str())),
    );
    if entities.payment {
        lines.push("payment   yes".to_owned());
    }
    lines.extend(
        entities
            .texts
            .iter()
            .map(|t| format!("text      {}: {}", t.index, printable(&t.field))),
    );
    for flag in &decoded.flags {
        lines.push(format!(
            "flag      {} at {}: {}",
            flag.code,
            printable(&flag.pointer),
            printable(&flag.message)
        ));
    }
    lines.join("\n")
}

fn call_in_words(node: &CallNode, title: &str, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    let what = match (node.signature, node.selector) {
        (Some(signature), _) => signature.to_owned(),
        (None, Some(selector)) => format!(
            "unknown function {}",
            alloy_primitives::hex::encode_prefixed(selector)
        ),
        (None, None) if node.opaque => "unknown calldata".to_owned(),
        (None, None) => "no calldata".to_owned(),
    };
    let value = if node.value.is_zero() {
        String::new()
    } else {
        format!(", {} wei", node.value)
    };
    lines.push(format!("{indent}{title}: {:#x} {what}{value}", node.to));
    for (name, arg) in &node.args {
        let arg = arg.as_str().map_or_else(|| arg.to_string(), str::to_owned);
        lines.push(format!("{indent}  {name} = {}", printable(&arg)));
    }
    for flag in &node.flags {
        lines.push(format!("{indent}  flag: {flag}"));
    }
    for command in &node.commands {
        let name = command
            .name
            .map_or_else(|| format!("unknown {:#04x}", command.byte), str::to_owned);
        lines.push(format!("{indent}  command: {name}"));
    }
    for (index, inner) in node.inner.iter().enumerate() {
        call_in_words(inner, &format!("inner {index}"), depth + 1, lines);
    }
}
