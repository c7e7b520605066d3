//! The demo is computed: it changes with the request, and notices when the state does not fit.

mod binary;

use binary::{Folder, arg, presight, root};
use serde_json::Value;

fn request() -> Value {
    let bytes = std::fs::read(root().join("examples/approve/request.json")).expect("the example is whole");
    serde_json::from_slice(&bytes).expect("JSON")
}

#[test]
fn tells_reports_verifies_and_replays() {
    let run = presight(["demo"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for words in [
        "without limit",
        "100% of the supply (10000 basis points)",
        "eip155:31337 block",
        "not read (unavailable): address.first-seen-block",
        "pass      signature",
        "pass      identity",
        "conclusion: verified",
        "replay: same; proofs: valid",
    ] {
        assert!(run.text().contains(words), "`{words}` is not in:\n{}", run.text());
    }
    let json = presight(["demo", "--json"]).json();
    assert_eq!(json["verification"]["conclusion"], "verified");
    assert_eq!(json["replay"]["conclusion"], "same");
    assert_eq!(json["report"]["version"], "erc-presign/1");
}

#[test]
fn another_amount_gives_other_words() {
    let folder = Folder::new();
    let mut changed = request();
    let data = changed["subject"]["calls"][0]["data"]
        .as_str()
        .expect("data")
        .to_owned();
    let amount = format!("{:064x}", 62_500_000_000_000u64);
    changed["subject"]["calls"][0]["data"] = Value::from(format!("{}{amount}", &data[..data.len() - 64]));
    let file = folder.write("request.json", changed.to_string());
    let run = presight(["demo", "--request", &arg(&file)]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.text().contains("62500000 \"EXD\" (62500000000000)"),
        "{}",
        run.text()
    );
    assert!(
        run.text().contains("25% of the supply (2500 basis points)"),
        "{}",
        run.text()
    );
    assert!(!run.text().contains("without limit"));
}

#[test]
fn another_spender_is_not_in_the_state_and_so_not_read() {
    let folder = Folder::new();
    let mut changed = request();
    let data = changed["subject"]["calls"][0]["data"]
        .as_str()
        .expect("data")
        .to_owned();
    let spender = "00000000000000000000000000000000deadbeef";
    changed["subject"]["calls"][0]["data"] = Value::from(format!("{}{spender}{}", &data[..34], &data[74..]));
    let file = folder.write("request.json", changed.to_string());
    let run = presight(["demo", "--json", "--request", &arg(&file)]);
    let findings = run.json()["report"]["findings"].clone();
    let current = findings
        .as_array()
        .expect("findings")
        .iter()
        .find(|f| f["kind"] == "erc.presign.approval.current-allowance")
        .expect("listed")
        .clone();
    assert_eq!(
        (&current["status"], &current["reason"]),
        (&Value::from("not-read"), &Value::from("unavailable"))
    );
    assert_eq!(current.get("value"), None);
}
