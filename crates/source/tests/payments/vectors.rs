//! The vector files: every value in every one of them is taken by a check, or named with the reason why not.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A vector file, and which of its parts were looked at.
pub(crate) struct Vectors {
    name: String,
    document: Value,
    taken: BTreeSet<String>,
}

impl Vectors {
    pub(crate) fn read(name: &str) -> Self {
        let bytes = std::fs::read(folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        Self {
            name: name.to_owned(),
            document: serde_json::from_slice(&bytes).unwrap(),
            taken: BTreeSet::new(),
        }
    }

    /// A part that a check is about to use, all of it.
    pub(crate) fn take(&mut self, pointer: &str) -> Value {
        let part = self.document.pointer(pointer);
        let part = part
            .unwrap_or_else(|| panic!("{}: no {pointer}", self.name))
            .clone();
        self.taken.insert(pointer.to_owned());
        part
    }

    /// The items of a list, each of them taken.
    pub(crate) fn items(&mut self, pointer: &str) -> Vec<Value> {
        self.take(pointer).as_array().unwrap().clone()
    }

    /// A part that says nothing about reading a payment.
    pub(crate) fn not_of_a_reader(&mut self, pointer: &str, why: &str) {
        assert!(!why.is_empty());
        self.take(pointer);
    }

    /// Fails on a value that nothing took.
    pub(crate) fn finish(&self) {
        let mut left = Vec::new();
        leaves(&self.document, "", &mut left);
        left.retain(|leaf| {
            !self
                .taken
                .iter()
                .any(|taken| leaf == taken || leaf.starts_with(&format!("{taken}/")))
        });
        assert!(left.is_empty(), "{}: nothing checks {left:?}", self.name);
    }
}

fn leaves(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                leaves(
                    member,
                    &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
                    out,
                );
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, &format!("{at}/{index}"), out);
            }
        }
        _ => out.push(at.to_owned()),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payments/vectors")
}

/// The files of a folder of the vectors.
pub(crate) fn files(of: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder().join(of))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| format!("{of}{}", entry.file_name().to_str().unwrap()))
        .collect();
    names.sort();
    names
}

#[test]
fn every_file_has_its_checks() {
    let checked = [
        "erc8409-quote-vectors.json",
        "facilitator-samples.json",
        "mandate-vectors.json",
        "mpp-vectors.json",
        "x402-client-payloads.json",
        "x402-extension-vectors.json",
        "guard/mandate-vectors.json",
        "guard/receipt-vectors.json",
    ];
    let mut there = files("");
    there.extend(files("guard/"));
    let mut checked = checked.map(str::to_owned).to_vec();
    there.sort();
    checked.sort();
    assert_eq!(there, checked);
    assert_eq!(
        (files("x402-exchange/").len(), files("mpp-exchange/").len()),
        (24, 12)
    );
}
