//! `presight.effects.outcome`

use super::{of, target};
use crate::context::Context;
use crate::kind::{Entity, Fact, Kind};
use presight_exec::simulate::{CallEnd, Revert};
use presight_wire::kinds::Group;
use serde_json::{Value, json};

/// Bytes of a revert reason that are shown.
pub const MAX_REVERT_BYTES: usize = 256;

/// How a call ended: `{ status, gasUsed, revert?, created? }`, with the status `success`, `revert` or `halt`.
/// `gasUsed` is 0 for a call no block would take. `revert` is what the contract said: `{ error }` with the text of
/// `Error(string)`, `{ panic }` with the code, `{ selector, data }` of a custom error, `{ data }`, or `{}` for
/// nothing; texts and data are cut at [`MAX_REVERT_BYTES`], which the note says. The param is `{ callIndex }`; the
/// call alone is the evidence.
#[derive(Debug)]
pub struct Outcome;

impl Kind for Outcome {
    fn name(&self) -> &'static str {
        "presight.effects.outcome"
    }

    fn group(&self) -> Group {
        Group::Address
    }

    fn read(&self, context: &Context<'_>, entity: &Entity<'_>) -> Vec<Fact> {
        let Some(target) = target(context, entity) else {
            return Vec::new();
        };
        let calls = context.decoded.calls.iter().enumerate();
        let of_target = calls.filter(|(_, call)| call.to == target);
        of_target
            .flat_map(|(index, _)| {
                let facts = of(context, |simulated| {
                    let ends = simulated.outcome.calls.get(index).into_iter();
                    ends.map(|end| {
                        let read = simulated.read(value(end), Some(index));
                        Fact {
                            param: None,
                            reading: Ok(match note(end) {
                                Some(note) => read.with_note(note),
                                None => read,
                            }),
                        }
                    })
                    .collect()
                });
                facts.into_iter().map(move |fact| Fact {
                    param: Some(json!({ "callIndex": index })),
                    ..fact
                })
            })
            .collect()
    }
}

fn value(end: &CallEnd) -> Value {
    let mut value = json!({ "status": end.status.as_str(), "gasUsed": end.gas_used.to_string() });
    if let Some(created) = end.created {
        value["created"] = super::hex(created);
    }
    if let Some(revert) = &end.revert {
        value["revert"] = revert_value(revert);
    }
    value
}

fn revert_value(revert: &Revert) -> Value {
    let bytes = |bytes: &[u8]| {
        let shown = bytes.get(..MAX_REVERT_BYTES).unwrap_or(bytes);
        Value::from(alloy_primitives::hex::encode_prefixed(shown))
    };
    match revert {
        Revert::Empty => json!({}),
        Revert::Error(text) => json!({ "error": cut(text) }),
        Revert::Panic(code) => json!({ "panic": format!("{code:#x}") }),
        Revert::Custom { selector, arguments } => {
            json!({ "selector": bytes(selector), "data": bytes(arguments) })
        }
        Revert::Bytes(data) => json!({ "data": bytes(data) }),
    }
}

/// The text up to the last whole character within the bound.
fn cut(text: &str) -> &str {
    if text.len() <= MAX_REVERT_BYTES {
        return text;
    }
    &text[..text.floor_char_boundary(MAX_REVERT_BYTES)]
}

/// What is cut, and why a call stopped that said nothing itself.
fn note(end: &CallEnd) -> Option<String> {
    match &end.revert {
        Some(_) if end.output.len() > MAX_REVERT_BYTES => Some(format!(
            "long reasons are cut: MAX_REVERT_BYTES is {MAX_REVERT_BYTES}"
        )),
        Some(_) => None,
        None => end.reason.clone(),
    }
}
