//! What the index expects of a case, and how a decoded request differs from it.

use super::tree;
use alloy_primitives::U256;
use presight_decode::{Amount, Decoded, Expiry};
use presight_wire::Refusal;
use serde_json::Value;
use std::collections::BTreeSet;

pub(crate) fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value[member].as_str().unwrap_or_default()
}

pub(crate) fn list<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value[member].as_array().map_or(&[], Vec::as_slice)
}

/// One approval as the index writes it: token, spender, form, amount, unlimited, expiry, call.
pub(crate) type Approval = (String, String, String, String, bool, String, Option<u64>);

pub(crate) fn expected_approval(approval: &Value) -> Approval {
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

pub(crate) fn found_approvals(decoded: &Decoded) -> Vec<Approval> {
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

/// The one-time Permit2 transfers, as (token, spender, ceiling).
fn expected_transfer_permits(expected: &Value) -> Vec<(String, String, String)> {
    let permits = list(expected, "transfers")
        .iter()
        .filter(|t| t.get("by").is_some());
    let read = |t: &Value| {
        (
            text(t, "asset").to_owned(),
            text(t, "by").to_owned(),
            text(t, "upTo").to_owned(),
        )
    };
    permits.map(read).collect()
}

fn found_transfer_permits(decoded: &Decoded) -> Vec<(String, String, String)> {
    let permits = decoded.transfer_permits.iter();
    permits
        .map(|p| {
            (
                format!("{:#x}", p.token),
                format!("{:#x}", p.spender),
                p.amount.to_string(),
            )
        })
        .collect()
}

/// The deadline of the signature, where the typed data is of a form that has one.
fn expected_deadline(expected: &Value) -> Option<u64> {
    let permit = list(expected, "approvals")
        .iter()
        .find(|a| a.get("callIndex").is_none());
    let typed_data = &expected["typedData"];
    let deadline = permit
        .map(|a| &a["sigDeadline"])
        .unwrap_or(&typed_data["deadline"]);
    deadline.as_u64().or_else(|| typed_data["validBefore"].as_u64())
}

pub(crate) fn check_accepted(expected: &Value, decoded: &Decoded) -> Vec<String> {
    let mut faults = tree::differences(expected, decoded);
    let mut fault = |what: &str, missing: String, extra: String| {
        faults.push(format!("{what}: missing {missing}, not expected {extra}"));
    };
    // Grants may ride in arguments that the index does not read.
    let embedded = expected.get("embeddedGrant").is_some();

    let approvals = with_basis(list(expected, "approvals"), expected_approval);
    let (missing, mut extra) = compare(&approvals, &found_approvals(decoded));
    if embedded {
        extra.clear();
    }
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

    let (expected_permits, found_permits) = (
        expected_transfer_permits(expected),
        found_transfer_permits(decoded),
    );
    if expected_permits != found_permits {
        fault(
            "transfer permits",
            format!("{expected_permits:?}"),
            format!("{found_permits:?}"),
        );
    }

    let found = decoded.typed_data.as_ref().and_then(|t| t.signature_deadline);
    if let Some(deadline) = expected_deadline(expected).filter(|d| found != Some(U256::from(*d))) {
        fault("deadline", deadline.to_string(), format!("{found:?}"));
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
pub(crate) fn check_refused_or_flagged(expected: &Value, outcome: &Result<Decoded, Refusal>) -> Vec<String> {
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
            // That a message is text is said of every one.
            if flags.iter().all(|(code, _)| *code == "message-not-decoded") {
                return vec!["neither refused nor flagged".to_owned()];
            }
            quirks
                .difference(&flags)
                .map(|quirk| format!("not flagged: {quirk:?}"))
                .collect()
        }
    }
}
