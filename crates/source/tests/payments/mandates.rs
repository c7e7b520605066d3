//! `x402-mandate/1`: the extension's own conformance values, edge cases, and EVM payments through the findings.

use crate::vectors::Vectors;
use crate::{empty, finding, reason, report, request, value};
use alloy_primitives::U256;
use presight_source::payment::Mandate;
use presight_source::payment::mandate::milliseconds;
use presight_wire::{Reason, Timestamp, jcs, json};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn parse(mandate: &Value) -> Result<Mandate, String> {
    Mandate::parse(mandate.as_object().unwrap())
}

/// A mandate with members set or removed.
fn changed(base: &Value, case: &Value) -> Value {
    let mut mandate = base.clone();
    for changes in ["set", "change"] {
        for (name, value) in case.get(changes).and_then(Value::as_object).into_iter().flatten() {
            mandate[name] = value.clone();
        }
    }
    for name in case.get("remove").and_then(Value::as_array).into_iter().flatten() {
        mandate.as_object_mut().unwrap().remove(name.as_str().unwrap());
    }
    mandate
}

/// The values of a model: canonical bytes, digest, signature.
fn model(vectors: &mut Vectors, at: &str, document: &str, signature: &str, digest: &str) -> (Value, Mandate) {
    let document = vectors.take(&format!("{at}/{document}"));
    let mandate = parse(&document).unwrap();
    assert_eq!(
        mandate.digest(),
        vectors.take(&format!("{at}/{digest}")).as_str().unwrap(),
        "{at}"
    );
    let signature = vectors.take(&format!("{at}/{signature}"));
    assert!(mandate.is_signed("Ed25519", signature.as_str().unwrap()), "{at}");
    (document, mandate)
}

const ACCOUNTANT: &str =
    "spend logs, their heads and attestations are an accountant's: one look before signing has no log";
const CHAIN: &str =
    "whether a mandate narrows its parent is for whoever holds both: one look before signing has one";

#[test]
fn every_vector_of_the_extension() {
    let mut vectors = Vectors::read("mandate-vectors.json");
    vectors.not_of_a_reader("/about", "says where the values are from");
    vectors.not_of_a_reader("/verifierClock", "each case says its own time");
    let tags = vectors.take("/tags");
    assert_eq!(tags["mandate"], "x402-mandate/1\n");
    vectors.not_of_a_reader("/keys", "made the signatures");
    let (document, mandate) = model(&mut vectors, "/modelA", "mandate", "sig", "digest");
    assert_eq!(
        vectors.take("/modelA/jcs").as_str().unwrap().as_bytes(),
        jcs::canonical(&document)
    );
    assert_eq!(vectors.take("/modelA/alg"), "Ed25519");
    for case in vectors.items("/modelA/bindings") {
        let bytes = mandate.binding(case["paymentId"].as_str().unwrap()).unwrap();
        assert_eq!(case["eip3009"], bytes.to_string());
        assert_eq!(case["permit2"], U256::from_be_bytes(bytes.0).to_string());
        assert_eq!(case["xrpl"], bytes.to_string()[2..].to_uppercase());
    }
    for case in vectors.items("/modelA/bindingRefusals") {
        assert_eq!(
            mandate.binding(case["paymentId"].as_str().unwrap()),
            None,
            "{case}"
        );
    }
    for case in vectors.items("/modelA/authorize") {
        assert_eq!(
            authorizes(&mandate, &case),
            case["allow"].as_bool().unwrap(),
            "{case}"
        );
    }
    for part in ["spendLog", "head", "headVerdicts"] {
        vectors.not_of_a_reader(&format!("/modelA/{part}"), ACCOUNTANT);
    }
    let (document, _) = model(&mut vectors, "/modelB", "mandate", "sig", "digest");
    assert_eq!(
        vectors.take("/modelB/jcs").as_str().unwrap().as_bytes(),
        jcs::canonical(&document)
    );
    vectors.take("/modelB/alg");
    for part in ["spendLog", "attestations", "firstAttestationAnchor", "verdicts"] {
        vectors.not_of_a_reader(&format!("/modelB/{part}"), ACCOUNTANT);
    }
    let (document, child) = model(&mut vectors, "/delegation", "child", "childSig", "childDigest");
    assert_eq!(
        vectors.take("/delegation/jcs").as_str().unwrap().as_bytes(),
        jcs::canonical(&document)
    );
    assert_eq!(document["parent"], mandate.digest());
    assert_eq!(
        child.issuer, mandate.subject,
        "the child's issuer is the parent's subject"
    );
    assert_eq!(vectors.take("/delegation/rootIssuer"), mandate.issuer);
    for part in ["parent", "alg", "chainOk"] {
        vectors.take(&format!("/delegation/{part}"));
    }
    for case in vectors.items("/delegation/widening") {
        // Each is a mandate of the right shape: that it is wider than its parent shows only beside that.
        parse(&changed(&document, &case)).unwrap_or_else(|why| panic!("{case}: {why}"));
    }
    vectors.not_of_a_reader("/delegation/widening", CHAIN);

    let base = Vectors::read("mandate-vectors.json").take("/modelA/mandate");
    for case in vectors.items("/shapeRefusals") {
        assert!(parse(&changed(&base, &case)).is_err(), "{case}");
    }
    for case in vectors.items("/rawShapeRefusals") {
        let text = case["rawMandateJson"].as_str().unwrap();
        assert!(
            json::parse(text.as_bytes(), json::Numbers::Double).is_err(),
            "{case}"
        );
    }
    for case in vectors.items("/signatureCases") {
        let mandate = parse(&changed(&base, &case)).unwrap();
        let signed = mandate.is_signed(case["alg"].as_str().unwrap(), case["sig"].as_str().unwrap());
        assert_eq!(signed, case["valid"].as_bool().unwrap(), "{case}");
    }
    let settled = vectors.take("/settledUnderReport");
    let slot = mandate.binding(settled["paymentId"].as_str().unwrap()).unwrap();
    assert_eq!(settled["settled"]["slot"], slot.to_string());
    let amount: U256 = settled["settled"]["amount"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        mandate.allows_at_once(amount),
        settled["decodedAmountAuthorized"].as_bool().unwrap()
    );
    assert!(mandate.allows_at_once(U256::ONE));

    for name in ["evm", "evmAnyRecipient", "evmBareAddresses"] {
        model(
            &mut vectors,
            &format!("/evmMandates/{name}"),
            "mandate",
            "sig",
            "digest",
        );
        vectors.take(&format!("/evmMandates/{name}/alg"));
    }
    let mandates = Vectors::read("mandate-vectors.json").take("/evmMandates");
    for case in vectors.items("/evm") {
        let mut envelope = mandates[case["mandate"].as_str().unwrap()].clone();
        envelope["paymentId"] = case["paymentId"].clone();
        let codes = codes(&envelope, &case["payment"], case["now"].as_str().unwrap());
        let expected = set(&case["failures"])
            .union(&set(&case["warnings"]))
            .cloned()
            .collect();
        assert_eq!(codes, expected, "{}", case["name"]);
    }
    vectors.finish();
}

/// What the draft calls authorised, for payers and assets that are no accounts.
fn authorizes(mandate: &Mandate, case: &Value) -> bool {
    let payment = &case["payment"];
    let text = |name: &str| payment[name].as_str().unwrap();
    let amount = presight_wire::hex::decimal(text("amount"), "");
    text("payer") == mandate.subject
        && text("asset") == mandate.asset
        && mandate
            .recipients
            .iter()
            .any(|recipient| recipient == text("recipient"))
        && text("mandateDigest") == mandate.digest()
        && amount.is_ok_and(|amount| mandate.allows_at_once(amount))
        && !mandate.has_ended(milliseconds(case["now"].as_str().unwrap()).unwrap())
}

#[test]
fn every_vector_of_presign_guard() {
    let mut vectors = Vectors::read("guard/mandate-vectors.json");
    vectors.not_of_a_reader("/about", "says where the values are from");
    vectors.not_of_a_reader("/tags", "those of the mandate are in its digests");
    vectors.not_of_a_reader("/keys", "made the signatures");
    let (document, mandate) = model(&mut vectors, "/modelA", "mandate", "sig", "digest");
    assert_eq!(
        vectors.take("/modelA/jcs").as_str().unwrap().as_bytes(),
        jcs::canonical(&document)
    );
    vectors.take("/modelA/alg");
    let binding = vectors.take("/modelA/binding");
    let bytes = mandate.binding(binding["paymentId"].as_str().unwrap()).unwrap();
    assert_eq!(binding["eip3009"], bytes.to_string());
    assert_eq!(binding["permit2"], U256::from_be_bytes(bytes.0).to_string());
    assert_eq!(binding["xrplInvoiceID"], bytes.to_string()[2..].to_uppercase());
    let mut accepted = json!({ "payment": vectors.take("/modelA/paymentAccepted") });
    accepted["payment"]["mandateDigest"] = mandate.digest().into();
    accepted["now"] = accepted["payment"]["at"].clone();
    assert!(authorizes(&mandate, &accepted));
    for refused in vectors.items("/modelA/paymentRefused") {
        let mut case = accepted.clone();
        match refused.as_str().unwrap() {
            "amount over perPayment" => case["payment"]["amount"] = "250001".into(),
            "recipient out of scope" => case["payment"]["recipient"] = "evil.example".into(),
            "wrong asset" => case["payment"]["asset"] = "OTHER".into(),
            "wrong payer" => case["payment"]["payer"] = "other".into(),
            "expired" => case["now"] = "2027-01-01T00:00:00Z".into(),
            other => panic!("{other}"),
        }
        assert!(!authorizes(&mandate, &case), "{refused}");
    }
    for part in ["spendLog", "head", "logVerdicts"] {
        vectors.not_of_a_reader(&format!("/modelA/{part}"), ACCOUNTANT);
    }
    model(&mut vectors, "/modelB", "mandate", "sig", "digest");
    for part in ["alg", "entries", "attestations", "attestation1Anchor"] {
        vectors.not_of_a_reader(&format!("/modelB/{part}"), ACCOUNTANT);
    }
    let (child, read) = model(&mut vectors, "/delegation", "child", "sig", "digest");
    assert_eq!(
        (&child["parent"], &read.issuer),
        (&json!(mandate.digest()), &mandate.subject)
    );
    assert_eq!(vectors.take("/delegation/rootIssuer"), mandate.issuer);
    vectors.take("/delegation/alg");
    for part in ["wideningRefused", "siblingBudget"] {
        vectors.not_of_a_reader(&format!("/delegation/{part}"), CHAIN);
    }
    for case in vectors.items("/shapeRefusals") {
        if let Some(units) = case["change"].get("purposeUtf16") {
            // An unpaired surrogate: no JSON reader of ours lets it in.
            let escaped: String = units
                .as_str()
                .unwrap()
                .split(' ')
                .map(|unit| format!("\\u{unit}"))
                .collect();
            let text = format!("{{\"purpose\":\"{escaped}\"}}");
            assert!(json::parse(text.as_bytes(), json::Numbers::Double).is_err());
        } else {
            assert!(parse(&changed(&document, &case)).is_err(), "{case}");
        }
    }
    let under = vectors.take("/underReport");
    assert_eq!(under["slot"], bytes.to_string());
    let settled: U256 = under["settledAmount"].as_str().unwrap().parse().unwrap();
    assert!(
        !mandate.allows_at_once(settled),
        "the settled amount counts, not the committed one"
    );

    for case in vectors.items("/evmCases") {
        let mut envelope = case["envelope"].clone();
        envelope["paymentId"] = case["paymentId"].clone();
        let mut codes = codes(&envelope, &case["payment"], case["now"].as_str().unwrap());
        let mut expected: BTreeSet<String> = set(&case["expect"]["red"]);
        expected.extend(set(&case["expect"]["orange"]));
        if case["envelope"]["alg"] != "Ed25519" {
            // The reference stops there; every other fact is read here all the same.
            assert!(codes.remove("MANDATE_BAD_SIGNATURE"));
            expected.remove("MANDATE_BAD_SIGNATURE");
        } else if let Some(digest) = case["expect"]["digest"].as_str() {
            assert_eq!(
                parse(&case["envelope"]["mandate"]).unwrap().digest(),
                digest,
                "{}",
                case["name"]
            );
        }
        assert_eq!(codes, expected, "{}", case["name"]);
    }
    vectors.finish();
}

fn set(codes: &Value) -> BTreeSet<String> {
    codes
        .as_array()
        .unwrap()
        .iter()
        .map(|code| code.as_str().unwrap().to_owned())
        .collect()
}

/// The codes of the reference's check, said by the findings about an ERC-3009 payment.
fn codes(envelope: &Value, payment: &Value, now: &str) -> BTreeSet<String> {
    let chain_id = payment["chainId"].as_u64().unwrap();
    let member = |name: &str, ty: &str| json!({ "name": name, "type": ty });
    let typed = json!({
        "domain": { "name": "USD Coin", "version": "2", "chainId": chain_id, "verifyingContract": payment["token"] },
        "types": { "TransferWithAuthorization": [
            member("from", "address"), member("to", "address"), member("value", "uint256"),
            member("validAfter", "uint256"), member("validBefore", "uint256"), member("nonce", "bytes32"),
        ] },
        "primaryType": "TransferWithAuthorization",
        "message": {
            "from": payment["from"], "to": payment["to"], "value": payment["value"], "validAfter": "0",
            "validBefore": "1900000000", "nonce": payment["nonce"],
        },
    });
    // Clocks are whole seconds; a fraction is checked on the mandate itself.
    let Timestamp(clock) = Timestamp::parse(now, "").unwrap();
    let payment = json!({ "requirements": { "extra": { "authority": envelope } } });
    let read = report(
        &empty(chain_id, clock),
        &request(chain_id, Some(&typed), &payment),
    );
    let kind = |name: &str| format!("presight.mandate.{name}");
    if parse(&envelope["mandate"]).is_err() {
        for name in [
            "digest",
            "signature",
            "payer",
            "asset",
            "recipients",
            "limits",
            "expiry",
            "binding",
        ] {
            assert_eq!(reason(finding(&read, &kind(name))), Reason::Unavailable, "{name}");
        }
        return BTreeSet::from(["MANDATE_INVALID".to_owned()]);
    }
    let says = |name: &str, member: &str| value(&read, &kind(name))[member].as_bool().unwrap();
    let found = [
        (!says("signature", "valid"), "MANDATE_BAD_SIGNATURE"),
        (!says("payer", "equal"), "MANDATE_WRONG_PAYER"),
        (!says("asset", "equal"), "MANDATE_WRONG_ASSET"),
        (!says("recipients", "listed"), "MANDATE_RECIPIENT_OUT_OF_SCOPE"),
        (says("recipients", "anybody"), "MANDATE_ANY_RECIPIENT"),
        (!says("limits", "within"), "MANDATE_OVER_LIMIT"),
        (says("expiry", "ended"), "MANDATE_EXPIRED"),
        (!says("binding", "equal"), "MANDATE_BINDING_MISMATCH"),
    ];
    found
        .into_iter()
        .filter(|(is, _)| *is)
        .map(|(_, code)| code.to_owned())
        .collect()
}

#[test]
fn without_a_payment_the_requirements_are_looked_at() {
    let mandates = Vectors::read("mandate-vectors.json").take("/evmMandates");
    let payment = json!({ "requirements": {
        "network": "base", "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "amount": "20000",
        "payTo": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "extra": { "mandate": mandates["evm"] },
    } });
    let read = report(&empty(8453, 1_796_000_000), &request(8453, None, &payment));
    assert_eq!(value(&read, "presight.mandate.payer")["equal"], true);
    assert_eq!(value(&read, "presight.mandate.limits")["within"], true);
    assert!(finding(&read, "presight.mandate.binding").is_none());
    let mut less = payment.clone();
    less["requirements"].as_object_mut().unwrap().remove("amount");
    let read = report(&empty(8453, 1_796_000_000), &request(8453, None, &less));
    assert_eq!(
        reason(finding(&read, "presight.mandate.limits")),
        Reason::Unavailable
    );
}
