//! `presight list`, and what a report says of an address by a list.

mod binary;

use alloy_primitives::{B256, keccak256};
use binary::{Folder, arg, presight, root};
use presight_view::{Answer, Document, file};
use serde_json::{Value, json};

const SIGNER: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const LISTED: &str = "0x1da5821544e25c636c1417ba96ade4cf6d2f9b5a";
const OTHER: &str = "0x7ff9cfad3877f21d41da833e2f775db0569ee3d9";
const URI: &str = "https://example.com/list.json";

fn build(folder: &Folder, input: &Value, more: &[&str]) -> (Value, Vec<u8>) {
    let input = folder.write("input.json", input.to_string());
    let output = folder.path("list.json");
    let (input, output) = (arg(&input), arg(&output));
    let mut arguments = vec![
        "--json",
        "list",
        "build",
        &input,
        "--output",
        &output,
        "--name",
        "Sanctioned",
        "--version",
        "1",
        "--criteria",
        "Named",
        "--origin",
        "SDN",
        "--published",
        "2026-11-30T00:00:00Z",
    ];
    arguments.extend(more);
    let run = presight(arguments);
    assert_eq!(run.code, 0, "{} {}", run.text(), run.stderr);
    (run.json(), std::fs::read(output).expect("a list was written"))
}

/// What a report says of an address by a list, under this configuration of it.
fn on_list(folder: &Folder, to: &str, list: &[u8], sources: &str) -> Value {
    let request = folder.write(
        "request.json",
        json!({ "version": "erc-presign/1", "subject": {
            "type": "calls", "chainId": "eip155:1", "from": format!("eip155:1:{SIGNER}"),
            "calls": [{ "to": to, "value": "1", "data": "0x" }] } })
        .to_string(),
    );
    let view = json!({
        "format": "presight-view/1", "clock": "2026-12-03T00:00:00Z",
        "chains": [{
            "chainId": "eip155:1", "spec": "prague", "complete": true,
            "block": { "number": "0x64", "hash": B256::repeat_byte(1), "timestamp": "0x6b000000" },
            "accounts": {},
        }],
    });
    let mut snapshot = file::parse(view.to_string().as_bytes()).expect("a view").snapshot;
    let document = Document {
        content_type: None,
        bytes: list.to_vec().into(),
    };
    snapshot.documents.insert(URI.to_owned(), Answer::Known(document));
    let view = folder.write("view.json", file::to_json(&snapshot));
    let sources = folder.write("sources.toml", sources);
    let witness = folder.path("witness.json");
    let (request, view, sources, witness) = (arg(&request), arg(&view), arg(&sources), arg(&witness));
    let run = presight([
        "report",
        &request,
        "--view",
        &view,
        "--unsigned",
        "--sources",
        &sources,
        "--witness",
        &witness,
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = arg(&folder.write("report.json", &run.stdout));
    let replayed = presight([
        "--json",
        "replay",
        &report,
        "--request",
        &request,
        "--witness",
        &witness,
        "--sources",
        &sources,
    ]);
    assert_eq!(replayed.json()["conclusion"], "same", "{}", replayed.text());
    let findings = run.json()["findings"].as_array().expect("findings").clone();
    findings
        .into_iter()
        .find(|f| f["kind"] == "erc.presign.address.on-list" && f["entity"]["role"] == "recipient")
        .expect("the kind is listed")
}

fn configured(hash: impl std::fmt::Display, more: &str) -> String {
    format!("[[lists]]\nuri = \"{URI}\"\nhash = \"{hash}\"\n{more}")
}

#[test]
fn a_built_list_is_checked_and_read() {
    let folder = Folder::new();
    let (told, list) = build(
        &folder,
        &json!({ "ETH": [LISTED], "XBT": ["12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h"] }),
        &[],
    );
    assert_eq!((&told["entries"], &told["skipped"]), (&json!(1), &json!(1)));
    assert_eq!(told["hash"], keccak256(&list).to_string());
    let checked = presight(["--json", "list", "check", &arg(&folder.path("list.json"))]);
    assert_eq!((checked.code, &checked.json()["hash"]), (0, &told["hash"]));
    assert_eq!(
        build(&folder, &json!({ "ETH": [LISTED], "XBT": ["12Qt"] }), &[]).1,
        list,
        "the same bytes"
    );

    let sources = configured(keccak256(&list), "max-age-days = 3\n");
    for (to, listed) in [(LISTED, true), (OTHER, false)] {
        let finding = on_list(&folder, to, &list, &sources);
        assert_eq!(
            (&finding["status"], &finding["value"]),
            (&json!("read"), &json!(listed))
        );
        assert_eq!(finding["param"], json!({ "uri": URI, "hash": keccak256(&list) }));
        assert_eq!(
            finding["evidence"],
            json!([{ "type": "document", "uri": URI, "hash": keccak256(&list) }])
        );
    }
}

#[test]
fn a_list_of_another_chain_does_not_count() {
    let folder = Folder::new();
    let (_, list) = build(&folder, &json!([LISTED]), &["--chain", "eip155:10"]);
    let finding = on_list(&folder, LISTED, &list, &configured(keccak256(&list), ""));
    assert_eq!(finding["value"], json!(false));
}

#[test]
fn what_is_not_the_list_or_is_stale_is_not_read() {
    let folder = Folder::new();
    let (_, list) = build(&folder, &json!([LISTED]), &[]);
    let (_, expired) = build(&folder, &json!([LISTED]), &["--expires", "2026-12-03T00:00:00Z"]);
    let cases = [
        (&list, configured(B256::repeat_byte(7), ""), "another hash"),
        (&list, configured(keccak256(&list), "max-age-days = 2\n"), "older"),
        (&expired, configured(keccak256(&expired), ""), "expired"),
        (&b"[]".to_vec(), configured(keccak256(b"[]"), ""), "no list"),
    ];
    for (document, sources, why) in cases {
        let finding = on_list(&folder, LISTED, document, &sources);
        assert_eq!(
            (&finding["status"], &finding["reason"]),
            (&json!("not-read"), &json!("unavailable")),
            "{why}"
        );
        assert!(
            finding["note"].as_str().is_some_and(|note| note.contains(why)),
            "{finding}"
        );
        assert_eq!(
            finding["evidence"][0]["hash"],
            json!(keccak256(document)),
            "what was found"
        );
    }
    let elsewhere = configured(keccak256(&list), "").replace("list.json", "gone.json");
    let finding = on_list(&folder, LISTED, &list, &elsewhere);
    assert_eq!(
        (&finding["status"], &finding["reason"]),
        (&json!("not-read"), &json!("unavailable"))
    );
    let finding = on_list(&folder, LISTED, &list, "");
    assert_eq!(
        (&finding["status"], &finding["reason"], finding.get("param")),
        (&json!("not-read"), &json!("unsupported"), None)
    );
}

#[test]
fn what_is_no_list_is_refused() {
    let folder = Folder::new();
    let file = folder.write("list.json", json!({ "format": "presight-list/1" }).to_string());
    let run = presight(["--json", "list", "check", &arg(&file)]);
    assert_eq!((run.code, &run.json()["valid"]), (20, &json!(false)));
    let input = folder.write("input.json", json!(["bc1q"]).to_string());
    let run = presight([
        "list",
        "build",
        &arg(&input),
        "--output",
        &arg(&folder.path("out.json")),
        "--name",
        "n",
        "--version",
        "1",
        "--criteria",
        "c",
        "--origin",
        "o",
        "--published",
        "2026-11-30T00:00:00Z",
    ]);
    assert_eq!(run.code, 2, "a list without an address: {}", run.stderr);
    assert!(!folder.path("out.json").exists());
}

#[test]
fn lists_as_others_publish_them_are_imported() {
    let folder = Folder::new();
    let corpus = root().join("../shared/corpus/lists");
    if !corpus.exists() {
        println!("skipped: corpus absent");
        return;
    }
    for (file, at_least) in [
        ("ofac-addresses.json", 100),
        ("ofac-ethereum-named.json", 90),
        ("drainer-addresses-sample.json", 400),
        ("drainer-domains-sample.json", 100),
        ("phishing-techniques.json", 100),
        ("phishing-site-actions.json", 4),
        ("forta-labels-sample.json", 500),
        ("risky-spenders.json", 150),
    ] {
        let text = std::fs::read_to_string(corpus.join(file)).expect("a file of the corpus");
        let input: Value = serde_json::from_str(&text).expect("JSON");
        let (told, _) = build(&folder, &input, &["--at", "/data"]);
        let entries = told["entries"].as_u64().expect("a count");
        println!("{file}: {entries} entries, {} skipped", told["skipped"]);
        assert!(entries >= at_least, "{file}: {entries}");
    }
}
