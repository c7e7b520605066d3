//! Delegates that are on chains: no crash, no bound overrun, and nothing said against what was seen executed.

#![allow(clippy::unwrap_used, reason = "a fault of the data fails the test")]

use alloy_primitives::Bytes;
use presight_delegate::{FreshAccount, Limits, analyse};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    path.is_dir().then_some(path)
}

/// Named codes of a file.
fn codes(path: &Path) -> Vec<(String, Bytes)> {
    let json: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let entries = json["entries"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![json.clone()]);
    entries
        .iter()
        .filter_map(|entry| {
            let code = entry["code"].as_str().or(entry["runtime"].as_str())?;
            let name = entry["name"]
                .as_str()
                .or(entry["address"].as_str())
                .unwrap_or("?");
            Some((name.to_lowercase(), code.parse().ok()?))
        })
        .collect()
}

#[test]
fn real_delegates_are_analysed_within_bounds() {
    let Some(corpus) = corpus() else {
        println!("skipped: corpus absent");
        return;
    };
    let mut observed: BTreeMap<String, Value> = BTreeMap::new();
    let json: Value =
        serde_json::from_str(&std::fs::read_to_string(corpus.join("delegates/observed.json")).unwrap())
            .unwrap();
    for entry in json["entries"].as_array().unwrap() {
        observed.insert(
            entry["address"].as_str().unwrap().to_lowercase(),
            entry["implies"].clone(),
        );
    }
    let mut all = codes(&corpus.join("delegates/sampled-delegates.json"));
    all.extend(codes(&corpus.join("delegates/wallet-delegates.json")));
    let delegates = all.len();
    let mut files: Vec<_> = std::fs::read_dir(corpus.join("bytecode"))
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    all.extend(files.iter().flat_map(|file| codes(file)));
    let mut read = [0; 2];
    for (index, (name, code)) in all.iter().enumerate() {
        let account = FreshAccount::new(FreshAccount::DELEGATE, code.clone(), None);
        let start = std::time::Instant::now();
        let found = analyse(&account, FreshAccount::DELEGATE, code, Limits::default()).unwrap();
        println!(
            "{name} | {} | {:?} | {:?} | {} | {} steps | {:?}",
            code.len(),
            found.single_caller,
            found.unbounded_outflow,
            found.note,
            found.steps,
            start.elapsed()
        );
        assert!(
            found.steps <= Limits::default().steps + 100_000,
            "{name}: {} steps",
            found.steps
        );
        if index < delegates {
            read[0] += usize::from(found.single_caller.value().is_some());
            read[1] += usize::from(found.unbounded_outflow.value().is_some());
        }
        let Some(implied) = observed.get(name) else {
            continue;
        };
        for (kind, fact) in [
            ("singleCaller", &found.single_caller),
            ("unboundedOutflow", &found.unbounded_outflow),
        ] {
            if let (Some(seen), Some(said)) = (implied[kind].as_bool(), fact.value()) {
                assert_eq!(seen, said, "{name} {kind}");
            }
        }
    }
    println!(
        "{delegates} delegates: {} and {} of the two kinds read",
        read[0], read[1]
    );
}
