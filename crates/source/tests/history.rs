//! What a report says of the past of addresses: read where the history reaches, `incomplete` exactly where it does not.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod recorded;

use alloy_primitives::{Address, B256, address};
use presight_source::Config;
use presight_view::file;
use presight_wire::report::{EntityRef, Finding, Outcome, Report};
use presight_wire::{AccountId, ChainId, Reason};
use serde_json::{Value, json};

const SIGNER: Address = address!("0x00000000000000000000000000000000515ec001");
const FRIEND: Address = address!("0xf41e000000000000000000000000000000004d01");
/// Begins and ends as `FRIEND` does.
const TWIN: Address = address!("0xf41e999999999999999999999999999999994d01");
const STRANGER: Address = address!("0x00000000000000000000000000000000005774a6");
const BLOCK: u64 = 100;

const FIRST_SEEN: &str = "erc.presign.address.first-seen-block";
const NEVER_SEEN: &str = "presight.address.never-seen";
const PRIOR: &str = "erc.presign.address.prior-transfers";
const LOOKALIKE: &str = "erc.presign.address.lookalike";
const AUTHORIZATIONS: &str = "erc.presign.address.delegate-authorizations";

fn account(address: Address) -> AccountId {
    AccountId::new(ChainId::evm(1), address)
}

fn view(history: Option<Value>, accounts: &Value) -> Value {
    let mut chain = json!({
        "chainId": "eip155:1", "spec": "prague", "complete": true,
        "block": { "number": format!("{BLOCK:#x}"), "hash": B256::repeat_byte(1), "timestamp": "0x6b000000" },
        "accounts": accounts,
    });
    if let Some(history) = history {
        chain["history"] = history;
    }
    json!({ "format": "presight-view/1", "clock": "2026-11-30T12:00:00Z", "chains": [chain] })
}

/// The report of a request that sends 1 wei to `FRIEND`, and its recomputation from the witness, which is the same.
fn report_with(view: &Value, config: &Config) -> Report {
    let request = json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:1", "from": account(SIGNER).to_string(),
            "calls": [{ "to": FRIEND, "value": "1", "data": "0x" }],
        },
    });
    let snapshot = file::parse(view.to_string().as_bytes()).unwrap().snapshot;
    recorded::report(&snapshot, request, config)
}

/// The report on a whole history of these transfers.
fn report(transfers: &[Value]) -> Report {
    report_on(json!({ "complete": true, "fromBlock": "0x0", "transfers": transfers, "authorizations": [] }))
}

fn report_on(history: Value) -> Report {
    let funded = json!({ SIGNER.to_string().to_lowercase(): { "balance": "0xffff", "nonce": "0x9" } });
    report_with(&view(Some(history), &funded), &Config::default())
}

/// The findings of a kind about `FRIEND` as recipient.
fn findings<'r>(report: &'r Report, kind: &str) -> Vec<&'r Finding> {
    let about_friend = |finding: &&Finding| {
        matches!(&finding.entity, EntityRef::Address(entity)
            if entity.address == account(FRIEND) && entity.role == presight_wire::report::Role::Recipient)
    };
    report
        .findings
        .iter()
        .filter(|finding| finding.kind == kind)
        .filter(about_friend)
        .collect()
}

fn outcome<'r>(report: &'r Report, kind: &str) -> Result<&'r Value, Reason> {
    let [finding] = findings(report, kind)[..] else {
        panic!("{:#?}", findings(report, kind))
    };
    match &finding.outcome {
        Outcome::Read(value) => {
            assert_eq!(finding.at.as_ref().map(|at| at.block), Some(BLOCK));
            Ok(value)
        }
        Outcome::NotRead(reason) => Err(*reason),
    }
}

fn word(n: u64) -> String {
    format!("{n:#066x}")
}

fn record(block: u64, kind: &str, from: Address, to: Address, value: u64) -> Value {
    json!({ "block": format!("{block:#x}"), "tx": word(block), "kind": kind, "from": from, "to": to,
            "value": format!("{value:#x}") })
}

/// An event in a transaction of this sender.
fn event(block: u64, kind: &str, (from, to): (Address, Address), value: u64, sender: Address) -> Value {
    let mut record = record(block, kind, from, to, value);
    record["sender"] = json!(sender);
    record["logIndex"] = json!("0x7");
    record
}

#[test]
fn without_a_history_nothing_is_read() {
    let report = report_with(&view(None, &json!({})), &Config::default());
    for kind in [FIRST_SEEN, PRIOR, LOOKALIKE] {
        assert_eq!(outcome(&report, kind), Err(Reason::Unavailable), "{kind}");
    }
    assert!(findings(&report, NEVER_SEEN).is_empty());
}

#[test]
fn a_history_that_does_not_reach_the_first_block_is_incomplete_whatever_it_holds() {
    let transfers = json!([
        record(50, "tx", SIGNER, FRIEND, 1),
        record(60, "tx", SIGNER, TWIN, 1)
    ]);
    for reach in [
        json!({ "complete": true, "fromBlock": "0x1" }),
        json!({ "complete": false, "fromBlock": "0x0" }),
        json!({ "complete": true }),
        json!({ "fromBlock": "0x0" }),
    ] {
        let mut history = reach;
        history["transfers"] = transfers.clone();
        let report = report_on(history.clone());
        for kind in [FIRST_SEEN, PRIOR, LOOKALIKE] {
            assert_eq!(
                outcome(&report, kind),
                Err(Reason::Incomplete),
                "{kind} of {history}"
            );
        }
        assert!(findings(&report, NEVER_SEEN).is_empty(), "{history}");
    }
}

#[test]
fn a_history_that_failed_keeps_its_reason() {
    let mut view = view(None, &json!({}));
    view["chains"][0]["notRead"] = json!([{ "read": "history", "reason": "timeout" }]);
    let report = report_with(&view, &Config::default());
    for kind in [FIRST_SEEN, PRIOR, LOOKALIKE] {
        assert_eq!(outcome(&report, kind), Err(Reason::Timeout), "{kind}");
    }
}

#[test]
fn the_first_appearance() {
    let first = |transfers: &[Value]| {
        let report = report(transfers);
        let never = !findings(&report, NEVER_SEEN).is_empty();
        assert_eq!(never, outcome(&report, FIRST_SEEN) == Err(Reason::Unavailable));
        if never {
            assert_eq!(outcome(&report, NEVER_SEEN), Ok(&json!(true)));
        }
        outcome(&report, FIRST_SEEN)
            .ok()
            .map(|block| block.as_str().unwrap().parse::<u64>().unwrap())
    };
    assert_eq!(first(&[]), None);
    for (kind, value) in [
        ("tx", 1),
        ("internal", 1),
        ("erc20", 0),
        ("erc721", 9),
        ("erc1155", 1),
        ("create", 0),
    ] {
        let received = record(40, kind, STRANGER, FRIEND, value);
        assert_eq!(
            first(&[record(90, "tx", FRIEND, STRANGER, 0), received]),
            Some(40),
            "{kind}"
        );
    }
    // Called with nothing, or named as the giver of a token by whoever: no appearance.
    for (kind, from, to) in [
        ("tx", STRANGER, FRIEND),
        ("internal", STRANGER, FRIEND),
        ("erc20", FRIEND, STRANGER),
    ] {
        assert_eq!(first(&[record(40, kind, from, to, 0)]), None, "{kind}");
    }
    assert_eq!(
        first(&[record(40, "tx", FRIEND, STRANGER, 0)]),
        Some(40),
        "it sent a transaction"
    );
    assert_eq!(
        first(&[record(40, "create", FRIEND, STRANGER, 0)]),
        Some(40),
        "a creating one"
    );
    let by_factory = [record(30, "tx", STRANGER, SIGNER, 0), {
        let mut created = record(30, "create", FRIEND, SIGNER, 0);
        created["tx"] = json!(word(30));
        created
    }];
    assert_eq!(first(&by_factory), None, "a creation in another's transaction");
    assert_eq!(
        first(&[event(41, "erc20", (STRANGER, STRANGER), 1, FRIEND)]),
        Some(41),
        "it sent that"
    );
    assert_eq!(
        first(&[record(0, "internal", STRANGER, FRIEND, 1)]),
        Some(0),
        "at the genesis"
    );
    assert_eq!(
        first(&[record(BLOCK, "tx", STRANGER, FRIEND, 1)]),
        Some(BLOCK),
        "in the block itself"
    );
    assert_eq!(
        first(&[record(BLOCK + 1, "tx", STRANGER, FRIEND, 1)]),
        None,
        "after it"
    );
}

#[test]
fn an_appearance_of_unknown_value_is_incomplete() {
    let mut unknown = record(40, "internal", STRANGER, FRIEND, 0);
    unknown.as_object_mut().unwrap().remove("value");
    let later = record(50, "tx", STRANGER, FRIEND, 1);
    assert_eq!(
        outcome(&report(&[unknown.clone(), later]), FIRST_SEEN),
        Err(Reason::Incomplete)
    );
    let earlier = record(30, "tx", STRANGER, FRIEND, 1);
    assert_eq!(
        outcome(&report(&[unknown, earlier]), FIRST_SEEN),
        Ok(&json!("30"))
    );
}

#[test]
fn what_the_signer_paid_before_counts() {
    let transfers = [
        record(10, "tx", SIGNER, FRIEND, 0),
        record(11, "tx", SIGNER, FRIEND, 5),
        event(12, "erc20", (SIGNER, FRIEND), 1, SIGNER),
        event(13, "erc721", (SIGNER, FRIEND), 9, SIGNER),
        event(14, "erc1155", (SIGNER, FRIEND), 2, SIGNER),
        // Not to it, not from the signer, not before the block.
        record(15, "tx", SIGNER, STRANGER, 1),
        record(16, "tx", FRIEND, SIGNER, 1),
        record(BLOCK, "tx", SIGNER, FRIEND, 1),
    ];
    let report = report(&transfers);
    assert_eq!(outcome(&report, PRIOR), Ok(&json!("5")));
    assert_eq!(findings(&report, PRIOR)[0].evidence.len(), 5);
    assert_eq!(
        outcome(&report, LOOKALIKE),
        Ok(&json!([])),
        "paid before, and nobody alike"
    );
}

#[test]
fn spoofed_transfers_never_make_an_address_familiar() {
    for spoofed in [
        event(12, "erc20", (SIGNER, FRIEND), 0, STRANGER),
        event(12, "erc20", (SIGNER, FRIEND), 0, SIGNER),
        event(12, "erc20", (SIGNER, FRIEND), 7, STRANGER),
        event(12, "erc721", (SIGNER, FRIEND), 7, STRANGER),
        record(12, "internal", SIGNER, FRIEND, 7),
    ] {
        assert_eq!(
            outcome(&report(std::slice::from_ref(&spoofed)), PRIOR),
            Ok(&json!("0")),
            "{spoofed}"
        );
    }
}

#[test]
fn a_transfer_of_an_unknown_sender_makes_the_count_incomplete() {
    let event = record(12, "erc20", SIGNER, FRIEND, 7);
    assert_eq!(
        outcome(&report(std::slice::from_ref(&event)), PRIOR),
        Err(Reason::Incomplete)
    );
    let with = |from| [event.clone(), record(12, "tx", from, STRANGER, 0)];
    assert_eq!(
        outcome(&report(&with(SIGNER)), PRIOR),
        Ok(&json!("1")),
        "its transaction says"
    );
    assert_eq!(
        outcome(&report(&with(STRANGER)), PRIOR),
        Ok(&json!("0")),
        "its transaction says"
    );
    let nothing = record(12, "erc20", SIGNER, FRIEND, 0);
    assert_eq!(
        outcome(&report(&[nothing]), PRIOR),
        Ok(&json!("0")),
        "whoever sent it"
    );
}

#[test]
fn a_signer_with_code_may_have_made_what_others_sent() {
    let delegated = json!({ SIGNER.to_string().to_lowercase(): {
        "balance": "0xffff", "nonce": "0x9", "code": format!("0xef0100{}", "11".repeat(20)) } });
    let of = |record: Value| {
        let history = json!({ "complete": true, "fromBlock": "0x0", "transfers": [record] });
        report_with(&view(Some(history), &delegated), &Config::default())
    };
    let sponsored = of(event(12, "erc20", (SIGNER, FRIEND), 7, STRANGER));
    assert_eq!(outcome(&sponsored, PRIOR), Err(Reason::Incomplete));
    let own = of(event(12, "erc20", (SIGNER, FRIEND), 7, SIGNER));
    assert_eq!(outcome(&own, PRIOR), Ok(&json!("1")));
}

#[test]
fn whom_the_signer_dealt_with_and_looks_alike() {
    let other = address!("0xf41e111111111111111111111111111111114d01");
    let nearly = address!("0xf41f111111111111111111111111111111114d01");
    let transfers = [
        record(10, "tx", SIGNER, TWIN, 1),
        event(11, "erc20", (other, SIGNER), 0, STRANGER),
        record(12, "tx", SIGNER, nearly, 1),
        record(13, "tx", SIGNER, FRIEND, 1),
        record(14, "tx", STRANGER, TWIN, 1),
    ];
    let report = report(&transfers);
    let alike = json!([format!("{other:#x}"), format!("{TWIN:#x}")]);
    assert_eq!(
        outcome(&report, LOOKALIKE),
        Ok(&alike),
        "ascending, spoofed ones too"
    );
    let [finding] = findings(&report, LOOKALIKE)[..] else {
        panic!()
    };
    assert_eq!(finding.param, Some(json!({ "prefix": 4, "suffix": 4 })));
    assert_eq!(finding.evidence.len(), 2);

    let in_the_block = [record(BLOCK, "tx", SIGNER, TWIN, 1)];
    assert_eq!(outcome(&self::report(&in_the_block), LOOKALIKE), Ok(&json!([])));
}

#[test]
fn the_digits_compared_are_configured() {
    let config = "[history]\nlookalike = [{ prefix = 0, suffix = 2 }, { prefix = 5, suffix = 0 }]\n";
    let config = Config::parse(config).unwrap();
    let history =
        json!({ "complete": true, "fromBlock": "0x0", "transfers": [record(10, "tx", SIGNER, TWIN, 1)] });
    let report = report_with(&view(Some(history), &json!({})), &config);
    let found: Vec<_> = findings(&report, LOOKALIKE)
        .iter()
        .map(|finding| (finding.param.clone().unwrap(), finding.outcome.clone()))
        .collect();
    let twin = json!([format!("{TWIN:#x}")]);
    assert_eq!(
        found,
        [
            (json!({ "prefix": 0, "suffix": 2 }), Outcome::Read(twin)),
            (json!({ "prefix": 5, "suffix": 0 }), Outcome::Read(json!([]))),
        ]
    );
    assert!(report.method.contains("sources/0x"));
}

mod authorizations {
    use super::*;

    /// A delegate that halts on every call: nobody moves anything through it.
    const DELEGATE: Address = Address::repeat_byte(0xde);

    fn authorization(block: u64, sender: Address, authority: u8) -> Value {
        json!({ "block": format!("{block:#x}"), "tx": word(block), "sender": sender,
                "authority": Address::repeat_byte(authority), "delegate": DELEGATE })
    }

    fn report_of(reach: Value, authorizations: &[Value], blocks: u64) -> Report {
        let accounts = json!({
            FRIEND.to_string().to_lowercase(): { "code": format!("0xef0100{}", "de".repeat(20)), "nonce": "0x1" },
            DELEGATE.to_string().to_lowercase(): { "code": "0xfe", "nonce": "0x1" },
        });
        let mut history = reach;
        history["authorizations"] = json!(authorizations);
        let config = Config::parse(&format!("[history]\nauthorization-blocks = {blocks}\n")).unwrap();
        report_with(&view(Some(history), &accounts), &config)
    }

    fn whole() -> Value {
        json!({ "complete": true, "fromBlock": "0x0" })
    }

    #[test]
    fn are_counted_in_the_window_alone() {
        let listed = [
            authorization(89, SIGNER, 1),
            authorization(90, STRANGER, 1),
            authorization(95, STRANGER, 1),
            authorization(96, SIGNER, 2),
            authorization(99, STRANGER, 3),
            authorization(BLOCK, SIGNER, 4),
        ];
        let report = report_of(whole(), &listed, 10);
        assert_eq!(
            outcome(&report, AUTHORIZATIONS),
            Ok(
                &json!({ "count": 4, "sameSender": 3, "distinctAuthorities": 3, "senderIsOnlyCaller": false })
            )
        );
        let [finding] = findings(&report, AUTHORIZATIONS)[..] else {
            panic!()
        };
        assert_eq!(
            (&finding.param, finding.evidence.len()),
            (&Some(json!({ "blocks": 10 })), 4)
        );
    }

    #[test]
    fn none_in_the_window() {
        let report = report_of(whole(), &[authorization(89, SIGNER, 1)], 10);
        assert_eq!(
            outcome(&report, AUTHORIZATIONS),
            Ok(&json!({ "count": 0, "sameSender": 0, "distinctAuthorities": 0, "senderIsOnlyCaller": null }))
        );
    }

    #[test]
    fn are_incomplete_exactly_where_the_history_does_not_reach_the_window() {
        let from = |block: u64| json!({ "complete": true, "fromBlock": format!("{block:#x}") });
        assert!(outcome(&report_of(from(90), &[], 10), AUTHORIZATIONS).is_ok());
        assert_eq!(
            outcome(&report_of(from(91), &[], 10), AUTHORIZATIONS),
            Err(Reason::Incomplete)
        );
        assert_eq!(
            outcome(&report_of(from(1), &[], 7_200), AUTHORIZATIONS),
            Err(Reason::Incomplete)
        );
        assert!(outcome(&report_of(from(0), &[], 7_200), AUTHORIZATIONS).is_ok());
        let partial = json!({ "complete": false, "fromBlock": "0x0" });
        assert_eq!(
            outcome(&report_of(partial, &[], 10), AUTHORIZATIONS),
            Err(Reason::Incomplete)
        );
    }

    #[test]
    fn are_not_read_where_the_history_says_nothing_of_them() {
        let history = json!({ "complete": true, "fromBlock": "0x0", "transfers": [] });
        let accounts = json!({
            FRIEND.to_string().to_lowercase(): { "code": format!("0xef0100{}", "de".repeat(20)), "nonce": "0x1" },
            DELEGATE.to_string().to_lowercase(): { "code": "0xfe", "nonce": "0x1" },
        });
        let report = report_with(&view(Some(history), &accounts), &Config::default());
        assert_eq!(outcome(&report, AUTHORIZATIONS), Err(Reason::Unavailable));
    }

    #[test]
    fn are_not_listed_for_an_account_that_is_not_delegated() {
        assert!(findings(&report(&[]), AUTHORIZATIONS).is_empty());
    }
}
