//! `presight check` and `presight policy`: verdicts, exit codes, JSON.

mod binary;
mod stage;

use alloy_dyn_abi::DynSolValue;
use alloy_primitives::{Address, U256};
use binary::{Folder, arg, presight, root};
use presight_testnode::FUNDED;
use serde_json::{Value, json};
use stage::{Stage, address, approve, call, request, request_call, uint};

fn example(name: &str) -> String {
    arg(&root().join("examples/approve").join(name))
}

fn check(policy: &str, more: &[&str]) -> binary::Run {
    let (request, view) = (example("request.json"), example("view.json"));
    let mut arguments = vec!["check", &request, "--view", &view, "--policy", policy];
    arguments.extend(more);
    presight(&arguments)
}

const HEAD: &str = "name = \"mine\"\nverdicts = [{ name = \"ok\", exit = \"clean\" }, { name = \"look\", exit = \"warn\" }, \
                    { name = \"open\", exit = \"not-evaluated\" }, { name = \"no\", exit = \"block\" }]\n\
                    unavailable = \"open\"\nseverities = { info = \"ok\", look = \"look\", no = \"no\" }\n\
                    [params.limit]\ntype = \"integer\"\ndefault = \"1000\"\nabout = \"base units\"\n";

/// A rule that is quiet in every case.
const NEVER: &str =
    "[[rules]]\ncode = \"r\"\nseverity = \"no\"\nsubject = \"request\"\nwhen = 'false'\nmessage = \"m\"\n";

/// A policy file with one rule about approvals.
fn policy(folder: &Folder, severity: &str, when: &str) -> String {
    let rule = format!(
        "[[rules]]\ncode = \"r\"\nseverity = \"{severity}\"\nsubject = \"approval\"\nwhen = '{when}'\n\
         message = \"to {{approval.spender}}\"\nwhy = \"because\"\n"
    );
    let path = folder.path("policy.toml");
    std::fs::write(&path, format!("{HEAD}{rule}")).expect("written");
    arg(&path)
}

#[test]
fn each_verdict_has_its_exit_code() {
    let folder = Folder::new();
    for (severity, when, code, word) in [
        ("no", "approval.unlimited", 20, "no"),
        ("look", "approval.unlimited", 10, "look"),
        ("info", "approval.unlimited", 0, "ok"),
        ("no", "!approval.unlimited", 0, "ok"),
        ("no", "spender.first_seen_block > 1", 30, "open"),
        // An error at run time is no verdict either.
        ("no", "approval.amount + 1 > 0", 30, "open"),
    ] {
        let run = check(&policy(&folder, severity, when), &["--json"]);
        assert_eq!(
            (run.code, &run.json()["verdict"]),
            (code, &json!(word)),
            "{when}: {}",
            run.text()
        );
    }
}

#[test]
fn the_verdict_names_policy_reasons_findings_and_what_was_not_read() {
    let folder = Folder::new();
    let (report, file) = (
        folder.path("report.json"),
        policy(&folder, "no", "approval.amount > params.limit"),
    );
    let run = check(&file, &["--json", "--report", &arg(&report)]);
    let verdict = run.json();
    let report: Value = serde_json::from_slice(&std::fs::read(&report).expect("the report")).expect("JSON");
    assert_eq!(verdict["policy"]["name"], "mine");
    assert_eq!(verdict["policy"]["hash"].as_str().map(str::len), Some(66));
    let reason = &verdict["reasons"][0];
    assert_eq!(
        (&reason["code"], &reason["severity"], &reason["subject"]),
        (&json!("r"), &json!("no"), &json!({ "approval": 0 }))
    );
    let finding = &report["findings"]
        [usize::try_from(reason["findings"][0].as_u64().expect("an index")).expect("small")];
    assert_eq!(finding["kind"], "erc.presign.approval.amount");
    let unread = report["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|f| f["status"] == "not-read")
        .count();
    assert_eq!(verdict["notRead"].as_array().map(Vec::len), Some(unread));
    // The same once more, byte for byte; with another parameter, another verdict that names it.
    assert_eq!(check(&file, &["--json"]).stdout, run.stdout);
    let most = "limit=115792089237316195423570985008687907853269984665640564039457584007913129639935";
    let run = check(&file, &["--json", "--param", most]);
    assert_eq!((run.code, &run.json()["verdict"]), (0, &json!("ok")));
    assert!(run.json()["policy"]["parameters"]["limit"].is_string());
}

#[test]
fn words_come_first_and_explain_prints_the_rule() {
    let run = check("traffic-light", &[]);
    let at = |words: &str| {
        run.text()
            .find(words)
            .unwrap_or_else(|| panic!("no `{words}` in {}", run.text()))
    };
    assert!(run.text().starts_with("traffic-light says "));
    assert!(at("What leaves") < at("What is granted") && at("What is granted") < at("What is unusual"));
    assert!(at("any amount of 0x9fE4") < at("until revoked"));
    assert!(at("unlimited-approval") < at("What could not be read"));
    let run = presight([
        "check",
        "--policy",
        "traffic-light",
        "--explain",
        "long-lived-permission",
    ]);
    assert_eq!(run.code, 0);
    for words in ["approval.expiry", "long_lived_days = 31", "Permit2"] {
        assert!(run.text().contains(words), "{words}: {}", run.text());
    }
    let run = presight(["check", "--explain", "nothing", "--json"]);
    assert_eq!(
        (run.code, &run.json()["error"]["code"]),
        (2, &json!("unknown-code"))
    );
}

#[test]
fn a_policy_that_does_not_load_says_where() {
    let folder = Folder::new();
    let run = check(&policy(&folder, "no", "approval.amuont > 1"), &["--json"]);
    assert_eq!(
        (run.code, &run.json()["error"]["code"]),
        (2, &json!("unknown-name"))
    );
    let message = run.json()["error"]["message"].to_string();
    assert!(message.contains("line 13, column 17"), "{message}");
    for (more, code) in [
        (["--param", "nothing=1"], "bad-parameter"),
        (["--param", "limit=-1"], "bad-parameter"),
    ] {
        let run = check(&policy(&folder, "no", "true"), &["--json", more[0], more[1]]);
        assert_eq!((run.code, &run.json()["error"]["code"]), (2, &json!(code)));
    }
    let run = check("no-such-policy", &["--json"]);
    assert_eq!(
        (run.code, &run.json()["error"]["code"]),
        (2, &json!("unknown-policy"))
    );
}

#[test]
fn presets_are_listed_shown_and_tested() {
    let listed = presight(["policy", "list", "--json"]).json();
    let names: Vec<&str> = listed["policies"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|p| p["name"].as_str())
        .collect();
    assert_eq!(names, ["traffic-light", "tiers", "erc8265", "strict"]);
    for name in names {
        let shown = presight(["policy", "show", name]).stdout;
        let file = std::fs::read_to_string(root().join(format!("policies/{name}.toml"))).expect("the file");
        assert_eq!(shown, file.as_bytes());
        assert_eq!(presight(["policy", "test", name]).code, 0, "{name}");
    }
    let folder = Folder::new();
    let path = folder.path("wrong.toml");
    let wrong = "[[cases]]\nname = \"c\"\nverdict = \"no\"\nreasons = []\n";
    std::fs::write(&path, format!("{HEAD}{NEVER}{wrong}")).expect("written");
    let run = presight(["policy", "test", &arg(&path)]);
    assert_eq!(run.code, 20);
    assert!(
        run.text().contains("FAILED  c: verdict `ok`, expected `no`"),
        "{}",
        run.text()
    );
    let path = folder.path("none.toml");
    std::fs::write(&path, format!("{HEAD}{NEVER}")).expect("written");
    let run = presight(["policy", "test", &arg(&path)]);
    assert_eq!(run.code, 10, "no cases: nothing was tested");
    std::fs::write(&path, HEAD).expect("written");
    let run = presight(["policy", "test", &arg(&path)]);
    assert_eq!(run.code, 2, "a policy without rules");
}

#[test]
fn several_policies_and_folders_of_them_are_tested_at_once() {
    let folder = arg(&root().join("policies"));
    let examples = arg(&root().join("examples/policies"));
    let run = presight(["policy", "test", &folder, &examples, "tiers"]);
    assert_eq!(run.code, 0, "{}", run.text());
    assert_eq!(
        run.text().matches(" cases, 0 failed").count(),
        10,
        "{}",
        run.text()
    );
    let json = presight(["policy", "test", &folder, "--json"]).json();
    assert_eq!(json["policies"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["passes"], true);
    let empty = Folder::new();
    std::fs::write(empty.path("notes.txt"), "none").expect("written");
    let here = arg(empty.path("notes.txt").parent().expect("a folder"));
    assert_eq!(presight(["policy", "test", &here]).code, 2);
    std::fs::write(empty.path("a.toml"), format!("{HEAD}{NEVER}")).expect("written");
    assert_eq!(presight(["policy", "test", "tiers", &here]).code, 10);
}

const SPENDER: &str = "0x00000000000000000000000000000000005be4de";

/// What the words of `check` say of these calls.
fn words_of(stage: &Stage, calls: &[Value]) -> String {
    let folder = Folder::new();
    let file = arg(&folder.write("request.json", request(calls).to_string()));
    let mut arguments = vec!["check".to_owned(), file, "--unsigned".to_owned()];
    arguments.extend(stage.rpc());
    let run = presight(&arguments);
    assert!([0, 10, 20, 30].contains(&run.code), "{}", run.stderr);
    run.text().to_owned()
}

fn part<'a>(words: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = words.split_once(from).expect(from);
    rest.split_once(to).expect(to).0
}

fn checksum(address: &str) -> String {
    address.parse::<Address>().expect("an address").to_checksum(None)
}

/// A token of the signer's whose `transfer` and events may be trusted.
fn loose_token(stage: &Stage, quiet: bool) -> String {
    let holder = address(FUNDED[0]);
    stage.deploy(
        "LooseToken",
        &[DynSolValue::Bool(quiet), holder, uint(U256::from(1_000))],
    )
}

#[test]
fn what_leaves_by_no_byte_of_the_request_stands_in_the_words() {
    let Some(stage) = Stage::set() else { return };
    for quiet in [false, true] {
        let (token, taker) = (loose_token(&stage, quiet), stage.deploy("Taker", &[]));
        let take = call("take(address,uint256)", &[address(&token), uint(U256::from(77))]);
        let calls = [
            request_call(&token, &approve(&taker, U256::from(77))),
            request_call(&taker, &take),
        ];
        let words = words_of(&stage, &calls);
        let leaves = part(&words, "What leaves", "What is granted");
        assert!(leaves.contains("when the calls are run (success):"), "{words}");
        let whither = if quiet {
            ", and the events do not tell to whom".to_owned()
        } else {
            format!(" to {}", checksum(&taker))
        };
        let line = format!("77 base units of {}{whither}", checksum(&token));
        assert!(leaves.contains(&line), "no `{line}`: {words}");
        assert!(!leaves.contains("by the request's bytes:"), "{words}");
        // Without an event nothing tells what became of an allowance that is used up.
        assert!(
            quiet || part(&words, "What is granted", "What is unusual").contains("[the calls leave 0]"),
            "{words}"
        );
    }
}

#[test]
fn a_transfer_of_the_bytes_that_does_not_happen_is_said_not_to() {
    let Some(stage) = Stage::set() else { return };
    let (lying, honest) = (stage.deploy("LyingToken", &[]), loose_token(&stage, false));
    let transfer = |amount: u64| {
        call(
            "transfer(address,uint256)",
            &[address(SPENDER), uint(U256::from(amount))],
        )
    };
    let line = |token: &str, amount: u64| {
        format!(
            "{amount} base units of {} to {}",
            checksum(token),
            checksum(SPENDER)
        )
    };
    let not = " [does not happen when the calls are run]\n";

    let words = words_of(&stage, &[request_call(&lying, &transfer(5))]);
    let leaves = part(&words, "What leaves", "What is granted");
    assert!(leaves.contains(&format!("{}{not}", line(&lying, 5))), "{words}");
    assert!(
        leaves.contains(&format!("{} [claimed, not observed]", line(&lying, 5))),
        "{words}"
    );

    let words = words_of(&stage, &[request_call(&honest, &transfer(5))]);
    let leaves = part(&words, "What leaves", "What is granted");
    assert_eq!(
        leaves.matches(&format!("{}\n", line(&honest, 5))).count(),
        2,
        "{words}"
    );

    // It happens, and silently: not said not to.
    let quiet = loose_token(&stage, true);
    let words = words_of(&stage, &[request_call(&quiet, &transfer(5))]);
    let leaves = part(&words, "What leaves", "What is granted");
    assert!(!leaves.contains("does not happen"), "{words}");
    assert!(
        leaves.contains("[no event tells of it when the calls are run]"),
        "{words}"
    );
    assert!(leaves.contains("and the events do not tell to whom"), "{words}");

    // More than there is: the call reverts.
    let words = words_of(&stage, &[request_call(&honest, &transfer(5_000))]);
    let leaves = part(&words, "What leaves", "What is granted");
    assert!(leaves.contains("when the calls are run (revert):"), "{words}");
    assert!(leaves.contains("nothing leaves"), "{words}");
    assert!(
        leaves.contains(&format!("{}{not}", line(&honest, 5_000))),
        "{words}"
    );
}

#[test]
fn an_approval_that_no_byte_shows_stands_in_the_words() {
    let Some(stage) = Stage::set() else { return };
    let (token, router) = (loose_token(&stage, true), stage.deploy("Router", &[]));
    let swap = call("swap(address,address)", &[address(&token), address(SPENDER)]);
    let words = words_of(&stage, &[request_call(&router, &swap)]);
    let granted = part(&words, "What is granted", "What is unusual");
    let line = format!("to {}, which no byte of the request shows", checksum(SPENDER));
    assert!(granted.contains(&line), "{words}");
}
