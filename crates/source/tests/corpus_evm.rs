//! Real approvals and transfers on their recorded state: the facts are those of the transaction, and what the
//! record does not hold is not read, never zero.

use alloy_primitives::U256;
use presight_view::{drive, file};
use presight_wire::report::{Finding, Form, Outcome, Report, Role, Source};
use presight_wire::{AccountId, ChainId, Reason, Request};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/evm");
    if !folder.is_dir() {
        println!("skipped: corpus absent");
        return None;
    }
    Some(folder)
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a case")).expect("JSON")
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member]
        .as_str()
        .unwrap_or_else(|| panic!("no `{member}` in {value}"))
}

/// The recorded state as a view file that does not know anything else.
fn view(case: &Value) -> Vec<u8> {
    let accounts: Map<String, Value> = case["prestate"]
        .as_object()
        .expect("accounts")
        .iter()
        .map(|(address, recorded)| {
            let nonce = recorded["nonce"].as_u64().expect("a nonce");
            let code = recorded.get("code").cloned().unwrap_or(json!("0x"));
            let storage = recorded.get("storage").cloned().unwrap_or(json!({}));
            let account = json!({
                "balance": recorded["balance"], "nonce": format!("{nonce:#x}"), "code": code, "storage": storage,
            });
            (address.clone(), account)
        })
        .collect();
    let block = &case["block"];
    let number = block["number"].as_u64().expect("a number");
    let timestamp = block["timestamp"].as_u64().expect("a timestamp");
    json!({
        "format": "presight-view/1",
        "clock": "2026-11-30T12:00:00Z",
        "chains": [{
            "chainId": format!("eip155:{}", case["chain"]), "spec": text(case, "spec").to_lowercase(), "complete": false,
            "block": {
                "number": format!("{number:#x}"),
                "hash": block.get("hash").cloned().unwrap_or(json!(format!("0x{}", "ab".repeat(32)))),
                "timestamp": format!("{timestamp:#x}"),
            },
            "accounts": accounts,
        }],
    })
    .to_string()
    .into_bytes()
}

/// The transaction as a request, before it was signed.
fn request(case: &Value) -> Option<Request> {
    let (chain, tx) = (format!("eip155:{}", case["chain"]), &case["tx"]);
    let to = tx["to"].as_str()?;
    let document = json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": chain, "from": format!("{chain}:{}", text(tx, "from")),
            "calls": [{ "to": to, "value": tx["value"], "data": tx["data"] }],
        },
    });
    Some(Request::from_value(document).expect("a request"))
}

fn report(case: &Value, request: &Request) -> Report {
    let decoded = presight_decode::decode(request).expect("decodes");
    let snapshot = file::parse(&view(case)).expect("a view").snapshot;
    let registry = AccountId::new(ChainId::evm(1), Default::default());
    let source = Source {
        registry: registry.clone(),
        agent_id: U256::ZERO,
        signer: registry,
    };
    let driven = drive::run_recorded(&snapshot, |view| {
        presight_source::assemble(
            view,
            request,
            &decoded,
            &source,
            &presight_source::Config::default(),
        )
    });
    let report = driven.value.expect("a closed view leaves nothing pending");
    presight_source::sign::check_structure(&report, request).expect("a valid report");
    report
}

fn finding<'a>(report: &'a Report, kind: &str) -> Option<&'a Finding> {
    report
        .findings
        .iter()
        .find(|f| f.kind == format!("erc.presign.approval.{kind}"))
}

/// The value, or nothing where it was not read for want of state.
fn read<'a>(report: &'a Report, kind: &str) -> Option<&'a Value> {
    match &finding(report, kind)
        .unwrap_or_else(|| panic!("no {kind}"))
        .outcome
    {
        Outcome::Read(value) => Some(value),
        Outcome::NotRead(reason) => {
            assert_eq!(*reason, Reason::Unavailable, "{kind}");
            None
        }
    }
}

/// The slots of the token, or of whom it calls, whose value the transaction found: a fact of the state before it.
fn recorded_values(case: &Value) -> Vec<U256> {
    let accounts = case["prestate"].as_object().expect("accounts").values();
    accounts
        .filter_map(|account| account["storage"].as_object())
        .flat_map(|storage| storage.values())
        .map(|value| value.as_str().expect("a word").parse().expect("a word"))
        .collect()
}

#[test]
fn real_approvals_give_their_facts() {
    let Some(folder) = corpus() else { return };
    let index = json_of(&folder.join("index.json"));
    let (mut cases, mut facts, mut amounts, mut held) = (0, 0, 0, 0);
    for entry in index["cases"].as_array().expect("cases") {
        let case = json_of(&folder.join(text(entry, "file")));
        let action = &case["expected"]["facts"]["action"];
        let form = match action["kind"].as_str() {
            Some("approve") => Form::Erc20Approve,
            Some("setApprovalForAll") => Form::ApprovalForAll,
            _ => continue,
        };
        let id = text(entry, "id");
        let request = request(&case).expect("a call");
        let report = report(&case, &request);
        cases += 1;
        let owner = text(&case["tx"], "from");
        if form == Form::ApprovalForAll && action["approved"] == false {
            assert!(
                report.entities.approvals.is_empty(),
                "{id}: a revoked approval for all is no approval"
            );
            continue;
        }
        let approval = &report.entities.approvals[0];
        assert_eq!(report.entities.approvals.len(), 1, "{id}");
        assert_eq!(approval.form, form, "{id}");
        assert_eq!(
            format!("{:#x}", approval.token.address),
            text(&case["tx"], "to"),
            "{id}"
        );
        for role in [Role::Spender, Role::Token, Role::Target] {
            assert!(
                report.entities.addresses.iter().any(|a| a.role == role),
                "{id}: {role:?}"
            );
        }
        if form == Form::ApprovalForAll {
            assert_eq!(read(&report, "amount"), Some(&json!("all")), "{id}");
            assert_eq!(read(&report, "unlimited"), Some(&json!(true)), "{id}");
            assert!(finding(&report, "share-of-supply").is_none(), "{id}");
        } else {
            let amount: U256 = text(action, "amount").parse().expect("an amount");
            assert_eq!(
                format!("{:#x}", approval.spender.address),
                text(action, "spender"),
                "{id}"
            );
            if let Some(value) = read(&report, "amount") {
                assert_eq!(value, &json!(amount.to_string()), "{id}");
                amounts += 1;
            }
            if let Some(value) = read(&report, "unlimited") {
                assert_eq!(value, &json!(amount == U256::MAX), "{id}");
            }
        }
        assert_eq!(read(&report, "expiry"), Some(&json!("none")), "{id}");
        match read(&report, "current-allowance") {
            // The slot that the transaction wrote is in the record: the allowance before it is that slot's value.
            Some(value) => {
                held += 1;
                let before: U256 = match value.as_str() {
                    Some("all") => U256::ONE,
                    Some(amount) => U256::from_str_radix(amount, 10).expect("a decimal"),
                    None => panic!("{id}: {value}"),
                };
                let words = recorded_values(&case);
                assert!(
                    words.contains(&before),
                    "{id}: {before} of {owner} is no recorded value"
                );
            }
            None => println!(
                "{id}: current allowance not read: {:?}",
                finding(&report, "current-allowance").and_then(|f| f.note.clone())
            ),
        }
        facts += report
            .findings
            .iter()
            .filter(|f| matches!(f.outcome, Outcome::Read(_)))
            .count();
    }
    assert!(cases >= 15, "only {cases} approvals");
    assert!(
        held * 10 >= cases * 8,
        "the allowance before was read in {held} of {cases} cases only"
    );
    println!(
        "{cases} approvals, {amounts} amounts and {held} current allowances read, {facts} facts read in all"
    );
}

#[test]
fn real_transfers_give_their_entities() {
    let Some(folder) = corpus() else { return };
    let index = json_of(&folder.join("index.json"));
    let mut cases = 0;
    for entry in index["cases"].as_array().expect("cases") {
        let case = json_of(&folder.join(text(entry, "file")));
        let action = &case["expected"]["facts"]["action"];
        let kind = action["kind"].as_str();
        if !matches!(
            kind,
            Some("transfer" | "transferFrom" | "native-transfer" | "safeTransferFrom1155")
        ) {
            continue;
        }
        let id = text(entry, "id");
        let request = request(&case).expect("a call");
        let report = report(&case, &request);
        cases += 1;
        let role = |role: Role| {
            let mut found = report.entities.addresses.iter().filter(move |a| a.role == role);
            (
                found.next().map(|a| format!("{:#x}", a.address.address)),
                found.next(),
            )
        };
        let to = text(&case["tx"], "to").to_owned();
        assert_eq!(role(Role::Target), (Some(to.clone()), None), "{id}");
        if kind == Some("native-transfer") {
            assert!(report.entities.tokens.is_empty(), "{id}");
            if action["value"] != "0x0" {
                assert_eq!(role(Role::Recipient), (Some(to), None), "{id}");
            }
            continue;
        }
        assert_eq!(report.entities.tokens.len(), 1, "{id}");
        assert_eq!(format!("{:#x}", report.entities.tokens[0].address), to, "{id}");
        // An ERC-1155 action names the contract in `to`; its transfer names the receiver.
        let moved = if kind == Some("safeTransferFrom1155") {
            &case["expected"]["facts"]["transfers"][0]
        } else {
            action
        };
        if let Some(recipient) = moved["to"].as_str() {
            assert_eq!(role(Role::Recipient), (Some(recipient.to_owned()), None), "{id}");
        }
        assert!(report.entities.approvals.is_empty(), "{id}");
    }
    assert!(cases >= 15, "only {cases} transfers");
    println!("{cases} transfers");
}
