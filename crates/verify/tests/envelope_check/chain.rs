//! §5.6: symbols and decimals against the token contracts.

use crate::documents::{TOKEN, call, claiming, envelope, movement};
use presight_verify::envelope::{CheckContext, Checked, check};
use presight_view::drive::run_recorded;
use presight_view::file;
use serde_json::{Value, json};
use std::path::Path;

/// The token of the shipped example.
const EXD: &str = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";

fn on_example(envelope: &Value) -> Checked {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/approve/view.json");
    let snapshot = file::parse(&std::fs::read(path).unwrap()).unwrap().snapshot;
    let bytes = serde_json::to_vec(envelope).unwrap();
    run_recorded(&snapshot, |view| {
        check(&bytes, &CheckContext::default(), Some(view))
    })
    .value
    .unwrap()
}

fn claims(members: Value) -> Value {
    let mut envelope = claiming(
        envelope(vec![call(TOKEN, &[1, 2, 3, 4])]),
        vec![movement("transfer", members)],
    );
    envelope["content"]["chain"] = json!("eip155:31337");
    envelope
}

fn codes(checked: &Checked) -> Vec<(&str, &str)> {
    let own = |code: &str| code.ends_with("-mismatch");
    let notes = checked.warnings.iter().filter(|note| own(note.code.as_str()));
    notes
        .map(|note| (note.code.as_str(), note.path.as_str()))
        .collect()
}

#[test]
fn what_the_contract_says_counts() {
    let good = on_example(&claims(json!({ "token": EXD, "symbol": "EXD", "decimals": 6 })));
    assert_eq!(codes(&good), []);
    let bad = on_example(&claims(json!({ "token": EXD, "symbol": "USDC", "decimals": 18 })));
    let place = |member: &str| format!("/content/metadata/tokenMovements/0/{member}");
    assert_eq!(
        codes(&bad),
        [
            ("symbol-mismatch", &*place("symbol")),
            ("decimals-mismatch", &*place("decimals"))
        ]
    );
}

#[test]
fn what_was_not_read_is_said() {
    let unknown = on_example(&claims(json!({ "symbol": "USDC" })));
    assert_eq!(codes(&unknown), []);
    let skipped: Vec<_> = unknown
        .facts
        .unwrap()
        .not_checked
        .into_iter()
        .map(|n| n.path)
        .collect();
    for member in ["symbol", "decimals", "standard"] {
        assert!(
            skipped.contains(&format!("/content/metadata/tokenMovements/0/{member}")),
            "{member}: {skipped:?}"
        );
    }
    let native = json!({ "token": "native", "standard": "native", "symbol": "ETH", "decimals": 18 });
    assert_eq!(codes(&on_example(&claims(native))), []);
}
