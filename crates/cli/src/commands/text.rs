//! `presight text`

use crate::exit::{Exit, Failure, print};
use crate::input;
use presight_engine::words::printable;
use presight_source::findings::text::{addresses, control_chars, mixed_script};
use presight_source::patterns::{BUILT_IN_URI, Set};
use presight_wire::Refusal;
use presight_wire::limits::MAX_TEXT_BYTES;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Prints the text findings of each file.
pub(crate) fn run(files: &[PathBuf], as_json: bool) -> Result<Exit, Failure> {
    let mut results = Vec::new();
    for file in files {
        let bytes = input::read(file, MAX_TEXT_BYTES)?;
        let text = String::from_utf8(bytes)
            .map_err(|e| Refusal::new("not-utf8", "", format!("`{}` is not UTF-8: {e}", file.display())))?;
        results.push((file.display().to_string(), findings(&text)));
    }
    if as_json {
        // One file is one object; several are listed with their names.
        let document = match results.as_slice() {
            [(_, only)] => Value::Object(only.clone()),
            many => many
                .iter()
                .map(|(file, findings)| json!({ "file": file, "findings": findings }))
                .collect(),
        };
        print(&document.to_string());
        return Ok(Exit::Clean);
    }
    for (file, findings) in results {
        print(&printable(&file));
        for (kind, value) in findings {
            print(&format!("  {kind:<32} {}", printable(&value.to_string())));
        }
    }
    Ok(Exit::Clean)
}

fn findings(text: &str) -> Map<String, Value> {
    let patterns = Set::built_in();
    let values = [
        (
            "erc.presign.text.control-chars",
            json!(control_chars::count(text)),
        ),
        (
            "erc.presign.text.mixed-script",
            json!(mixed_script::is_mixed(text)),
        ),
        ("erc.presign.text.addresses", json!(addresses::find(text))),
        (
            "erc.presign.text.pattern-match",
            json!({
                "matching": patterns.matching(text),
                "uri": BUILT_IN_URI,
                "hash": patterns.hash,
                "version": patterns.version,
            }),
        ),
    ];
    values
        .into_iter()
        .map(|(kind, value)| (kind.to_owned(), value))
        .collect()
}
