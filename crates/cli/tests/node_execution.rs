//! Calls that the node executes, held against the same calls executed here; and what becomes of a node's word.

mod binary;
mod requests;
mod stage;

use alloy_primitives::Address;
use binary::{Folder, arg, presight};
use presight_exec::effects::{self, Effects, Part};
use presight_exec::simulate::{self, Outcome, Simulation, Surroundings};
use presight_testnode::{FUNDED, Node, Proxy, Reply};
use presight_view::drive::{self, Driven};
use presight_view::fault::{Fault, FaultPlan, Faulty};
use presight_view::rpc::{
    BlockTag, ChainSettings, Http, NodeExecutionSetting, RetrySettings, Retrying, Rpc, Transport,
};
use presight_view::{Lookup, NodeMethod, Unread, View, file, run_recorded};
use presight_wire::request::{Call, Subject};
use presight_wire::{ChainId, Reason, Request, Timestamp};
use serde_json::{Value, json};
use stage::{Stage, request, request_call};
use std::collections::BTreeMap;
use std::time::Duration;

const CLOCK: Timestamp = Timestamp(1_795_000_100);
const METHODS: [NodeMethod; 2] = [NodeMethod::SimulateV1, NodeMethod::TraceCall];
/// Where a chain that is not Ethereum may have a precompile of its own.
const PRECOMPILE: &str = "0x0000000000000000000000000000000000000064";

type Told = Lookup<(Outcome, Effects)>;

/// The calls of a request.
struct Sent {
    chain: ChainId,
    sender: Address,
    calls: Vec<Call>,
}

impl Sent {
    fn of(request: &Value) -> Self {
        let request = Request::parse(request.to_string().as_bytes()).expect("a request");
        let Subject::Calls(subject) = &request.subject else {
            panic!("calls expected");
        };
        Self {
            chain: request.chain().clone(),
            sender: request.signer().address,
            calls: subject.calls.clone(),
        }
    }

    fn simulation(&self) -> Simulation<'_> {
        Simulation {
            chain: &self.chain,
            sender: self.sender,
            calls: &self.calls,
            authorization_list: &[],
            authorities: &[],
            surroundings: Surroundings::default(),
        }
    }

    fn here(&self, view: &View<'_>) -> Told {
        let simulation = self.simulation();
        let mut simulated = simulate::run(view, &simulation)?;
        let effects = effects::of(&mut simulated)?;
        Ok((simulated.outcome, effects))
    }

    fn by_node(&self, view: &View<'_>) -> Told {
        let simulation = self.simulation();
        let mut told = simulate::by_node(view, &simulation)?;
        let effects = effects::of_node(view, &simulation, &mut told)?;
        Ok((told.outcome, effects))
    }
}

fn settings(method: NodeMethod) -> ChainSettings {
    ChainSettings {
        block: BlockTag::Latest,
        node_execution: NodeExecutionSetting::By(method),
        ..ChainSettings::default()
    }
}

async fn driven<T: Transport>(
    transport: T,
    chain: &ChainId,
    settings: ChainSettings,
    core: impl Fn(&View<'_>) -> Told,
) -> Driven<Told> {
    let mut rpc = Rpc::new().with_chain(chain.clone(), transport, settings);
    drive::run(&mut rpc, CLOCK, Duration::from_secs(60), core).await
}

fn transport(node: &Node) -> Retrying<Http> {
    let http = Http::new(&node.url(), Duration::from_secs(20)).expect("a URL");
    Retrying::new(http, RetrySettings::default())
}

/// Effects without what the node's method cannot tell.
fn comparable(mut effects: Effects, method: NodeMethod) -> Value {
    effects.unattributed.clear();
    effects.not_read.clear();
    if method == NodeMethod::SimulateV1 {
        // Without the call tree and the state changes, only what events tell of is left.
        effects.code.clear();
        effects.balances.retain(|balance| balance.told);
        effects.allowances.retain(|allowance| allowance.told.is_some());
        effects.permit2.clear();
        effects.operators.retain(|operator| operator.told.is_some());
        effects.items.retain(|item| item.told.is_some());
        effects.control.clear();
        effects.nonces.clear();
    }
    effects.to_value()
}

/// Whether the node's list says what ours says. Of grants it does not tell what was written on the way: one that may
/// have been used up is not confirmed.
fn says_the_same(ours: &Value, nodes: &Value) -> bool {
    let without_standing = |list: &Value| {
        let mut list = list.clone();
        for entry in list.as_array_mut().into_iter().flatten() {
            entry.as_object_mut().map(|entry| entry.remove("standing"));
        }
        list
    };
    let unconfirmed = json!("claimed, not confirmed");
    let standings = |list: &Value| -> Vec<Value> {
        let entries = list.as_array().into_iter().flatten();
        entries.map(|entry| entry["standing"].clone()).collect()
    };
    let (mine, theirs) = (standings(ours), standings(nodes));
    let mut pairs = mine.iter().zip(&theirs);
    without_standing(ours) == without_standing(nodes) && pairs.all(|(a, b)| a == b || *b == unconfirmed)
}

#[tokio::test]
async fn the_node_and_we_say_the_same() {
    let Some(stage) = Stage::set() else { return };
    let mut cases = requests::all(&stage);
    cases.extend(requests::more::all(&stage));
    cases.retain(|(_, request)| {
        let subject = &request["subject"];
        let sends = subject["calls"].as_array().is_some_and(|calls| !calls.is_empty());
        sends && subject.get("authorizationList").is_none()
    });
    for method in METHODS {
        let mut differences = Vec::new();
        let mut open = 0;
        for (name, request) in &cases {
            let sent = Sent::of(request);
            let node = &stage.node;
            let here = driven(transport(node), &sent.chain, settings(method), |view| {
                sent.here(view)
            })
            .await;
            let there = driven(transport(node), &sent.chain, settings(method), |view| {
                sent.by_node(view)
            })
            .await;
            let (here, here_effects) = here.value.expect("executed here");
            let witness = there.witness();
            let (outcome, told) = there
                .value
                .unwrap_or_else(|e| panic!("{name} by {}: {e:?} {:?}", method.as_str(), there.problems));

            // What the node said is in the witness, and read from it again.
            let recorded = file::parse(file::to_json(&witness).as_bytes()).expect("a view file");
            assert_eq!(recorded.snapshot, witness, "{name}");
            let again = run_recorded(&recorded.snapshot, |view| sent.by_node(view)).value;
            assert_eq!(again, Ok((outcome.clone(), told.clone())), "{name}");

            assert_eq!(outcome.logs, here.logs, "{name} by {}", method.as_str());
            let ends = |outcome: &Outcome| -> Vec<_> {
                let calls = outcome.calls.iter();
                calls.map(|call| (call.status.as_str(), call.gas_used)).collect()
            };
            if ends(&outcome) != ends(&here) {
                differences.push(format!("{name}: {:?} here {:?}", ends(&outcome), ends(&here)));
            }
            if method == NodeMethod::TraceCall {
                let slots = |outcome: &Outcome| -> BTreeMap<_, _> {
                    let slots = outcome.changes.slots();
                    slots
                        .map(|(a, slot, change)| ((a, slot), change.clone()))
                        .collect()
                };
                assert_eq!(slots(&outcome), slots(&here), "{name}");
                open += told
                    .unattributed
                    .len()
                    .saturating_sub(here_effects.unattributed.len());
                assert!(told.not_read.is_empty());
            } else {
                assert!(told.not_read.contains(&Part::Unattributed));
                assert_eq!(told.to_value()["unattributed"], Value::Null);
            }
            let (mine, theirs) = (comparable(here_effects, method), comparable(told, method));
            for (member, mine) in mine.as_object().expect("effects") {
                if !says_the_same(mine, &theirs[member]) {
                    differences.push(format!("{name}: {member} here {mine}, there {}", theirs[member]));
                }
            }
        }
        println!(
            "{} requests by {}: logs and slots are the same; {open} slots more are unattributed; differences:\n{}",
            cases.len(),
            method.as_str(),
            differences.join("\n")
        );
        assert!(cases.len() >= 30);
        assert_eq!(differences, Vec::<String>::new(), "by {}", method.as_str());
    }
}

/// A chain that may have precompiles of its own, and a contract that calls one.
fn other_chain() -> Option<(Node, Value)> {
    let node = Node::start(&["--chain-id", "42161", "--hardfork", "prague"])?;
    // STATICCALL of the precompile; SSTORE(0, 7); LOG0 of nothing.
    let code = "0x60006000600060006064 5afa 6007600055 60006000a0 00".replace(' ', "");
    let contract = "0x000000000000000000000000000000000000c0de";
    node.set_code(contract, &code).expect("code");
    let mut request = request(&[
        request_call(contract, "0x"),
        json!({ "to": "0x0000000000000000000000000000000000f41e4d", "value": "9", "data": "0x" }),
    ]);
    request["subject"]["chainId"] = json!("eip155:42161");
    request["subject"]["from"] = json!(format!("eip155:42161:{}", FUNDED[0]));
    Some((node, request))
}

#[test]
fn what_cannot_be_executed_here_is_executed_by_the_node_when_it_is_asked() {
    let Some((node, request)) = other_chain() else {
        return;
    };
    let folder = Folder::new();
    let path = arg(&folder.write("request.json", request.to_string()));
    let rpc = format!("42161={}", node.url());
    let simulate = |more: &[&str]| {
        let arguments = ["simulate", &path, "--rpc", &rpc, "--json"];
        presight([arguments.as_slice(), more].concat())
    };
    let run = simulate(&[]);
    assert_eq!(run.code, 30);
    assert_eq!(run.json()["notRead"], "unsupported");
    assert!(run.text().contains(PRECOMPILE), "{}", run.text());

    for (setting, method) in [
        ("42161", "eth_simulateV1"),
        ("eip155:42161=eth_simulateV1", "eth_simulateV1"),
        ("42161=debug_traceCall", "debug_traceCall"),
    ] {
        let run = simulate(&["--node-execution", setting]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let told = run.json();
        assert_eq!(told["executedByNode"], method);
        assert_eq!(told["dependsOn"], Value::Null);
        assert_eq!(told["status"], "success");
        assert_eq!(told["logs"].as_array().map(Vec::len), Some(1));
        let native = told["effects"]["native"].as_array().expect("native balances");
        assert_eq!(native.len(), 2, "{told}");
        assert!(told["caveats"].to_string().contains("its word"), "{told}");
        if method == "debug_traceCall" {
            assert_eq!(told["effects"]["unattributed"].as_array().map(Vec::len), Some(1));
            assert_eq!(told["effects"].get("notRead"), None);
        } else {
            assert_eq!(
                told["effects"]["notRead"],
                json!(["untold", "code", "unattributed"])
            );
            assert_eq!(told["effects"]["code"], Value::Null);
            assert_eq!(told["stateDiff"], Value::Null);
        }
    }
    for bad in ["1", "42161=eth_call", "solana"] {
        let run = simulate(&["--node-execution", bad]);
        assert_eq!(run.code, 2, "{bad}: {}", run.text());
    }
}

#[test]
fn a_report_says_what_is_the_nodes_word_and_replays_from_its_witness() {
    let Some((node, request)) = other_chain() else {
        return;
    };
    let folder = Folder::new();
    let path = arg(&folder.write("request.json", request.to_string()));
    let witness = arg(&folder.path("witness.json"));
    let rpc = format!("42161={}", node.url());
    let report = |more: &[&str]| {
        let arguments = [
            "report",
            &path,
            "--rpc",
            &rpc,
            "--unsigned",
            "--witness",
            &witness,
        ];
        let run = presight([arguments.as_slice(), more].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        folder.write("report.json", &run.stdout);
        run.json()
    };
    let effects = |report: &Value| -> Vec<Value> {
        let findings = report["findings"].as_array().expect("findings").iter();
        let of_effects = |f: &&Value| {
            f["kind"]
                .as_str()
                .is_some_and(|kind| kind.starts_with("presight.effects."))
        };
        findings.filter(of_effects).cloned().collect()
    };
    let here = effects(&report(&[]));
    assert!(!here.is_empty());
    for finding in &here {
        assert_eq!(finding["reason"], "unsupported", "{finding}");
    }
    for (setting, unread) in [
        ("42161=debug_traceCall", vec!["depends-on"]),
        (
            "42161=eth_simulateV1",
            vec!["depends-on", "code-changes", "unattributed", "coverage"],
        ),
    ] {
        let told = effects(&report(&["--node-execution", setting]));
        for finding in &told {
            let kind = finding["kind"]
                .as_str()
                .expect("a kind")
                .replace("presight.effects.", "");
            let is_read = finding["status"] == "read";
            assert_eq!(is_read, !unread.contains(&kind.as_str()), "{setting}: {finding}");
            if is_read {
                let evidence = finding["evidence"].to_string();
                assert!(evidence.contains("presight:node-execution:"), "{finding}");
            }
        }
        let kept = arg(&folder.path("report.json"));
        let replay = presight([
            "replay",
            &kept,
            "--request",
            &path,
            "--witness",
            &witness,
            "--json",
        ]);
        assert_eq!(
            replay.json()["conclusion"],
            "same",
            "{setting}: {}",
            replay.text()
        );
    }
}

#[tokio::test]
async fn a_fault_of_the_node_is_never_a_wrong_outcome() {
    let Some((node, request)) = other_chain() else {
        return;
    };
    let sent = Sent::of(&request);
    let core = |view: &View<'_>| effects::run(view, &sent.simulation());
    let (mut runs, mut not_read) = (0, BTreeMap::<&str, usize>::new());
    for method in METHODS {
        let clean = Faulty::new(transport(&node), None);
        let counter = clean.counter();
        let told = driven(clean, &sent.chain, settings(method), core).await.value;
        let told = told.expect("the node executes it");
        assert_eq!(told.0.node, Some(method));
        let calls = counter.load(std::sync::atomic::Ordering::SeqCst);
        for index in 0..calls {
            // What only a proof can tell from the truth is the node's word here.
            for fault in Fault::ALL.into_iter().filter(|fault| !fault.needs_proofs()) {
                let faulty = Faulty::new(transport(&node), Some(FaultPlan { index, fault }));
                let spoiled = driven(faulty, &sent.chain, settings(method), core).await.value;
                runs += 1;
                match spoiled {
                    Ok((outcome, effects)) => {
                        assert_eq!(outcome.calls, told.0.calls, "{fault:?} at {index}");
                        assert_eq!(outcome.changes, told.0.changes, "{fault:?} at {index}");
                        let parts = |effects: &Effects| {
                            let mut effects = effects.clone();
                            // Without the balances before, those after do not follow.
                            effects.native.clear();
                            // What a contract was not asked is said.
                            effects.unread.clear();
                            effects.not_read.remove(&Part::Native);
                            effects
                        };
                        assert_eq!(parts(&effects), parts(&told.1), "{fault:?} at {index}");
                        let known = !effects.not_read.contains(&Part::Native);
                        assert!(!known || effects.native == told.1.native, "{fault:?} at {index}");
                    }
                    Err(Unread::NotRead(why)) => {
                        assert!(
                            matches!(why.reason, Reason::Unavailable | Reason::Timeout),
                            "{fault:?} at {index}: {why:?}"
                        );
                        *not_read.entry(why.reason.as_str()).or_default() += 1;
                    }
                    Err(Unread::Pending) => panic!("{fault:?} at {index} is left open"),
                }
            }
        }
    }
    println!("{runs} runs with a fault, of which not read: {not_read:?}");
    assert!(!not_read.is_empty());
}

#[tokio::test]
async fn a_node_without_the_method_is_asked_by_the_other_one() {
    let Some((node, request)) = other_chain() else {
        return;
    };
    let proxy = Proxy::start(node.address(), |_, body| {
        if body.contains("eth_simulateV1") {
            Reply::ForwardInstead(body.replace("eth_simulateV1", "eth_simulateV0"))
        } else {
            Reply::Forward
        }
    });
    let sent = Sent::of(&request);
    let core = |view: &View<'_>| effects::run(view, &sent.simulation());
    let through = || {
        let http = Http::new(&proxy.url(), Duration::from_secs(20)).expect("a URL");
        Retrying::new(http, RetrySettings::default())
    };
    let any = ChainSettings {
        node_execution: NodeExecutionSetting::Any,
        ..ChainSettings::default()
    };
    let told = driven(through(), &sent.chain, any, core).await.value;
    assert_eq!(told.expect("executed").0.node, Some(NodeMethod::TraceCall));
    let one = settings(NodeMethod::SimulateV1);
    match driven(through(), &sent.chain, one, core).await.value {
        Err(Unread::NotRead(why)) => assert_eq!(why.reason, Reason::Unavailable),
        other => panic!("{other:?}"),
    }
}
