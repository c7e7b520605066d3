//! Real requests with known facts. The corpus is third-party and not part of the repository; without it these
//! tests say so and pass.

use presight_decode::{Amount, Decoded, Expiry, decode};
use presight_wire::{Refusal, Request};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
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

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value[member].as_array().map_or(&[], Vec::as_slice)
}

/// One approval as the index writes it: token, spender, form, amount, unlimited, expiry, call.
type Approval = (String, String, String, String, bool, String, Option<u64>);

fn expected_approval(approval: &Value) -> Approval {
    (
        text(approval, "token").to_owned(),
        text(approval, "spender").to_owned(),
        text(approval, "form").to_owned(),
        text(approval, "amount").to_owned(),
        approval["unlimited"].as_bool().unwrap(),
        approval["expiry"]
            .as_str()
            .map_or_else(|| approval["expiry"].to_string(), str::to_owned),
        approval["callIndex"].as_u64(),
    )
}

fn found_approvals(decoded: &Decoded) -> Vec<Approval> {
    assert_eq!(decoded.entities.approvals.len(), decoded.grants.len());
    let pairs = decoded.entities.approvals.iter().zip(&decoded.grants);
    pairs
        .map(|(entity, grant)| {
            assert_eq!(entity.form, grant.form);
            let (amount, unlimited) = match grant.amount {
                Amount::All => ("all".to_owned(), true),
                Amount::Units { value, max } => (value.to_string(), value == max),
            };
            let expiry = match grant.expiry {
                Expiry::Never => "none".to_owned(),
                Expiry::At(time) => time.to_string(),
                Expiry::SameBlock => "block-timestamp".to_owned(),
            };
            (
                format!("{:#x}", entity.token.address),
                format!("{:#x}", entity.spender.address),
                entity.form.as_str().to_owned(),
                amount,
                unlimited,
                expiry,
                entity.call_index.map(|i| i as u64),
            )
        })
        .collect()
}

/// Whether a case carries calls inside calls or inside a message, or orders: formats that come later.
fn needs_nested(expected: &Value) -> bool {
    let calls = list(expected, "calls")
        .iter()
        .chain(std::iter::once(&expected["typedData"]));
    calls
        .into_iter()
        .any(|call| call.get("inner").is_some() || call.get("commands").is_some())
}

/// What `found` lacks of the demanded entries, and what it has that is not among the expected ones.
fn compare<T: Ord + Clone>(expected: &[(T, String)], found: &[T]) -> (Vec<T>, Vec<T>) {
    let missing = expected
        .iter()
        .filter(|(e, basis)| basis != "extended" && !found.contains(e));
    let extra = found.iter().filter(|f| !expected.iter().any(|(e, _)| e == *f));
    (
        missing.map(|(e, _)| e.clone()).collect(),
        extra.cloned().collect(),
    )
}

fn with_basis<T>(entries: &[Value], read: impl Fn(&Value) -> T) -> Vec<(T, String)> {
    entries
        .iter()
        .map(|e| (read(e), text(e, "basis").to_owned()))
        .collect()
}

/// The digests a case may have: one, or one per reading of its domain.
fn digests(value: &Value) -> Vec<&str> {
    match value {
        Value::String(digest) => vec![digest],
        Value::Object(_) => vec![text(value, "domainInferred"), text(value, "domainEmpty")],
        _ => Vec::new(),
    }
}

/// The transfers that carry no reference to Permit2 signatures, as (asset, from, to, amount or item).
fn expected_transfers(expected: &Value) -> Vec<(String, String, String, String)> {
    let own = list(expected, "transfers")
        .iter()
        .filter(|t| t.get("by").is_none());
    own.map(|t| {
        let amount = t
            .get("tokenId")
            .or(t.get("amount"))
            .or(t.get("amountOrId"))
            .unwrap();
        let amount = amount.as_str().unwrap();
        (
            text(t, "asset").to_owned(),
            text(t, "from").to_owned(),
            text(t, "to").to_owned(),
            amount.to_owned(),
        )
    })
    .collect()
}

fn found_transfers(decoded: &Decoded) -> Vec<(String, String, String, String)> {
    let transfers = decoded.transfers.iter().map(|t| {
        let asset = t
            .token
            .map_or_else(|| "native".to_owned(), |token| format!("{token:#x}"));
        let amount = t.token_id.unwrap_or(t.amount);
        (
            asset,
            format!("{:#x}", t.from),
            format!("{:#x}", t.to),
            amount.to_string(),
        )
    });
    transfers.collect()
}

fn check_accepted(expected: &Value, decoded: &Decoded) -> Vec<String> {
    let mut faults = Vec::new();
    let mut fault = |what: &str, missing: String, extra: String| {
        faults.push(format!("{what}: missing {missing}, not expected {extra}"));
    };

    let approvals = with_basis(list(expected, "approvals"), expected_approval);
    let (missing, extra) = compare(&approvals, &found_approvals(decoded));
    if !missing.is_empty() || !extra.is_empty() {
        fault("approvals", format!("{missing:?}"), format!("{extra:?}"));
    }

    let tokens = with_basis(list(expected, "tokens"), |t| text(t, "token").to_owned());
    let found: Vec<_> = decoded
        .entities
        .tokens
        .iter()
        .map(|t| format!("{:#x}", t.address))
        .collect();
    let (missing, extra) = compare(&tokens, &found);
    if !missing.is_empty() || !extra.is_empty() {
        fault("tokens", format!("{missing:?}"), format!("{extra:?}"));
    }

    let pair = |a: &Value| (text(a, "address").to_owned(), text(a, "role").to_owned());
    let addresses = with_basis(list(expected, "addresses"), pair);
    let found: Vec<_> = decoded
        .entities
        .addresses
        .iter()
        .map(|a| (format!("{:#x}", a.address.address), a.role.as_str().to_owned()))
        .collect();
    let (missing, extra) = compare(&addresses, &found);
    if !missing.is_empty() || !extra.is_empty() {
        fault("addresses", format!("{missing:?}"), format!("{extra:?}"));
    }

    let (expected_moves, found_moves) = (expected_transfers(expected), found_transfers(decoded));
    if expected_moves != found_moves {
        fault(
            "transfers",
            format!("{expected_moves:?}"),
            format!("{found_moves:?}"),
        );
    }

    let expected_digests = digests(&expected["eip712Digest"]);
    let found: Vec<_> = decoded
        .typed_data
        .iter()
        .flat_map(|t| &t.digests)
        .map(|d| format!("{d:#x}"))
        .collect();
    if !expected_digests.is_empty() && expected_digests != found {
        fault("digests", format!("{expected_digests:?}"), format!("{found:?}"));
    }

    if let Some(authorities) = expected["authorities"].as_array() {
        let found: Vec<_> = decoded
            .authorities
            .iter()
            .map(|a| a.map_or(Value::Null, |a| format!("{a:#x}").into()))
            .collect();
        if *authorities != found {
            fault("authorities", format!("{authorities:?}"), format!("{found:?}"));
        }
    }
    faults
}

/// Refused, or accepted with each of the case's oddities flagged at its place.
fn check_refused_or_flagged(expected: &Value, outcome: &Result<Decoded, Refusal>) -> Vec<String> {
    let quirks: BTreeSet<_> = list(expected, "quirks")
        .iter()
        .map(|q| (text(q, "code"), text(q, "pointer")))
        .collect();
    match outcome {
        Err(refusal) => {
            let named = (refusal.code, refusal.pointer.as_str());
            if quirks.is_empty() || quirks.contains(&named) {
                return Vec::new();
            }
            vec![format!("refused as {named:?}, expected one of {quirks:?}")]
        }
        Ok(decoded) => {
            let flags: BTreeSet<_> = decoded
                .flags
                .iter()
                .map(|f| (f.code, f.pointer.as_str()))
                .collect();
            quirks
                .difference(&flags)
                .map(|quirk| format!("not flagged: {quirk:?}"))
                .collect()
        }
    }
}

#[test]
fn public_requests_decode_as_their_bytes_say() {
    let Some(folder) = corpus("requests") else { return };
    let index = json(folder.join("index.json"));
    let mut shares: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut faults, mut open) = (Vec::new(), Vec::new());
    for case in list(&index, "cases") {
        let (id, expected) = (text(case, "id"), &case["expected"]);
        let outcome = decode_file(folder.join(text(case, "file")));
        // Sign-in messages are text: their rules are the envelope validator's.
        let siwe = text(expected, "scheme") == "siwe";
        let mut found = match (text(expected, "outcome"), &outcome) {
            ("accept", Err(refusal)) => vec![format!("refused: {refusal}")],
            ("refuse", Ok(_)) => vec!["not refused".to_owned()],
            ("accept", Ok(_)) => Vec::new(),
            _ => check_refused_or_flagged(expected, &outcome),
        };
        if let Ok(decoded) = &outcome {
            found.extend(check_accepted(expected, decoded));
        }
        let is_open = needs_nested(expected) || (siwe && text(expected, "outcome") != "accept");
        for form in list(case, "form").iter().filter_map(Value::as_str) {
            let share = shares.entry(form.to_owned()).or_default();
            share.1 += 1;
            share.0 += usize::from(found.is_empty() && !(siwe && is_open));
        }
        if is_open && (siwe || !found.is_empty()) {
            open.push(format!("{id}: {}", found.join("; ")));
        } else if !found.is_empty() {
            faults.push(format!("{id}: {}", found.join("; ")));
        }
    }
    for (form, (right, all)) in &shares {
        println!("{form}: {right} of {all}");
    }
    println!("open ({}):", open.len());
    for case in &open {
        println!("  {case}");
    }
    assert_eq!(shares.values().map(|s| s.1).sum::<usize>() >= 464, true);
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
