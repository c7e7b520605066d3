//! `presight anchor` and the anchors themselves, on a node.

mod binary;
mod stage;

use alloy_dyn_abi::DynSolValue;
use alloy_primitives::{Address, B256, U256, hex, keccak256};
use binary::{Folder, Run, arg, presight, root};
use presight_exec::reads::{self, AnchoredAt};
use presight_testnode::FUNDED;
use presight_view::drive;
use presight_view::rpc::{ChainSettings, Http, RetrySettings, Retrying, Rpc};
use presight_wire::{ChainId, Timestamp};
use serde_json::{Value, json};
use stage::{KEY, SIGNER, Stage, approve, call, request, request_call, text};
use std::time::Duration;

const SUBJECT: B256 = B256::repeat_byte(0x51);
const REPORT: B256 = B256::repeat_byte(0x4e);

/// A stage with a signed report in a folder.
fn with_report() -> Option<(Stage, Folder)> {
    let stage = Stage::set()?;
    let folder = Folder::new();
    let token = stage.token("Example Dollar", "EXD", 6, U256::from(1_000u64));
    let asked = request(&[request_call(&token, &approve(SIGNER, U256::MAX))]);
    let asked = arg(&folder.write("request.json", asked.to_string()));
    let key = arg(&folder.write("key", KEY));
    let mut arguments = vec!["report".to_owned(), asked, "--key-file".to_owned(), key];
    arguments.extend(stage.rpc());
    arguments.extend(stage.identity());
    let run = presight(&arguments);
    assert_eq!(run.code, 0, "{}", run.stderr);
    folder.write("report.json", &run.stdout);
    Some((stage, folder))
}

fn anchor(stage: &Stage, folder: &Folder, more: &[&str]) -> Run {
    let [report, key] = ["report.json", "key"].map(|name| arg(&folder.path(name)));
    let mut arguments = vec!["anchor".to_owned(), report, "--json".to_owned()];
    arguments.extend(stage.rpc());
    if !more.contains(&"--key-file") {
        arguments.extend(["--key-file".to_owned(), key]);
    }
    arguments.extend(more.iter().map(|text| (*text).to_owned()));
    presight(&arguments)
}

/// What our own reading of the anchor gives.
fn read(stage: &Stage, contract: Address, source: Address, report: B256) -> Option<AnchoredAt> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let http = Http::new(&stage.node.url(), Duration::from_secs(10)).expect("a URL");
    let chain = ChainId::evm(31_337);
    let transport = Retrying::new(http, RetrySettings::default());
    let mut rpc = Rpc::new().with_chain(chain.clone(), transport, ChainSettings::default());
    let driven = runtime.block_on(drive::run(
        &mut rpc,
        Timestamp(1_795_000_100),
        Duration::from_secs(20),
        |view| reads::anchored_at(view, &chain, contract, source, report),
    ));
    let recorded = *driven.value.expect("the anchor answers").value();
    (recorded.timestamp != 0).then_some(recorded)
}

fn parsed<T: std::str::FromStr>(value: &Value) -> T
where
    T::Err: std::fmt::Debug,
{
    value.as_str().expect("text").parse().expect("a value")
}

#[test]
fn a_report_is_anchored_once_for_good() {
    let Some((stage, folder)) = with_report() else {
        return;
    };
    let refused = anchor(&stage, &folder, &[]);
    assert_eq!(
        (refused.code, &refused.json()["error"]["code"]),
        (2, &json!("no-anchor"))
    );
    let shown = anchor(&stage, &folder, &["--deploy", "--dry-run"]);
    assert_eq!((shown.code, &shown.json()["status"]), (0, &json!("not-sent")));
    assert!(shown.stderr.contains("wei"), "{}", shown.stderr);

    let first = anchor(&stage, &folder, &["--deploy", "--uri", "ipfs://one"]);
    assert_eq!(first.code, 0, "{} {}", first.text(), first.stderr);
    let told = first.json();
    assert_eq!(
        (&told["status"], &told["source"]),
        (&json!("anchored"), &json!(SIGNER))
    );
    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.path("report.json")).expect("reads")).expect("JSON");
    assert_eq!(told["subjectDigest"], report["subjectDigest"]);
    let (contract, hash): (Address, B256) = (parsed(&told["contract"]), parsed(&told["reportHash"]));

    let log = &told["receipt"]["logs"][0];
    let event = keccak256("ReportAnchored(address,bytes32,bytes32,string)");
    let source: Address = SIGNER.parse().expect("an address");
    let topics = [event, source.into_word(), parsed(&report["subjectDigest"]), hash];
    assert_eq!(log["topics"], json!(topics));
    let uri = DynSolValue::Tuple(vec![text("ipfs://one")]).abi_encode_params();
    assert_eq!(log["data"], hex::encode_prefixed(uri));

    let recorded = read(&stage, contract, source, hash).expect("it is recorded");
    assert_eq!(told["anchoredAt"]["timestamp"], recorded.timestamp.to_string());
    assert_eq!(told["anchoredAt"]["blockNumber"], recorded.block.to_string());
    assert_eq!(told["receipt"]["blockNumber"], format!("{:#x}", recorded.block));

    stage.node.mine(3).expect("mines");
    let second = anchor(&stage, &folder, &["--uri", "ipfs://two"]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert_eq!(second.json()["anchoredAt"], told["anchoredAt"]);
    assert_ne!(second.json()["transaction"], told["transaction"]);
    assert_eq!(read(&stage, contract, source, hash), Some(recorded));

    // Another caller has its own record.
    let other: Address = FUNDED[0].parse().expect("an address");
    assert_eq!(read(&stage, contract, other, hash), None);
    let data = call(
        "anchor(bytes32,bytes32,string)",
        &[word(parsed(&report["subjectDigest"])), word(hash), text("")],
    );
    stage
        .node
        .call_in_transaction(&contract.to_string(), &data)
        .expect("another caller anchors");
    let theirs = read(&stage, contract, other, hash).expect("it is recorded");
    assert!(theirs.block > recorded.block);
    assert_eq!(read(&stage, contract, source, hash), Some(recorded));
}

#[test]
fn what_would_not_count_is_not_sent() {
    let Some((stage, folder)) = with_report() else {
        return;
    };
    let code = |run: &Run| {
        assert_eq!(run.code, 2, "{}", run.text());
        run.json()["error"]["code"].clone()
    };
    let other = arg(&folder.write("other", "0x".to_owned() + &"01".repeat(32)));
    let foreign = anchor(&stage, &folder, &["--deploy", "--key-file", &other]);
    assert_eq!(code(&foreign), "wrong-signer");
    let long = anchor(&stage, &folder, &["--deploy", "--uri", &"u".repeat(513)]);
    assert_eq!(code(&long), "long-uri");
    let stranger = anchor(&stage, &folder, &["--contract", &stage.registry]);
    assert_eq!(code(&stranger), "node-refused");
    let nothing = anchor(&stage, &folder, &["--contract", SIGNER, "--deploy"]);
    assert_eq!(code(&nothing), "no-anchor");

    let path = folder.path("report.json");
    let mut report: Value = serde_json::from_slice(&std::fs::read(&path).expect("reads")).expect("JSON");
    report.as_object_mut().expect("an object").remove("signature");
    folder.write("report.json", report.to_string());
    assert_eq!(code(&anchor(&stage, &folder, &["--deploy"])), "unsigned");
}

#[test]
fn a_transaction_without_a_receipt_is_pending() {
    let Some((stage, folder)) = with_report() else {
        return;
    };
    let deployed = anchor(&stage, &folder, &["--deploy"]);
    assert_eq!(deployed.code, 0, "{}", deployed.stderr);
    stage
        .node
        .request("evm_setAutomine", &json!([false]))
        .expect("no more blocks");
    let run = anchor(&stage, &folder, &["--wait", "0"]);
    assert_eq!((run.code, &run.json()["status"]), (30, &json!("pending")));
    assert!(run.json()["transaction"].is_string());
}

fn word(word: B256) -> DynSolValue {
    DynSolValue::FixedBytes(word, 32)
}

/// One of the shipped contracts.
fn artifact(name: &str) -> String {
    let path = root().join("contracts/anchor/artifacts.json");
    let artifacts: Value = serde_json::from_slice(&std::fs::read(path).expect("reads")).expect("JSON");
    let creation = artifacts["contracts"][name]["creation"].as_str();
    creation.expect("the contract is shipped").to_owned()
}

#[test]
fn both_anchors_refuse_what_the_text_says_and_know_their_chain() {
    let Some(stage) = Stage::set() else { return };
    let node = &stage.node;
    // Where an Arbitrum chain has ArbSys: PUSH2 2000, MSTORE, RETURN.
    let arb_sys = "0x0000000000000000000000000000000000000064";
    node.set_code(arb_sys, "0x6107d05f5260205ff3").expect("code");
    for (name, own_number) in [
        ("PresignReportAnchor", None),
        ("PresignReportAnchorArbitrum", Some(2_000)),
    ] {
        let contract = node.deploy(&artifact(name)).expect("it deploys");
        let send = |subject: B256, report: B256, uri: &str| {
            let arguments = [word(subject), word(report), text(uri)];
            let data = call("anchor(bytes32,bytes32,string)", &arguments);
            let call = json!([{ "from": FUNDED[0], "to": contract, "data": data }, "latest"]);
            node.request("eth_call", &call).map(|_| data)
        };
        assert!(send(B256::ZERO, REPORT, "").is_err(), "{name}");
        assert!(send(SUBJECT, B256::ZERO, "").is_err(), "{name}");
        assert!(send(SUBJECT, REPORT, &"u".repeat(513)).is_err(), "{name}");
        let data = send(SUBJECT, REPORT, &"u".repeat(512)).expect("512 bytes are taken");
        let receipt = node.call_in_transaction(&contract, &data).expect("it is mined");
        let (contract, source) = (
            contract.parse().expect("an address"),
            FUNDED[0].parse().expect("an address"),
        );
        let recorded = read(&stage, contract, source, REPORT).expect("it is recorded");
        match own_number {
            Some(number) => assert_eq!(recorded.block, number),
            None => assert_eq!(receipt["blockNumber"], format!("{:#x}", recorded.block)),
        }
        assert_eq!(read(&stage, contract, source, SUBJECT), None);
    }
}
