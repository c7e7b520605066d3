use super::*;
use crate::time::Timestamp;
use alloy_primitives::Address;
use proptest::prelude::*;
use serde_json::json;

fn chain() -> impl Strategy<Value = ChainId> {
    any::<u64>().prop_map(ChainId::evm)
}

fn account() -> impl Strategy<Value = AccountId> {
    (chain(), any::<[u8; 20]>()).prop_map(|(chain, address)| AccountId::new(chain, Address::from(address)))
}

fn b256() -> impl Strategy<Value = B256> {
    any::<[u8; 32]>().prop_map(B256::from)
}

fn u256() -> impl Strategy<Value = U256> {
    any::<[u8; 32]>().prop_map(U256::from_be_bytes)
}

fn bytes() -> impl Strategy<Value = Bytes> {
    proptest::collection::vec(any::<u8>(), 0..80).prop_map(Bytes::from)
}

fn at() -> impl Strategy<Value = At> {
    (chain(), any::<u64>()).prop_map(|(chain, block)| At { chain, block })
}

fn time() -> impl Strategy<Value = Timestamp> {
    (0_i64..253_402_300_799).prop_map(Timestamp)
}

fn some_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn json_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        proptest::collection::vec(any::<String>(), 0..3).prop_map(Value::from),
        (any::<String>(), any::<u32>()).prop_map(|(name, n)| json!({ name: n })),
    ]
}

fn evidence() -> impl Strategy<Value = Evidence> {
    prop_oneof![
        (chain(), b256()).prop_map(|(chain, hash)| Evidence::Tx { chain, hash }),
        (chain(), b256(), 0_u64..1 << 53).prop_map(|(chain, tx, log_index)| Evidence::Log {
            chain,
            tx,
            log_index
        }),
        (at(), account(), bytes(), bytes()).prop_map(|(at, to, data, result)| Evidence::Call {
            at,
            to,
            data,
            result
        }),
        (account(), u256()).prop_map(|(registry, observation_id)| Evidence::Observation {
            registry,
            observation_id
        }),
        (any::<String>(), b256()).prop_map(|(uri, hash)| Evidence::Document { uri, hash }),
    ]
}

fn address() -> impl Strategy<Value = AddressEntity> {
    (account(), some_of(Role::ALL)).prop_map(|(address, role)| AddressEntity { address, role })
}

fn entities() -> impl Strategy<Value = Entities> {
    let approval = (
        account(),
        account(),
        some_of(Form::ALL),
        proptest::option::of(0_usize..9),
    )
        .prop_map(|(token, spender, form, call_index)| Approval {
            token,
            spender,
            form,
            call_index,
        });
    let text = (0_usize..9, any::<String>(), any::<Option<String>>(), b256()).prop_map(
        |(index, field, reference, digest)| TextEntity {
            index,
            field,
            reference,
            digest,
        },
    );
    (
        proptest::collection::vec(account(), 0..3),
        proptest::collection::vec(approval, 0..3),
        proptest::collection::vec(address(), 0..3),
        any::<bool>(),
        proptest::collection::vec(text, 0..3),
    )
        .prop_map(|(tokens, approvals, addresses, payment, texts)| Entities {
            tokens,
            approvals,
            addresses,
            payment,
            texts,
        })
}

fn finding() -> impl Strategy<Value = Finding> {
    let entity = prop_oneof![
        account().prop_map(EntityRef::Token),
        (0_usize..9).prop_map(EntityRef::Approval),
        address().prop_map(EntityRef::Address),
        Just(EntityRef::Payment),
        (0_usize..9).prop_map(EntityRef::Text),
    ];
    let outcome = prop_oneof![
        json_value().prop_map(Outcome::Read),
        some_of(&Reason::ALL).prop_map(Outcome::NotRead),
    ];
    (
        any::<String>(),
        entity,
        proptest::option::of(json_value()),
        outcome,
        proptest::option::of(at()),
        proptest::collection::vec(evidence(), 0..3),
        any::<Option<String>>(),
    )
        .prop_map(|(kind, entity, param, outcome, at, evidence, note)| Finding {
            kind,
            entity,
            param,
            outcome,
            at,
            evidence,
            note,
        })
}

fn report() -> impl Strategy<Value = Report> {
    let block = (at(), b256()).prop_map(|(at, hash)| BlockRef {
        chain: at.chain,
        block: at.block,
        hash,
    });
    let source = (account(), u256(), account()).prop_map(|(registry, agent_id, signer)| Source {
        registry,
        agent_id,
        signer,
    });
    (
        (
            b256(),
            b256(),
            chain(),
            account(),
            source,
            time(),
            proptest::option::of(time()),
        ),
        (
            proptest::collection::vec(block, 0..3),
            entities(),
            proptest::collection::vec(finding(), 0..5),
            any::<String>(),
            any::<Option<String>>(),
            proptest::option::of(bytes()),
        ),
    )
        .prop_map(
            |(
                (subject_digest, context_digest, chain, signer, source, issued_at, expires_at),
                (blocks, entities, findings, method, detail, signature),
            )| Report {
                subject_digest,
                context_digest,
                chain,
                signer,
                source,
                issued_at,
                expires_at,
                blocks,
                entities,
                findings,
                method,
                detail,
                signature,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(report in report()) {
        let text = jcs::canonical(&report.to_value());
        let received = ReceivedReport::parse(&text).unwrap();
        prop_assert_eq!(&received.report, &report);
        prop_assert_eq!(received.hash(), report.hash());
    }
}

#[test]
fn the_hash_leaves_out_signature_and_detail_only() {
    let bare = json!({"version": "erc-presign/1", "note": {"signature": 1}});
    let mut full = bare.clone();
    full["signature"] = json!("0x00");
    full["detail"] = json!("https://example.com");
    assert_eq!(hash_of(&full), jcs::digest(&bare));
    full["method"] = json!("2");
    assert_ne!(hash_of(&full), jcs::digest(&bare));
}
