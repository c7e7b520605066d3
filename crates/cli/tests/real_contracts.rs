//! Simulations of requests about real contracts are what a node really does with them: status, gas, logs, state
//! differences, and the effects that follow from them.

mod binary;
mod real;
mod stage;

use alloy_primitives::U256;
use binary::{Folder, arg, presight, root};
use real::chain::{Case, Chain};
use real::{accounts, control, permit2, safe, tokens, told, truth, uniswap};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The effects of each case as once accepted; `PRESIGHT_ACCEPT=1` writes it anew. The node decides what is right: this shows
/// what changed.
const EXPECTED: &str = "crates/cli/tests/data/real-contracts.txt";

#[test]
fn simulations_of_real_contracts_are_what_the_node_does() {
    let Some(mut chain) = Chain::start() else { return };
    let groups = [
        tokens::cases,
        uniswap::cases,
        safe::cases,
        permit2::cases,
        accounts::cases,
        control::cases,
    ];
    let cases: Vec<Case> = groups.iter().flat_map(|group| group(&mut chain)).collect();
    let mut counts = Counts::default();
    let mut told_of = Vec::new();
    let mut reports = BTreeMap::new();
    let mut simulations = BTreeMap::new();
    for case in &cases {
        reports.insert(case.name.as_str(), report(&chain, case));
        let (told, asked) = simulate(&chain, case);
        simulations.insert(case.name.as_str(), asked);
        counts.add(&chain, case, &told);
        told_of.push((case.name.clone(), told::lines(&chain, &told)));
    }
    println!("{counts}");
    check_waves("reports", &reports);
    check_waves("simulations", &simulations);
    assert!(
        cases.len() >= 60 || counts.requests == cases.len(),
        "{}",
        cases.len()
    );
    compare_with_expected(&told_of);
}

/// In how many waves and with how many calls a node was asked.
type Asked = (u32, u32);

/// A cold simulation.
fn simulate(chain: &Chain, case: &Case) -> (Value, Asked) {
    let run = run(chain, case, &["simulate"]);
    (run.json(), asked(case, &run))
}

/// A cold report.
fn report(chain: &Chain, case: &Case) -> Asked {
    asked(case, &run(chain, case, &["report", "--unsigned"]))
}

fn run(chain: &Chain, case: &Case, command: &[&str]) -> binary::Run {
    let folder = Folder::new();
    let path = arg(&folder.write("request.json", case.request().to_string()));
    let rpc = format!("eip155:31337={}", chain.node.url());
    let door = [path.as_str(), "--json", "-v", "--rpc", &rpc];
    let run = presight([command, &door].concat());
    assert_eq!(run.code, 0, "{}: {} {}", case.name, run.text(), run.stderr);
    run
}

fn asked(case: &Case, run: &binary::Run) -> Asked {
    let counts = run.stderr.lines().find_map(|line| {
        let (waves, calls) = line.strip_suffix(" calls to nodes")?.split_once(" waves, ")?;
        Some((waves.parse().ok()?, calls.parse().ok()?))
    });
    counts.unwrap_or_else(|| panic!("{}: {}", case.name, run.stderr))
}

/// Waves that a cold run should take at most.
const FEW: u32 = 4;
/// What takes no more than them, whatever else does.
const COMMON: [&str; 5] = [
    "oz5: approve without limit",
    "v2: swap",
    "v2: swap ether",
    "v3: swap",
    "safe: multisend",
];

/// Prints how many runs took how many waves, and which took more than they should.
fn check_waves(what: &str, asked: &BTreeMap<&str, Asked>) {
    let mut by_number: BTreeMap<u32, usize> = BTreeMap::new();
    let mut calls: Vec<u32> = asked.values().map(|(_, calls)| *calls).collect();
    calls.sort_unstable();
    for (waves, _) in asked.values() {
        *by_number.entry(*waves).or_default() += 1;
    }
    let median = calls.get(calls.len() / 2);
    println!(
        "cold {what} by waves: {by_number:?}; calls to the node: median {median:?}, most {:?}",
        calls.last()
    );
    for (name, (waves, calls)) in asked {
        if *waves > FEW || COMMON.contains(name) {
            println!("  {name}: {waves} waves, {calls} calls");
        }
        assert!(
            *waves <= FEW || !COMMON.contains(name),
            "{what}: {name}: {waves} waves"
        );
    }
    let usual = asked.values().filter(|(waves, _)| *waves <= FEW).count();
    assert!(
        usual * 20 >= asked.len() * 19,
        "95 of 100 {what} take at most {FEW} waves: {by_number:?}"
    );
}

/// What was compared.
#[derive(Default)]
struct Counts {
    requests: usize,
    calls: usize,
    logs: usize,
    slots: usize,
    open_slots: usize,
    block_numbers: usize,
    answers: usize,
    by_node: usize,
    differences: Vec<String>,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{} requests with {} calls: status, gas and {} logs are those of the receipts; balances, nonces, code and {} \
             slots those of the prestate differences, {} of them attributed and {} listed as unattributed; {} \
             answers of contracts before and after are those of the effects; {} slots hold the number of the block, which \
             is the pinned one here and the next one there",
            self.requests,
            self.calls,
            self.logs,
            self.slots,
            self.slots - self.open_slots,
            self.open_slots,
            self.answers,
            self.block_numbers,
        )?;
        writeln!(
            f,
            "eth_simulateV1: {} requests compared, {} differ",
            self.by_node,
            self.differences.len()
        )?;
        self.differences
            .iter()
            .try_for_each(|difference| writeln!(f, "  {difference}"))
    }
}

impl Counts {
    fn add(&mut self, chain: &Chain, case: &Case, told: &Value) {
        let by_node = truth::simulated_by_node(chain, case);
        let questions = told::questions(told);
        let mut real = truth::send(chain, case, &questions);
        let name = &case.name;
        for (index, receipt) in real.receipts.iter().enumerate() {
            let call = &told["calls"][index];
            let status = if call["status"] == "success" { "0x1" } else { "0x0" };
            assert_eq!(receipt["status"], status, "{name}: {call}");
            let gas = call["gasUsed"].as_u64().expect("gas");
            assert_eq!(
                receipt["gasUsed"],
                format!("{gas:#x}"),
                "{name}: gas of call {index}: {gas}"
            );
            let logs = logs(&told["logs"], |log| log["call"] == index);
            assert_eq!(logs, self::logs(&receipt["logs"], |_| true), "{name}: logs");
            self.logs += logs.len();
        }
        let simulated = truth::of_simulation(told);
        // That every transaction raises its sender's nonce is not read for its own sake.
        let raised = (case.from.clone(), "nonce".to_owned());
        if !simulated.contains_key(&raised) {
            real.changes.remove(&raised);
        }
        self.block_numbers += take_over_block_numbers(&simulated, &mut real, case.calls.len());
        assert_eq!(simulated, real.changes, "{name}: state");
        let slots = simulated
            .keys()
            .filter(|(_, member)| member.starts_with("0x"))
            .count();
        let open = check_effects(name, told, &real.changes);
        self.requests += 1;
        self.calls += real.receipts.len();
        self.slots += slots;
        self.open_slots += open;
        self.answers += 2 * questions.len();
        match by_node {
            Ok(calls) => {
                assert_eq!(calls.len(), case.calls.len(), "{name}: eth_simulateV1");
                self.by_node += 1;
                self.differences.extend(differences(case, told, &calls));
            }
            Err(why) => self.differences.push(format!("{name}: refused: {why}")),
        }
    }
}

/// The node mines the calls in the next blocks: a slot that takes over the number of its block holds another one.
fn take_over_block_numbers(simulated: &truth::Changes, real: &mut truth::Truth, blocks: usize) -> usize {
    let mut found = 0;
    for (member, (_, after)) in &mut real.changes {
        let Some((_, ours)) = simulated.get(member).filter(|(_, ours)| ours != after) else {
            continue;
        };
        let number = |word: &str| word.parse::<U256>().expect("a word");
        let ahead = number(after).wrapping_sub(number(ours));
        if !ahead.is_zero() && ahead <= U256::from(blocks) {
            after.clone_from(ours);
            found += 1;
        }
    }
    found
}

/// Holds the effects against the state differences: none missing, none extra. Gives the number of open slots.
fn check_effects(name: &str, told: &Value, real: &truth::Changes) -> usize {
    let effects = |kind: &str| told["effects"][kind].as_array().expect("a list");
    let text = |effect: &Value, member: &str| effect[member].as_str().expect("text").to_owned();
    let native: truth::Changes = effects("native")
        .iter()
        .map(|e| {
            (
                (text(e, "account"), "balance".to_owned()),
                (text(e, "before"), text(e, "after")),
            )
        })
        .collect();
    let balances = real.iter().filter(|((_, member), _)| member == "balance");
    assert_eq!(
        native,
        balances.map(|(k, v)| (k.clone(), v.clone())).collect(),
        "{name}: native"
    );
    let coded: BTreeSet<String> = effects("code").iter().map(|e| text(e, "account")).collect();
    for (account, member) in real.keys() {
        assert!(
            member != "code" || coded.contains(account),
            "{name}: the code of {account}"
        );
    }
    for slot in effects("unattributed") {
        let key = (text(slot, "contract"), text(slot, "slot"));
        assert_eq!(
            real.get(&key),
            Some(&(text(slot, "before"), text(slot, "after"))),
            "{name}: {key:?}"
        );
    }
    effects("unattributed").len()
}

fn logs(logs: &Value, of: impl Fn(&Value) -> bool) -> Vec<Value> {
    let logs = logs.as_array().expect("logs").iter().filter(|log| of(log));
    logs.map(|log| json!([log["address"], log["topics"], log["data"]]))
        .collect()
}

/// Where the node's own simulation says otherwise.
fn differences(case: &Case, told: &Value, by_node: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    for (index, node) in by_node.iter().enumerate() {
        let ours = &told["calls"][index];
        let status = if ours["status"] == "success" { "0x1" } else { "0x0" };
        if node["status"] != status {
            found.push(format!(
                "{}: status {} and not {status}: {}",
                case.name, node["status"], node["error"]
            ));
        }
        let gas = ours["gasUsed"].as_u64().expect("gas");
        if node["gasUsed"] != format!("{gas:#x}") {
            found.push(format!("{}: gas {} and not {gas:#x}", case.name, node["gasUsed"]));
        }
        let (theirs, ours) = (
            logs(&node["logs"], |_| true),
            logs(&told["logs"], |log| log["call"] == index),
        );
        if theirs != ours {
            found.push(format!(
                "{}: {} logs and not {}",
                case.name,
                theirs.len(),
                ours.len()
            ));
        }
    }
    found
}

fn compare_with_expected(told: &[(String, Vec<String>)]) {
    let path = root().join(EXPECTED);
    if std::env::var_os("PRESIGHT_ACCEPT").is_some() {
        let text: String = told
            .iter()
            .map(|(name, lines)| format!("# {name}\n{}\n\n", lines.join("\n")))
            .collect();
        std::fs::write(&path, text).expect("the expected effects are written");
        return;
    }
    let text = std::fs::read_to_string(&path).expect("the expected effects");
    let expected: BTreeMap<&str, Vec<&str>> = text
        .split("# ")
        .filter_map(|section| {
            let (name, lines) = section.split_once('\n')?;
            Some((name, lines.lines().filter(|line| !line.is_empty()).collect()))
        })
        .collect();
    for (name, lines) in told {
        let expected = expected
            .get(name.as_str())
            .unwrap_or_else(|| panic!("`{name}` is not expected"));
        assert_eq!(expected, lines, "{name}");
    }
}
