//! Mined transactions: what the call says, and who signed their authorization lists.

use super::expected::{list, text};
use super::{corpus, json};
use alloy_primitives::U256;
use presight_decode::{Amount, Decoded, decode};
use presight_wire::Request;
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
