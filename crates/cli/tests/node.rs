//! Against a real node: the report over JSON-RPC equals the report from its own witness, byte for byte.

mod binary;
mod stage;

use alloy_primitives::U256;
use binary::{Folder, Run, arg, presight};
use serde_json::{Value, json};
use stage::{KEY, Stage, address, approve, call, request, request_call, text, uint};

const SPENDER: &str = "0x00000000000000000000000000000000005be4de";

/// `presight report` over the node, and its witness.
fn report(stage: &Stage, folder: &Folder, request: &Value, more: &[&str]) -> Run {
    let request = folder.write("request.json", request.to_string());
    let key = folder.write("key", KEY);
    let mut arguments = vec![
        "report".to_owned(),
        arg(&request),
        "--key-file".to_owned(),
        arg(&key),
    ];
    arguments.extend(stage.rpc());
    arguments.extend(stage.identity());
    arguments.extend(["--witness".to_owned(), arg(&folder.path("witness.json.zst"))]);
    arguments.extend(more.iter().map(|s| (*s).to_owned()));
    let run = presight(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    std::fs::write(folder.path("report.json"), &run.stdout).expect("writes");
    run
}

/// The same report from the witness, without the node.
fn from_witness(stage: &Stage, folder: &Folder) -> Run {
    let mut arguments = vec!["report".to_owned(), arg(&folder.path("request.json"))];
    arguments.extend(["--view".to_owned(), arg(&folder.path("witness.json.zst"))]);
    arguments.extend(["--key-file".to_owned(), arg(&folder.path("key"))]);
    arguments.extend(stage.identity());
    presight(&arguments)
}

fn replay(folder: &Folder) -> Run {
    let [report, request, witness] =
        ["report.json", "request.json", "witness.json.zst"].map(|name| arg(&folder.path(name)));
    presight([
        "replay",
        &report,
        "--request",
        &request,
        "--witness",
        &witness,
        "--json",
    ])
}

/// Every finding of a kind, as status and value or reason.
fn facts<'a>(report: &'a Value, kind: &str) -> Vec<&'a Value> {
    let findings = report["findings"].as_array().expect("findings");
    let member = |f: &'a Value| {
        if f["status"] == "read" {
            &f["value"]
        } else {
            &f["reason"]
        }
    };
    findings
        .iter()
        .filter(|f| f["kind"] == kind)
        .map(member)
        .collect()
}

/// Reports, reports again from the witness, and replays: all the same.
fn report_both_ways(stage: &Stage, request: &Value, more: &[&str]) -> Value {
    let folder = Folder::new();
    let live = report(stage, &folder, request, more);
    let recorded = from_witness(stage, &folder);
    assert_eq!(recorded.text(), live.text(), "the witness gives another report");
    let replayed = replay(&folder);
    assert_eq!(replayed.code, 0, "{}", replayed.text());
    assert_eq!(replayed.json()["conclusion"], "same");
    let proofs = if more.contains(&"--prove") {
        "valid"
    } else {
        "absent"
    };
    assert_eq!(replayed.json()["proofs"], proofs);
    live.json()
}

#[test]
fn a_real_token_both_ways() {
    let Some(stage) = Stage::set() else { return };
    let token = stage.token("Example Dollar", "EXD", 6, U256::from(1_000_000_000u64));
    stage
        .node
        .call_in_transaction(&token, &approve(SPENDER, U256::from(7u8)))
        .expect("an earlier approval");
    let calls = [request_call(
        &token,
        &approve(SPENDER, U256::from(250_000_000u64)),
    )];
    for more in [&[][..], &["--prove"][..]] {
        let report = report_both_ways(&stage, &request(&calls), more);
        assert_eq!(
            facts(&report, "erc.presign.approval.amount"),
            [&json!("250000000")]
        );
        assert_eq!(facts(&report, "erc.presign.approval.unlimited"), [&json!(false)]);
        assert_eq!(
            facts(&report, "erc.presign.approval.share-of-supply"),
            [&json!(2500)]
        );
        assert_eq!(
            facts(&report, "erc.presign.approval.current-allowance"),
            [&json!("7")]
        );
        assert_eq!(facts(&report, "erc.presign.approval.expiry"), [&json!("none")]);
        assert_eq!(
            facts(&report, "erc.presign.address.code"),
            [&json!("contract"), &json!("none"), &json!("contract")]
        );
        assert_eq!(report["entities"]["texts"][0]["field"], "token.name");
    }
}

#[test]
fn a_report_over_the_node_verifies_over_the_node_until_the_identity_changes() {
    let Some(stage) = Stage::set() else { return };
    let token = stage.token("Example Dollar", "EXD", 6, U256::from(10u8));
    let folder = Folder::new();
    report(
        &stage,
        &folder,
        &request(&[request_call(&token, &approve(SPENDER, U256::MAX))]),
        &[],
    );
    let verify = |more: &[&str]| {
        let mut arguments = vec![
            "verify".to_owned(),
            arg(&folder.path("report.json")),
            "--json".to_owned(),
        ];
        arguments.extend(["--request".to_owned(), arg(&folder.path("request.json"))]);
        arguments.extend(more.iter().map(|s| (*s).to_owned()));
        if !more.contains(&"--offline") {
            arguments.extend(stage.rpc());
        }
        presight(&arguments)
    };
    let step = |run: &Run, name: &str| {
        let verification = run.json();
        let steps = verification["steps"].as_array().expect("steps");
        steps
            .iter()
            .find(|s| s["step"] == name)
            .unwrap_or_else(|| panic!("no step {name}"))["status"]
            .clone()
    };

    let fresh = verify(&[]);
    assert_eq!(
        (fresh.code, &fresh.json()["conclusion"]),
        (0, &json!("verified")),
        "{}",
        fresh.text()
    );
    let offline = verify(&["--offline"]);
    assert_eq!(
        (offline.code, &offline.json()["conclusion"]),
        (30, &json!("not-verifiable"))
    );
    assert_eq!(step(&offline, "signature"), "not-read");
    assert_eq!(step(&offline, "subject-digest"), "pass");

    let trusted = format!("eip155:31337:{}/{}", stage.registry, stage.agent_id);
    assert_eq!(verify(&["--trust", &trusted]).code, 0);
    let other = verify(&[
        "--trust",
        &format!("eip155:31337:{}/{}", stage.registry, stage.agent_id + 1),
    ]);
    assert_eq!((other.code, step(&other, "trust")), (20, json!("fail")));

    stage.node.mine(5).expect("blocks");
    assert_eq!(verify(&["--max-age-blocks", "5"]).code, 0);
    let stale = verify(&["--max-age-blocks", "4"]);
    assert_eq!((stale.code, step(&stale, "freshness")), (20, json!("fail")));

    // The view's block is of the stage's own time, the clock is the machine's.
    let old = verify(&["--max-age-seconds", "1"]);
    assert_eq!(old.code, 20, "{}", old.text());

    stage.node.reorg(7).expect("a reorganisation");
    let reorganised = verify(&[]);
    assert_eq!(
        (reorganised.code, step(&reorganised, "canonical-hash")),
        (20, json!("fail"))
    );
}

#[test]
fn removing_the_key_from_the_registration_file_revokes_it() {
    let Some(stage) = Stage::set() else { return };
    let token = stage.token("Example Dollar", "EXD", 6, U256::from(10u8));
    let folder = Folder::new();
    report(
        &stage,
        &folder,
        &request(&[request_call(&token, &approve(SPENDER, U256::MAX))]),
        &[],
    );
    let file = r#"data:application/json,{"services":[{"name":"presign-risk-report","signers":[]}]}"#;
    let set = call(
        "setAgentURI(uint256,string)",
        &[uint(U256::from(stage.agent_id)), text(file)],
    );
    stage
        .node
        .call_in_transaction(&stage.registry, &set)
        .expect("the file is replaced");
    let mut arguments = vec![
        "verify".to_owned(),
        arg(&folder.path("report.json")),
        "--json".to_owned(),
    ];
    arguments.extend(["--request".to_owned(), arg(&folder.path("request.json"))]);
    arguments.extend(stage.rpc());
    let run = presight(&arguments);
    assert_eq!(run.code, 20, "{}", run.text());
    let steps = run.json()["steps"].clone();
    let failed: Vec<_> = steps
        .as_array()
        .expect("steps")
        .iter()
        .filter(|s| s["status"] == "fail")
        .collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["step"], "identity");
}

/// A test contract, whether its name can be read, and why the share of its supply cannot; `any` leaves it open.
type Odd = (&'static str, &'static str, &'static str);

#[test]
fn odd_tokens_both_ways() {
    let Some(stage) = Stage::set() else { return };
    let inner = stage.token("Inner", "INN", 18, U256::from(1_000u64));
    let names = "token.name";
    let odd: &[Odd] = &[
        ("Bytes32Names", "read", "unavailable"),
        ("Reverting", "not read", "unavailable"),
        ("Silent", "not read", "unavailable"),
        ("ShortAnswers", "not read", "unavailable"),
        ("HugeName", "any", "any"),
        ("InstructionName", "read", "any"),
        ("InvalidUtf8Name", "not read", "any"),
        ("BadStringName", "not read", "any"),
        ("AnswersTwo", "any", "any"),
        ("GasBurner", "not read", "unavailable"),
        ("Invalid", "not read", "unavailable"),
        ("GasLeftTrap", "any", "any"),
        ("BaseFeeTrap", "any", "any"),
        ("CoinbaseTrap", "any", "any"),
        ("PrevRandaoTrap", "any", "any"),
        ("SelfBalanceTrap", "any", "any"),
        ("CreateTrap", "any", "any"),
        ("SelfDestructTrap", "any", "any"),
    ];
    let mut seen = 0;
    for (contract, name, share) in odd {
        let token = stage.deploy(contract, &[]);
        let calls = [request_call(&token, &approve(SPENDER, U256::from(10u8)))];
        for more in [&[][..], &["--prove"][..]] {
            let report = report_both_ways(&stage, &request(&calls), more);
            let texts = report["entities"]["texts"].as_array().expect("texts");
            assert_eq!(
                texts.len(),
                2,
                "{contract}: a name that was not read is listed all the same (I-33)"
            );
            assert_eq!(texts[0]["field"], names);
            let unread = texts[0]["digest"] == format!("0x{}", "0".repeat(64));
            match *name {
                "read" => assert!(!unread, "{contract}: the name is not read"),
                "not read" => assert!(unread, "{contract}: the name is read"),
                _ => {}
            }
            let found = facts(&report, "erc.presign.approval.share-of-supply");
            match *share {
                "any" => assert_eq!(found.len(), 1, "{contract}"),
                reason => assert_eq!(found, [&json!(reason)], "{contract}"),
            }
            seen += 1;
        }
    }
    let trap = stage.deploy("BlockHashTrap", &[uint(U256::from(1u8))]);
    let calls = [request_call(&trap, &approve(SPENDER, U256::from(10u8)))];
    let report = report_both_ways(&stage, &request(&calls), &[]);
    assert_eq!(facts(&report, "erc.presign.approval.share-of-supply").len(), 1);
    for (proxy, target) in [
        ("Eip1967Proxy", &inner),
        ("BeaconProxy", &stage.deploy("Beacon", &[address(&inner)])),
    ] {
        let token = stage.deploy(proxy, &[address(target)]);
        let calls = [request_call(&token, &approve(SPENDER, U256::from(10u8)))];
        let report = report_both_ways(&stage, &request(&calls), &["--prove"]);
        // The proxy's own storage is empty: its supply is zero, and 10 units of nothing are all of it (I-24).
        assert_eq!(
            facts(&report, "erc.presign.approval.share-of-supply"),
            [&json!(10_000)],
            "{proxy}"
        );
        assert_eq!(
            facts(&report, "erc.presign.approval.current-allowance"),
            [&json!("0")],
            "{proxy}"
        );
        seen += 1;
    }
    println!("{seen} reports of odd tokens, each the same over the node and from its witness");
}

#[test]
fn an_nft_is_approved_by_item_not_amount() {
    let Some(stage) = Stage::set() else { return };
    let nft = stage.deploy("Nft", &[]);
    for item in [U256::from(1u8), U256::MAX] {
        let report = report_both_ways(
            &stage,
            &request(&[request_call(&nft, &approve(SPENDER, item))]),
            &[],
        );
        for kind in ["amount", "share-of-supply", "current-allowance"] {
            assert_eq!(
                facts(&report, &format!("erc.presign.approval.{kind}")),
                [&json!("unsupported")],
                "{kind}"
            );
        }
        assert_eq!(facts(&report, "erc.presign.approval.unlimited"), [&json!(false)]);
        assert_eq!(report["entities"]["approvals"][0]["form"], "erc20-approve");
        let items = facts(&report, "presight.approval.item");
        assert_eq!(items.len(), 1);
    }
}

#[test]
fn a_dead_node_gives_a_report_that_says_so() {
    let Some(stage) = Stage::set() else { return };
    let token = stage.token("Example Dollar", "EXD", 6, U256::from(10u8));
    let url = stage.node.url();
    let identity = stage.identity();
    drop(stage);
    let folder = Folder::new();
    let document = request(&[request_call(&token, &approve(SPENDER, U256::MAX))]);
    let request = folder.write("request.json", document.to_string());
    let key = folder.write("key", KEY);
    let mut arguments = vec![
        "report".to_owned(),
        arg(&request),
        "--key-file".to_owned(),
        arg(&key),
    ];
    arguments.extend([
        "--rpc".to_owned(),
        format!("31337={url}"),
        "--deadline".to_owned(),
        "3".to_owned(),
    ]);
    arguments.extend(identity);
    let run = presight(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report = run.json();
    assert_eq!(report["blocks"], json!([]));
    for kind in [
        "approval.amount",
        "approval.unlimited",
        "approval.share-of-supply",
        "address.code",
    ] {
        for fact in facts(&report, &format!("erc.presign.{kind}")) {
            assert!(*fact == "unavailable" || *fact == "timeout", "{kind}: {fact}");
        }
    }
}
