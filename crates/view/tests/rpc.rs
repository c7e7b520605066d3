//! Reads from a real node, well and badly behaved.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use alloy_primitives::{Address, U256};
use presight_testnode::{Node, Proxy, Reply};
use presight_view::ahead::{MAX_LOOKS_AHEAD, MAX_STAND_INS};
use presight_view::drive::MAX_WAVES;
use presight_view::rpc::{
    BlockTag, ChainSettings, NodeExecutionSetting, RetrySettings, Retrying, Rpc, Transport,
};
use presight_view::{Answer, HardFork, run, run_recorded};
use presight_wire::{ChainId, Reason};
use serde_json::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{BUDGET, CLOCK, backend, chain, core, drive, put_proxy, transport, unannounced};

const PROVE: ChainSettings = ChainSettings {
    block: BlockTag::Latest,
    hard_fork: None,
    prove: true,
    require_standard_header: false,
    node_execution: NodeExecutionSetting::Off,
};

fn head_number(node: &Node) -> u64 {
    let head = node.head().unwrap();
    u64::from_str_radix(head["number"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

#[tokio::test]
async fn a_cold_run_takes_three_waves_and_replays_from_its_witness() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    for settings in [ChainSettings::default(), PROVE] {
        let driven = drive(&mut backend(&node.url(), settings), proxy).await;
        assert_eq!(driven.value.reasons(), []);
        assert_eq!(driven.value.block, Ok(head_number(&node)));
        assert_eq!(driven.value.balance, Ok(U256::from(0x0123_4567)));
        assert_eq!(driven.value.absent_balance, Ok(U256::ZERO));
        assert_eq!(driven.value.behind.clone().unwrap().len(), 10);
        assert_eq!(driven.problems, []);
        assert_eq!(
            driven.waves, 3,
            "pin with access lists, accounts with slots and codes, the check of the pin"
        );
        let held = &driven.snapshot.chains[&chain()];
        assert!(held.header_is_verified());
        assert_eq!(held.hard_fork, HardFork::Osaka);

        let witness = driven.witness();
        let file = presight_view::file::parse(presight_view::file::to_json(&witness).as_bytes()).unwrap();
        assert_eq!(file.snapshot, witness);
        assert_eq!(file.problems, []);
        assert_eq!(run_recorded(&file.snapshot, core(proxy)).value, driven.value);
    }
}

#[tokio::test]
async fn every_state_read_names_the_pinned_hash_and_asks_for_a_canonical_one() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let hash = node.head().unwrap()["hash"].clone();
    let bodies = std::sync::Arc::new(Mutex::new(Vec::new()));
    let kept = std::sync::Arc::clone(&bodies);
    let server = Proxy::start(node.address(), move |_, body| {
        kept.lock().unwrap().push(body.to_owned());
        Reply::Forward
    });
    drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
    let mut reads = 0;
    for body in bodies.lock().unwrap().iter() {
        let body: Value = serde_json::from_str(body).unwrap();
        for call in body.as_array().cloned().unwrap_or_else(|| vec![body.clone()]) {
            let method = call["method"].as_str().unwrap();
            // What a call touches is a hint, not a read.
            if ["eth_chainId", "eth_getBlockByNumber", "eth_createAccessList"].contains(&method) {
                continue;
            }
            let at = call["params"].as_array().unwrap().last().unwrap();
            assert_eq!(at["blockHash"], hash, "{method}");
            assert_eq!(at["requireCanonical"], true, "{method}");
            reads += 1;
        }
    }
    assert!(reads >= 6, "{reads}");
    assert_eq!(server.requests(), 3, "one request per wave");
}

#[tokio::test]
async fn a_tag_number_or_hash_pins_that_block() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let head = node.head().unwrap();
    let parent = head["parentHash"].as_str().unwrap().parse().unwrap();
    let number = head_number(&node);
    node.mine(3).unwrap();
    for (block, expected) in [
        (BlockTag::Number(number), Ok(number)),
        (BlockTag::Hash(parent), Ok(number - 1)),
        (BlockTag::Latest, Ok(number + 3)),
        (BlockTag::Number(number + 1_000), Err(Reason::Unavailable)),
        (
            BlockTag::Hash(alloy_primitives::B256::repeat_byte(1)),
            Err(Reason::Unavailable),
        ),
    ] {
        let settings = ChainSettings {
            block,
            ..ChainSettings::default()
        };
        let driven = drive(&mut backend(&node.url(), settings), proxy).await;
        assert_eq!(driven.value.block, expected, "{block:?}");
        assert_eq!(driven.problems.len(), usize::from(expected.is_err()));
    }
}

#[tokio::test]
async fn a_node_of_another_chain_is_not_read() {
    let Some(node) = Node::start(&["--chain-id", "8453"]) else {
        return;
    };
    let driven = drive(&mut backend(&node.url(), ChainSettings::default()), Address::ZERO).await;
    assert!(
        driven
            .value
            .reasons()
            .iter()
            .all(|reason| *reason == Reason::Unavailable)
    );
    assert_eq!(driven.value.reasons().len(), 8);
    assert_eq!(driven.problems[0].message, "the node is on chain 8453");
}

#[tokio::test]
async fn a_chain_without_a_node_is_unsupported() {
    let mut empty: Rpc<Retrying<presight_view::rpc::Http>> = Rpc::new();
    let driven = drive(&mut empty, Address::ZERO).await;
    assert_eq!(driven.value.reasons(), [Reason::Unsupported; 8]);
    let witness = driven.witness();
    assert_eq!(run_recorded(&witness, core(Address::ZERO)).value, driven.value);
}

/// Runs against a node whose chain is reorganised when the run asks for the `nth` time, up to `times` times.
async fn reorganised(node: &Node, proxy: Address, times: usize) -> (support::Facts, Vec<&'static str>) {
    let target = node.address();
    let left = Mutex::new(times);
    let url = node.url();
    let server = Proxy::start(target, move |_, body| {
        // The third wave reads the code behind the proxy: by then the chain is pinned and partly read.
        let mut left = left.lock().unwrap();
        if *left > 0 && body.contains("0xbbbbbbbb") {
            *left -= 1;
            reorg(&url);
        }
        Reply::Forward
    });
    let driven = drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
    (
        driven.value,
        driven.problems.iter().map(|problem| problem.code).collect(),
    )
}

fn reorg(url: &str) {
    let address: std::net::SocketAddr = url.trim_start_matches("http://").parse().unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"anvil_reorg","params":[2,[]]}"#;
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    use std::io::{Read, Write};
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\"result\""), "{answer}");
}

#[tokio::test]
async fn a_reorganisation_restarts_once_on_a_new_pin() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let (facts, problems) = reorganised(&node, proxy, 1).await;
    assert_eq!(facts.reasons(), []);
    assert_eq!(problems, ["pin-lost"]);
}

#[tokio::test]
async fn a_second_reorganisation_makes_the_chain_unavailable() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let (facts, problems) = reorganised(&node, proxy, 2).await;
    assert_eq!(facts.reasons(), [Reason::Unavailable; 8]);
    assert_eq!(problems, ["pin-lost", "pin-lost"]);
}

#[tokio::test]
async fn a_reorganisation_after_the_last_read_is_seen_by_the_check() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let url = node.url();
    let done = AtomicBool::new(false);
    let server = Proxy::start(node.address(), move |_, body| {
        let is_check = body.contains("eth_getBlockByNumber") && !body.starts_with('[');
        if is_check && !done.swap(true, Ordering::SeqCst) {
            reorg(&url);
        }
        Reply::Forward
    });
    let driven = drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
    assert_eq!(driven.value.reasons(), []);
    assert_eq!(
        driven.problems.iter().map(|p| p.code).collect::<Vec<_>>(),
        ["pin-lost"]
    );
    let head = node.head().unwrap();
    let Answer::Known(block) = &driven.snapshot.chains[&chain()].block else {
        panic!("pinned again")
    };
    assert_eq!(head["hash"], block.hash.to_string());
}

#[tokio::test]
async fn what_may_pass_is_tried_again_with_the_same_result() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let calm = drive(&mut backend(&node.url(), ChainSettings::default()), proxy).await;
    let garbage = || Reply::Body("<html>oops</html>".into());
    let faults: [fn() -> Reply; 6] = [
        || Reply::Status(429, Some(0)),
        || Reply::Status(503, None),
        || Reply::Close,
        || Reply::CutShort("[{\"id\":".into()),
        garbage,
        || Reply::Hang(Duration::from_millis(2_500)),
    ];
    for fault in faults {
        let server = Proxy::start(node.address(), move |nth, _| {
            if nth % 2 == 0 && nth < 4 {
                fault()
            } else {
                Reply::Forward
            }
        });
        let driven = drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
        assert_eq!(driven.value, calm.value, "{:?}", fault());
        assert_eq!(driven.witness(), calm.witness());
        assert_eq!(server.requests(), 5);
    }
}

#[tokio::test]
async fn a_throttled_call_of_a_batch_is_asked_again_alone() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let server = Proxy::start(node.address(), |nth, body| match nth {
        1 => {
            let calls: Value = serde_json::from_str(body).unwrap();
            let refusals: Vec<Value> = calls
                .as_array()
                .unwrap()
                .iter()
                .map(|call| serde_json::json!({ "id": call["id"], "error": { "code": -32005, "message": "limit exceeded" } }))
                .collect();
            Reply::Body(Value::from(refusals).to_string())
        }
        _ => Reply::Forward,
    });
    let driven = drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
    assert_eq!(driven.value.reasons(), []);
    assert_eq!(server.requests(), 4);
}

#[tokio::test]
async fn a_longer_wait_than_the_budget_is_not_waited_for() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let server = Proxy::start(node.address(), |_, _| Reply::Status(429, Some(3_600)));
    let started = Instant::now();
    let driven = drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
    assert_eq!(driven.value.reasons(), [Reason::Unavailable; 8]);
    // Far less than the hour that the node asks for.
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn a_status_that_will_not_pass_is_not_tried_again() {
    let Some(node) = Node::start(&[]) else { return };
    let server = Proxy::start(node.address(), |_, _| Reply::Status(401, None));
    let driven = drive(
        &mut backend(&server.url(), ChainSettings::default()),
        Address::ZERO,
    )
    .await;
    assert_eq!(driven.value.reasons(), [Reason::Unavailable; 8]);
    assert_eq!(server.requests(), 1);
}

#[tokio::test]
async fn the_end_of_the_budget_leaves_the_rest_unread_as_timeout() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    // The wave that reads the code behind the proxy never comes back.
    let server = Proxy::start(node.address(), |nth, _| {
        if nth >= 2 {
            Reply::Hang(Duration::from_secs(30))
        } else {
            Reply::Forward
        }
    });
    let budget = Duration::from_secs(4);
    let started = Instant::now();
    let driven = run(
        &mut backend(&server.url(), ChainSettings::default()),
        CLOCK,
        budget,
        unannounced(proxy),
    )
    .await;
    // Far less than the node would have taken.
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(driven.value.behind, Err(Reason::Timeout));
    assert_eq!(
        driven.value.balance,
        Ok(U256::from(0x0123_4567)),
        "what came in time is kept"
    );
    let file =
        presight_view::file::parse(presight_view::file::to_json(&driven.witness()).as_bytes()).unwrap();
    assert_eq!(run_recorded(&file.snapshot, core(proxy)).value, driven.value);
}

#[tokio::test]
async fn a_node_that_refuses_batches_is_asked_one_by_one() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let server = Proxy::start(node.address(), |_, body| {
        if body.starts_with('[') {
            Reply::Body(
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch not supported"}}"#
                    .into(),
            )
        } else {
            Reply::Forward
        }
    });
    let driven = drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
    assert_eq!(driven.value.reasons(), []);
}

#[tokio::test]
async fn a_batch_that_is_too_large_is_split_and_stays_split() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let refused = std::sync::Arc::new(Mutex::new(0));
    let count = std::sync::Arc::clone(&refused);
    let server = Proxy::start(node.address(), move |_, body| {
        let calls: Value = serde_json::from_str(body).unwrap();
        if calls.as_array().is_some_and(|calls| calls.len() > 3) {
            *count.lock().unwrap() += 1;
            return Reply::Status(413, None);
        }
        Reply::Forward
    });
    let driven = drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
    assert_eq!(driven.value.reasons(), []);
    let refused = *refused.lock().unwrap();
    assert!(
        (1..=3).contains(&refused),
        "learned after the first wave: {refused}"
    );
}

#[tokio::test]
async fn a_large_batch_is_cut_to_the_setting() {
    let Some(node) = Node::start(&[]) else { return };
    let server = Proxy::start(node.address(), |_, _| Reply::Forward);
    let http = presight_view::rpc::Http::new(&server.url(), Duration::from_secs(2)).unwrap();
    let retrying = Retrying::new(
        http,
        RetrySettings {
            max_batch: 7,
            attempts: 1,
        },
    );
    let calls: Vec<_> = (0..30)
        .map(|_| presight_view::rpc::RpcCall::block_by_number(0))
        .collect();
    let results = retrying
        .send(&calls, tokio::time::Instant::now() + BUDGET)
        .await
        .unwrap();
    assert_eq!(results.len(), 30);
    assert!(
        results
            .iter()
            .all(|result| result.as_ref().is_ok_and(|block| block["number"] == "0x0"))
    );
    assert_eq!(server.requests(), 5);
}

#[tokio::test]
async fn an_endless_chase_through_storage_ends_unread() {
    let Some(node) = Node::start(&[]) else { return };
    put_proxy(&node);
    let driven = run(
        &mut backend(&node.url(), ChainSettings::default()),
        CLOCK,
        BUDGET,
        |view| {
            for slot in 0_u64.. {
                if let Err(unread) = view.storage(&chain(), Address::ZERO, U256::from(slot)) {
                    return (slot, unread);
                }
            }
            unreachable!("there are more slots than a run reads")
        },
    )
    .await;
    let reads = MAX_WAVES - 1 + MAX_LOOKS_AHEAD * MAX_STAND_INS;
    assert_eq!(driven.value, (reads as u64, Reason::Unavailable.into()));
}

#[tokio::test]
async fn a_header_that_does_not_hash_is_refused_where_headers_are_standard() {
    let Some(node) = Node::start(&[]) else { return };
    let proxy = put_proxy(&node);
    let head = node.head().unwrap();
    let server = Proxy::start(node.address(), move |_, body| {
        if !body.contains("latest") {
            return Reply::Forward;
        }
        let mut stale = head.clone();
        stale["hash"] = head["parentHash"].clone();
        Reply::Body(
            serde_json::json!([{ "id": 0, "result": "0x7a69" }, { "id": 1, "result": stale }]).to_string(),
        )
    });
    let driven = drive(&mut backend(&server.url(), ChainSettings::default()), proxy).await;
    assert_eq!(driven.value.reasons(), [Reason::Unavailable; 8]);
    assert_eq!(driven.problems[0].code, "not-pinned");
}

#[tokio::test]
async fn elsewhere_such_a_header_is_named_and_the_check_finds_the_stale_hash() {
    let Some(node) = Node::start(&["--chain-id", "99"]) else {
        return;
    };
    let proxy = put_proxy(&node);
    let head = node.head().unwrap();
    let pins = Mutex::new(0);
    let server = Proxy::start(node.address(), move |_, body| {
        let mut pins = pins.lock().unwrap();
        if !body.contains("latest") || *pins > 0 {
            return Reply::Forward;
        }
        *pins += 1;
        let mut stale = head.clone();
        stale["hash"] = head["parentHash"].clone();
        Reply::Body(
            serde_json::json!([{ "id": 1, "result": stale }, { "id": 0, "result": "0x63" }]).to_string(),
        )
    });
    let other = ChainId::evm(99);
    let mut rpc = Rpc::new().with_chain(
        other.clone(),
        transport(&server.url(), 1),
        ChainSettings::default(),
    );
    let driven = run(&mut rpc, CLOCK, BUDGET, |view| view.balance(&other, proxy)).await;
    assert_eq!(driven.value, Ok(U256::from(0x0123_4567)));
    let codes: Vec<_> = driven.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["header-not-verified", "pin-lost"]);
}

#[tokio::test]
async fn block_hashes_come_from_the_node_and_are_linked_when_proving() {
    let Some(node) = Node::start(&[]) else { return };
    put_proxy(&node);
    node.mine(300).unwrap();
    let number = head_number(&node);
    let hash_of = |number: u64| {
        let block = node
            .request(
                "eth_getBlockByNumber",
                &serde_json::json!([format!("{number:#x}"), false]),
            )
            .unwrap();
        block["hash"]
            .as_str()
            .unwrap()
            .parse::<alloy_primitives::B256>()
            .unwrap()
    };
    for settings in [ChainSettings::default(), PROVE] {
        let driven = run(&mut backend(&node.url(), settings), CLOCK, BUDGET, |view| {
            [number, number - 1, number - 256, number - 257, number + 5]
                .map(|n| view.block_hash(&chain(), n).ok())
        })
        .await;
        let deep = (!settings.prove).then(|| hash_of(number - 257));
        let expected = [
            Some(hash_of(number)),
            Some(hash_of(number - 1)),
            Some(hash_of(number - 256)),
            deep,
            None,
        ];
        assert_eq!(driven.value, expected);
    }
}

#[tokio::test]
async fn blocks_before_the_pinned_one_come_by_number() {
    let Some(node) = Node::start(&[]) else { return };
    node.mine(400).unwrap();
    let number = head_number(&node);
    for settings in [ChainSettings::default(), PROVE] {
        let driven = run(&mut backend(&node.url(), settings), CLOCK, BUDGET, |view| {
            [0, number - 1, number, number + 1].map(|n| view.header(&chain(), n).ok())
        })
        .await;
        let [first, parent, head, none] = driven.value;
        let (first, parent, head) = (first.unwrap(), parent.unwrap(), head.unwrap());
        assert_eq!(
            (first.number, parent.number, head.number),
            (0, number - 1, number)
        );
        assert_eq!(head.parent_hash, Some(parent.hash));
        assert!(first.timestamp <= parent.timestamp);
        assert_eq!(none, None);
        let witness = driven.snapshot.witness(&driven.used);
        assert_eq!(witness.chains[&chain()].headers.len(), 2);
    }
}
