//! The consumer's own clock, address book and policies.

use crate::calls::*;
use crate::documents::{
    NOT_AFTER, OTHER, SIGNER, THIRD, TOKEN, bare, call, claiming, envelope, movement, places, run,
};
use alloy_primitives::{Address, U256, address};
use alloy_sol_types::SolCall;
use presight_verify::envelope::{CheckContext, ContactBook, DelegatecallPolicy};
use presight_wire::Timestamp;
use serde_json::{Value, json};

fn plain() -> Value {
    envelope(vec![call(OTHER, &[1, 2, 3, 4])])
}

fn with_party(party: Value) -> Value {
    let mut envelope = plain();
    envelope["content"]["metadata"]["counterparties"] = json!([party]);
    envelope
}

fn book(contacts: &Value) -> CheckContext {
    CheckContext {
        contact_book: Some(ContactBook::parse(&serde_json::to_vec(contacts).unwrap()).unwrap()),
        ..CheckContext::default()
    }
}

#[test]
fn times_are_judged_at_the_given_moment_only() {
    let at = |seconds: u64| CheckContext {
        now: Some(Timestamp(i64::try_from(seconds).unwrap()).into()),
        least_time_left: Some(30),
        long_validity: Some(100),
        ..CheckContext::default()
    };
    let codes = |seconds: u64| {
        let checked = run(&plain(), &at(seconds));
        let codes = ["expired", "close-to-expiry", "long-validity"];
        codes
            .into_iter()
            .filter(|code| !places(&checked, code).is_empty())
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(NOT_AFTER - 101), ["long-validity"]);
    assert_eq!(codes(NOT_AFTER - 100), [""; 0]);
    assert_eq!(codes(NOT_AFTER - 30), [""; 0]);
    assert_eq!(codes(NOT_AFTER - 29), ["close-to-expiry"]);
    assert_eq!(codes(NOT_AFTER), ["close-to-expiry"]);
    assert_eq!(codes(NOT_AFTER + 1), ["expired"]);
    assert_eq!(
        run(&plain(), &at(NOT_AFTER + 7)).facts.unwrap().seconds_left,
        Some(-7)
    );
    let facts = bare(&plain()).facts.unwrap();
    assert_eq!(facts.seconds_left, None);
    assert!(facts.not_checked.iter().any(|n| n.path == "/content/validity"));
    let last = CheckContext {
        now: Some(Timestamp(i64::MIN).into()),
        long_validity: Some(1),
        ..CheckContext::default()
    };
    assert_eq!(places(&run(&plain(), &last), "long-validity").len(), 1);
}

#[test]
fn a_wrong_checksum_is_an_oddity() {
    let mut odd = plain();
    odd["content"]["calls"][0]["to"] = json!(OTHER.to_string().replace("BACC62E4", "bACC62E4"));
    assert_eq!(places(&bare(&odd), "odd-bytes"), ["/content/calls/0/to"]);
    odd["content"]["from"] = json!(SIGNER.to_string().replace("26831A2Df", "26831a2Df"));
    let expected = ["/content/from", "/content/calls/0/to"];
    assert_eq!(places(&bare(&odd), "odd-bytes"), expected);
    odd["content"]["calls"][0]["to"] = json!(format!("{OTHER:#x}"));
    assert_eq!(places(&bare(&odd), "odd-bytes"), ["/content/from"]);
}

#[test]
fn the_users_own_name_comes_first() {
    let party = |source: &str| json!({ "address": OTHER, "role": "spender", "label": "Router", "labelSource": source });
    let label = |source: &str, context: &CheckContext| {
        let facts = run(&with_party(party(source)), context).facts.unwrap();
        let label = facts.labels.into_iter().next().unwrap();
        (label.label.unwrap(), label.source, label.annotation)
    };
    let own = book(&json!([{ "address": OTHER, "label": "My swap test" }]));
    for source in [
        "contact_book",
        "protocol_directory",
        "recent_interaction",
        "untrusted",
    ] {
        let expected = (
            "My swap test".to_owned(),
            "contact_book",
            Some("Router".to_owned()),
        );
        assert_eq!(label(source, &own), expected);
    }
    let listed = book(&json!([OTHER.to_string().to_lowercase()]));
    assert_eq!(
        label("contact_book", &listed),
        ("Router".to_owned(), "contact_book", None)
    );
    assert_eq!(label("protocol_directory", &listed).1, "protocol_directory");
    for context in [book(&json!([])), CheckContext::default()] {
        assert_eq!(
            label("contact_book", &context),
            ("Router".to_owned(), "untrusted", None)
        );
    }
    let unsourced = with_party(json!({ "address": OTHER, "role": "spender", "label": "Router" }));
    assert_eq!(
        run(&unsourced, &listed).facts.unwrap().labels[0].source,
        "untrusted"
    );
}

#[test]
fn the_name_of_the_highest_trust_is_shown_wherever_it_stands() {
    let party = |label: &str, source: &str| json!({ "address": OTHER, "role": "spender", "label": label, "labelSource": source });
    let mut envelope = plain();
    envelope["content"]["metadata"]["counterparties"] = json!([
        party("Bank", "untrusted"),
        party("Router", "protocol_directory"),
        party("Friend", "contact_book"),
        { "address": THIRD, "role": "recipient", "similarityWarning": { "similarTo": OTHER, "distance": 2 } },
    ]);
    let labels = run(&envelope, &book(&json!([]))).facts.unwrap().labels;
    let shown: Vec<_> = labels
        .iter()
        .map(|l| (l.label.as_deref(), l.annotation.as_deref()))
        .collect();
    let router = Some("Router");
    assert_eq!(
        shown,
        [
            (router, Some("Bank")),
            (router, None),
            (router, Some("Friend")),
            (None, None)
        ]
    );
    assert!(
        labels.iter().all(|label| label.resemblance_first),
        "also of the address that is resembled"
    );
}

#[test]
fn a_resemblance_comes_before_every_name_but_the_users() {
    let party = json!({
        "address": OTHER, "role": "spender", "label": "Router", "labelSource": "contact_book",
        "similarityWarning": { "similarTo": THIRD, "distance": 2 },
    });
    let first = |context: &CheckContext| {
        run(&with_party(party.clone()), context).facts.unwrap().labels[0].resemblance_first
    };
    assert!(first(&CheckContext::default()));
    assert!(first(&book(&json!([]))));
    assert!(!first(&book(&json!([OTHER]))));
}

/// Shares the first and last four digits of [`OTHER`].
const LOOKALIKE: Address = address!("0xbaccffffffffffffffffffffffffffffffff9e55");

#[test]
fn lookalikes_of_known_addresses_are_found() {
    let code = "similarity-warning";
    let known = book(&json!([{ "address": OTHER, "label": "Exchange" }]));
    let named = with_party(json!({ "address": LOOKALIKE, "role": "recipient" }));
    assert_eq!(
        places(&run(&named, &known), code),
        ["/content/metadata/counterparties/0/address"]
    );
    let checked = run(&named, &known);
    assert!(
        checked.facts.as_ref().unwrap().labels[0].resemblance_first,
        "found, not claimed"
    );
    let json = serde_json::to_value(&checked).unwrap();
    assert_eq!(json["labels"][0]["resemblanceFirst"], json!(true));
    assert_eq!(places(&bare(&named), code), [""; 0]);
    assert!(!bare(&named).facts.unwrap().labels[0].resemblance_first);
    let data = Token::transferCall {
        to: LOOKALIKE,
        amount: U256::ONE,
    }
    .abi_encode();
    let decoded = envelope(vec![call(TOKEN, &data)]);
    assert_eq!(places(&run(&decoded, &known), code), ["/content/calls"]);
    let both = book(&json!([OTHER, LOOKALIKE]));
    assert_eq!(places(&run(&decoded, &both), code), [""; 0]);
    let mut of_signer = SIGNER;
    of_signer.0[9] ^= 1;
    let claimed = claiming(plain(), vec![movement("transfer", json!({ "to": of_signer }))]);
    assert_eq!(
        places(&bare(&claimed), code),
        ["/content/metadata/tokenMovements/0/to"]
    );
}

#[test]
fn address_books_are_read_strictly() {
    let parse =
        |text: &str| ContactBook::parse(text.as_bytes()).map_err(|refusal| (refusal.code, refusal.pointer));
    let address = OTHER.to_string();
    assert!(
        parse(&format!(
            r#"["{address}", {{"address": "{THIRD}", "label": "T"}}]"#
        ))
        .unwrap()
        .contains(THIRD)
    );
    for (text, code, pointer) in [
        ("{}".to_owned(), "wrong-type", ""),
        ("[1]".to_owned(), "wrong-type", "/0"),
        (r#"["0x12"]"#.to_owned(), "bad-address", "/0"),
        (
            format!(r#"["{}"]"#, address.replace("BACC", "bACC")),
            "bad-checksum",
            "/0",
        ),
        (
            format!(r#"["{address}", "{THIRD}", {{"address": "{OTHER:#x}", "label": "T"}}]"#),
            "duplicate-contact",
            "/2",
        ),
        (r#"[{"label": "T"}]"#.to_owned(), "missing-member", "/0/address"),
        (
            format!(r#"[{{"address": "{address}", "label": 5}}]"#),
            "wrong-type",
            "/0/label",
        ),
        (
            format!(r#"[{{"address": "{address}", "name": "T"}}]"#),
            "unknown-member",
            "/0/name",
        ),
    ] {
        assert_eq!(parse(&text), Err((code, pointer.to_owned())), "{text}");
    }
}

#[test]
fn delegatecalls_need_the_policys_consent() {
    let mut risky = envelope(vec![call(OTHER, &[1, 2, 3, 4]), call(THIRD, &[1, 2, 3, 4])]);
    risky["content"]["calls"][1]["operation"] = json!("delegatecall");
    let refused = |policy: DelegatecallPolicy| {
        let checked = run(
            &risky,
            &CheckContext {
                delegatecall: policy,
                ..CheckContext::default()
            },
        );
        checked
            .errors
            .iter()
            .map(|note| (note.code.as_str(), note.path.clone()))
            .collect::<Vec<_>>()
    };
    let at = vec![("delegatecall-refused", "/content/calls/1/operation".to_owned())];
    assert_eq!(refused(DelegatecallPolicy::Warn), []);
    assert_eq!(refused(DelegatecallPolicy::Deny), at);
    assert_eq!(refused(DelegatecallPolicy::RequireSimulation), at);
    assert_eq!(refused(DelegatecallPolicy::AllowList(vec![OTHER])), at);
    assert_eq!(refused(DelegatecallPolicy::AllowList(vec![THIRD])), []);
}

fn descriptor(chain: u64, address: Address, function: &str) -> Value {
    json!({
        "context": { "contract": { "deployments": [{ "chainId": chain, "address": address }] } },
        "display": { "formats": { function: { "intent": "Send" } } },
    })
}

#[test]
fn descriptors_are_bound_to_chain_target_and_selector() {
    let data = Token::transferCall {
        to: OTHER,
        amount: U256::ONE,
    }
    .abi_encode();
    let function = "transfer(address to, uint256 value)";
    let mismatch = |fragment: Value| {
        let mut envelope = envelope(vec![call(OTHER, &[]), call(TOKEN, &data)]);
        envelope["content"]["clearSigning"] = fragment;
        let checked = bare(&envelope);
        let skipped = checked
            .facts
            .as_ref()
            .unwrap()
            .not_checked
            .iter()
            .any(|n| n.path == "/content/clearSigning");
        (!places(&checked, "descriptor-mismatch").is_empty(), skipped)
    };
    assert_eq!(mismatch(descriptor(1, TOKEN, function)), (false, false));
    assert_eq!(mismatch(descriptor(1, TOKEN, "0xa9059cbb")), (false, false));
    assert_eq!(mismatch(descriptor(10, TOKEN, function)), (true, false));
    assert_eq!(mismatch(descriptor(1, OTHER, function)), (true, false));
    assert_eq!(
        mismatch(descriptor(1, TOKEN, "approve(address,uint256)")),
        (true, false)
    );
    assert_eq!(mismatch(json!({ "display": {} })), (false, true));

    let mut referring = envelope(vec![call(TOKEN, &data)]);
    referring["content"]["decoderRef"] = json!("https://registry.example/token.json");
    let facts = bare(&referring).facts.unwrap();
    assert!(facts.not_checked.iter().any(|n| n.path == "/content/decoderRef"));
    let resolved = |descriptor: Value| CheckContext {
        descriptor: descriptor.as_object().cloned(),
        ..CheckContext::default()
    };
    let places =
        |descriptor: Value| places(&run(&referring, &resolved(descriptor)), "descriptor-mismatch").len();
    assert_eq!(places(descriptor(1, TOKEN, function)), 0);
    assert_eq!(places(descriptor(1, OTHER, function)), 1);
}

#[test]
fn texts_about_set_code_are_noted() {
    let mut smuggled = plain();
    smuggled["content"]["description"]["short"] = json!("Upgrade your wallet (EIP-7702)");
    smuggled["content"]["description"]["long"] = json!("Signs an authorization tuple");
    let metadata = &mut smuggled["content"]["metadata"];
    metadata["tokenMovements"] = json!([movement("transfer", json!({ "symbol": "7702 upgrade" }))]);
    metadata["counterparties"] =
        json!([{ "address": OTHER, "role": "unknown", "label": "Set code", "labelSource": "untrusted" }]);
    let places = [
        "/content/description/short",
        "/content/description/long",
        "/content/metadata/tokenMovements/0/symbol",
        "/content/metadata/counterparties/0/label",
    ];
    assert_eq!(
        crate::documents::places(&bare(&smuggled), "set-code-claimed"),
        places
    );
}

#[test]
fn sign_in_messages_name_the_same_signer_and_chain() {
    let text = |account: Address, chain: u64| {
        format!(
            "desk.example wants you to sign in with your Ethereum account:\n{account}\n\nChain ID: 7\n\n\
             URI: https://desk.example/login\nVersion: 1\nChain ID: {chain}\nNonce: k3J9xQ0bT1\n\
             Issued At: 2026-09-02T11:34:00Z"
        )
    };
    let envelope = |text: String| {
        json!({
            "$schema": "https://txkit.dev/schemas/v0.1/envelope.json",
            "kind": "signature",
            "issuedAt": "2026-09-02T11:34:00Z",
            "content": {
                "chain": "eip155:1", "from": SIGNER, "scheme": "siwe", "messageText": text,
                "description": { "short": "Sign in", "action": "admin-op" },
            },
        })
    };
    let found = |account, chain| {
        let checked = bare(&envelope(text(account, chain)));
        ["signer-mismatch", "sign-in-chain-mismatch"].map(|code| places(&checked, code).len())
    };
    assert_eq!(found(SIGNER, 1), [0, 0]);
    assert_eq!(found(OTHER, 1), [1, 0]);
    assert_eq!(found(SIGNER, 10), [0, 1]);
}

#[test]
fn invalid_envelopes_give_the_validators_errors_alone() {
    let mut invalid = plain();
    invalid["content"]["chain"] = json!("eip155:01");
    let checked = run(&invalid, &book(&json!([])));
    assert_eq!(places(&checked, "invalid-chain"), ["/content/chain"]);
    assert!(checked.warnings.is_empty() && checked.facts.is_none() && !checked.is_valid());
}

#[test]
fn the_producers_signature_is_told_and_decides_nothing() {
    let facts = bare(&plain()).facts.unwrap();
    assert_eq!(facts.producer.status.as_str(), "unsigned");
}

/// Whatever the message is, its types say which members are addresses.
#[test]
fn every_address_of_typed_data_may_resemble_another() {
    let like = |address: Address| {
        let digits = alloy_primitives::hex::encode(address);
        format!("0x{}{}{}", &digits[..4], "ab".repeat(16), &digits[36..])
    };
    let member = |name: &str, ty: &str| json!({ "name": name, "type": ty });
    let order = crate::documents::typed(json!({
        "domain": { "name": "D", "chainId": 1, "verifyingContract": like(OTHER) },
        "types": {
            "Order": [member("maker", "address"), member("legs", "Leg[]"), member("note", "string")],
            "Leg": [member("taker", "address")],
        },
        "primaryType": "Order",
        "message": { "maker": SIGNER, "legs": [{ "taker": like(TOKEN) }], "note": like(SIGNER) },
    }));
    let checked = run(&order, &book(&json!([OTHER, TOKEN])));
    let mut found = places(&checked, "similarity-warning");
    found.sort_unstable();
    assert_eq!(found, ["/content/domain/verifyingContract", "/content/message"]);
}

/// Nothing is of another signer than one that is not named.
#[test]
fn an_unnamed_signer_is_no_other_one() {
    let text = format!(
        "desk.example wants you to sign in with your Ethereum account:\n{OTHER}\n\n\nURI: https://desk.example/login\n\
         Version: 1\nChain ID: 1\nNonce: k3J9xQ0bT1\nIssued At: 2026-09-02T11:34:00Z"
    );
    let mut sign_in = plain();
    sign_in["kind"] = json!("signature");
    sign_in["content"] = json!({
        "chain": "eip155:1", "from": SIGNER, "scheme": "siwe", "messageText": text,
        "description": { "short": "Sign in", "action": "other", "long": "Sign in" },
    });
    let odd = |envelope: &Value| {
        let oddities = bare(envelope).facts.unwrap().oddities;
        oddities.iter().any(|flag| flag.code == "owner-not-signer")
    };
    assert!(odd(&sign_in));
    sign_in["content"].as_object_mut().unwrap().remove("from");
    assert!(!odd(&sign_in));
}
