//! Every preset over the corpus of requests, by class. The corpus has no chain state, so each request is judged three times:
//! - *offline*: nothing of the chain is read;
//! - *harmless state*: everything is read and nothing is unusual: every address is an old contract on no list, the calls succeed
//!   and do nothing on the side. What is red here is red for the shape of the bytes alone;
//! - *listed* (malicious requests whose source is a list): as before, and the addresses the request deals with are on a list.
//!
//! The figures stand in `docs/accuracy.md`; `PRESIGHT_WRITE_DOCS=1 cargo test -p presight-policy --test corpus` writes them.

use presight_decode::{Decoded, decode};
use presight_policy::presets::PRESETS;
use presight_policy::{Input, Policy};
use presight_source::assemble;
use presight_view::{Snapshot, drive};
use presight_wire::report::{EntityRef, Outcome, Report, Role, Source};
use presight_wire::{AccountId, Request, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// 2026-11-30T12:00:00Z.
const CLOCK: i64 = 1_796_040_000;
const START: &str = "<!-- figures: written by the test -->\n";
const END: &str = "<!-- end of figures -->\n";

struct Case {
    id: String,
    class: String,
    request: Request,
    decoded: Decoded,
    offline: Report,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The cases that decode; nothing where the corpus is not there.
fn cases() -> Option<(Vec<Case>, BTreeMap<String, usize>)> {
    let folder = root().join("../shared/corpus/requests");
    let index: Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).ok()?).expect("JSON");
    let (mut cases, mut refused) = (Vec::new(), BTreeMap::new());
    for entry in index["cases"].as_array().expect("cases") {
        let text = |name: &str| entry[name].as_str().expect("a string").to_owned();
        let bytes = std::fs::read(folder.join(text("file"))).expect("a file");
        let read = Request::parse(&bytes).and_then(|request| {
            let decoded = decode(&request)?;
            Ok((request, decoded))
        });
        let Ok((mut request, decoded)) = read else {
            *refused.entry(text("class")).or_default() += 1;
            continue;
        };
        request.kinds = None;
        let account = AccountId::new(request.chain().clone(), Default::default());
        let source = Source {
            registry: account.clone(),
            agent_id: Default::default(),
            signer: account,
        };
        let snapshot = Snapshot::new(Timestamp(CLOCK));
        let driven = drive::run_recorded(&snapshot, |view| {
            assemble(
                view,
                &request,
                &decoded,
                &source,
                &presight_source::Config::default(),
            )
        });
        cases.push(Case {
            id: text("id"),
            class: text("class"),
            offline: driven.value.expect("a closed snapshot leaves nothing open"),
            request,
            decoded,
        });
    }
    Some((cases, refused))
}

/// The report of a state in which nothing is unusual, but for what is on a list.
fn harmless(case: &Case, on_list: bool) -> Report {
    let mut report = case.offline.clone();
    for finding in &mut report.findings {
        if finding.outcome.is_unread()
            && let Some(value) = harmless_value(&finding.kind, &case.request, &finding.entity, on_list)
        {
            finding.outcome = Outcome::Read(value);
        }
    }
    // Kinds that are listed only where they say something.
    report
        .findings
        .retain(|f| !(f.kind == "presight.approval.item" && f.outcome.is_unread()));
    report
}

/// What a kind's value is in that state; nothing for what stays not read.
fn harmless_value(kind: &str, request: &Request, entity: &EntityRef, on_list: bool) -> Option<Value> {
    let listed = match entity {
        EntityRef::Address(a) => on_list && a.role != Role::Token && a.address != *request.signer(),
        _ => false,
    };
    Some(match kind {
        "erc.presign.approval.share-of-supply" => json!(1),
        "erc.presign.approval.current-allowance" => json!("0"),
        "presight.approval.owner-balance" => json!("0"),
        "erc.presign.address.code" => json!("contract"),
        "erc.presign.address.first-seen-block" => json!("1"),
        "erc.presign.address.prior-transfers" => json!("0"),
        "erc.presign.address.lookalike" => json!([]),
        "erc.presign.address.on-list" => json!(listed),
        "erc.presign.address.delegation" => json!({ "before": null, "after": null }),
        "erc.presign.text.control-chars" => json!(0),
        "erc.presign.text.mixed-script" => json!(false),
        "erc.presign.text.addresses" | "erc.presign.text.pattern-match" => json!([]),
        "presight.effects.batch" => json!({ "status": "success" }),
        "presight.effects.coverage" => json!("all"),
        kind if kind.starts_with("presight.effects.") => json!([]),
        _ => return None,
    })
}

fn is_listed(case: &Case) -> bool {
    case.class == "malicious" && case.id.starts_with("list-")
}

#[test]
fn the_presets_over_the_corpus() {
    let Some((cases, refused)) = cases() else {
        println!("skipped: corpus absent");
        return;
    };
    let mut figures = String::from("| preset | state | class | verdicts |\n| --- | --- | --- | --- |\n");
    for preset in PRESETS {
        let policy = Policy::load(preset.text).expect("a preset loads");
        let mildest = policy.verdicts().next().expect("a verdict").0.to_owned();
        let harshest = policy.verdicts().last().expect("a verdict").0.to_owned();
        for state in ["offline", "harmless state", "listed"] {
            let mut counts: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
            for case in cases.iter().filter(|case| state != "listed" || is_listed(case)) {
                let report = match state {
                    "offline" => case.offline.clone(),
                    _ => harmless(case, state == "listed"),
                };
                // Blocks of a state that was read.
                let mut report = report;
                if state != "offline" {
                    let chains = report.entities.addresses.iter().map(|a| a.address.chain.clone());
                    let mut chains: Vec<_> = chains.chain([case.request.chain().clone()]).collect();
                    chains.sort();
                    chains.dedup();
                    report.blocks = chains
                        .into_iter()
                        .map(|chain| presight_wire::report::BlockRef {
                            chain,
                            block: 20_000_000,
                            hash: Default::default(),
                        })
                        .collect();
                }
                let verdict = policy.evaluate(&Input::own(&report, &case.request, &case.decoded));
                let word = verdict.word().to_owned();
                let told = || {
                    format!(
                        "{} ({state}, {}): {:#?}",
                        case.id,
                        policy.name(),
                        verdict.reasons()
                    )
                };
                assert!(
                    verdict.reasons().iter().all(|reason| reason.code != "rule-error"),
                    "{}",
                    told()
                );
                if preset.name == "traffic-light" {
                    if case.class == "benign" {
                        assert_ne!(word, harshest, "red for its shape alone: {}", told());
                    }
                    if state == "listed" {
                        assert_eq!(word, harshest, "{}", told());
                    }
                }
                if case.class == "malicious" && state == "offline" {
                    assert_ne!(word, mildest, "{}", told());
                }
                if state == "harmless state"
                    && preset.name == "traffic-light"
                    && case.class == "malicious"
                    && word == mildest
                {
                    println!("green in a harmless state: {}", case.id);
                }
                *counts.entry(&case.class).or_default().entry(word).or_default() += 1;
            }
            for (class, counts) in counts {
                let words = policy
                    .verdicts()
                    .filter_map(|(word, _)| Some(format!("{word} {}", counts.get(word)?)));
                let words: Vec<String> = words.collect();
                writeln!(
                    figures,
                    "| {} | {state} | {class} | {} |",
                    policy.name(),
                    words.join(", ")
                )
                .expect("a string");
            }
        }
    }
    let refused: Vec<String> = refused
        .iter()
        .map(|(class, count)| format!("{count} {class}"))
        .collect();
    writeln!(
        figures,
        "\nRefused before anything is read: {}.",
        refused.join(", ")
    )
    .expect("a string");
    println!("{figures}");
    compare(&figures);
}

/// The figures are those of the document, or are written to it.
fn compare(figures: &str) {
    let path = root().join("docs/accuracy.md");
    let document = std::fs::read_to_string(&path).expect("docs/accuracy.md");
    let (before, rest) = document.split_once(START).expect("the start of the figures");
    let (held, after) = rest.split_once(END).expect("the end of the figures");
    if std::env::var_os("PRESIGHT_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{START}{figures}{END}{after}")).expect("written");
    } else {
        assert_eq!(held, figures, "PRESIGHT_WRITE_DOCS=1 writes the figures anew");
    }
}
