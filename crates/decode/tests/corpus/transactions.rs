//! Mined transactions: what the call says, and who signed their authorization lists.

use super::expected::{list, text};
use super::{corpus, json};
use alloy_primitives::U256;
use presight_decode::{Amount, Decoded, decode};
use presight_wire::Request;
use presight_wire::report::Form;
use serde_json::Value;

fn quantity(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

fn decode_transaction(chain: u64, tx: &Value) -> Decoded {
    let tuple = |t: &Value| {
        serde_json::json!({
            "chainId": quantity(&t["chainId"]).to_string(), "address": t["address"],
            "nonce": quantity(&t["nonce"]).to_string(), "yParity": quantity(&t["yParity"]).to::<u64>(),
            "r": t["r"], "s": t["s"],
        })
    };
    let mut subject = serde_json::json!({
        "type": "calls",
        "chainId": format!("eip155:{chain}"),
        "from": format!("eip155:{chain}:{}", text(tx, "from")),
        "calls": [{ "to": tx["to"], "value": tx["value"], "data": tx["data"] }],
    });
    if let Some(tuples) = tx["authorizationList"].as_array() {
        subject["authorizationList"] = tuples.iter().map(tuple).collect();
    }
    let request = serde_json::json!({ "version": "erc-presign/1", "subject": subject });
    decode(&Request::from_value(request).unwrap()).unwrap()
}

/// The one approval, as (token, spender, amount).
fn approval(decoded: &Decoded) -> (String, String, String) {
    assert_eq!(decoded.entities.approvals.len(), 1);
    let approval = &decoded.entities.approvals[0];
    let amount = match decoded.grants[0].amount {
        Amount::All => "all".to_owned(),
        Amount::Units { value, .. } => format!("{value:#x}"),
    };
    (
        format!("{:#x}", approval.token.address),
        format!("{:#x}", approval.spender.address),
        amount,
    )
}

/// The last transfer, as (token, receiver, amount): the one of the call itself, after its native value.
fn transfer(decoded: &Decoded) -> (String, String, String) {
    let transfer = decoded.transfers.last().unwrap();
    let token = transfer.token.map(|t| format!("{t:#x}")).unwrap_or_default();
    (
        token,
        format!("{:#x}", transfer.to),
        format!("{:#x}", transfer.amount),
    )
}

#[test]
fn mined_approvals_and_transfers_are_what_their_calls_say() {
    let Some(folder) = corpus("evm") else { return };
    let index = json(folder.join("index.json"));
    let mut checked = 0;
    for case in list(&index, "cases") {
        let file = json(folder.join(text(case, "file")));
        let action = &file["expected"]["facts"]["action"];
        let field = |name: &str| text(action, name).to_owned();
        let kind = text(action, "kind");
        if ![
            "approve",
            "setApprovalForAll",
            "transfer",
            "transferFrom",
            "native-transfer",
        ]
        .contains(&kind)
        {
            continue;
        }
        let decoded = decode_transaction(file["chain"].as_u64().unwrap(), &file["tx"]);
        let id = text(case, "file");
        match kind {
            "approve" => assert_eq!(
                approval(&decoded),
                (field("token"), field("spender"), field("amount")),
                "{id}"
            ),
            "setApprovalForAll" if action["approved"] == true => {
                assert_eq!(
                    approval(&decoded),
                    (field("collection"), field("operator"), "all".into()),
                    "{id}"
                );
            }
            "transfer" => assert_eq!(
                transfer(&decoded),
                (field("token"), field("to"), field("amount")),
                "{id}"
            ),
            "transferFrom" => {
                assert_eq!(
                    transfer(&decoded),
                    (field("token"), field("to"), field("amountOrId")),
                    "{id}"
                );
            }
            _ => {
                assert!(decoded.entities.approvals.is_empty(), "{id}");
                let value = quantity(&file["tx"]["value"]);
                let moved: Vec<_> = decoded.transfers.iter().map(|t| t.amount).collect();
                assert_eq!(moved, if value.is_zero() { vec![] } else { vec![value] }, "{id}");
            }
        }
        checked += 1;
    }
    println!("{checked} mined approvals and transfers");
    assert!(checked >= 40, "{checked} transactions were checked");
}

#[test]
fn authorities_of_mined_lists_are_recovered() {
    let Some(folder) = corpus("evm-receipts") else {
        return;
    };
    let mut checked = 0;
    for case in json(folder.join("eip7702.json")).as_array().unwrap() {
        let decoded = decode_transaction(case["chain"].as_u64().unwrap(), &case["tx"]);
        // Transactions without a receipt have their facts beside the transaction.
        let facts = case.get("facts").unwrap_or(&case["expected"]["facts"]);
        let authorizations = list(facts, "authorizations");
        let expected: Vec<_> = authorizations
            .iter()
            .map(|a| text(a, "authority").to_owned())
            .collect();
        let found: Vec<_> = decoded
            .authorities
            .iter()
            .flatten()
            .map(|a| format!("{a:#x}"))
            .collect();
        assert_eq!(found, expected, "{}", text(case, "id"));
        checked += found.len();
    }
    assert!(checked >= 3, "{checked} authorities were checked");
}

/// The logs of an event with two indexed addresses and one amount, as (contract, first, second, amount).
fn logged<'a>(
    logs: &'a [Value],
    event: &'a str,
) -> impl Iterator<Item = (String, String, String, U256)> + 'a {
    let of_event = logs.iter().filter(move |log| {
        let topics = list(log, "topics");
        topics.len() == 3 && topics[0].as_str().unwrap() == event
    });
    of_event.map(|log| {
        let topic = |i: usize| format!("0x{}", &log["topics"][i].as_str().unwrap()[26..]);
        (
            text(log, "address").to_owned(),
            topic(1),
            topic(2),
            quantity(&log["data"]),
        )
    })
}

const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const APPROVAL: &str = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";

/// What is found inside calls happened: each approval with its owner, each transfer with its payer.
#[test]
fn what_is_inside_mined_calls_is_what_they_logged() {
    let Some(folder) = corpus("evm-receipts") else {
        return;
    };
    let (mut calls, mut approvals, mut transfers) = (0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = json(entry.unwrap().path());
        let cases = file.as_array().map_or(&[][..], Vec::as_slice);
        let succeeded = |case: &&Value| case["tx"]["to"].is_string() && case["expected"]["status"] == 1;
        for case in cases.iter().filter(succeeded) {
            let logs = list(&case["expected"], "logs");
            let decoded = decode_transaction(case["chain"].as_u64().unwrap(), &case["tx"]);
            let node = &decoded.calls[0];
            if node.inner.is_empty() && node.commands.is_empty() {
                continue;
            }
            calls += 1;
            let id = text(case, "id");
            for (entity, grant) in decoded.entities.approvals.iter().zip(&decoded.grants) {
                let Amount::Units { value, .. } = grant.amount else {
                    continue;
                };
                let (token, spender) = (entity.token.address, entity.spender.address);
                let granted = (
                    format!("{token:#x}"),
                    format!("{:#x}", grant.owner),
                    format!("{spender:#x}"),
                    value,
                );
                assert!(
                    matches!(grant.form, Form::Erc20Approve | Form::Erc2612Permit),
                    "{id}"
                );
                assert!(
                    logged(logs, APPROVAL).any(|log| log == granted),
                    "{id}: {granted:?}"
                );
                approvals += 1;
            }
            for transfer in decoded.transfers.iter().filter(|t| t.token_id.is_none()) {
                let Some(token) = transfer.token else { continue };
                let (from, to) = (format!("{:#x}", transfer.from), format!("{:#x}", transfer.to));
                let moved = (format!("{token:#x}"), from, to, transfer.amount);
                assert!(logged(logs, TRANSFER).any(|log| log == moved), "{id}: {moved:?}");
                transfers += 1;
            }
        }
    }
    println!(
        "{calls} mined calls with calls inside: {approvals} approvals and {transfers} transfers as logged"
    );
    assert!(
        calls >= 15 && approvals >= 3 && transfers >= 2,
        "{calls}, {approvals}, {transfers}"
    );
}
