//! The command line: exit codes, errors, and each command's output.

mod binary;

use binary::{Folder, Run, arg, presight, presight_with_input, root};
use serde_json::{Value, json};

fn example(name: &str) -> String {
    arg(&root().join("examples/approve").join(name))
}

fn error(run: &Run) -> (i32, Value) {
    (run.code, run.json()["error"].clone())
}

#[test]
fn usage_errors_exit_2_and_help_0() {
    for arguments in [
        &[][..],
        &["nonsense"],
        &["report"],
        &["digest", "a", "b"],
        &["verify", "x"],
    ] {
        assert_eq!(presight(arguments).code, 2, "{arguments:?}");
    }
    for arguments in [
        &["--help"][..],
        &["report", "--help"],
        &["--version"],
        &["keys", "new", "--help"],
    ] {
        let run = presight(arguments);
        assert_eq!(run.code, 0, "{arguments:?}");
        assert!(!run.stdout.is_empty());
    }
    let run = presight(["--json", "nonsense"]);
    assert_eq!(error(&run).1["code"], "usage");
}

#[test]
fn a_missing_file_and_a_missing_view_say_what_to_do() {
    let (code, error_json) = error(&presight(["digest", "no-such-file", "--json"]));
    assert_eq!((code, &error_json["code"]), (2, &json!("unreadable-file")));
    let run = presight(["report", &example("request.json"), "--unsigned"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("--view FILE or --rpc CHAIN=URL"),
        "{}",
        run.stderr
    );
    let run = presight([
        "report",
        &example("request.json"),
        "--view",
        &example("view.json"),
    ]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--key-file"), "{}", run.stderr);
}

#[test]
fn jcs_prints_canonical_bytes_without_a_newline() {
    let run = presight_with_input(["jcs"], br#"{"b":1e2,"a":[9007199254740993]}"#);
    assert_eq!((run.code, run.text()), (0, r#"{"a":[9007199254740992],"b":100}"#));
    let run = presight_with_input(["jcs", "-", "--json"], br#"{"a":1,"\u0061":2}"#);
    assert_eq!(
        error(&run),
        (
            2,
            json!({ "code": "json-duplicate-key", "pointer": "/a", "message": error(&run).1["message"] })
        )
    );
}

#[test]
fn digest_covers_what_was_given() {
    let run = presight(["digest", &example("request.json"), "--json"]);
    let digests = run.json();
    assert_eq!(run.code, 0);
    assert_eq!(digests["contextDigest"], format!("0x{}", "0".repeat(64)));
    let request = std::fs::read_to_string(example("request.json")).expect("the example is whole");
    let mut changed: Value = serde_json::from_str(&request).expect("JSON");
    let reordered = presight_with_input(["digest", "-", "--json"], changed.to_string().as_bytes()).json();
    assert_eq!(reordered, digests, "member order and white space do not matter");
    changed["context"] = json!({});
    let with_context = presight_with_input(["digest", "-", "--json"], changed.to_string().as_bytes()).json();
    assert_eq!(with_context["subjectDigest"], digests["subjectDigest"]);
    assert_ne!(
        with_context["contextDigest"], digests["contextDigest"],
        "an empty context is a context (I-4)"
    );
    let mut data = changed["subject"]["calls"][0]["data"]
        .as_str()
        .expect("data")
        .to_owned();
    data.replace_range(data.len() - 1.., "e");
    changed["subject"]["calls"][0]["data"] = json!(data);
    let other = presight_with_input(["digest", "-", "--json"], changed.to_string().as_bytes()).json();
    assert_ne!(other["subjectDigest"], digests["subjectDigest"]);
}

#[test]
fn decode_prints_entities_and_the_call_tree() {
    let run = presight(["decode", &example("request.json"), "--json"]);
    assert_eq!(run.code, 0);
    let decoded = run.json();
    let call = &decoded["calls"][0];
    assert_eq!(call["selector"], "0x095ea7b3");
    assert_eq!(call["signature"], "approve(address,uint256)");
    assert_eq!(
        (&call["opaque"], &call["inner"], &call["flags"]),
        (&json!(false), &json!([]), &json!([]))
    );
    assert_eq!(decoded["entities"]["approvals"][0]["form"], "erc20-approve");
    let roles: Vec<_> = decoded["entities"]["addresses"]
        .as_array()
        .expect("addresses")
        .iter()
        .map(|a| &a["role"])
        .collect();
    assert_eq!(roles, [&json!("target"), &json!("spender"), &json!("token")]);
    assert!(
        presight(["decode", &example("request.json")])
            .text()
            .contains("approve(address,uint256)")
    );
}

/// A known function whose arguments are cut off is no call without meaning: the oddity is named, with its place.
#[test]
fn a_known_function_with_arguments_cut_off_is_flagged() {
    let word = |n: u8| format!("{n:064x}");
    let data = format!("0xb88d4fde{}{}{}{}", word(0x11), word(0x22), word(5), word(0x80));
    let request = json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:1", "from": format!("eip155:1:0x{}", "11".repeat(20)),
            "calls": [{ "to": format!("0x{}", "33".repeat(20)), "value": "0", "data": data }],
        },
    });
    let run = presight_with_input(["decode", "-", "--json"], request.to_string().as_bytes());
    let decoded = run.json();
    assert_eq!(decoded["calls"][0]["opaque"], true);
    assert_eq!(decoded["calls"][0]["flags"], json!(["undecodable-arguments"]));
    assert_eq!(decoded["flags"][0]["pointer"], "/subject/calls/0/data");
}

/// Oddities of the bytes are in the report, with the approval and the target they belong to.
#[test]
fn a_report_does_not_hide_what_is_odd_about_the_calldata() {
    let mut request: Value =
        serde_json::from_slice(&std::fs::read(example("request.json")).expect("reads")).expect("JSON");
    let data = request["subject"]["calls"][0]["data"]
        .as_str()
        .expect("data")
        .to_owned();
    request["subject"]["calls"][0]["data"] = json!(data[..data.len() - 4]);
    let folder = Folder::new();
    let request = arg(&folder.write("request.json", request.to_string()));
    let run = presight(["report", &request, "--view", &example("view.json"), "--unsigned"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("short-arguments"), "{}", run.stderr);
    let report = run.json();
    let flags: Vec<_> = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|f| f["kind"].as_str().is_some_and(|kind| kind.ends_with(".flags")))
        .collect();
    assert_eq!(flags.len(), 2);
    for finding in flags {
        assert_eq!(
            finding["value"],
            json!([{ "code": "short-arguments", "pointer": "/subject/calls/0/data" }])
        );
    }
}

/// What cannot be written is no clean answer; a reader that closes the pipe leaves the command's own code.
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let to = |target: &str, arguments: &[&str]| {
        let out = std::fs::OpenOptions::new()
            .write(true)
            .open(target)
            .expect("a device");
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_presight"));
        child
            .args(arguments)
            .stdout(out)
            .stderr(std::process::Stdio::null())
            .status()
            .expect("runs")
            .code()
    };
    assert_eq!(to("/dev/null", &["digest", "no-such-file", "--json"]), Some(2));
    assert_eq!(to("/dev/full", &["digest", &example("request.json")]), Some(1));
    assert_eq!(to("/dev/full", &["digest", "no-such-file", "--json"]), Some(1));
}

/// Names from a hostile document are printed with their controls escaped, and options that have no effect are refused.
#[test]
fn hostile_names_are_escaped_and_idle_options_refused() {
    let run = presight_with_input(["digest", "-"], "{\"\\u001b[31mred\\u202e\": 1}".as_bytes());
    assert_eq!(run.code, 2);
    assert!(
        !run.stderr.contains('\u{1b}') && !run.stderr.contains('\u{202e}'),
        "{}",
        run.stderr
    );
    let (request, view) = (example("request.json"), example("view.json"));
    for idle in [
        &["--prove"][..],
        &["--block", "3"],
        &["--spec", "london"],
        &["--deadline", "1"],
    ] {
        let mut arguments = vec!["report", &request, "--view", &view, "--unsigned"];
        arguments.extend(idle);
        assert_eq!(presight(&arguments).code, 2, "{idle:?}");
    }
    let typo = presight([
        "report",
        &request,
        "--view",
        &view,
        "--unsigned",
        "--json",
        "--kinds",
        "approval.amount",
    ]);
    assert_eq!(error(&typo).1["code"], "unknown-kind");
}

#[test]
fn text_prints_the_findings_of_a_file() {
    let folder = Folder::new();
    let text = "Approve \u{202e}0x52908400098527886E0F7030069857D2E4169EE7 \u{421}oin";
    let file = arg(&folder.write("text", text));
    let run = presight(["text", &file, "--json"]);
    assert_eq!(
        run.json(),
        json!({
            "erc.presign.text.control-chars": 1,
            "erc.presign.text.mixed-script": true,
            "erc.presign.text.addresses": ["0x52908400098527886E0F7030069857D2E4169EE7"],
            "erc.presign.text.pattern-match": {
                "matching": ["en.approve.address"],
                "uri": presight_source::patterns::BUILT_IN_URI,
                "hash": presight_source::patterns::Set::built_in().hash,
                "version": "1",
            },
        })
    );
    let (code, error_json) = error(&presight([
        "text",
        &arg(&folder.write("bytes", [0xff])),
        "--json",
    ]));
    assert_eq!((code, &error_json["code"]), (2, &json!("not-utf8")));
}

#[test]
fn keys_are_made_once_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let file = folder.path("key");
    let made = presight(["keys", "new", &arg(&file)]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let mode = std::fs::metadata(&file)
        .expect("the key file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = std::fs::read_to_string(&file).expect("the key file");
    assert!(
        !made.text().contains(key.trim().trim_start_matches("0x")),
        "the key is printed"
    );
    assert_eq!(presight(["keys", "address", &arg(&file)]).stdout, made.stdout);
    let again = presight(["keys", "new", &arg(&file), "--json"]);
    assert_eq!(error(&again).1["code"], "unwritable-file");
    assert_eq!(
        std::fs::read_to_string(&file).expect("the key file"),
        key,
        "the key was overwritten"
    );
    let bad = folder.write("bad", "0x1234");
    let run = presight(["keys", "address", &arg(&bad)]);
    assert_eq!(run.code, 2);
    assert!(
        !run.stderr.contains("1234"),
        "what the key file holds is printed: {}",
        run.stderr
    );
}

#[test]
fn a_report_without_a_key_is_unsigned_and_absent_for_a_consumer() {
    let folder = Folder::new();
    let run = presight([
        "report",
        &example("request.json"),
        "--view",
        &example("view.json"),
        "--unsigned",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json().get("signature"), None);
    let report = arg(&folder.write("report.json", &run.stdout));
    let verify = presight([
        "verify",
        &report,
        "--request",
        &example("request.json"),
        "--view",
        &example("view.json"),
        "--json",
    ]);
    assert_eq!(
        (verify.code, &verify.json()["conclusion"]),
        (20, &json!("rejected"))
    );
}

#[test]
fn kinds_restrict_the_report() {
    let run = presight([
        "report",
        &example("request.json"),
        "--view",
        &example("view.json"),
        "--unsigned",
        "--kinds",
        "erc.presign.approval.amount,erc.presign.address.code",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let kinds: std::collections::BTreeSet<_> = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter_map(|f| f["kind"].as_str())
        .collect();
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["erc.presign.address.code", "erc.presign.approval.amount"]
    );
}

#[test]
fn a_tampered_report_and_a_tampered_witness_are_noticed() {
    let folder = Folder::new();
    let source: Value =
        serde_json::from_slice(&std::fs::read(example("source.json")).expect("reads")).expect("JSON");
    let text = |member: &str| source[member].as_str().expect("text").to_owned();
    let key = arg(&folder.write("key", text("key")));
    let witness = arg(&folder.path("witness.json"));
    let run = presight([
        "report",
        &example("request.json"),
        "--view",
        &example("view.json"),
        "--key-file",
        &key,
        "--registry",
        &text("registry"),
        "--agent-id",
        &text("agentId"),
        "--witness",
        &witness,
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    let path = arg(&folder.write("report.json", &run.stdout));
    let verify = |path: &str| {
        presight([
            "verify",
            path,
            "--request",
            &example("request.json"),
            "--view",
            &example("view.json"),
            "--json",
        ])
    };
    let replay = |path: &str, witness: &str| {
        presight([
            "replay",
            path,
            "--request",
            &example("request.json"),
            "--witness",
            witness,
            "--json",
        ])
    };
    assert_eq!(verify(&path).code, 0);
    assert_eq!(
        (
            replay(&path, &witness).code,
            &replay(&path, &witness).json()["conclusion"]
        ),
        (0, &json!("same"))
    );

    let position = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .position(|f| f["kind"] == "erc.presign.approval.share-of-supply")
        .expect("listed");
    let mut tampered = report.clone();
    tampered["findings"][position]["value"] = json!(1);
    let tampered = arg(&folder.write("tampered.json", tampered.to_string()));
    assert_eq!(verify(&tampered).code, 20);
    let replayed = replay(&tampered, &witness);
    assert_eq!(
        (replayed.code, &replayed.json()["conclusion"]),
        (20, &json!("different"))
    );
    assert_eq!(replayed.json()["differences"][0]["finding"], json!(position));

    let mut emptied: Value = serde_json::from_slice(&std::fs::read(&witness).expect("reads")).expect("JSON");
    emptied["chains"][0]["accounts"] = json!({});
    emptied["chains"][0]
        .as_object_mut()
        .expect("a chain")
        .remove("proofs");
    let emptied = arg(&folder.write("emptied.json", emptied.to_string()));
    assert_eq!(
        replay(&path, &emptied).code,
        30,
        "{}",
        replay(&path, &emptied).text()
    );
}

/// Every malformed request of the libraries' vectors, through the binary.
#[test]
fn malformed_requests_exit_2_with_code_and_pointer() {
    let mut ran = 0;
    for vectors in [
        "crates/wire/tests/vectors/malformed.json",
        "crates/decode/tests/vectors/malformed-typed-data.json",
    ] {
        let bytes = std::fs::read(root().join(vectors)).unwrap_or_else(|e| panic!("{vectors}: {e}"));
        let vectors: Value = serde_json::from_slice(&bytes).expect("JSON");
        for vector in vectors.as_array().expect("a list of vectors") {
            let input = match (vector.get("input"), vector.get("request")) {
                (Some(Value::String(text)), _) => text.clone(),
                (Some(document), _) | (_, Some(document)) => document.to_string(),
                (None, None) => continue,
            };
            let run = presight_with_input(["decode", "-", "--json"], input.as_bytes());
            let found = error(&run);
            // A number that no reader takes exactly is refused with the bytes, before its type is looked at.
            let inexact = found.1["code"] == "json-inexact-number" && vector["code"] == "bad-integer";
            assert_eq!(found.0, 2, "{}", vector["name"]);
            assert!(
                inexact || found.1["code"] == vector["code"],
                "{}: {}",
                vector["name"],
                found.1
            );
            let pointer = vector["pointer"].as_str().expect("a pointer");
            let expected = if pointer.is_empty() {
                Value::Null
            } else {
                json!(pointer)
            };
            assert_eq!(found.1["pointer"], expected, "{}", vector["name"]);
            ran += 1;
        }
    }
    assert!(ran >= 60, "only {ran} malformed requests");
    println!("{ran} malformed requests, each refused with its code and pointer");
}
