//! The service over nodes: several per chain, slow ones, dead ones, ones that lie.

mod binary;
mod service;
mod stage;

use alloy_primitives::U256;
use binary::Folder;
use presight_testnode::{Node, Proxy, Reply};
use serde_json::{Value, json};
use service::Service;
use stage::{Stage, approve, request, request_call};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const SPENDER: &str = "0x00000000000000000000000000000000005be4de";
const ALLOWANCE: &str = "erc.presign.approval.current-allowance";

/// A chain with a token of which the spender may spend 7 already, and the request of another approval.
fn allowed() -> Option<(Stage, Value)> {
    let stage = Stage::set()?;
    let token = stage.token("Token", "TOK", 18, U256::from(1_000_000));
    let sent = stage
        .node
        .call_in_transaction(&token, &approve(SPENDER, U256::from(7)));
    sent.expect("an approval");
    let request = request(&[request_call(&token, &approve(SPENDER, U256::from(9)))]);
    Some((stage, request))
}

/// A service over these nodes of the test chain.
fn serve(folder: &Folder, nodes: &[&str], more: &str) -> Service {
    let config = format!(
        "unsigned = true\n[chain.\"eip155:31337\"]\nnodes = {}\npoll-seconds = 1\n{more}\n",
        json!(nodes)
    );
    Service::start(&folder.write("presight.toml", config), &[])
}

fn finding<'a>(report: &'a Value, kind: &str) -> &'a Value {
    let findings = report["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("no report: {report}"));
    findings
        .iter()
        .find(|finding| finding["kind"] == kind)
        .unwrap_or_else(|| panic!("no {kind}"))
}

fn state(service: &Service, node: &str) -> String {
    let health = service.get("/health").json();
    let nodes = health["chains"][0]["nodes"].as_array().expect("nodes").clone();
    let found = nodes.iter().find(|found| found["node"] == node);
    found.unwrap_or_else(|| panic!("no {node}: {health}"))["state"]
        .as_str()
        .expect("a state")
        .to_owned()
}

/// Asks until it is so; panics after a while.
fn until(what: &str, mut is: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// A node that answers every read of storage with another slot's value.
fn lying(node: &Node) -> Proxy {
    Proxy::start(node.address(), |_, body| {
        let Ok(mut calls) = serde_json::from_str::<Value>(body) else {
            return Reply::Forward;
        };
        let lie = |call: &mut Value| {
            if call["method"] == "eth_getStorageAt" {
                call["params"][1] = json!(format!("0x{}", "ab".repeat(32)));
            }
        };
        match &mut calls {
            Value::Array(calls) => calls.iter_mut().for_each(lie),
            call => lie(call),
        }
        Reply::ForwardInstead(calls.to_string())
    })
}

#[test]
fn a_report_over_a_node_reads_what_the_chain_holds() {
    let Some((stage, request)) = allowed() else { return };
    let folder = Folder::new();
    let service = serve(&folder, &[&stage.node.url()], "");
    let report = service.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&report, ALLOWANCE)["value"], "7");
    let health = service.get("/health").json();
    assert_eq!(health["status"], "ok");
    assert!(health["chains"][0]["headAgeSeconds"].is_u64(), "{health}");
}

#[test]
fn an_answer_is_not_given_again_once_the_chain_has_moved() {
    let Some((stage, request)) = allowed() else { return };
    let folder = Folder::new();
    let service = serve(&folder, &[&stage.node.url()], "[limits]\ncache-seconds = 3600\n");
    let ask = || service.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&ask(), ALLOWANCE)["value"], "7");
    let token = request["subject"]["calls"][0]["to"].as_str().expect("a token");
    let sent = stage
        .node
        .call_in_transaction(token, &approve(SPENDER, U256::from(8)));
    sent.expect("an approval");
    until("the new allowance", || finding(&ask(), ALLOWANCE)["value"] == "8");
}

#[test]
fn the_next_node_answers_for_one_that_is_dead() {
    let Some((stage, request)) = allowed() else { return };
    let folder = Folder::new();
    let dead = "http://127.0.0.1:9";
    let service = serve(&folder, &[dead, &stage.node.url()], "");
    let report = service.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&report, ALLOWANCE)["value"], "7");
    assert_eq!(state(&service, dead), "failing");
    assert_eq!(state(&service, &stage.node.url()), "usable");
}

#[test]
fn a_node_that_dies_and_comes_back_is_used_again() {
    let Some((stage, request)) = allowed() else { return };
    let folder = Folder::new();
    let broken = Arc::new(AtomicBool::new(false));
    let switch = broken.clone();
    let flapping = Proxy::start(stage.node.address(), move |_, _| {
        match switch.load(Ordering::SeqCst) {
            true => Reply::Close,
            false => Reply::Forward,
        }
    });
    let service = serve(&folder, &[&flapping.url(), &stage.node.url()], "");
    assert_eq!(state(&service, &flapping.url()), "usable");
    broken.store(true, Ordering::SeqCst);
    until("set aside", || state(&service, &flapping.url()) == "failing");
    let report = service.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&report, ALLOWANCE)["value"], "7");
    broken.store(false, Ordering::SeqCst);
    until("used again", || state(&service, &flapping.url()) == "usable");
}

#[test]
fn a_node_of_another_chain_is_set_aside_and_never_read_from() {
    let Some((stage, request)) = allowed() else { return };
    let Some(other) = Node::start(&["--chain-id", "1"]) else {
        return;
    };
    let folder = Folder::new();
    let service = serve(&folder, &[&other.url(), &stage.node.url()], "");
    let report = service.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&report, ALLOWANCE)["value"], "7");
    assert_eq!(state(&service, &other.url()), "wrong-chain");
    let alone = Folder::new();
    let blind = serve(&alone, &[&other.url()], "");
    assert_eq!(blind.get("/health").status, 503);
    let report = blind.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&report, ALLOWANCE)["reason"], "unavailable");
}

#[test]
fn a_node_with_other_blocks_or_behind_is_set_aside() {
    let Some((stage, _)) = allowed() else { return };
    let Some(other) = Node::start(&["--timestamp", "1700000000"]) else {
        return;
    };
    let folder = Folder::new();
    other.mine(3).expect("blocks");
    let service = serve(&folder, &[&stage.node.url(), &other.url()], "");
    assert_eq!(state(&service, &other.url()), "other-block");
    stage.node.mine(20).expect("blocks");
    until("lagging", || state(&service, &other.url()) == "lagging");
}

#[test]
fn in_quorum_mode_a_value_is_read_only_when_enough_nodes_agree() {
    let Some((stage, request)) = allowed() else { return };
    let liar = lying(&stage.node);
    let honest = Proxy::start(stage.node.address(), |_, _| Reply::Forward);
    let folder = Folder::new();
    let nodes = [stage.node.url(), liar.url(), honest.url()];
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let two_of_three = serve(&folder, &nodes, "read = \"quorum=2\"");
    let report = two_of_three.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&report, ALLOWANCE)["value"], "7");
    let folder = Folder::new();
    let all_of_three = serve(&folder, &nodes, "read = \"quorum=3\"");
    let report = all_of_three.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&report, ALLOWANCE)["reason"], "unavailable");
    assert_eq!(finding(&report, "erc.presign.approval.amount")["value"], "9");
}

#[test]
fn without_enough_nodes_for_the_quorum_nothing_of_the_chain_is_read() {
    let Some((stage, request)) = allowed() else { return };
    let folder = Folder::new();
    let nodes = ["http://127.0.0.1:9", &stage.node.url()];
    let service = serve(&folder, &nodes, "read = \"quorum=2\"");
    assert_eq!(service.get("/health").status, 503);
    let report = service.post("/api/presign", request.to_string()).json();
    assert_eq!(finding(&report, ALLOWANCE)["reason"], "unavailable");
}

#[test]
fn what_does_not_come_in_the_clients_time_is_a_timeout_and_the_report_still_comes() {
    let Some((stage, request)) = allowed() else { return };
    let hung = Arc::new(AtomicBool::new(false));
    let switch = hung.clone();
    let slow = Proxy::start(stage.node.address(), move |_, _| {
        match switch.load(Ordering::SeqCst) {
            true => Reply::Hang(Duration::from_secs(600)),
            false => Reply::Forward,
        }
    });
    let folder = Folder::new();
    let service = serve(&folder, &[&slow.url()], "");
    hung.store(true, Ordering::SeqCst);
    let headers = [("Content-Type", "application/json"), ("Prefer", "wait=1")];
    let answer = service.send("POST", "/api/presign", &headers, request.to_string().as_bytes());
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("preference-applied"), Some("wait=1"));
    let report = answer.json();
    assert_eq!(finding(&report, ALLOWANCE)["reason"], "timeout");
    assert_eq!(report["entities"]["approvals"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_request_under_way_is_finished_when_the_service_is_told_to_stop() {
    let Some((stage, request)) = allowed() else { return };
    let (held, reached) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
    let (hold, reach) = (held.clone(), reached.clone());
    let slow = Proxy::start(stage.node.address(), move |_, body| {
        if body.contains("eth_getCode") {
            reach.store(true, Ordering::SeqCst);
            while hold.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        Reply::Forward
    });
    let folder = Folder::new();
    let mut service = serve(&folder, &[&slow.url()], "");
    let body = request.to_string();
    let mut stream = service.connect();
    write!(
        stream,
        "POST /api/presign HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("a request");
    until("the node is asked", || reached.load(Ordering::SeqCst));
    service.terminate();
    until("no new connection is taken", || {
        std::net::TcpStream::connect(service.address).is_err()
    });
    held.store(false, Ordering::SeqCst);
    let answer = service::read(&mut stream);
    assert_eq!(answer.status, 200);
    assert_eq!(finding(&answer.json(), ALLOWANCE)["value"], "7");
    assert_eq!(service.wait(), Some(0));
}

#[test]
fn more_than_the_queue_takes_is_refused_and_the_service_stays_healthy() {
    let Some((stage, request)) = allowed() else { return };
    let (held, reached) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (hold, reach) = (held.clone(), reached.clone());
    let slow = Proxy::start(stage.node.address(), move |_, body| {
        while hold.load(Ordering::SeqCst) && body.contains("eth_getCode") {
            reach.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(10));
        }
        Reply::Forward
    });
    let folder = Folder::new();
    let service = serve(&folder, &[&slow.url()], "[limits]\nrunning = 1\nqueue = 0\n");
    held.store(true, Ordering::SeqCst);
    let body = request.to_string();
    let other = request_of_another_amount(&request).to_string();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| service.post("/api/presign", &body));
        until("the node is asked", || reached.load(Ordering::SeqCst));
        let joined = scope.spawn(|| service.post("/api/presign", &body));
        let refused = service.post("/api/presign", &other);
        assert_eq!(refused.problem(), (503, "overloaded".into(), None));
        assert_eq!(refused.header("retry-after"), Some("1"));
        let health = service.get("/health");
        assert_eq!((health.status, &health.json()["waiting"]), (200, &json!(0)));
        until("the equal request has joined", || {
            service.get("/metrics").text().contains("how=\"joined\"} 1")
        });
        held.store(false, Ordering::SeqCst);
        let (first, joined) = (
            first.join().expect("an answer"),
            joined.join().expect("an answer"),
        );
        assert_eq!((first.status, joined.status), (200, 200));
        assert_eq!(first.body, joined.body);
    });
    assert_eq!(service.post("/api/presign", &other).status, 200);
}

fn request_of_another_amount(request: &Value) -> Value {
    let mut other = request.clone();
    other["subject"]["calls"][0]["data"] = json!(approve(SPENDER, U256::from(10)));
    other
}
