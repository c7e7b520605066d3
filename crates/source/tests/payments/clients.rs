//! What real x402 clients sign, as a pre-sign request sees it, and recorded exchanges.

use crate::vectors::{Vectors, files};
use crate::{PAYER, empty, equal, finding, pair, pair_value, reason, report, request, value};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use presight_wire::Reason;
use presight_wire::report::{Outcome, Report, sign};
use serde_json::{Value, json};

const CLOCK: i64 = 1_796_052_306;

fn routes(report: &Report) -> Vec<&Value> {
    report
        .findings
        .iter()
        .filter(|f| f.kind == "presight.payment.route")
        .map(|f| match &f.outcome {
            Outcome::Read(value) => value,
            Outcome::NotRead(_) => panic!("a route is of the request's bytes"),
        })
        .collect()
}

#[test]
fn what_clients_sign_for_each_scheme() {
    let mut vectors = Vectors::read("x402-client-payloads.json");
    vectors.not_of_a_reader("/note", "says what made the payloads");
    let cases: Vec<String> = [
        "exact-eip3009",
        "exact-permit2",
        "upto",
        "batch-settlement",
        "auth-capture",
        "exact-eip3009-v1",
    ]
    .map(str::to_owned)
    .to_vec();
    for name in cases {
        let case = vectors.take(&format!("/cases/{name}"));
        let requirements = match case.get("accept") {
            Some(accept) => {
                assert_eq!(
                    case["payload"]["accepted"], *accept,
                    "{name}: v2 echoes what it accepted"
                );
                accept.clone()
            }
            None => json!({
                "scheme": case["payload"]["scheme"], "network": case["payload"]["network"], "maxAmountRequired": "10000",
                "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "payTo": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                "maxTimeoutSeconds": 300, "resource": "https://api.example.com/v1/check",
                "extra": { "name": "USD Coin", "version": "2" },
            }),
        };
        for typed in case["typedDataSigned"].as_array().unwrap() {
            signature_is_of_the_payer(&name, typed, &case["payload"]["payload"]);
            let payment =
                json!({ "requirements": requirements, "resource": "https://api.example.com/v1/check" });
            let report = report(&empty(8453, CLOCK), &request(8453, Some(typed), &payment));
            assert_eq!(value(&report, "presight.x402.network")["equal"], true, "{name}");
            assert_eq!(
                *value(&report, "presight.x402.scheme"),
                requirements["scheme"],
                "{name}"
            );
            check(&name, typed["primaryType"].as_str().unwrap(), &report);
        }
        if name == "batch-settlement" || name == "auth-capture" {
            bound_by_its_salt(&name, &case, &requirements);
        }
    }
    vectors.finish();
}

/// The signature that came with the payload is the payer's, over the digest of our own decoding.
fn signature_is_of_the_payer(name: &str, typed: &Value, payload: &Value) {
    let signature = match (name, typed["primaryType"].as_str().unwrap()) {
        ("batch-settlement", "Voucher") => &payload["voucher"]["signature"],
        ("batch-settlement", _) => &payload["deposit"]["authorization"]["erc3009Authorization"]["signature"],
        _ => &payload["signature"],
    };
    let signature: alloy_primitives::Bytes = signature.as_str().unwrap().parse().unwrap();
    let payment = json!({ "requirements": {} });
    let decoded = presight_decode::decode(&request(8453, Some(typed), &payment)).unwrap();
    // Clients leave out the domain's type; the first digest is by the domain's members.
    let digest = decoded.typed_data.as_ref().unwrap().digests[0];
    let by = sign::recover(digest, &signature).unwrap();
    assert_eq!(by.to_string(), PAYER, "{name}");
}

fn check(name: &str, primary: &str, report: &Report) {
    let pay_to = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
    match (name, primary) {
        ("exact-eip3009" | "exact-eip3009-v1", _) => {
            assert!(equal(report, "authorization.to=payTo") && equal(report, "authorization.value=amount"));
            assert_eq!(value(report, "presight.x402.domain")["equal"], true);
            assert_eq!(value(report, "presight.x402.asset")["equal"], true);
            assert_eq!(value(report, "presight.x402.pay-to")["equal"], true);
            assert_eq!(value(report, "presight.x402.amount")["comparison"], "equal");
            assert_eq!(value(report, "presight.x402.validity")["withinTimeout"], true);
            // There is no token on this chain: nothing answers for its domain.
            assert_eq!(
                reason(finding(report, "presight.x402.token-domain")),
                Reason::Unavailable
            );
            assert!(routes(report).is_empty());
        }
        ("exact-permit2" | "upto", _) => {
            assert!(equal(report, "authorization.to=payTo") && equal(report, "authorization.value=amount"));
            assert!(
                finding(report, "presight.x402.domain").is_none(),
                "the domain is Permit2's"
            );
            let [route] = routes(report)[..] else {
                panic!("{name}: one route")
            };
            assert_eq!(route["scheme"], if name == "upto" { "upto" } else { "exact" });
            assert_eq!(
                (&route["receiver"], &route["bound"]),
                (&json!(pay_to), &json!(true))
            );
        }
        ("batch-settlement", "Voucher") => {
            assert!(
                pair(report, "authorization.to=payTo").is_none(),
                "a voucher moves nothing"
            );
            let [route] = routes(report)[..] else {
                panic!("{name}: one route")
            };
            let expected = json!({
                "scheme": "batch-settlement", "collector": "0x4020074e9df2ce1dee5a9c1b5c3f541d02a10003",
                "receiver": pay_to, "bound": true,
            });
            assert_eq!(*route, expected);
        }
        ("batch-settlement" | "auth-capture", _) => {
            assert!(!equal(report, "authorization.to=payTo"), "the collector, as read");
            let [route] = routes(report)[..] else {
                panic!("{name}: one route")
            };
            assert_eq!(
                pair_value(report, "authorization.to=payTo")["left"],
                route["collector"]
            );
            assert_eq!(
                (&route["scheme"], &route["receiver"]),
                (&json!(name), &json!(pay_to))
            );
            assert_eq!(route["bound"], Value::Null, "the salt is not in the requirements");
        }
        other => panic!("{other:?}"),
    }
}

/// With the salt beside the requirements, the nonce is recomputed; with another receiver it is not that nonce.
fn bound_by_its_salt(name: &str, case: &Value, requirements: &Value) {
    let payload = &case["payload"]["payload"];
    let mut requirements = requirements.clone();
    if name == "batch-settlement" {
        requirements["extra"]["salt"] =
            payload["deposit"]["authorization"]["erc3009Authorization"]["salt"].clone();
        requirements["extra"]["channelConfig"] = payload["channelConfig"].clone();
    } else {
        requirements["extra"]["salt"] = payload["salt"].clone();
    }
    let bound = |requirements: &Value| {
        let payment = json!({ "requirements": requirements });
        let read = report(
            &empty(8453, CLOCK),
            &request(8453, Some(&case["typedDataSigned"][0]), &payment),
        );
        routes(&read)[0]["bound"].clone()
    };
    assert_eq!(bound(&requirements), true, "{name}");
    let mut other = requirements.clone();
    if name == "batch-settlement" {
        other["extra"]["channelConfig"]["receiver"] = PAYER.into();
    } else {
        other["payTo"] = PAYER.into();
    }
    assert_eq!(bound(&other), false, "{name}");
}

/// The typed data behind an ERC-3009 payment under the domain that the requirements give.
fn typed_data(authorization: &Value, requirements: &Value) -> Value {
    let chain_id: u64 = match requirements["network"].as_str().unwrap() {
        "base-sepolia" => 84532,
        network => network.strip_prefix("eip155:").unwrap().parse().unwrap(),
    };
    let member = |name: &str, ty: &str| json!({ "name": name, "type": ty });
    json!({
        "domain": {
            "name": requirements["extra"]["name"], "version": requirements["extra"]["version"], "chainId": chain_id,
            "verifyingContract": requirements["asset"],
        },
        "types": { "TransferWithAuthorization": [
            member("from", "address"), member("to", "address"), member("value", "uint256"),
            member("validAfter", "uint256"), member("validBefore", "uint256"), member("nonce", "bytes32"),
        ] },
        "primaryType": "TransferWithAuthorization",
        "message": authorization,
    })
}

/// Whether the signature of a payment is its payer's under the offered domain.
fn is_signed(payload: &Value, requirements: &Value) -> bool {
    let typed = typed_data(&payload["authorization"], requirements);
    let decoded = presight_decode::decode(&request(
        84532,
        Some(&typed),
        &json!({ "requirements": requirements }),
    ))
    .unwrap();
    let signature: alloy_primitives::Bytes = payload["signature"].as_str().unwrap().parse().unwrap();
    let by = sign::recover(decoded.typed_data.unwrap().digests[0], &signature);
    by.is_ok_and(|by| by.to_string() == payload["authorization"]["from"].as_str().unwrap())
}

/// What is not as the requirements say, by the findings about a payment and by its signature.
fn differences(payload: &Value, requirements: &Value, clock: i64) -> Vec<&'static str> {
    let typed = typed_data(&payload["authorization"], requirements);
    let payment = json!({ "requirements": requirements });
    let read = report(&empty(84532, clock), &request(84532, Some(&typed), &payment));
    let validity = value(&read, "presight.x402.validity");
    let seconds = |name: &str| validity[name].as_str().unwrap().parse::<u64>().unwrap();
    let found = [
        (!equal(&read, "authorization.to=payTo"), "recipient"),
        (!equal(&read, "authorization.value=amount"), "value"),
        (seconds("secondsLeft") < 6, "validBefore"),
        (seconds("secondsUntil") > 0, "validAfter"),
        (!is_signed(payload, requirements), "signature"),
    ];
    found
        .into_iter()
        .filter_map(|(differs, name)| differs.then_some(name))
        .collect()
}

#[test]
fn facilitators_refuse_what_the_findings_show() {
    let mut vectors = Vectors::read("facilitator-samples.json");
    vectors.not_of_a_reader("/format", "names the format");
    vectors.not_of_a_reader("/note", "says what made the samples");
    vectors.not_of_a_reader(
        "/samples/0",
        "what a facilitator supports is the paid server's to read",
    );
    for sample in vectors.items("/samples").into_iter().skip(1) {
        let request = &sample["request"];
        let response = &sample["response"];
        let refused = response.get("invalidReason").or(response.get("errorReason"));
        // Made within moments of the clock of the payment: five minutes before its end unless that is what is wrong.
        let before: i64 = request["paymentPayload"]["payload"]["authorization"]["validBefore"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        let clock = if refused.is_some_and(|r| r.as_str().unwrap().contains("valid_before")) {
            before
        } else {
            before - 300
        };
        let found = differences(
            &request["paymentPayload"]["payload"],
            &request["paymentRequirements"],
            clock,
        );
        let expected: &[&str] = match refused.and_then(Value::as_str) {
            None => &[],
            Some("invalid_exact_evm_payload_authorization_value_mismatch") => &["value"],
            Some("invalid_exact_evm_payload_authorization_valid_before") => &["validBefore"],
            Some("invalid_exact_evm_payload_authorization_valid_after") => &["validAfter"],
            Some("invalid_exact_evm_recipient_mismatch") => &["recipient"],
            Some("invalid_exact_evm_signature") => &["signature"],
            // Of the chain: the used nonce and the balance are the facilitator's to read.
            Some("invalid_exact_evm_nonce_already_used" | "invalid_exact_evm_insufficient_balance") => &[],
            Some(other) => panic!("{other}"),
        };
        assert_eq!(found, expected, "{sample}");
    }
    vectors.finish();
}

#[test]
fn every_recorded_x402_exchange() {
    for file in files("x402-exchange/") {
        let mut vectors = Vectors::read(&file);
        let name = vectors.take("/name").as_str().unwrap().to_owned();
        vectors.not_of_a_reader("/note", "says what was recorded");
        for outcome in ["/payToBalanceChange", "/clientThrew"] {
            if name != "v1-good" {
                vectors.not_of_a_reader(
                    outcome,
                    "what the paid server and the client did with the payment",
                );
            }
        }
        let mut offered = None;
        for (index, step) in vectors.items("/exchange").iter().enumerate() {
            for side in ["request", "response"] {
                headers_decode(&name, &step[side]);
            }
            let sent = ["payment-signature", "x-payment"]
                .iter()
                .find_map(|header| step["request"]["decodedHeaders"].get(*header));
            let offer = step["response"]["decodedHeaders"]
                .get("payment-required")
                .cloned();
            let offer = offer.or_else(|| serde_json::from_str(step["response"]["body"].as_str()?).ok());
            if offered.is_none() {
                offered = offer.and_then(|offer| offer.get("accepts").map(|accepts| accepts[0].clone()));
            }
            let (Some(sent), Some(offered)) = (sent, &offered) else {
                continue;
            };
            let Some(authorization) = sent["payload"]["authorization"]["validBefore"].as_str() else {
                continue;
            };
            let before: i64 = authorization.parse().unwrap();
            let clock = if name.contains("expire") {
                before
            } else {
                before - 299
            };
            let found = differences(&sent["payload"], offered, clock);
            let expected: &[&str] = match name.as_str() {
                "bad-wrong-amount" | "bad-overpaid" | "bad-accepted-altered" => &["value"],
                "bad-wrong-recipient" | "bad-accepted-payto-altered" => &["recipient"],
                "bad-expired" | "bad-expires-within-6s" => &["validBefore"],
                "bad-not-yet-valid" => &["validAfter"],
                "bad-domain-name" | "bad-other-chain" | "bad-signature-of-other-key" => &["signature"],
                _ => &[],
            };
            assert_eq!(found, expected, "{name}, step {index}");
            if let Some(accepted) = sent.get("accepted") {
                let altered = matches!(
                    name.as_str(),
                    "bad-accepted-altered" | "bad-accepted-payto-altered"
                );
                assert_eq!(accepted == offered, !altered, "{name}");
            } else {
                assert!(name == "bad-no-accepted" || name.starts_with("v1"), "{name}");
            }
        }
        vectors.finish();
    }
}

/// Each payment header is the base64 of the JSON recorded beside it.
fn headers_decode(name: &str, message: &Value) {
    for (header, decoded) in message["decodedHeaders"].as_object().unwrap() {
        let Some(text) = message["headers"][header]
            .as_str()
            .filter(|_| decoded.is_object())
        else {
            continue;
        };
        let bytes = STANDARD
            .decode(text)
            .unwrap_or_else(|e| panic!("{name}, {header}: {e}"));
        assert_eq!(
            serde_json::from_slice::<Value>(&bytes).unwrap(),
            *decoded,
            "{name}, {header}"
        );
    }
}

#[test]
fn transfers_in_calls_are_payments_of_the_asset_alone() {
    let asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
    let other = "0x00000000000000000000000000000000000000aa";
    let pay_to = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
    let transfer = |token: &str, to: &str, amount: u64| json!({ "to": token, "value": "0", "data": format!("0xa9059cbb{:0>64}{amount:064x}", &to[2..]) });
    let read = |calls: Value| {
        let document = json!({
            "version": "erc-presign/1",
            "subject": { "type": "calls", "chainId": "eip155:8453", "from": format!("eip155:8453:{PAYER}"), "calls": calls },
            "context": { "payment": { "requirements": {
                "scheme": "exact", "network": "base", "amount": "10", "asset": asset, "payTo": pay_to,
            } } },
        });
        report(
            &empty(8453, CLOCK),
            &presight_wire::Request::from_value(document).unwrap(),
        )
    };
    let one = read(json!([transfer(asset, pay_to, 10)]));
    assert!(equal(&one, "authorization.to=payTo") && equal(&one, "authorization.value=amount"));
    let several = read(json!([
        transfer(asset, pay_to, 4),
        transfer(asset, other, 1),
        transfer(asset, pay_to, 6)
    ]));
    let to = pair_value(&several, "authorization.to=payTo");
    assert_eq!(*to, json!({ "equal": false, "left": other, "right": pay_to }));
    let amount = pair_value(&several, "authorization.value=amount");
    assert_eq!(*amount, json!({ "equal": true, "left": "10", "right": "10" }));
    assert_eq!(value(&several, "presight.x402.amount")["comparison"], "above");
    assert!(
        pair(&several, "authorization.to=payTo")
            .unwrap()
            .note
            .as_ref()
            .unwrap()
            .contains("3 payments")
    );
    let none = read(json!([transfer(other, pay_to, 10)]));
    assert!(pair(&none, "authorization.to=payTo").is_none());
    assert_eq!(value(&none, "presight.x402.asset")["equal"], false);
}

#[test]
fn a_permit2_transfer_whose_receiver_is_open_is_not_read() {
    let mut vectors = Vectors::read("x402-client-payloads.json");
    let case = vectors.take("/cases/exact-permit2");
    let mut typed = case["typedDataSigned"][0].clone();
    typed["message"]["spender"] = "0x00000000000000000000000000000000000000aa".into();
    let payment = json!({ "requirements": case["accept"] });
    let read = report(&empty(8453, CLOCK), &request(8453, Some(&typed), &payment));
    assert_eq!(reason(pair(&read, "authorization.to=payTo")), Reason::Unsupported);
    assert!(
        equal(&read, "authorization.value=amount"),
        "what is signed for at most"
    );
    assert!(routes(&read).is_empty());
}

#[test]
fn the_tokens_own_domain_is_asked_for() {
    let mut world = crate::common::World::new();
    let bytes = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/payments/contracts/TestUSD.json"
    ))
    .unwrap();
    let artifact: Value = serde_json::from_slice(&bytes).unwrap();
    let creation: alloy_primitives::Bytes = artifact["bytecode"].as_str().unwrap().parse().unwrap();
    let token = world.create(&creation, &[]);
    let requirements = json!({
        "scheme": "exact", "network": "eip155:31337", "amount": "10", "asset": format!("{token:#x}"), "payTo": PAYER,
        "maxTimeoutSeconds": 60, "extra": { "name": "Test USD", "version": "2" },
    });
    let authorization = json!({
        "from": PAYER, "to": PAYER, "value": "10", "validAfter": "0", "validBefore": "1700000060",
        "nonce": format!("0x{}", "11".repeat(32)),
    });
    let read = |requirements: &Value| {
        let typed = typed_data(&authorization, requirements);
        let report = report(
            &world.complete(),
            &request(31337, Some(&typed), &json!({ "requirements": requirements })),
        );
        value(&report, "presight.x402.token-domain").clone()
    };
    let own = read(&requirements);
    assert_eq!(
        own,
        json!({ "equal": true, "by": "DOMAIN_SEPARATOR", "name": null, "version": null })
    );
    let mut other = requirements.clone();
    other["extra"]["version"] = "1".into();
    assert_eq!(read(&other)["equal"], false);
}
