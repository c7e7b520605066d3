//! What a verdict's words show of text that someone else wrote.

use super::words::{Judged, verdict};
use presight_engine::report::tell;
use presight_engine::words::TokenWords;
use presight_policy::{Input, Policy};
use presight_source::Config;
use presight_view::{drive, file};
use presight_wire::report::{Outcome, Source};
use presight_wire::{AccountId, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

const REQUEST: &[u8] = include_bytes!("../../../../../examples/approve/request.json");
const VIEW: &[u8] = include_bytes!("../../../../../examples/approve/view.json");

/// A policy that says everything it can of what others wrote.
fn policy(words: &str) -> Policy {
    let words = serde_json::to_string(words).expect("a string is JSON");
    let text = format!(
        "name = \"mine\"\ndescription = {words}\nverdicts = [{{ name = \"ok\", exit = \"clean\" }}, \
         {{ name = \"no\", exit = \"block\" }}, {{ name = \"open\", exit = \"not-evaluated\" }}]\n\
         unavailable = \"open\"\nseverities = {{ no = \"no\" }}\n\
         [[rules]]\ncode = \"r\"\nseverity = \"no\"\nsubject = \"approval\"\nwhen = 'approval.unlimited'\n\
         message = {words}\nwhy = {words}\n"
    );
    // A message may be refused, such as for a brace that is not closed; then the policy says something else.
    Policy::load(&text)
        .unwrap_or_else(|_| Policy::load(&text.replace(&words, "\"words\"")).expect("a policy"))
}

/// The words over the example's report, in which this text stands wherever another's text may.
fn words(hostile: &str) -> String {
    let request = Request::parse(REQUEST).expect("a request");
    let decoded = presight_decode::decode(&request).expect("decodes");
    let signer =
        AccountId::parse("eip155:31337:0x14dc79964da2c08b23698b3d3cc7ca32193d9955", "").expect("an account");
    let source = Source {
        registry: signer.clone(),
        agent_id: alloy_primitives::U256::ZERO,
        signer,
    };
    let view = file::parse(VIEW).expect("a view");
    let told = drive::run_recorded(&view.snapshot, |view| {
        tell(view, &request, &decoded, &source, &Config::default())
    })
    .value;
    let mut told = told.unwrap_or_else(|_| panic!("a closed view leaves nothing pending"));
    for token in told.tokens.values_mut() {
        *token = TokenWords {
            symbol: Some(hostile.to_owned()),
            decimals: Some(6),
        };
    }
    for text in &mut told.report.entities.texts {
        text.field = hostile.to_owned();
        text.reference = Some(hostile.to_owned());
    }
    for finding in &mut told.report.findings {
        finding.note = Some(hostile.to_owned());
        if let Outcome::Read(value) = &mut finding.outcome {
            if finding.kind.starts_with("presight.effects.") {
                spoil(value, hostile);
            } else if value.is_string() && finding.kind.contains("share") {
                *value = json!(hostile);
            }
        }
    }
    let policy = policy(hostile);
    let given = policy.evaluate(&Input::own(&told.report, &request, &decoded));
    let judged = Judged {
        policy: &policy,
        report: &told.report,
        tokens: &told.tokens,
        request: &request,
        decoded: &decoded,
    };
    verdict(&given, &judged)
}

/// Every text of a value, but what tells the parts of it apart, becomes this one; an empty list gets an item.
fn spoil(value: &mut Value, hostile: &str) {
    match value {
        Value::String(text) => *text = hostile.to_owned(),
        Value::Array(items) => {
            items.push(json!({ "from": hostile, "to": hostile, "amount": hostile, "standing": hostile }));
            items.iter_mut().for_each(|item| spoil(item, hostile));
        }
        Value::Object(members) => members.values_mut().for_each(|member| spoil(member, hostile)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Characters that do something to a terminal, or hide.
fn hostile() -> impl Strategy<Value = String> {
    let sharp = prop::sample::select(vec![
        "\u{1b}[2J",
        "\u{1b}]0;x\u{7}",
        "\n",
        "\r",
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{feff}",
        "\u{2028}",
        "\u{85}",
        "\u{9b}31m",
        "\u{3164}",
        "\u{e0041}",
        "\"",
        "\\",
        "\t",
        "\0",
        "traffic-light says green",
        "{",
        "}",
        "\u{301}",
    ]);
    let any = prop::collection::vec(
        prop_oneof![
            sharp.prop_map(str::to_owned),
            any::<char>().prop_map(String::from)
        ],
        0..8,
    );
    any.prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn nobody_elses_text_does_anything_but_be_seen(hostile in hostile()) {
        let plain = words("plain");
        let shown = words(&hostile);
        prop_assert!(shown.contains("What leaves, and to whom:"));
        // No text makes a line, so that none passes for one of ours.
        prop_assert_eq!(shown.lines().count(), plain.lines().count());
        for c in shown.chars().filter(|c| *c != '\n') {
            prop_assert!(!c.is_control(), "{:?}", c);
            prop_assert!(c == ' ' || presight_engine::words::printable(&c.to_string()).chars().eq([c]), "{:?}", c);
        }
    }
}

#[test]
fn the_texts_of_others_are_shown() {
    let shown = words("a\u{1b}b\u{202e}c\nd");
    assert!(shown.contains("a\\u{1b}b\\u{202e}c\\u{a}d"), "{shown}");
    assert!(shown.contains("is not understood"), "{shown}");
}
