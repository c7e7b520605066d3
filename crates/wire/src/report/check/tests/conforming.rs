//! A report that breaks no rule and has every core kind.

use serde_json::{Value, json};

pub(super) const TOKEN: &str = "eip155:1:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
pub(super) const SPENDER: &str = "eip155:1:0x1111111111111111111111111111111111111111";
pub(super) const SIGNER: &str = "eip155:1:0x4ddad24756816b972899a5eda789e0343e014db9";
pub(super) const HASH: &str = "0x00000000000000000000000000000000000000000000000000000000000000aa";
pub(super) const DESIGNATOR: &str = "0xef01002222222222222222222222222222222222222222";

/// A report of one `approve`, one `setApprovalForAll`, one authorization, a payment, a tool's text and a token's name;
/// every kind is read, with a value of its type.
pub(super) fn conforming() -> Value {
    json!({
        "version": "erc-presign/1",
        "subjectDigest": HASH,
        "contextDigest": HASH,
        "chainId": "eip155:1",
        "signer": SIGNER,
        "source": { "registry": TOKEN, "agentId": "7", "signer": SPENDER },
        "issuedAt": "2026-11-30T12:00:00Z",
        "expiresAt": "2026-11-30T12:05:00Z",
        "blocks": [{ "chainId": "eip155:1", "block": "100", "hash": HASH }],
        "entities": {
            "tokens": [TOKEN],
            "approvals": [
                { "token": TOKEN, "spender": SPENDER, "form": "erc20-approve", "callIndex": 0 },
                { "token": TOKEN, "spender": SPENDER, "form": "approval-for-all", "callIndex": 1 },
            ],
            "addresses": [
                { "address": SPENDER, "role": "spender" },
                { "address": SIGNER, "role": "authority" },
            ],
            "payment": true,
            "texts": [
                { "index": 0, "field": "tool-output", "digest": HASH },
                { "index": 1, "field": "token.name", "ref": TOKEN, "digest": HASH },
            ],
        },
        "findings": findings(),
        "method": "presight/1",
    })
}

pub(super) fn findings() -> Vec<Value> {
    let address = |account: &str, role: &str| json!({ "address": account, "role": role });
    let list = json!({ "uri": "https://example.com/list", "hash": HASH });
    let mut all = vec![
        finding(
            "token.observation",
            json!({ "token": TOKEN }),
            json!({ "registry": TOKEN, "kind": HASH, "param": "0" }),
            json!({ "value": "1", "detector": SPENDER, "observationId": "2", "observedBlock": "3", "recordedAt": "4" }),
            true,
        ),
        finding(
            "token.issuer-listing",
            json!({ "token": TOKEN }),
            json!({ "issuer": "Example", "list": "https://example.com/tokens" }),
            json!("copy"),
            true,
        ),
        finding(
            "token.oracle-deviation",
            json!({ "token": TOKEN }),
            json!({ "feed": SPENDER }),
            json!({ "pool": SPENDER, "price": "10", "oraclePrice": "11", "oracleAge": 30, "deviationBps": -909 }),
            true,
        ),
    ];
    for (approval, amount, unlimited) in [(0, "5", false), (1, "all", true)] {
        let entity = json!({ "approval": approval });
        all.push(finding(
            "approval.amount",
            entity.clone(),
            Value::Null,
            json!(amount),
            approval == 0,
        ));
        all.push(finding(
            "approval.unlimited",
            entity.clone(),
            Value::Null,
            json!(unlimited),
            approval == 0,
        ));
        if approval == 0 {
            all.push(finding(
                "approval.share-of-supply",
                entity.clone(),
                Value::Null,
                json!(10_000),
                true,
            ));
        }
        all.push(finding(
            "approval.expiry",
            entity.clone(),
            Value::Null,
            json!("none"),
            false,
        ));
        all.push(finding(
            "approval.current-allowance",
            entity,
            Value::Null,
            json!("0"),
            true,
        ));
    }
    for entity in [address(SPENDER, "spender"), address(SIGNER, "authority")] {
        let on = |kind, param, value, at| finding(kind, entity.clone(), param, value, at);
        all.push(on("address.code", Value::Null, json!("delegated"), true));
        all.push(on(
            "address.delegate-single-caller",
            Value::Null,
            json!(true),
            true,
        ));
        all.push(on(
            "address.delegate-unbounded-outflow",
            Value::Null,
            json!(false),
            true,
        ));
        let counts =
            json!({ "count": 50, "sameSender": 50, "distinctAuthorities": 1, "senderIsOnlyCaller": null });
        all.push(on(
            "address.delegate-authorizations",
            json!({ "blocks": 1 }),
            counts,
            true,
        ));
        if entity["role"] == "authority" {
            let after = "0x2222222222222222222222222222222222222222";
            all.push(on(
                "address.delegation",
                Value::Null,
                json!({ "before": null, "after": after }),
                true,
            ));
        }
        all.push(on("address.first-seen-block", Value::Null, json!("90"), true));
        all.push(on(
            "address.source-verified",
            json!("sourcify"),
            json!("exact"),
            false,
        ));
        all.push(on("address.prior-transfers", Value::Null, json!("0"), true));
        all.push(on(
            "address.lookalike",
            json!({ "prefix": 4, "suffix": 4 }),
            json!([]),
            true,
        ));
        all.push(on("address.on-list", list.clone(), json!(false), false));
    }
    let payment = json!({ "payment": true });
    let pair = json!({ "equal": true, "left": "1", "right": "1" });
    all.push(finding(
        "payment.match",
        payment.clone(),
        json!("payTo=agentWallet"),
        pair.clone(),
        true,
    ));
    all.push(finding(
        "payment.match",
        payment.clone(),
        json!("amount=quote.amount"),
        pair,
        false,
    ));
    all.push(finding(
        "payment.payee-binding",
        payment,
        Value::Null,
        json!("mismatch"),
        true,
    ));
    for text in 0..2 {
        let on = |kind, param, value| finding(kind, json!({ "text": text }), param, value, text == 1);
        all.push(on("text.control-chars", Value::Null, json!(1)));
        all.push(on("text.mixed-script", Value::Null, json!(false)));
        all.push(on("text.addresses", Value::Null, json!([SPENDER])));
        all.push(on("text.pattern-match", list.clone(), json!(["p1"])));
    }
    all
}

fn finding(kind: &str, entity: Value, param: Value, value: Value, at: bool) -> Value {
    let mut finding = json!({ "kind": format!("erc.presign.{kind}"), "status": "read", "note": "one line" });
    finding["entity"] = entity;
    finding["value"] = value;
    let call = |result: &str| {
        let to = &finding["entity"]["address"];
        json!({ "type": "call", "chainId": "eip155:1", "block": "100", "to": to, "data": "0x", "result": result })
    };
    let evidence = match kind {
        "token.observation" => {
            json!([{ "type": "observation", "registry": TOKEN, "observationId": "2" }])
        }
        "token.issuer-listing" => {
            json!([{ "type": "document", "uri": "https://example.com/tokens", "hash": HASH }])
        }
        // The authority had no code before the request's list.
        "address.code" if finding["entity"]["role"] == "authority" => json!([call("0x")]),
        "address.code" => json!([call(DESIGNATOR)]),
        _ => json!([]),
    };
    finding["evidence"] = evidence;
    if !param.is_null() {
        finding["param"] = param;
    }
    if at {
        finding["at"] = json!({ "chainId": "eip155:1", "block": "100" });
    }
    finding
}
