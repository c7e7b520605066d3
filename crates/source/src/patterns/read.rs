//! A set's JSON, read strictly.

use super::{
    FORMAT, MAX_GAP, MAX_PARTS, MAX_PATTERNS, MAX_PHRASES, MAX_SET_BYTES, MAX_TEXT_BYTES, Pattern, fold,
};
use presight_wire::Refusal;
use presight_wire::json::{Numbers, parse_bounded};
use presight_wire::node::Node;
use std::collections::BTreeSet;

/// Nesting depth of a set.
const MAX_DEPTH: usize = 8;

pub(super) struct Parts {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) patterns: Vec<Pattern>,
}

pub(super) fn set(bytes: &[u8]) -> Result<Parts, Refusal> {
    let value = parse_bounded(bytes, Numbers::Exact, MAX_SET_BYTES, MAX_DEPTH)?;
    let root = Node::root(&value);
    root.object_with(&["format", "name", "version", "patterns"])?;
    let format = root.required("format")?;
    if format.string()? != FORMAT {
        return Err(format.refuse("bad-patterns", format!("the format is not `{FORMAT}`")));
    }
    let mut ids = BTreeSet::new();
    let mut patterns = Vec::new();
    let list = root.required("patterns")?;
    for node in list.array(MAX_PATTERNS, "MAX_PATTERNS")? {
        let pattern = pattern(&node)?;
        if !ids.insert(pattern.id.clone()) {
            return Err(node.refuse("bad-patterns", "the id was given before"));
        }
        patterns.push(pattern);
    }
    if patterns.is_empty() {
        return Err(list.refuse("bad-patterns", "a set without patterns"));
    }
    Ok(Parts {
        name: text(&root.required("name")?)?,
        version: text(&root.required("version")?)?,
        patterns,
    })
}

fn pattern(node: &Node<'_>) -> Result<Pattern, Refusal> {
    node.object_with(&["id", "gap", "parts", "examples", "counterExamples"])?;
    let gap = node.required("gap")?;
    let gap = usize::try_from(gap.small_integer()?)
        .ok()
        .filter(|bytes| *bytes <= MAX_GAP)
        .ok_or_else(|| {
            gap.refuse(
                "bad-patterns",
                format!("a gap has at most MAX_GAP = {MAX_GAP} bytes"),
            )
        })?;
    let parts = node.required("parts")?;
    let parts: Vec<_> = parts
        .array(MAX_PARTS, "MAX_PARTS")?
        .iter()
        .map(phrases)
        .collect::<Result<_, _>>()?;
    if parts.is_empty() {
        return Err(node.refuse("bad-patterns", "a pattern without parts"));
    }
    Ok(Pattern {
        id: text(&node.required("id")?)?,
        gap,
        parts,
        examples: texts(&node.required("examples")?)?,
        counter_examples: texts(&node.required("counterExamples")?)?,
    })
}

fn phrases(node: &Node<'_>) -> Result<Vec<String>, Refusal> {
    let phrases = texts(node)?;
    if phrases.is_empty() || phrases.iter().any(|phrase| fold(phrase).is_empty()) {
        return Err(node.refuse("bad-patterns", "a part is of phrases with letters or digits"));
    }
    Ok(phrases)
}

fn texts(node: &Node<'_>) -> Result<Vec<String>, Refusal> {
    node.array(MAX_PHRASES, "MAX_PHRASES")?.iter().map(text).collect()
}

fn text(node: &Node<'_>) -> Result<String, Refusal> {
    let text = node.string()?;
    if text.trim().is_empty() || text.len() > MAX_TEXT_BYTES {
        let message = format!("a text has 1 to MAX_TEXT_BYTES = {MAX_TEXT_BYTES} bytes");
        return Err(node.refuse("bad-patterns", message));
    }
    Ok(text.to_owned())
}
