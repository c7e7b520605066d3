//! Fails when a dependency that is compiled carries a licence the project does not take.
//!
//! Reads `cargo metadata`: the resolved tree on this platform, development dependencies included.

use anyhow::{Context as _, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// SPDX identifiers the project takes.
const TAKEN: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "MPL-2.0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Zlib",
    "CC0-1.0",
    "BlueOak-1.0.0",
];

fn main() -> anyhow::Result<()> {
    let metadata = metadata()?;
    let compiled: BTreeSet<&str> = metadata["resolve"]["nodes"]
        .as_array()
        .context("cargo metadata gives no resolved tree")?
        .iter()
        .filter_map(|node| node["id"].as_str())
        .collect();
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata gives no packages")?;
    let mut refused = Vec::new();
    for package in packages
        .iter()
        .filter(|p| p["id"].as_str().is_some_and(|id| compiled.contains(id)))
    {
        let licence = package["license"].as_str();
        if !licence.is_some_and(is_taken) {
            let says = licence.map_or("no licence expression", |l| l);
            refused.push(format!(
                "{} {}: {says}",
                text(&package["name"]),
                text(&package["version"])
            ));
        }
    }
    if !refused.is_empty() {
        bail!("licences the project does not take:\n  {}", refused.join("\n  "));
    }
    println!("licences: {} packages, all taken", compiled.len());
    Ok(())
}

fn metadata() -> anyhow::Result<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .output()
        .context("cargo metadata did not run")?;
    if !output.status.success() {
        bail!(
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().map_or("?", |text| text)
}

/// Whether an SPDX expression can be satisfied: every part of an AND, at least one part of an OR. The old `A/B`
/// means OR. AND binds tighter; parentheses group.
fn is_taken(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut position = 0;
    let taken = any_of(&words, &mut position);
    taken && position == words.len()
}

fn any_of(words: &[&str], position: &mut usize) -> bool {
    let mut taken = all_of(words, position);
    while words.get(*position) == Some(&"OR") {
        *position += 1;
        taken |= all_of(words, position);
    }
    taken
}

fn all_of(words: &[&str], position: &mut usize) -> bool {
    let mut taken = one(words, position);
    while words.get(*position) == Some(&"AND") {
        *position += 1;
        taken &= one(words, position);
    }
    taken
}

fn one(words: &[&str], position: &mut usize) -> bool {
    let Some(word) = words.get(*position) else {
        return false;
    };
    *position += 1;
    if *word == "(" {
        let taken = any_of(words, position);
        let closed = words.get(*position) == Some(&")");
        *position += 1;
        return taken && closed;
    }
    // An exception only grants more.
    if words.get(*position) == Some(&"WITH") {
        *position += 2;
    }
    TAKEN.contains(word)
}

#[cfg(test)]
mod tests {
    use super::is_taken;

    #[test]
    fn expressions() {
        for taken in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-2.0/MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_taken(taken), "{taken}");
        }
        for refused in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "AGPL-3.0 OR LGPL-2.1",
            "(MIT",
            "MIT)",
            "",
            "MIT MIT",
            "(MIT OR GPL) AND X",
        ] {
            assert!(!is_taken(refused), "{refused}");
        }
    }
}
