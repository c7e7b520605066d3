//! The typed form: every valid vector has one, and what is built is valid and signed.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use alloy_primitives::{Address, B256, U256};
use presight_wire::envelope::{
    Action, Call, CallsContent, CallsStatus, Chain, Content, Coverage, Description, Envelope, Fields,
    Message, Metadata, NotAnEnvelope, OFFLINE, Operation, Origin, Producer, ProducerKey, Reason, Risk,
    RiskAction, Scheme, SignatureContent, Status, Validity, VerifyStatus, send_calls,
};
use presight_wire::report::{Entities, Source};
use presight_wire::{AccountId, ChainId, Report, Timestamp};
use serde_json::{Value, json};

fn vectors() -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("vectors/envelope/vectors.json")).unwrap();
    file["vectors"].as_array().unwrap().clone()
}

fn vector(id: &str) -> Envelope {
    let vector = vectors().into_iter().find(|v| v["id"] == id).unwrap();
    Envelope::from_value(vector["envelope"].clone()).unwrap()
}

/// What the typed form holds is written as it was read; what it does not hold, the document keeps.
#[test]
fn every_valid_vector_is_typed_and_written_again() {
    let mut read = 0;
    for vector in vectors().iter().filter(|v| v["expect"]["valid"] == true) {
        let text = match vector["raw"].as_str() {
            Some(raw) => raw.as_bytes().to_vec(),
            None => serde_json::to_vec(&vector["envelope"]).unwrap(),
        };
        let envelope = Envelope::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", vector["id"]));
        let written = envelope.fields().to_value();
        let again = Envelope::from_value(written).unwrap_or_else(|e| panic!("{}: {e}", vector["id"]));
        assert_eq!(again.fields(), envelope.fields(), "{}", vector["id"]);
        read += 1;
    }
    assert_eq!(read, 192);
}

#[test]
fn plain_envelopes_are_written_as_they_were() {
    for id in [
        "tx-plain",
        "batch-plain",
        "sig-eip712-plain",
        "sig-personal-plain",
        "sig-siwe-plain",
        "risk-ok",
        "cap-permissions-ok",
    ] {
        let envelope = vector(id);
        // Vectors leave out the optional expiry; addresses are written with their checksum.
        let lower = |value: &Value| value.to_string().to_lowercase();
        assert_eq!(
            lower(&envelope.fields().to_value()),
            lower(envelope.value()),
            "{id}"
        );
    }
}

fn calls(count: usize) -> Content {
    let call = Call {
        to: alloy_primitives::address!("32b424b2199a0DA8bD61Dc7D78D54Ee9A9dF239c"),
        value: None,
        data: None,
        operation: Operation::Call,
        capabilities: None,
    };
    Content::Calls(CallsContent {
        chain: Chain::new(8453).unwrap(),
        chain_id: None,
        from: None,
        calls: vec![call; count],
        validity: Validity {
            not_before: None,
            not_after: 1_788_350_400,
            nonce_kind: None,
            blockhash_max_age: None,
        },
        description: Description {
            short: "Pay".into(),
            long: None,
            action: Action::Transfer,
        },
        metadata: Metadata {
            protocol: "desk".into(),
            token_movements: vec![],
            counterparties: vec![],
            estimated_gas: None,
        },
        decoder_ref: None,
        clear_signing: None,
    })
}

const ISSUED: Timestamp = Timestamp(1_788_340_000);

#[test]
fn built_envelopes_are_valid_or_refused_with_all_that_is_wrong() {
    let fields = Fields::new(ISSUED, calls(1));
    assert_eq!(fields.expires_at, Some(Timestamp(1_788_350_400)));
    assert!(
        fields
            .build()
            .unwrap()
            .warnings()
            .iter()
            .all(|w| w.path == "/producer" || w.path == "/origin")
    );

    let mut wrong = Fields::new(ISSUED, calls(0));
    wrong.nonce = Some("12".into());
    wrong.expires_at = Some(ISSUED);
    let Err(NotAnEnvelope::Invalid(validation)) = wrong.build() else {
        panic!("three errors are let through");
    };
    let codes: Vec<_> = validation.errors.iter().map(|p| p.code.as_str()).collect();
    assert_eq!(codes, ["invalid-hex", "calls-length", "expires-mismatch"]);
}

/// A report of nothing about an envelope.
fn report(envelope: &Envelope) -> Value {
    let account = || AccountId::new(ChainId::evm(8453), Address::repeat_byte(1));
    Report {
        subject_digest: envelope.digest(Coverage::Envelope),
        context_digest: B256::ZERO,
        chain: ChainId::evm(8453),
        signer: account(),
        source: Source {
            registry: account(),
            agent_id: U256::ONE,
            signer: account(),
        },
        issued_at: ISSUED,
        expires_at: None,
        blocks: vec![],
        entities: Entities::default(),
        findings: vec![],
        method: "presight/1".into(),
        detail: None,
        signature: None,
    }
    .to_value()
}

#[test]
fn a_signed_envelope_verifies_and_a_verdict_changes_nothing() {
    for scheme in [Scheme::Secp256k1, Scheme::Ed25519, Scheme::P256] {
        let key = ProducerKey::from_hex(scheme, "1f".repeat(32).as_bytes()).unwrap();
        let mut fields = Fields::new(ISSUED, calls(2));
        fields.producer = Some(Producer {
            id: key.public_key().to_did().unwrap(),
            name: None,
            signature: None,
        });
        for coverage in [Coverage::Envelope, Coverage::Content] {
            let signed = fields.build().unwrap().sign(&key, coverage).unwrap();
            let outcome = signed.verify(OFFLINE);
            assert_eq!(
                (outcome.status, outcome.attested),
                (Status::Verified, Some(coverage)),
                "{scheme:?}"
            );
            assert!(outcome.attests("/content/calls/0/to"));
            assert_eq!(outcome.attests("/expiresAt"), coverage == Coverage::Envelope);
            assert!(!outcome.attests("/risk/action") && !outcome.attests("/producer/signature/scheme"));

            let reports = json!([report(&signed)]);
            let risk = Risk {
                action: RiskAction::Warn,
                score: None,
                warnings: vec![],
                scanners: None,
                reports: Some(reports),
            };
            let judged = signed.with_risk(&risk).unwrap();
            assert_eq!(judged.verify(OFFLINE), outcome);
            assert_eq!(judged.digest(coverage), signed.digest(coverage));
            assert_eq!(judged.fields().risk, Some(risk));
            let reports = judged.reports().unwrap();
            assert_eq!(reports.len(), 1);
            assert_eq!(
                reports[0].report.subject_digest,
                judged.digest(Coverage::Envelope)
            );
        }
    }
}

#[test]
fn a_key_signs_only_for_the_producer_that_has_it() {
    let key = ProducerKey::from_hex(Scheme::Secp256k1, "1f".repeat(32).as_bytes()).unwrap();
    let other = ProducerKey::from_hex(Scheme::Ed25519, "1f".repeat(32).as_bytes()).unwrap();
    let code = |id: Option<String>, origin: bool, coverage: Coverage| {
        let mut fields = Fields::new(ISSUED, calls(1));
        fields.producer = id.map(|id| Producer {
            id,
            name: None,
            signature: None,
        });
        fields.origin = origin.then(|| Origin {
            url: "https://desk.example".into(),
            verify_status: VerifyStatus::Verified,
            attestation: None,
        });
        let signed = fields.build().unwrap().sign(&key, coverage);
        signed
            .map(|e| e.verify(OFFLINE).status)
            .map_err(|refusal| refusal.code)
    };
    let account = format!("eip155:1:{}", key.address().unwrap());
    assert_eq!(
        code(Some(account), true, Coverage::Envelope),
        Ok(Status::Verified)
    );
    assert_eq!(
        code(Some("https://desk.example".into()), true, Coverage::Envelope),
        Ok(Status::VerifiedUnbound)
    );
    assert_eq!(code(None, false, Coverage::Envelope), Err("no-producer"));
    let foreign = other.public_key().to_did();
    assert_eq!(code(foreign, false, Coverage::Envelope), Err("wrong-signer"));
    let zero = format!("eip155:1:0x{}", "0".repeat(40));
    assert_eq!(code(Some(zero), false, Coverage::Envelope), Err("wrong-signer"));
    assert_eq!(
        code(Some("did:web:a".into()), true, Coverage::Content),
        Err("origin-with-content-coverage")
    );
}

/// Ids that are no keys are resolved by the caller: an ERC-8004 record, a URL, another DID.
#[test]
fn resolved_keys_bind() {
    let key = ProducerKey::from_hex(Scheme::P256, "1f".repeat(32).as_bytes()).unwrap();
    let other = ProducerKey::from_hex(Scheme::P256, "2f".repeat(32).as_bytes()).unwrap();
    let mut fields = Fields::new(ISSUED, calls(1));
    fields.producer = Some(Producer {
        id: "erc8004:eip155:1:0x1:7".into(),
        name: None,
        signature: None,
    });
    let signed = fields.build().unwrap().sign(&key, Coverage::Envelope).unwrap();
    let with_key = |keys: Vec<_>| {
        let outcome = signed.verify(&move |id| (id == "erc8004:eip155:1:0x1:7").then(|| keys.clone()));
        (outcome.status, outcome.reason)
    };
    assert_eq!(
        with_key(vec![other.public_key(), key.public_key()]),
        (Status::Verified, None)
    );
    assert_eq!(
        with_key(vec![other.public_key()]),
        (Status::Invalid, Some(Reason::KeyMismatch))
    );
    assert_eq!(
        with_key(vec![]),
        (Status::VerifiedUnbound, Some(Reason::KeyUnbound))
    );

    let mut without_key = signed.value().clone();
    without_key["producer"]["signature"]
        .as_object_mut()
        .unwrap()
        .remove("publicKey");
    let without_key = Envelope::from_value(without_key).unwrap();
    let keys = vec![other.public_key(), key.public_key()];
    assert_eq!(
        without_key.verify(&|_| Some(keys.clone())).status,
        Status::Verified
    );
    assert_eq!(without_key.verify(OFFLINE).reason, Some(Reason::KeyUnresolved));
}

/// A `did:key` of a kind that no scheme here has (X25519), and one that is none.
#[test]
fn ids_that_are_no_key_here() {
    let key = ProducerKey::from_hex(Scheme::P256, "1f".repeat(32).as_bytes()).unwrap();
    let signed = {
        let mut fields = Fields::new(ISSUED, calls(1));
        fields.producer = Some(Producer {
            id: "did:web:a".into(),
            name: None,
            signature: None,
        });
        fields.build().unwrap().sign(&key, Coverage::Content).unwrap()
    };
    for id in [
        "did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc",
        "did:key:z0",
        "did:key:",
    ] {
        let mut document = signed.value().clone();
        document["producer"]["id"] = id.into();
        let outcome = presight_wire::envelope::verify_value(&document, OFFLINE);
        assert_eq!(
            (outcome.status, outcome.reason),
            (Status::Invalid, Some(Reason::KeyMismatch)),
            "{id}"
        );
        document["producer"]["signature"]
            .as_object_mut()
            .unwrap()
            .remove("publicKey");
        let outcome = presight_wire::envelope::verify_value(&document, OFFLINE);
        assert_eq!(
            (outcome.status, outcome.reason),
            (Status::Invalid, Some(Reason::KeyEncoding)),
            "{id}"
        );
    }
}

#[test]
fn malformed_producers_are_rejected() {
    let signed = {
        let key = ProducerKey::from_hex(Scheme::Ed25519, "1f".repeat(32).as_bytes()).unwrap();
        let mut fields = Fields::new(ISSUED, calls(1));
        fields.producer = Some(Producer {
            id: "https://a.example".into(),
            name: None,
            signature: None,
        });
        fields.build().unwrap().sign(&key, Coverage::Envelope).unwrap()
    };
    for (pointer, value, code) in [
        ("/producer", Value::Null, "wrong-type"),
        ("/producer/signature", json!([]), "wrong-type"),
        ("/producer/signature", json!({}), "missing-field"),
        ("/producer/signature/scheme", json!(1), "wrong-type"),
        ("/producer/signature/publicKey", Value::Null, "wrong-type"),
        ("/producer/signature/coverage", json!("all"), "invalid-enum"),
    ] {
        let mut document = signed.value().clone();
        *document.pointer_mut(pointer).unwrap() = value;
        let outcome = presight_wire::envelope::verify_value(&document, OFFLINE);
        assert_eq!(
            (outcome.status, outcome.reason.map(Reason::as_str)),
            (Status::Rejected, Some(code)),
            "{pointer}"
        );
        assert_eq!(outcome.attested, None);
    }
    let outcome = presight_wire::envelope::verify_value(&json!([]), OFFLINE);
    assert_eq!(outcome.status, Status::Rejected);
}

#[test]
fn reports_are_read_from_the_verdict() {
    let envelope = Fields::new(ISSUED, calls(1)).build().unwrap();
    assert!(envelope.reports().unwrap().is_empty());
    let with = |reports: Value| {
        let mut document = envelope.value().clone();
        document["risk"] = json!({ "action": "ALLOW", "warnings": [], "reports": reports });
        Envelope::from_value(document)
            .unwrap()
            .reports()
            .map_err(|r| (r.code, r.pointer))
    };
    assert_eq!(
        with(json!({})).unwrap_err(),
        ("wrong-type", "/risk/reports".into())
    );
    assert!(with(json!([{}])).unwrap_err().1.starts_with("/risk/reports/0"));
}

/// §8.4.
#[test]
fn a_batch_becomes_a_request_of_a_wallet() {
    let mut document = vector("batch-plain").value().clone();
    document["id"] = "order-7".into();
    document["content"]["calls"][0]["capabilities"] = json!({ "x-acme.speed": "fast" });
    document["capabilities"] = json!({
        "atomicRequired": true,
        "paymasterService": { "url": "https://pay.example", "extra": 1 },
        "permissions": { "context": "0x01", "type": "spend" },
        "requiresAccountType": "erc-4337",
        "x-acme": { "a": [1] },
    });
    let content = document["content"].clone();
    let projected = send_calls(&Envelope::from_value(document).unwrap(), "2.0.0").unwrap();
    let call = |i: usize| {
        let mut call = content["calls"][i].clone();
        call.as_object_mut().unwrap().remove("operation");
        call
    };
    assert_eq!(
        projected.request,
        json!({
            "method": "wallet_sendCalls",
            "params": [{
                "version": "2.0.0",
                "id": "order-7",
                "from": content["from"],
                "chainId": "0x2105",
                "atomicRequired": true,
                "calls": [call(0), call(1)],
                "capabilities": {
                    "paymasterService": { "url": "https://pay.example", "extra": 1 },
                    "permissions": { "context": "0x01", "type": "spend" },
                    "x-acme": { "a": [1] },
                },
            }],
        })
    );
    assert_eq!(projected.dropped, ["/capabilities/requiresAccountType"]);
}

#[test]
fn what_is_absent_is_left_out_of_the_request() {
    let fields = Fields::new(ISSUED, calls(2));
    let projected = send_calls(&fields.build().unwrap(), "1").unwrap();
    let call = json!({ "to": "0x32b424b2199a0DA8bD61Dc7D78D54Ee9A9dF239c" });
    assert_eq!(
        projected.request["params"],
        json!([{ "version": "1", "chainId": "0x2105", "atomicRequired": false, "calls": [call, call] }])
    );
}

#[test]
fn only_batches_of_ordinary_calls_are_projected() {
    let code = |envelope: &Envelope| send_calls(envelope, "1").unwrap_err().code;
    assert_eq!(code(&vector("tx-plain")), "not-a-batch");
    assert_eq!(code(&vector("sig-personal-plain")), "not-a-batch");
    assert_eq!(
        code(&vector("operation-delegatecall-in-batch")),
        "delegatecall-not-projectable"
    );
}

#[test]
fn statuses_have_codes() {
    for code in [100, 200, 400, 500, 600] {
        assert_eq!(CallsStatus::from_code(code).unwrap().code(), code);
    }
    assert_eq!(CallsStatus::from_code(300), None);
}

#[test]
fn a_message_is_built() {
    let fields = Fields::new(
        ISSUED,
        Content::Signature(SignatureContent {
            chain: Chain::parse("eip155:99999999999999999999999999999999").unwrap(),
            from: None,
            message: Message::Personal("hello".into()),
            description: Description {
                short: "Say hello".into(),
                long: None,
                action: Action::Permit,
            },
            metadata: None,
            validity: None,
            erc6492: Some(true),
        }),
    );
    let envelope = fields.build().unwrap();
    assert_eq!(envelope.fields(), &fields);
    assert!(
        envelope
            .warnings()
            .iter()
            .any(|w| w.code.as_str() == "permit-without-expiry")
    );
}
