//! `presight envelope`: every vector and every subcommand, through the binary.

mod binary;

use binary::{Folder, Run, arg, presight, presight_with_input, root};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const VECTORS: &str = include_str!("../../wire/tests/vectors/envelope/vectors.json");
const SIGNATURES: &str = include_str!("../../wire/tests/vectors/envelope/signatures.json");

fn file(text: &str) -> Value {
    serde_json::from_str(text).expect("the vectors are JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn document(vector: &Value) -> Vec<u8> {
    if let Some(hex) = vector["rawHex"].as_str() {
        return alloy_primitives::hex::decode(hex).expect("hex");
    }
    match vector["raw"].as_str() {
        Some(raw) => raw.as_bytes().to_vec(),
        None => vector["envelope"].to_string().into_bytes(),
    }
}

/// The document of a vector of this id.
fn named(id: &str) -> Vec<u8> {
    let file = file(VECTORS);
    let vector = list(&file["vectors"]).iter().find(|vector| vector["id"] == id);
    document(vector.expect("there is such a vector"))
}

fn problems(value: &Value) -> BTreeSet<(String, String)> {
    let problem = |p: &Value| (text(&p["code"]).to_owned(), text(&p["path"]).to_owned());
    list(value).iter().map(problem).collect()
}

fn assert_expected(vector: &Value, found: &Value) {
    let (id, expect) = (&vector["id"], &vector["expect"]);
    assert_eq!(found["valid"], expect["valid"], "{id}");
    assert_eq!(problems(&found["errors"]), problems(&expect["errors"]), "{id}");
    assert_eq!(
        problems(&found["warnings"]),
        problems(&expect["warnings"]),
        "{id}"
    );
}

#[test]
fn every_vector() {
    let file = file(VECTORS);
    let folder = Folder::new();
    let (mut validated, mut checked) = (0, 0);
    for vector in list(&file["vectors"]) {
        let Some(context) = vector.get("context") else {
            let run = presight_with_input(["envelope", "validate", "-", "--json"], &document(vector));
            let found = run.json();
            assert_expected(vector, &found);
            let expected = match found["errors"][0]["code"].as_str() {
                None => 0,
                Some("json-syntax" | "json-invalid-utf8") => 2,
                Some(_) => 20,
            };
            assert_eq!(run.code, expected, "{}", vector["id"]);
            validated += 1;
            continue;
        };
        let mut arguments = vec![
            "envelope".to_owned(),
            "check".to_owned(),
            "-".to_owned(),
            "--json".to_owned(),
        ];
        for (name, option) in [("now", "--now"), ("longValiditySeconds", "--long-validity")] {
            if let Some(value) = context.get(name) {
                arguments.extend([option.to_owned(), value.to_string()]);
            }
        }
        if let Some(book) = context.get("contactBook") {
            let book = folder.write("book.json", book.to_string());
            arguments.extend(["--contact-book".to_owned(), arg(&book)]);
        }
        let run = presight_with_input(&arguments, &document(vector));
        assert_expected(vector, &run.json());
        assert_eq!(run.code, 10, "{}: all of them are unsigned", vector["id"]);
        checked += 1;
    }
    assert_eq!((validated, checked), (573, 9), "every vector was run");
}

#[test]
fn every_signature_vector() {
    let file = file(SIGNATURES);
    let (mut runs, mut preimages) = (0, 0);
    for vector in list(&file["vectors"]) {
        let (id, expect) = (&vector["id"], &vector["expect"]);
        let raw = text(&vector["raw"]).as_bytes();
        let run = presight_with_input(["envelope", "verify", "-", "--json"], raw);
        let found = run.json();
        assert_eq!(found["status"], expect["status"], "{id}");
        assert_eq!(found["attested"], json!(expect["attested"] != "none"), "{id}");
        assert_eq!(found["detail"], expect["reason"], "{id}");
        assert_eq!(found["warning"], expect["warning"], "{id}");
        let code = match text(&expect["status"]) {
            "verified" => 0,
            "invalid" | "rejected" => 20,
            _ => 10,
        };
        assert_eq!(run.code, code, "{id}");

        let preimage = presight_with_input(["envelope", "canonicalize", "-"], raw);
        let digest = presight_with_input(["envelope", "digest", "-", "--json"], raw);
        if expect["reason"] == "json-duplicate-key" {
            assert_eq!((preimage.code, digest.code), (2, 2), "{id}");
        } else if let Some(expected) = vector["preimageHex"].as_str() {
            assert_eq!(alloy_primitives::hex::encode(&preimage.stdout), expected, "{id}");
            let digest = digest.json();
            assert_eq!(digest["coverage"], vector["coverage"], "{id}");
            if let Some(expected) = vector["digestHex"].as_str() {
                assert_eq!(
                    digest["signed"][text(&vector["scheme"])],
                    format!("0x{expected}"),
                    "{id}"
                );
            }
            let keccak = alloy_primitives::keccak256(&preimage.stdout);
            assert_eq!(digest["digest"], json!(keccak), "{id}");
            assert_eq!(
                digest.get("subjectDigest").is_some(),
                vector["coverage"] == "envelope",
                "{id}"
            );
            preimages += 1;
        }
        runs += 1;
    }
    assert_eq!((runs, preimages), (207, 202), "every vector was run");
}

#[test]
fn canonical_bytes_of_one_part() {
    let content = presight_with_input(
        ["envelope", "canonicalize", "-", "--coverage", "content"],
        &named("tx-plain"),
    );
    assert!(
        content.text().starts_with(r#"{"calls":[{"data":"0xd0e30db0""#),
        "{}",
        content.text()
    );
    let whole = presight_with_input(["envelope", "canonicalize", "-"], &named("tx-plain"));
    assert!(whole.text().starts_with(r#"{"$schema":"#) && !whole.text().ends_with('\n'));
    for bad in [&b"[]"[..], b"{}", b"{"] {
        let run = presight_with_input(
            ["envelope", "canonicalize", "-", "--coverage", "content", "--json"],
            bad,
        );
        assert_eq!((run.code, run.json()["error"]["code"].is_string()), (2, true));
    }
}

/// Documents that are none, or no valid envelope: of the text, and of what it says.
fn malformed() -> Vec<Vec<u8>> {
    let mut documents: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "{}",
        "[]",
        "1",
        "\"x\"",
        "null",
        "{}{}",
        "{\"a\":1,}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":NaN}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":\"\\ud800\"}",
        "{\"\\udc00\":1}",
        "{\"a\":1e400}",
        "{\"a\":\"\t\"}",
        "\u{feff}{}",
        "{\"content\":null}",
        "{\"content\":1,\"producer\":[]}",
        "{\"kind\":\"evm-userop\"}",
        "{\"kind\":\"x-a\"}",
        "{\"producer\":{\"signature\":{\"coverage\":\"content\"}}}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    documents.push(b"{\"a\":\"\xff\"}".to_vec());
    documents.push(b"\xff".to_vec());
    documents.push(vec![b'['; 100]);
    documents.push(format!("{{\"a\":{}{}}}", "[".repeat(64), "]".repeat(64)).into_bytes());
    documents.push(vec![b' '; (4 << 20) + 1]);
    let changes: [(&str, Value); 14] = [
        ("/kind", json!(1)),
        ("/issuedAt", json!("today")),
        ("/$schema", json!("x")),
        ("/content", json!([])),
        ("/content/chain", json!("eip155:0")),
        ("/content/from", json!("0x1")),
        ("/content/calls", json!([])),
        ("/content/calls/0/to", json!("vitalik.eth")),
        ("/content/calls/0/operation", json!("create")),
        ("/content/validity", json!(null)),
        ("/content/validity/notAfter", json!(1.5)),
        ("/content/description/action", json!("permit")),
        ("/content/metadata/tokenMovements", json!([{}])),
        ("/content/metadata/counterparties", json!(7)),
    ];
    for (place, value) in changes {
        let mut envelope: Value = serde_json::from_slice(&named("tx-plain")).expect("JSON");
        *envelope.pointer_mut(place).expect("the member is there") = value;
        documents.push(envelope.to_string().into_bytes());
    }
    documents
}

/// Whatever is wrong with a document, each command says so with a code of the published table.
#[test]
fn every_code_is_in_the_table() {
    let table = include_str!("../../../docs/envelope-codes.md");
    let folder = Folder::new();
    let key = arg(&folder.write("key", "1f".repeat(32)));
    let documents = malformed();
    assert_eq!(documents.len(), 43);
    for document in &documents {
        let shown = String::from_utf8_lossy(&document[..document.len().min(100)]).into_owned();
        for command in [
            &["validate"][..],
            &["check"],
            &["canonicalize"],
            &["digest"],
            &["sign", "--key-file", &key],
            &["verify"],
            &["to-send-calls"],
        ] {
            let start = ["envelope", command[0], "-", "--json"];
            let run = presight_with_input(start.iter().chain(&command[1..]), document);
            let what = format!("{command:?} of {shown}");
            // canonicalize, digest and verify take what is no valid envelope.
            let takes_any = ["canonicalize", "digest", "verify"].contains(&command[0]);
            if takes_any && [0, 10].contains(&run.code) {
                continue;
            }
            assert!([2, 20].contains(&run.code), "{what}: {} {}", run.code, run.stderr);
            let found = run.json();
            let codes: Vec<&Value> = match (found.get("error"), found.get("detail")) {
                (Some(error), _) => vec![&error["code"]],
                (None, Some(detail)) => vec![detail],
                (None, None) => list(&found["errors"])
                    .iter()
                    .map(|error| &error["code"])
                    .collect(),
            };
            assert!(!codes.is_empty(), "{what}");
            for code in codes {
                assert!(
                    table.contains(&format!("\n| `{}` |", text(code))),
                    "{what}: {code}"
                );
            }
        }
    }
}

/// What is signed or sent is what is given: a number that canonical bytes would change is refused at its place.
#[test]
fn numbers_are_signed_as_they_are_written() {
    let folder = Folder::new();
    let key = arg(&folder.write("key", "1f".repeat(32)));
    let signed = |number: &str| {
        let document = String::from_utf8(with_producer("https://desk.example")).expect("UTF-8");
        let document = format!("{{\"meta\":{{\"k\":[{number}]}},{}", &document[1..]);
        let run = presight_with_input(
            ["envelope", "sign", "-", "--json", "--key-file", &key],
            document.as_bytes(),
        );
        (run.code, run.json())
    };
    for number in [
        "9007199254740993",
        "123456789012345678901234567890",
        "1e-400",
        "0.10000000000000000555",
    ] {
        let (code, refused) = signed(number);
        assert_eq!(
            (code, &refused["error"]["code"]),
            (2, &json!("number-rewritten")),
            "{number}"
        );
        assert_eq!(refused["error"]["pointer"], "/meta/k/0");
    }
    for number in ["9007199254740992", "0.10", "1e21", "-0", "6.0"] {
        assert_eq!(signed(number).0, 0, "{number}");
    }
    let mut batch: Value = serde_json::from_slice(&named("batch-plain")).expect("JSON");
    batch["capabilities"] = json!({ "x-a": u64::MAX });
    let run = presight_with_input(
        ["envelope", "to-send-calls", "-", "--json"],
        batch.to_string().as_bytes(),
    );
    assert_eq!(run.json()["error"]["code"], "number-rewritten");
}

fn with_producer(id: &str) -> Vec<u8> {
    let mut envelope: Value = serde_json::from_slice(&named("tx-plain")).expect("JSON");
    envelope["producer"] = json!({ "id": id });
    envelope.to_string().into_bytes()
}

#[test]
fn what_is_signed_verifies() {
    let folder = Folder::new();
    let signatures = file(SIGNATURES);
    for scheme in ["secp256k1", "ed25519", "p256"] {
        let key = &signatures["keys"][format!("{scheme}-one")];
        let key_file = arg(&folder.write(scheme, text(&key["privateKey"])));
        for coverage in ["envelope", "content"] {
            let sign = |id: &str| -> Run {
                let options = [
                    "--scheme",
                    scheme,
                    "--coverage",
                    coverage,
                    "--key-file",
                    &key_file,
                ];
                presight_with_input(
                    ["envelope", "sign", "-"].iter().chain(&options),
                    &with_producer(id),
                )
            };
            let verify = |document: &[u8], more: &[&str]| {
                let run =
                    presight_with_input(["envelope", "verify", "-", "--json"].iter().chain(more), document);
                (run.code, text(&run.json()["status"]).to_owned())
            };
            let signed = sign(text(&key["didKey"]));
            assert_eq!(signed.code, 0, "{}", signed.stderr);
            assert_eq!(verify(&signed.stdout, &[]), (0, "verified".to_owned()));
            let checked = presight_with_input(["envelope", "check", "-", "--json"], &signed.stdout).json();
            let producer = json!({ "status": "verified", "attested": true, "coverage": coverage });
            assert_eq!(checked["producer"], producer, "no warning, not even null");
            let changed = signed.text().replace("0xd0e30db0", "0xd0e30db1");
            assert_eq!(verify(changed.as_bytes(), &[]), (20, "invalid".to_owned()));

            let of_a_site = sign("https://desk.example");
            assert_eq!(
                verify(&of_a_site.stdout, &[]),
                (10, "verified-unbound".to_owned())
            );
            let known = ["--producer-key", text(&key["publicKey"])];
            assert_eq!(verify(&of_a_site.stdout, &known), (0, "verified".to_owned()));
            let other = &signatures["keys"][format!("{scheme}-two")];
            let known = ["--producer-key", text(&other["publicKey"])];
            assert_eq!(verify(&of_a_site.stdout, &known).0, 20);
        }
    }
}

#[test]
fn what_cannot_be_signed_is_refused() {
    let folder = Folder::new();
    let signatures = file(SIGNATURES);
    let key = arg(&folder.write("key", text(&signatures["keys"]["secp256k1-one"]["privateKey"])));
    let sign = |document: &[u8], key: &str| {
        let run = presight_with_input(["envelope", "sign", "-", "--json", "--key-file", key], document);
        (run.code, run.json())
    };
    let (code, refused) = sign(&named("tx-plain"), &key);
    assert_eq!((code, &refused["error"]["code"]), (2, &json!("no-producer")));
    let other = text(&signatures["keys"]["secp256k1-two"]["didKey"]);
    let (code, refused) = sign(&with_producer(other), &key);
    assert_eq!((code, &refused["error"]["code"]), (2, &json!("wrong-signer")));
    let (code, refused) = sign(&named("schema-missing"), &key);
    assert_eq!(
        (code, &refused["errors"][0]["code"]),
        (20, &json!("missing-field"))
    );
    let secret = folder.write("bad", "not a key, but secret");
    let (code, refused) = sign(&with_producer("https://desk.example"), &arg(&secret));
    assert_eq!((code, &refused["error"]["code"]), (2, &json!("bad-key")));
    assert!(!refused.to_string().contains("secret"));
}

#[test]
fn batches_become_wallet_requests() {
    let mut batch: Value = serde_json::from_slice(&named("batch-plain")).expect("JSON");
    batch["id"] = json!("order-7");
    batch["capabilities"] = json!({
        "atomicRequired": true, "requiresAccountType": "erc-4337",
        "paymasterService": { "url": "https://paymaster.example" }, "x-shop.points": 5,
    });
    let batch = batch.to_string();
    let run = presight_with_input(["envelope", "to-send-calls", "-"], batch.as_bytes());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let request = run.json();
    assert_eq!(request["method"], "wallet_sendCalls");
    let parameters = &request["params"][0];
    assert_eq!(parameters["version"], "2.0.0");
    assert_eq!(parameters["chainId"], "0x2105");
    assert_eq!(parameters["id"], "order-7");
    assert_eq!(parameters["atomicRequired"], true);
    assert_eq!(list(&parameters["calls"]).len(), 2);
    let kept = json!({ "paymasterService": { "url": "https://paymaster.example" }, "x-shop.points": 5 });
    assert_eq!(parameters["capabilities"], kept);
    assert!(
        run.stderr.contains("/capabilities/requiresAccountType"),
        "{}",
        run.stderr
    );
    let older = presight_with_input(
        ["envelope", "to-send-calls", "-", "--wallet-version", "1.0"],
        batch.as_bytes(),
    );
    assert_eq!(older.json()["params"][0]["version"], "1.0");

    let run = presight_with_input(["envelope", "to-send-calls", "-", "--json"], &named("tx-plain"));
    assert_eq!(
        (run.code, &run.json()["error"]["code"]),
        (2, &json!("not-a-batch"))
    );
}

/// The README's commands on the shipped examples.
#[test]
fn the_readmes_commands_run() {
    let folder = Folder::new();
    let key = arg(&folder.path("key"));
    assert_eq!(presight(["keys", "new", &key]).code, 0);
    let examples = root().join("examples/envelope");
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let mut ran = BTreeSet::new();
    for line in readme.lines() {
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let Some(command) = line.strip_prefix("presight envelope ") else {
            continue;
        };
        let words = command.split('#').next().unwrap_or_default().split_whitespace();
        let arguments = words.map(|word| match word {
            "key" => key.clone(),
            file if file.ends_with(".json") => arg(&examples.join(file)),
            word => word.to_owned(),
        });
        let arguments: Vec<_> = arguments.collect();
        let run = presight(std::iter::once("envelope".to_owned()).chain(arguments.clone()));
        let expected = match arguments[0].as_str() {
            "check" | "verify" => 10,
            _ => 0,
        };
        assert_eq!(run.code, expected, "{line}: {} {}", run.text(), run.stderr);
        if arguments.iter().any(|word| word == "--contact-book") {
            for code in [
                "action-contradicted",
                "movement-contradicted",
                "contact-book-unverified",
                "similarity-warning",
            ] {
                assert!(run.text().contains(code), "{line}: {}", run.text());
            }
        }
        ran.insert(arguments[0].clone());
    }
    let commands = [
        "canonicalize",
        "check",
        "digest",
        "sign",
        "to-send-calls",
        "validate",
        "verify",
    ];
    assert_eq!(ran, BTreeSet::from(commands.map(str::to_owned)));
}

const SPENDER: &str = "bacc62e4aee772153e04811c02c4de078ac89e55";

/// An unlimited approval that claims to send 5 to someone.
fn drainer() -> Value {
    let mut envelope: Value = serde_json::from_slice(&named("tx-plain")).expect("JSON");
    let content = &mut envelope["content"];
    let token = "0xF04227E95656CC86b9D0E101f9d046cF0174Bce7";
    content["calls"] = json!([{
        "to": token, "operation": "call",
        "data": format!("0x095ea7b3{SPENDER:0>64}{}", "f".repeat(64)),
    }]);
    content["description"] = json!({ "short": "Claim\u{202e} your reward\u{1b}[2J", "action": "claim" });
    content["metadata"]["tokenMovements"] = json!([{
        "token": token, "standard": "erc20", "symbol": "USD", "decimals": 6, "amount": "5", "kind": "approve",
        "from": content["from"], "to": format!("0x{SPENDER}"), "isUnlimited": false,
    }]);
    content["metadata"]["counterparties"] = json!([{ "address": format!("0x{SPENDER}"), "role": "spender", "label": "Bank\u{1b}[2J\u{202e}", "labelSource": "untrusted" }]);
    envelope
}

#[test]
fn check_compares_words_with_bytes() {
    let run = presight_with_input(
        ["envelope", "check", "-", "--json"],
        drainer().to_string().as_bytes(),
    );
    let found = run.json();
    assert_eq!((run.code, &found["valid"]), (10, &json!(true)));
    let codes = problems(&found["warnings"]);
    for (code, path) in [
        ("movement-contradicted", "/content/metadata/tokenMovements/0"),
        ("action-contradicted", "/content/description/action"),
    ] {
        assert!(
            codes.contains(&(code.to_owned(), path.to_owned())),
            "{code}: {codes:?}"
        );
    }
    let movement = &found["movements"][0];
    assert_eq!(movement["status"], "contradicted");
    assert_eq!(movement["members"], json!(["amount", "isUnlimited"]));
    assert_eq!(found["omitted"], json!([]));
    assert_eq!(found["producer"]["status"], "unsigned");
    assert!(found["notChecked"].to_string().contains("no time is given"));
}

#[test]
fn hostile_text_reaches_no_terminal() {
    for command in ["validate", "check"] {
        let run = presight_with_input(["envelope", command, "-"], drainer().to_string().as_bytes());
        let hostile = |c: char| c == '\u{1b}' || c == '\u{202e}';
        assert!(
            !run.text().contains(hostile) && !run.stderr.contains(hostile),
            "{}",
            run.text()
        );
    }
    let run = presight_with_input(["envelope", "check", "-"], drainer().to_string().as_bytes());
    assert!(run.text().contains("Bank\\u{1b}[2J\\u{202e}"), "{}", run.text());
    let member = br#"{"\u001b[2J":1}"#;
    let run = presight_with_input(["envelope", "validate", "-"], member);
    assert_eq!(run.code, 20);
    assert!(!run.text().contains('\u{1b}'));
}

#[test]
fn check_applies_the_consumers_policies() {
    let check = |document: &Value, more: &[&str]| {
        let arguments = ["envelope", "check", "-", "--json"].iter().chain(more);
        presight_with_input(arguments, document.to_string().as_bytes())
    };
    let mut risky: Value = serde_json::from_slice(&named("tx-plain")).expect("JSON");
    risky["content"]["calls"][0]["operation"] = json!("delegatecall");
    let target = text(&risky["content"]["calls"][0]["to"]).to_owned();
    assert_eq!(check(&risky, &[]).code, 10);
    for policy in ["deny", "simulate"] {
        let run = check(&risky, &["--delegatecall", policy]);
        assert_eq!(
            (run.code, &run.json()["errors"][0]["code"]),
            (20, &json!("delegatecall-refused"))
        );
    }
    assert_eq!(check(&risky, &["--allow-delegatecall", &target]).code, 10);
    assert_eq!(
        check(&risky, &["--allow-delegatecall", &format!("0x{SPENDER}")]).code,
        20
    );

    let plain: Value = serde_json::from_slice(&named("tx-plain")).expect("JSON");
    let warned = |more: &[&str], code: &str| {
        let found = check(&plain, more).json();
        problems(&found["warnings"])
            .iter()
            .any(|(found, _)| found == code)
    };
    assert!(warned(&["--now", "2026-09-02T12:00:01Z"], "expired"));
    assert!(!warned(&["--now", "2026-09-02T12:00:00Z"], "expired"));
    assert!(warned(
        &["--now", "1788350399", "--least-time-left", "60"],
        "close-to-expiry"
    ));
    assert!(check(&plain, &["--now", "now"]).json()["secondsLeft"].is_i64());
    for bad in [
        &["--now", "soon"][..],
        &["--long-validity", "5"],
        &["--contact-book", "no-such-file"],
    ] {
        assert_eq!(check(&plain, bad).code, 2, "{bad:?}");
    }

    let mut deadline = plain.clone();
    let word = |number: u64| format!("{number:064x}");
    deadline["content"]["calls"][0]["data"] = json!(format!(
        "0x7ff36ab5{}{}{}{}{}",
        word(1),
        word(0x80),
        word(2),
        word(1_788_350_430),
        word(0)
    ));
    let run = check(&deadline, &[]);
    assert_eq!(
        (run.code, &run.json()["errors"][0]["code"]),
        (20, &json!("on-chain-expiry"))
    );
    assert_eq!(run.json()["onChainExpiries"][0]["at"], "1788350430");
    assert_eq!(check(&deadline, &["--expiry-buffer", "30"]).code, 10);
}

/// §3.3. The signature is no part of the envelope's validity, and is told all the same.
#[test]
fn check_tells_of_a_tampered_envelope() {
    let signed = named("tx-signed-and-verified-origin");
    let run = presight_with_input(["envelope", "check", "-", "--json"], &signed);
    let found = run.json();
    assert_eq!(
        (run.code, &found["valid"], &found["warnings"]),
        (20, &json!(true), &json!([]))
    );
    assert_eq!(found["tampered"], true);
    let producer = json!({ "status": "invalid", "attested": false, "warning": "tamper-detected" });
    assert_eq!(found["producer"], producer);
    let run = presight_with_input(["envelope", "check", "-"], &signed);
    assert!(
        run.text().starts_with("tampered: ") && run.text().contains("producer invalid (tamper-detected)"),
        "{}",
        run.text()
    );
}

#[test]
fn check_reads_the_chain_where_it_is_given() {
    let mut claim: Value = serde_json::from_slice(&named("batch-plain")).expect("JSON");
    claim["content"]["chain"] = json!("eip155:31337");
    claim["content"]["metadata"]["tokenMovements"][0]["token"] =
        json!("0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0");
    let view = arg(&binary::root().join("examples/approve/view.json"));
    let run = presight_with_input(
        ["envelope", "check", "-", "--json", "--view", &view],
        claim.to_string().as_bytes(),
    );
    let place = "/content/metadata/tokenMovements/0/symbol".to_owned();
    assert!(
        problems(&run.json()["warnings"]).contains(&("symbol-mismatch".to_owned(), place)),
        "{}",
        run.text()
    );
}

#[test]
fn in_words() {
    let run = presight_with_input(["envelope", "validate", "-"], &named("schema-missing"));
    assert_eq!(run.code, 20);
    assert!(
        run.text().starts_with("invalid\n") && run.text().contains("missing-field"),
        "{}",
        run.text()
    );
    let run = presight_with_input(["envelope", "digest", "-"], &named("tx-plain"));
    assert!(run.text().contains("secp256k1 signs"), "{}", run.text());
    let run = presight_with_input(["envelope", "verify", "-"], &named("tx-plain"));
    assert_eq!(run.code, 10);
    assert!(run.text().starts_with("unsigned: "), "{}", run.text());
    assert_eq!(presight(["envelope"]).code, 2);
    let missing = presight(["envelope", "validate", "no-such-file", "--json"]);
    assert_eq!(
        (missing.code, &missing.json()["error"]["code"]),
        (2, &json!("unreadable-file"))
    );
}
