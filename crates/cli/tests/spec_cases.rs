//! §Test Cases of ERC-8481 that concern the kinds this source reads, with their exact values, through the binary.

mod binary;
mod requests;
mod stage;

use alloy_primitives::{Address, B256, U256};
use binary::{Folder, arg, presight, presight_with_input, root};
use requests::authorization;
use serde_json::{Value, json};
use stage::KEY;

const SIGNER: &str = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const TOKEN: &str = "0x0000000000000000000000000000000000070cee";
const SPENDER: &str = "0x00000000000000000000000000000000005be4de";
const DELEGATE: &str = "0x00000000000000000000000000000000000de1e9";
const OLD_DELEGATE: &str = "0x0000000000000000000000000000000000001d1d";

fn runtime(contract: &str) -> String {
    let artifacts: Value =
        serde_json::from_slice(&std::fs::read(root().join("contracts/test/artifacts.json")).expect("reads"))
            .expect("JSON");
    artifacts["contracts"][contract]["runtime"]
        .as_str()
        .unwrap_or_else(|| panic!("no {contract}"))
        .to_owned()
}

/// A view of one block in which nothing but these accounts exists.
fn view(accounts: &Value) -> String {
    json!({
        "format": "presight-view/1",
        "clock": "2026-11-30T12:00:00Z",
        "chains": [{
            "chainId": "eip155:31337", "spec": "prague", "complete": true,
            "block": { "number": "0x64", "hash": B256::repeat_byte(0x64), "timestamp": "0x6b000000" },
            "accounts": accounts,
        }],
    })
    .to_string()
}

/// A token of the test contract `Token` with a supply of 1000.
fn token() -> Value {
    // name, symbol and supply are the slots 0 to 2; short strings stand in their slot.
    let short = |text: &str| {
        let mut word = [0; 32];
        word[..text.len()].copy_from_slice(text.as_bytes());
        word[31] = u8::try_from(2 * text.len()).expect("a short string");
        B256::from(word).to_string()
    };
    json!({
        "code": runtime("Token"), "balance": "0x0", "nonce": "0x1",
        "storage": { "0x00": short("Token"), "0x01": short("TOK"), "0x02": "0x03e8" },
    })
}

fn request(calls: &Value) -> Value {
    json!({
        "version": "erc-presign/1",
        "subject": { "type": "calls", "chainId": "eip155:31337", "from": format!("eip155:31337:{SIGNER}"), "calls": calls },
    })
}

fn approve(amount: U256) -> Value {
    json!([{ "to": TOKEN, "value": "0", "data": stage::approve(SPENDER, amount) }])
}

struct Made {
    folder: Folder,
    report: Value,
}

/// The signed report of a request on a view.
fn report(request: &Value, view: &str) -> Made {
    report_by(request, view, "")
}

/// The same of a source that is configured so.
fn report_by(request: &Value, view: &str, sources: &str) -> Made {
    let folder = Folder::new();
    let sources = folder.write("sources.toml", sources);
    let (request, view) = (
        folder.write("request.json", request.to_string()),
        folder.write("view.json", view),
    );
    let key = folder.write("key", KEY);
    let run = presight([
        "report",
        &arg(&request),
        "--view",
        &arg(&view),
        "--key-file",
        &arg(&key),
        "--sources",
        &arg(&sources),
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    folder.write("report.json", &run.stdout);
    Made {
        report: run.json(),
        folder,
    }
}

fn findings<'a>(report: &'a Value, kind: &str) -> Vec<&'a Value> {
    report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|f| f["kind"] == format!("erc.presign.{kind}"))
        .collect()
}

fn only<'a>(report: &'a Value, kind: &str) -> &'a Value {
    match findings(report, kind).as_slice() {
        [only] => only,
        found => panic!("{} findings of {kind}", found.len()),
    }
}

#[test]
fn an_unlimited_approve() {
    let made = report(&request(&approve(U256::MAX)), &view(&json!({ TOKEN: token() })));
    let entities = &made.report["entities"];
    assert_eq!(
        entities["approvals"],
        json!([{ "token": format!("eip155:31337:{TOKEN}"), "spender": format!("eip155:31337:{SPENDER}"), "form": "erc20-approve", "callIndex": 0 }])
    );
    for (address, role) in [(SPENDER, "spender"), (TOKEN, "token")] {
        let listed = json!({ "address": format!("eip155:31337:{address}"), "role": role });
        assert!(
            entities["addresses"]
                .as_array()
                .expect("addresses")
                .contains(&listed),
            "{role}"
        );
    }
    for (kind, value) in [
        ("approval.unlimited", json!(true)),
        (
            "approval.amount",
            json!("115792089237316195423570985008687907853269984665640564039457584007913129639935"),
        ),
        ("approval.share-of-supply", json!(10_000)),
    ] {
        let finding = only(&made.report, kind);
        assert_eq!(
            (&finding["status"], &finding["value"]),
            (&json!("read"), &value),
            "{kind}"
        );
        assert_eq!(
            finding["at"],
            json!({ "chainId": "eip155:31337", "block": "100" }),
            "{kind}"
        );
    }
    assert_eq!(
        made.report["blocks"],
        json!([{ "chainId": "eip155:31337", "block": "100", "hash": B256::repeat_byte(0x64) }])
    );
}

#[test]
fn an_approve_of_zero_is_read_as_zero_and_what_is_not_read_is_not_zero() {
    let made = report(&request(&approve(U256::ZERO)), &view(&json!({ TOKEN: token() })));
    assert_eq!(only(&made.report, "approval.unlimited")["value"], false);
    assert_eq!(only(&made.report, "approval.amount")["value"], "0");
    // The same request where the token's storage is not known.
    let unknown = view(&json!({ TOKEN: { "code": runtime("Token") } }))
        .replace("\"complete\":true", "\"complete\":false");
    let made = report(&request(&approve(U256::ZERO)), &unknown);
    let current = only(&made.report, "approval.current-allowance");
    assert_eq!(
        (&current["status"], &current["reason"]),
        (&json!("not-read"), &json!("unavailable"))
    );
    assert_eq!(current.get("value"), None);
}

#[test]
fn a_permit2_permit_without_limit_expires_at_its_expiration() {
    let max = U256::MAX >> 96usize;
    let member = |name: &str, kind: &str| json!({ "name": name, "type": kind });
    let mut document = request(&json!([]));
    document["subject"]["typedData"] = json!({
        "types": {
            "EIP712Domain": [member("name", "string"), member("chainId", "uint256"), member("verifyingContract", "address")],
            "PermitSingle": [member("details", "PermitDetails"), member("spender", "address"), member("sigDeadline", "uint256")],
            "PermitDetails": [member("token", "address"), member("amount", "uint160"), member("expiration", "uint48"), member("nonce", "uint48")],
        },
        "primaryType": "PermitSingle",
        "domain": { "name": "Permit2", "chainId": 31337, "verifyingContract": "0x000000000022d473030f116ddee9f6b43ac78ba3" },
        "message": {
            "details": { "token": TOKEN, "amount": max.to_string(), "expiration": "1800000000", "nonce": "0" },
            "spender": SPENDER, "sigDeadline": "1790000000",
        },
    });
    let made = report(&document, &view(&json!({ TOKEN: token() })));
    assert_eq!(only(&made.report, "approval.unlimited")["value"], true);
    assert_eq!(only(&made.report, "approval.expiry")["value"], 1_800_000_000u64);
    assert_eq!(only(&made.report, "approval.amount")["value"], max.to_string());
    assert_eq!(made.report["entities"]["approvals"][0]["form"], "permit2-permit");
    document["subject"]["typedData"]["message"]["details"]["amount"] = json!((max - U256::ONE).to_string());
    let made = report(&document, &view(&json!({ TOKEN: token() })));
    assert_eq!(only(&made.report, "approval.unlimited")["value"], false);
}

#[test]
fn a_delegated_spender_shows_its_code() {
    let code = format!("0xef0100{}", &DELEGATE[2..]);
    let made = report(
        &request(&approve(U256::ONE)),
        &view(&json!({ TOKEN: token(), SPENDER: { "code": code } })),
    );
    let spender = findings(&made.report, "address.code")
        .into_iter()
        .find(|f| f["entity"]["role"] == "spender")
        .expect("listed");
    assert_eq!(spender["value"], "delegated");
    let evidence = json!({
        "type": "call", "chainId": "eip155:31337", "block": "100", "to": format!("eip155:31337:{SPENDER}"), "data": "0x", "result": code,
    });
    assert_eq!(spender["evidence"], json!([evidence]));
    // The delegate kinds apply to it, and to no other address. Its delegate has no code, which does nothing.
    for (kind, status) in [
        ("delegate-single-caller", "read"),
        ("delegate-unbounded-outflow", "read"),
        ("delegate-authorizations", "not-read"),
    ] {
        let finding = only(&made.report, &format!("address.{kind}"));
        assert_eq!(
            (&finding["entity"]["role"], &finding["status"]),
            (&json!("spender"), &json!(status))
        );
        if status == "read" {
            assert_eq!(finding["value"], false, "{kind}");
        }
    }
}

fn digest(request: &Value) -> Value {
    let run = presight_with_input(["digest", "-", "--json"], request.to_string().as_bytes());
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.json()["subjectDigest"].clone()
}

#[test]
fn tuples_are_bound_in_their_order() {
    let key = B256::repeat_byte(0x33);
    let (first, second) = (
        authorization(&key, DELEGATE, 0),
        authorization(&key, OLD_DELEGATE, 1),
    );
    let with = |list: Value| {
        let mut document = request(&approve(U256::ONE));
        document["subject"]["authorizationList"] = list;
        document
    };
    let given = with(json!([first, second]));
    let swapped = with(json!([second, first]));
    let mut other = given.clone();
    other["subject"]["authorizationList"][0]["address"] = json!(OLD_DELEGATE);
    assert_ne!(digest(&given), digest(&swapped));
    assert_ne!(digest(&given), digest(&other));
    let view_file = view(&json!({ TOKEN: token() }));
    let made = report(&given, &view_file);
    for foreign in [&swapped, &other, &request(&approve(U256::ONE))] {
        let foreign = made.folder.write("foreign.json", foreign.to_string());
        let run = presight([
            "verify",
            &arg(&made.folder.path("report.json")),
            "--request",
            &arg(&foreign),
            "--view",
            &arg(&made.folder.path("view.json")),
            "--json",
        ]);
        assert_eq!((run.code, &run.json()["conclusion"]), (20, &json!("rejected")));
        let failed = run.json()["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .any(|s| s["step"] == "subject-digest" && s["status"] == "fail");
        assert!(failed, "{}", run.text());
    }
}

#[test]
fn the_signer_is_pointed_at_a_new_delegate() {
    let key = B256::repeat_byte(0x44);
    let signer =
        Address::from_private_key(&k256::ecdsa::SigningKey::from_slice(key.as_slice()).expect("a key"));
    let signer = format!("{signer:#x}");
    let mut document = request(&approve(U256::ONE));
    document["subject"]["from"] = json!(format!("eip155:31337:{signer}"));
    // The sender's nonce is raised before the list: a tuple of the sender is valid with the next one (I-27).
    document["subject"]["authorizationList"] = json!([
        authorization(&key, DELEGATE, 7),
        authorization(&key, DELEGATE, 8),
        authorization(&key, OLD_DELEGATE, 12)
    ]);
    let account =
        json!({ "code": format!("0xef0100{}", &OLD_DELEGATE[2..]), "nonce": "0x7", "balance": "0x0" });
    let made = report(
        &document,
        &view(&json!({ TOKEN: token(), signer.clone(): account })),
    );
    let delegation = only(&made.report, "address.delegation");
    assert_eq!(
        delegation["entity"],
        json!({ "address": format!("eip155:31337:{signer}"), "role": "authority" })
    );
    assert_eq!(
        delegation["value"],
        json!({ "before": OLD_DELEGATE, "after": DELEGATE })
    );
    let note = delegation["note"].as_str().expect("a note");
    for words in ["tuple 0 skipped", "tuple 1 applied", "tuple 2 skipped"] {
        assert!(note.contains(words), "{note}");
    }
    let code = findings(&made.report, "address.code")
        .into_iter()
        .find(|f| f["entity"]["role"] == "authority")
        .expect("listed");
    assert_eq!(code["value"], "delegated");
    assert_eq!(
        only(&made.report, "address.delegate-single-caller")["entity"]["role"],
        "authority"
    );
    // Under rules without EIP-7702 the list cannot be applied: never the code at the block.
    let london = view(&json!({ TOKEN: token() })).replace("prague", "london");
    let made = report(&document, &london);
    for kind in [
        "address.delegation",
        "address.delegate-single-caller",
        "address.delegate-unbounded-outflow",
    ] {
        let finding = only(&made.report, kind);
        assert_eq!(
            (&finding["status"], &finding["reason"]),
            (&json!("not-read"), &json!("unsupported")),
            "{kind}"
        );
    }
}

#[test]
fn a_name_with_an_instruction_is_read_as_data() {
    let made = report(
        &request(&approve(U256::ONE)),
        &view(&json!({ TOKEN: { "code": runtime("InstructionName") } })),
    );
    let about_name: Vec<_> = made.report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|f| f["entity"]["text"] == 0)
        .collect();
    let value = |kind: &str| {
        let kind = format!("erc.presign.text.{kind}");
        about_name
            .iter()
            .find(|f| f["kind"] == kind)
            .unwrap_or_else(|| panic!("no {kind}"))["value"]
            .clone()
    };
    assert_eq!(value("control-chars"), 1);
    let addresses = value("addresses");
    assert_eq!(addresses.as_array().expect("a list").len(), 1);
    assert!(addresses[0].as_str().expect("text").starts_with("0x"));
    assert!(
        !made.report.to_string().contains('\u{202e}'),
        "the text itself is in the report"
    );
    for finding in about_name.iter().filter(|f| f["status"] == "read") {
        assert_eq!(finding["at"]["block"], "100");
    }
}

#[test]
fn one_byte_of_calldata_changes_the_digest_and_reports_in_risk_do_not() {
    assert_ne!(
        digest(&request(&approve(U256::from(1u8)))),
        digest(&request(&approve(U256::from(2u8))))
    );
    let bytes = std::fs::read(root().join("crates/cli/tests/data/envelope-request.json")).expect("reads");
    let mut enveloped: Value = serde_json::from_slice(&bytes).expect("JSON");
    let before = digest(&enveloped);
    enveloped["subject"]["envelope"]["risk"] =
        json!({ "action": "WARN", "warnings": [], "reports": [{ "version": "erc-presign/1" }] });
    assert_eq!(digest(&enveloped), before);
    enveloped["subject"]["envelope"]["producer"]["signature"] =
        json!({ "scheme": "secp256k1", "signature": "0x00", "coverage": "envelope" });
    assert_eq!(digest(&enveloped), before);
    enveloped["subject"]["envelope"]["id"] = json!("another");
    assert_ne!(digest(&enveloped), before);
}

#[test]
fn a_foreign_signer_and_forbidden_members_make_a_report_absent() {
    let folder = Folder::new();
    let example = |name: &str| arg(&root().join("examples/approve").join(name));
    let source: Value =
        serde_json::from_slice(&std::fs::read(example("source.json")).expect("reads")).expect("JSON");
    let identity = [
        "--registry",
        source["registry"].as_str().expect("text"),
        "--agent-id",
        source["agentId"].as_str().expect("text"),
    ];
    let verify = |report: &str| {
        presight([
            "verify",
            report,
            "--request",
            &example("request.json"),
            "--view",
            &example("view.json"),
            "--json",
        ])
    };
    // Signed well, by an account that the identity does not name.
    let key = arg(&folder.write("key", format!("0x{}", "77".repeat(32))));
    let mut arguments = vec!["report", "--key-file", &key];
    let (request, view) = (example("request.json"), example("view.json"));
    arguments.extend([request.as_str(), "--view", view.as_str()]);
    arguments.extend(identity);
    let run = presight(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let foreign = verify(&arg(&folder.write("foreign.json", &run.stdout)));
    assert_eq!(
        (foreign.code, &foreign.json()["conclusion"]),
        (20, &json!("rejected"))
    );
    let failed: Vec<_> = foreign.json()["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter(|s| s["status"] == "fail")
        .map(|s| s["step"].clone())
        .collect();
    assert_eq!(failed, [json!("identity")]);

    for member in ["score", "verdict", "severity", "action", "recommendation"] {
        for pointer in ["", "/findings/0", "/entities", "/source"] {
            let mut report = run.json();
            report.pointer_mut(pointer).expect("a place")[member] = json!("LOW");
            let rejected = verify(&arg(&folder.write("forbidden.json", report.to_string())));
            assert_eq!(rejected.code, 20, "{member} at `{pointer}`");
            let structure = rejected.json()["steps"]
                .as_array()
                .expect("steps")
                .iter()
                .any(|s| s["step"] == "structure" && s["status"] == "fail");
            assert!(structure, "{member} at `{pointer}`: {}", rejected.text());
        }
    }
}

/// The view with a history on its one chain.
fn with_history(view: &str, history: Value) -> String {
    let mut view: Value = serde_json::from_str(view).expect("JSON");
    view["chains"][0]["history"] = history;
    view.to_string()
}

fn transfer(block: u64, kind: &str, from: &str, to: &str) -> Value {
    json!({ "block": format!("{block:#x}"), "tx": format!("{block:#066x}"), "kind": kind, "from": from, "to": to, "value": "0x1" })
}

#[test]
fn a_spender_whose_first_transaction_is_before_the_history_is_incomplete() {
    let seen = json!([transfer(0x50, "tx", SPENDER, TOKEN)]);
    let state = view(&json!({ TOKEN: token() }));
    let reaching = |from: &str| {
        with_history(
            &state,
            json!({ "complete": true, "fromBlock": from, "transfers": seen }),
        )
    };
    let first_seen = |view: &str| {
        let made = report(&request(&approve(U256::ONE)), view);
        findings(&made.report, "address.first-seen-block")
            .into_iter()
            .find(|f| f["entity"]["role"] == "spender")
            .expect("listed")
            .clone()
    };
    let cut = first_seen(&reaching("0x40"));
    assert_eq!(
        (&cut["status"], &cut["reason"]),
        (&json!("not-read"), &json!("incomplete"))
    );
    assert_eq!(cut.get("value"), None);
    assert_eq!(first_seen(&reaching("0x0"))["value"], json!("80"));
}

#[test]
fn a_recipient_like_one_that_was_paid_before_and_one_that_was_paid_before() {
    let paid = "0xabcd00000000000000000000000000000000ef01";
    let twin = "0xabcd11111111111111111111111111111111ef01";
    let history =
        json!({ "complete": true, "fromBlock": "0x0", "transfers": [transfer(0x50, "tx", SIGNER, paid)] });
    let state = with_history(&view(&json!({ SIGNER: { "balance": "0xffff" } })), history);
    let about = |to: &str, kind: &str| {
        let made = report(
            &request(&json!([{ "to": to, "value": "1", "data": "0x" }])),
            &state,
        );
        findings(&made.report, kind)
            .into_iter()
            .find(|f| f["entity"]["role"] == "recipient")
            .expect("listed")
            .clone()
    };
    let alike = about(twin, "address.lookalike");
    assert_eq!(
        (&alike["value"], &alike["param"]),
        (&json!([paid]), &json!({ "prefix": 4, "suffix": 4 }))
    );
    assert_eq!(about(twin, "address.prior-transfers")["value"], json!("0"));
    assert_eq!(about(paid, "address.lookalike")["value"], json!([]));
    assert_eq!(about(paid, "address.prior-transfers")["value"], json!("1"));
}

/// Block 26300753 of Ethereum had one transaction with 50 authorizations for this delegate, all of one account. The
/// delegate's code is that of a test contract with one hard-coded caller.
#[test]
fn fifty_authorizations_of_one_account_with_one_sender() {
    const SEEN_DELEGATE: &str = "0x63e842b054bd624a465454d533c33f573e9c6fae";
    const TX: &str = "0xad99264d5532ae0dd04b2004eebda05f25657e70dacb764f7ac8d4ccd051298b";
    let vectors = std::fs::read(root().join("crates/delegate/tests/data/vectors.json")).expect("reads");
    let vectors: Value = serde_json::from_slice(&vectors).expect("JSON");
    let code = vectors["vectors"]
        .as_array()
        .and_then(|all| all.iter().find(|vector| vector["id"] == "V3"))
        .map(|vector| vector["bytecode"].clone())
        .expect("a delegate with one caller");
    let caller = vectors["world"]["addresses"]["K1"]["address"].clone();
    let authorization = json!({ "block": "0x1915151", "tx": TX, "sender": caller, "authority": SPENDER, "delegate": SEEN_DELEGATE });
    let state = json!({
        "format": "presight-view/1",
        "clock": "2026-11-30T12:00:00Z",
        "chains": [{
            "chainId": "eip155:1", "spec": "prague", "complete": true,
            "block": { "number": "0x1915152", "hash": B256::repeat_byte(0x64), "timestamp": "0x6b000000" },
            "accounts": {
                SPENDER: { "code": format!("0xef0100{}", &SEEN_DELEGATE[2..]), "nonce": "0x33" },
                SEEN_DELEGATE: { "code": code, "nonce": "0x1" },
            },
            "history": { "complete": true, "fromBlock": "0x1915151", "authorizations": vec![authorization; 50] },
        }],
    });
    let mut asked = request(&json!([{ "to": SPENDER, "value": "0", "data": "0x" }]));
    asked["subject"]["chainId"] = json!("eip155:1");
    asked["subject"]["from"] = json!(format!("eip155:1:{SIGNER}"));
    let made = report_by(
        &asked,
        &state.to_string(),
        "[history]\nauthorization-blocks = 1\n",
    );
    let finding = only(&made.report, "address.delegate-authorizations");
    assert_eq!(
        finding["value"],
        json!({ "count": 50, "sameSender": 50, "distinctAuthorities": 1, "senderIsOnlyCaller": true })
    );
    assert_eq!(finding["param"], json!({ "blocks": 1 }));
    assert_eq!(
        finding["evidence"],
        json!([{ "type": "tx", "chainId": "eip155:1", "hash": TX }])
    );
}
