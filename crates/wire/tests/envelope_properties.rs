//! What is built is valid, what is printed is read alike, and signatures cover every byte of the pre-image and no other.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use alloy_primitives::{Address, Bytes, U256};
use presight_wire::Timestamp;
use presight_wire::envelope::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

fn address() -> impl Strategy<Value = Address> {
    any::<[u8; 20]>().prop_map(Address::from)
}

fn bytes() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..40).prop_map(Bytes::from)
}

fn u256() -> impl Strategy<Value = U256> {
    any::<[u8; 32]>().prop_map(U256::from_be_bytes)
}

fn decimal() -> impl Strategy<Value = Decimal> {
    prop_oneof![
        u256().prop_map(Decimal::from),
        "[1-9][0-9]{90}".prop_map(|text| Decimal::parse(&text).unwrap())
    ]
}

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        (0_u64..1 << 53).prop_map(Number::from),
        (0.0..1e300).prop_map(|n| Number::from_f64(n).unwrap())
    ]
}

/// A variant of a list of words.
fn word<T: std::fmt::Debug + Clone>(
    words: &'static [&'static str],
    parse: fn(&str) -> Option<T>,
) -> impl Strategy<Value = T> {
    proptest::sample::select(words).prop_map(move |word| parse(word).unwrap())
}

fn opaque() -> impl Strategy<Value = Map<String, Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number().prop_map(Value::Number),
        any::<String>().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..3)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    });
    proptest::collection::btree_map(any::<String>(), value, 0..3)
        .prop_map(|members| members.into_iter().collect())
}

fn vendor() -> impl Strategy<Value = Map<String, Value>> {
    opaque().prop_map(|members| {
        members
            .into_iter()
            .map(|(name, value)| (format!("x-a{name}"), value))
            .collect()
    })
}

fn chain() -> impl Strategy<Value = Chain> {
    (1..10_u128.pow(32)).prop_map(|id| Chain::new(id).unwrap())
}

fn call() -> impl Strategy<Value = Call> {
    (
        address(),
        of(u256()),
        of(bytes()),
        word(Operation::WORDS, Operation::parse),
        of(vendor()),
    )
        .prop_map(|(to, value, data, operation, capabilities)| Call {
            to,
            value,
            data,
            operation,
            capabilities,
        })
}

fn validity() -> impl Strategy<Value = Validity> {
    (
        of(0..=MAX_TIME),
        1..=MAX_TIME,
        of(word(NonceKind::WORDS, NonceKind::parse)),
        of(0_u64..1 << 53),
    )
        .prop_map(
            |(not_before, not_after, nonce_kind, blockhash_max_age)| Validity {
                not_before,
                not_after,
                nonce_kind,
                blockhash_max_age,
            },
        )
}

fn description() -> impl Strategy<Value = Description> {
    // `permit` is not allowed on a transaction.
    let action =
        word(Action::WORDS, Action::parse).prop_filter("no permit", |action| *action != Action::Permit);
    (".{1,20}", of(any::<String>()), action).prop_map(|(short, long, action)| Description {
        short,
        long,
        action,
    })
}

fn movement() -> impl Strategy<Value = TokenMovement> {
    let token = of(address()).prop_map(|a| a.map_or(Token::Native, Token::Contract));
    let words = (
        word(Standard::WORDS, Standard::parse),
        word(MovementKind::WORDS, MovementKind::parse),
    );
    (
        token,
        words,
        any::<(String, u8, Option<bool>)>(),
        (decimal(), decimal()),
        (address(), address()),
        of(number()),
    )
        .prop_map(
            |(
                token,
                (standard, kind),
                (symbol, decimals, is_unlimited),
                (amount, id),
                (from, to),
                usd_value,
            )| TokenMovement {
                token,
                standard,
                symbol,
                decimals,
                amount,
                token_id: (standard == Standard::Erc721).then_some(id),
                kind,
                is_unlimited,
                from,
                to,
                usd_value,
            },
        )
}

fn counterparty() -> impl Strategy<Value = Counterparty> {
    let similarity =
        (address(), number()).prop_map(|(similar_to, distance)| Similarity { similar_to, distance });
    (
        address(),
        word(PartyRole::WORDS, PartyRole::parse),
        of(any::<String>()),
        of(word(LabelSource::WORDS, LabelSource::parse)),
        of(similarity),
    )
        .prop_map(
            |(address, role, label, label_source, similarity_warning)| Counterparty {
                address,
                role,
                label,
                label_source,
                similarity_warning,
            },
        )
}

fn metadata() -> impl Strategy<Value = Metadata> {
    (
        ".{1,10}",
        vec(movement(), 0..3),
        vec(counterparty(), 0..3),
        of(decimal()),
    )
        .prop_map(
            |(protocol, token_movements, counterparties, estimated_gas)| Metadata {
                protocol,
                token_movements,
                counterparties,
                estimated_gas,
            },
        )
}

fn calls_content() -> impl Strategy<Value = Content> {
    (
        (chain(), of(1_u64..1 << 53), of(address())),
        vec(call(), 1..4),
        (validity(), description(), metadata()),
        (of(any::<String>()), of(opaque())),
    )
        .prop_map(
            |(
                (chain, chain_id, from),
                calls,
                (validity, description, metadata),
                (decoder_ref, clear_signing),
            )| {
                Content::Calls(CallsContent {
                    chain,
                    chain_id,
                    from,
                    calls,
                    validity,
                    description,
                    metadata,
                    decoder_ref,
                    clear_signing,
                })
            },
        )
}

fn typed_data() -> Message {
    let object = |value: Value| value.as_object().unwrap().clone();
    Message::TypedData(TypedData {
        domain: object(json!({ "name": "Desk", "chainId": 1 })),
        types: object(json!({ "Pay": [{ "name": "to", "type": "address[]" }] })),
        primary_type: "Pay".into(),
        message: object(json!({ "to": [] })),
    })
}

fn signature_content() -> impl Strategy<Value = Content> {
    let message = prop_oneof![Just(typed_data()), any::<String>().prop_map(Message::Personal)];
    (
        chain(),
        of(address()),
        message,
        description(),
        of(metadata()),
        of(validity()),
        of(any::<bool>()),
    )
        .prop_map(
            |(chain, from, message, description, metadata, validity, erc6492)| {
                Content::Signature(SignatureContent {
                    chain,
                    from,
                    message,
                    description,
                    metadata,
                    validity,
                    erc6492,
                })
            },
        )
}

fn risk() -> impl Strategy<Value = Risk> {
    let warning = (
        ".{1,9}",
        word(RiskSeverity::WORDS, RiskSeverity::parse),
        any::<String>(),
    )
        .prop_map(|(code, severity, message)| RiskWarning {
            code,
            severity,
            message,
        });
    let action = || word(RiskAction::WORDS, RiskAction::parse);
    let scanner = (".{1,9}", action(), of(any::<String>())).prop_map(|(provider, verdict, url)| Scanner {
        provider,
        verdict,
        url,
    });
    (
        action(),
        of((0..=100_u64).prop_map(Number::from)),
        vec(warning, 0..3),
        of(vec(scanner, 0..2)),
    )
        .prop_map(|(action, score, warnings, scanners)| Risk {
            action,
            score,
            warnings,
            scanners,
            reports: Some(json!([])),
        })
}

fn capabilities() -> impl Strategy<Value = Capabilities> {
    let paymaster = (".{1,9}", of(address())).prop_map(|(url, sponsor)| Paymaster { url, sponsor });
    let permissions = (bytes(), ".{1,9}").prop_map(|(context, kind)| Permissions { context, kind });
    (
        of(any::<bool>()),
        of(paymaster),
        of(permissions),
        of(word(AccountType::WORDS, AccountType::parse)),
        vendor(),
    )
        .prop_map(
            |(atomic_required, paymaster_service, permissions, requires_account_type, vendor)| Capabilities {
                atomic_required,
                paymaster_service,
                permissions,
                requires_account_type,
                vendor,
            },
        )
}

/// Envelopes of a producer whose id is the test key's.
fn fields() -> impl Strategy<Value = Fields> {
    let origin = (
        word(VerifyStatus::WORDS, VerifyStatus::parse),
        of(any::<String>()),
    )
        .prop_map(|(verify_status, attestation)| Origin {
            url: "https://desk.example".into(),
            verify_status,
            attestation,
        });
    (
        (
            0..=MAX_TIME,
            of(any::<String>()),
            of("0x[0-9a-fA-F]{0,9}"),
            of(any::<String>()),
        ),
        prop_oneof![calls_content(), signature_content()],
        (of(origin), of(risk()), of(capabilities()), of(opaque())),
    )
        .prop_map(
            |((issued_at, id, nonce, name), content, (origin, risk, capabilities, meta))| Fields {
                id,
                nonce,
                producer: Some(Producer {
                    id: key().public_key().to_did().unwrap(),
                    name,
                    signature: None,
                }),
                origin,
                risk,
                capabilities,
                meta,
                ..Fields::new(Timestamp(issued_at), content)
            },
        )
}

fn key() -> ProducerKey {
    ProducerKey::from_hex(Scheme::Ed25519, "1f".repeat(32).as_bytes()).unwrap()
}

/// Writes a document with its members in another order and with white space.
fn respelled(value: &Value, turn: &mut usize) -> String {
    *turn = turn.wrapping_mul(31).wrapping_add(7);
    let space = &" \n\t\r"[..*turn % 5];
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| respelled(item, turn)).collect();
            format!("[{space}{}{space}]", items.join(&format!("{space},")))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|(name, value)| format!("{}{space}:{}", json!(name), respelled(value, turn)))
                .collect();
            let middle = *turn % members.len().max(1);
            members.rotate_left(middle);
            format!("{space}{{{}{space}}}", members.join(&format!(",{space}")))
        }
        other => format!("{space}{other}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_built_is_valid_and_read_as_it_was_meant(fields in fields()) {
        let envelope = fields.build().unwrap();
        prop_assert_eq!(envelope.fields(), &fields);
        let text = serde_json::to_vec(envelope.value()).unwrap();
        let validation = validate(&text).unwrap();
        prop_assert!(validation.is_valid(), "{:?}", validation.errors);
        prop_assert_eq!(&validation.warnings[..], envelope.warnings());
        prop_assert_eq!(Envelope::parse(&text).unwrap(), envelope);
    }

    #[test]
    fn spelling_changes_no_digest(fields in fields(), turn: usize) {
        let envelope = fields.build().unwrap().sign(&key(), Coverage::Envelope).unwrap();
        let again = Envelope::parse(respelled(envelope.value(), &mut turn.clone()).as_bytes()).unwrap();
        prop_assert_eq!(&again, &envelope);
        for coverage in [Coverage::Envelope, Coverage::Content] {
            prop_assert_eq!(again.preimage(coverage), envelope.preimage(coverage));
        }
        prop_assert_eq!(again.verify(OFFLINE).status, Status::Verified);
    }

    #[test]
    fn a_verdict_changes_no_digest_and_no_signature(fields in fields(), risk in risk()) {
        let envelope = fields.build().unwrap().sign(&key(), Coverage::Envelope).unwrap();
        let judged = envelope.with_risk(&risk).unwrap();
        prop_assert_eq!(judged.digest(Coverage::Envelope), envelope.digest(Coverage::Envelope));
        prop_assert_eq!(judged.digest(Coverage::Content), envelope.digest(Coverage::Content));
        prop_assert_eq!(judged.verify(OFFLINE), envelope.verify(OFFLINE));
        prop_assert_eq!(judged.fields().risk.as_ref(), Some(&risk));
    }

    /// One byte of the pre-image changed, the document it then stands for is no longer what was signed.
    #[test]
    fn every_byte_of_the_pre_image_is_signed(fields in fields(), place: prop::sample::Index, byte in 0x20_u8..0x7f) {
        let fields = Fields { risk: None, ..fields };
        let envelope = fields.build().unwrap().sign(&key(), Coverage::Envelope).unwrap();
        let signature = &envelope.value()["producer"]["signature"];
        let signed = envelope.preimage(Coverage::Envelope);
        let mut changed = signed.clone();
        changed[place.index(signed.len())] = byte;
        if changed == signed {
            return Ok(());
        }
        // Most changes leave no document; one that leaves it with other members in `risk` or without a producer is
        // another document all the same.
        let Ok(mut document) = presight_wire::json::parse(&changed, presight_wire::json::Numbers::Double) else {
            return Ok(());
        };
        if let Some(producer) = document.get_mut("producer").and_then(Value::as_object_mut) {
            producer.insert("signature".into(), signature.clone());
        }
        let outcome = verify_value(&document, OFFLINE);
        prop_assert_ne!(outcome.status, Status::Verified);
        prop_assert_eq!(outcome.attested, None);
    }

    /// ERC-8481 §Binding: the digest of an envelope subject is of the pre-image that its producer signs.
    #[test]
    fn what_is_valid_is_a_subject(fields in fields(), from in address(), chain in 1..=u64::MAX, turn: usize) {
        let mut fields = fields;
        let chain = Chain::new(chain.into()).unwrap();
        match &mut fields.content {
            Content::Calls(content) => (content.from, content.chain) = (Some(from), chain),
            Content::Signature(content) => (content.from, content.chain) = (Some(from), chain),
        }
        let envelope = fields.build().unwrap();
        let text = respelled(envelope.value(), &mut turn.clone());
        let request = format!(
            r#"{{"subject":{{"envelope":{text},"type":"erc8265-envelope"}},"version":"erc-presign/1"}}"#
        );
        let request = presight_wire::Request::parse(request.as_bytes()).unwrap();
        prop_assert_eq!(request.subject_digest(), envelope.digest(Coverage::Envelope));
        prop_assert_eq!(request.signer().address, from);
    }

    #[test]
    fn nothing_panics(text in vec(any::<u8>(), 0..200)) {
        let _ = validate(&text);
        let _ = verify(&text, OFFLINE);
    }
}

/// Every byte of one pre-image in turn, each changed in three ways: no document that is left verifies.
#[test]
fn no_byte_of_a_pre_image_can_be_changed() {
    let file: Value = serde_json::from_str(include_str!("vectors/envelope/vectors.json")).unwrap();
    let plain = file["vectors"]
        .as_array()
        .unwrap()
        .iter()
        .find(|v| v["id"] == "tx-plain")
        .unwrap();
    let mut document = plain["envelope"].clone();
    document["producer"] = json!({ "id": key().public_key().to_did().unwrap() });
    let signed = Envelope::from_value(document)
        .unwrap()
        .sign(&key(), Coverage::Envelope)
        .unwrap();
    let signature = &signed.value()["producer"]["signature"];
    let preimage = signed.preimage(Coverage::Envelope);
    let mut documents = 0;
    for place in 0..preimage.len() {
        for change in [|b: u8| b ^ 1, |b: u8| b ^ 0x20, |_: u8| b'0'] {
            let mut changed = preimage.clone();
            changed[place] = change(changed[place]);
            let Some(mut document) = read_document(&changed).ok().filter(|_| changed != preimage) else {
                continue;
            };
            if let Some(producer) = document.get_mut("producer").and_then(Value::as_object_mut) {
                producer.insert("signature".into(), signature.clone());
            }
            assert_ne!(
                verify_value(&document, OFFLINE).status,
                Status::Verified,
                "byte {place}"
            );
            documents += 1;
        }
    }
    assert!(
        documents > preimage.len(),
        "{documents} of {} bytes",
        preimage.len()
    );
}
