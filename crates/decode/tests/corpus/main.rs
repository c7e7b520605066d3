//! Real requests with known facts. The corpus is third-party and not part of the repository; without it these
//! tests say so and pass.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

mod expected;
mod transactions;
mod tree;

use expected::{check_accepted, check_refused_or_flagged, expected_approval, found_approvals, list, text};
use presight_decode::{Amount, Decoded, decode};
use presight_wire::report::Role;
use presight_wire::{Refusal, Request};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn corpus(folder: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus")
        .join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: corpus absent");
    None
}

fn json(path: PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn decode_file(path: PathBuf) -> Result<Decoded, Refusal> {
    decode(&Request::parse(&std::fs::read(path).unwrap())?)
}

/// How many approvals of a form are expected, found, missed and found without being expected.
#[derive(Default)]
struct Share {
    expected: usize,
    found: usize,
    extra: usize,
}

/// Counts by form.
#[derive(Default)]
struct Shares(BTreeMap<String, Share>);

impl Shares {
    fn of(&mut self, form: &str) -> &mut Share {
        self.0.entry(form.to_owned()).or_default()
    }

    fn expect(&mut self, form: &str, found: bool) {
        let share = self.of(form);
        share.expected += 1;
        share.found += usize::from(found);
    }

    fn print(&self, title: &str) {
        println!("{title}:");
        for (form, share) in &self.0 {
            let Share {
                expected,
                found,
                extra,
            } = share;
            let missed = expected - found;
            println!("  {form}: expected {expected}, found {found}, missed {missed}, extra {extra}");
        }
    }
}

/// Counts the approvals of one request. Those that the index only allows are not missed and not extra.
fn count_approvals(expected: &Value, decoded: &Decoded, approvals: &mut Shares) {
    let found = found_approvals(decoded);
    let listed = list(expected, "approvals");
    for approval in listed.iter().filter(|a| a["basis"] != "extended") {
        approvals.expect(
            text(approval, "form"),
            found.contains(&expected_approval(approval)),
        );
    }
    for approval in found {
        if !listed.iter().any(|e| expected_approval(e) == approval) {
            approvals.of(&approval.2).extra += 1;
        }
    }
}

#[test]
fn public_requests_decode_as_their_bytes_say() {
    let Some(folder) = corpus("requests") else { return };
    let index = json(folder.join("index.json"));
    let cases = list(&index, "cases");
    let (mut requests, mut approvals) = (Shares::default(), Shares::default());
    let (mut faults, mut inner_calls) = (Vec::new(), 0);
    for case in cases {
        let (id, expected) = (text(case, "id"), &case["expected"]);
        let outcome = decode_file(folder.join(text(case, "file")));
        let mut found = match (text(expected, "outcome"), &outcome) {
            ("accept", Err(refusal)) => vec![format!("refused: {refusal}")],
            ("refuse", Ok(_)) => vec!["not refused".to_owned()],
            ("accept", Ok(_)) => Vec::new(),
            _ => check_refused_or_flagged(expected, &outcome),
        };
        if let Ok(decoded) = &outcome {
            found.extend(check_accepted(expected, decoded));
            count_approvals(expected, decoded, &mut approvals);
            inner_calls += tree::inner_calls(expected);
        }
        for form in list(case, "form").iter().filter_map(Value::as_str) {
            requests.expect(form, found.is_empty());
        }
        if !found.is_empty() {
            faults.push(format!("{id}: {}", found.join("; ")));
        }
    }
    requests.print("requests by form");
    approvals.print("approvals by form");
    println!("{inner_calls} calls inside calls");
    assert!(cases.len() >= 464, "{} cases", cases.len());
    assert!(
        inner_calls >= 49,
        "{inner_calls} calls inside calls were compared"
    );
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[test]
fn public_typed_data_has_its_digest_and_facts() {
    let Some(folder) = corpus("typed-data") else {
        return;
    };
    let index = json(folder.join("index.json"));
    let cases = list(&index, "cases");
    for case in cases {
        let id = text(case, "id");
        let file = json(folder.join(text(case, "file")));
        let (payload, expected) = (&file["payload"], &file["expected"]);
        let chain = payload["domain"]["chainId"].as_u64().unwrap_or(1);
        let signer = format!("eip155:{chain}:0x4ddad24756816b972899a5eda789e0343e014db9");
        let request = serde_json::json!({
            "version": "erc-presign/1",
            "subject": {
                "type": "calls", "chainId": format!("eip155:{chain}"), "from": signer, "calls": [],
                "typedData": payload,
            },
        });
        let outcome = Request::from_value(request).and_then(|request| decode(&request));
        if id == "phish-permit-usdc-integer-contract" {
            let refusal = outcome.unwrap_err();
            assert_eq!(
                (refusal.code, refusal.pointer.as_str()),
                ("bad-address", "/subject/typedData/domain/verifyingContract")
            );
            continue;
        }
        let decoded = outcome.unwrap_or_else(|refusal| panic!("{id}: {refusal}"));
        let typed_data = decoded.typed_data.as_ref().unwrap();
        let digest = format!("{:#x}", typed_data.digests[0]);
        assert_eq!(digest, text(expected, "digest"), "{id}");
        check_facts(id, text(case, "kind"), &expected["facts"], &decoded);
    }
    assert!(cases.len() >= 30, "{} cases", cases.len());
}

/// Kind, token, amount and spender, where the file states them.
fn check_facts(id: &str, kind: &str, facts: &Value, decoded: &Decoded) {
    let recognised = decoded.typed_data.as_ref().and_then(|t| t.recognised);
    let kinds: &[&str] = match kind {
        "permit" => &["erc2612-permit", "dai-permit"],
        "permit2-allowance" => &["permit2-permit-single", "permit2-permit-batch"],
        "permit2-witness-transfer" => &["permit2-permit-witness-transfer-from"],
        "erc3009-transfer" => &["erc3009-transfer"],
        "erc3009-receive" => &["erc3009-receive"],
        "safe-tx" => &["safe-transaction"],
        _ => &[],
    };
    // The rest has no forms of its own in the index.
    let right = match recognised {
        Some(form) if kind == "other" => form == "meta-transaction",
        Some(form) => kinds.contains(&form),
        None => kinds.is_empty(),
    };
    assert!(right, "{id}: {recognised:?}");

    let tokens: Vec<_> = decoded
        .entities
        .tokens
        .iter()
        .map(|t| format!("{:#x}", t.address))
        .collect();
    if let Some(token) = facts["token"].as_str() {
        assert_eq!(tokens, [token.to_ascii_lowercase()], "{id}");
    }
    if let Some(tokens) = facts["tokens"].as_u64() {
        assert_eq!(decoded.entities.approvals.len() as u64, tokens, "{id}");
    }
    if let Some(spender) = facts["spender"].as_str() {
        let spenders = decoded
            .entities
            .addresses
            .iter()
            .filter(|a| a.role == Role::Spender);
        let spenders: Vec<_> = spenders.map(|a| format!("{:#x}", a.address.address)).collect();
        assert_eq!(spenders, [spender.to_ascii_lowercase()], "{id}");
    }
    if let Some(amount) = facts["amount"].as_str() {
        let granted = decoded.grants.iter().filter_map(|g| match g.amount {
            Amount::Units { value, .. } => Some(value),
            Amount::All => None,
        });
        let moved = decoded.transfers.iter().map(|t| t.amount);
        let allowed = decoded.transfer_permits.iter().map(|t| t.amount);
        let amounts: Vec<_> = granted
            .chain(moved)
            .chain(allowed)
            .map(|a| a.to_string())
            .collect();
        assert_eq!(amounts, [amount], "{id}");
    }
    if let Some(receiver) = facts["witnessTo"].as_str() {
        let found = decoded.transfer_permits[0].witness_to.map(|a| format!("{a:#x}"));
        assert_eq!(found, Some(receiver.to_ascii_lowercase()), "{id}");
    }
}
