//! Each recognised message, and messages that are almost one.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use alloy_primitives::U256;
use presight_decode::{Amount, Decoded, Expiry, decode};
use presight_wire::Request;
use presight_wire::report::Form;
use serde_json::{Value, json};

const SIGNER: &str = "0x4ddad24756816b972899a5eda789e0343e014db9";
const CONTRACT: &str = "0x1111111111111111111111111111111111111111";
const SPENDER: &str = "0x2222222222222222222222222222222222222222";
const TOKEN: &str = "0x3333333333333333333333333333333333333333";
const OTHER: &str = "0x4444444444444444444444444444444444444444";
const PERMIT2: &str = "0x000000000022d473030f116ddee9f6b43ac78ba3";
const NONCE: &str = "0x5555555555555555555555555555555555555555555555555555555555555555";

/// Reads `Name(type member,…)` definitions as `types`; the first is the primary type.
fn document(definitions: &[&str], contract: &str, message: &Value) -> Value {
    let domain = "EIP712Domain(string name,uint256 chainId,address verifyingContract)";
    let mut types = serde_json::Map::new();
    for definition in definitions.iter().chain([&domain]) {
        let (name, members) = definition.trim_end_matches(')').split_once('(').unwrap();
        let members = members.split(',').map(|m| m.split_once(' ').unwrap());
        let members: Value = members
            .map(|(ty, name)| json!({ "name": name, "type": ty }))
            .collect();
        types.insert(name.to_owned(), members);
    }
    json!({
        "types": types,
        "primaryType": definitions[0].split_once('(').unwrap().0,
        "domain": { "name": "x", "chainId": 1, "verifyingContract": contract },
        "message": message,
    })
}

fn read(definitions: &[&str], contract: &str, message: &Value) -> Decoded {
    let request = json!({
        "version": "erc-presign/1",
        "subject": {
            "type": "calls", "chainId": "eip155:1", "from": format!("eip155:1:{SIGNER}"), "calls": [],
            "typedData": document(definitions, contract, message),
        },
    });
    decode(&Request::from_value(request).unwrap()).unwrap()
}

fn recognised(decoded: &Decoded) -> Option<&'static str> {
    decoded.typed_data.as_ref().unwrap().recognised
}

fn addresses(decoded: &Decoded) -> Vec<(String, &'static str)> {
    let entities = decoded.entities.addresses.iter();
    entities
        .map(|a| (format!("{:#x}", a.address.address), a.role.as_str()))
        .collect()
}

fn codes(decoded: &Decoded) -> Vec<&str> {
    decoded.flags.iter().map(|f| f.code).collect()
}

fn max_uint160() -> U256 {
    (U256::from(1) << 160) - U256::from(1)
}

const ERC2612: &str = "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)";
const DAI: &str = "Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)";
const SINGLE: &str = "PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)";
const BATCH: &str = "PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)";
const DETAILS: &str = "PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)";
const PERMISSIONS: &str = "TokenPermissions(address token,uint256 amount)";
const AUTHORIZATION: &str =
    "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

#[test]
fn erc2612_permit() {
    let message = json!({
        "owner": SIGNER, "spender": SPENDER, "value": U256::MAX.to_string(), "nonce": 0, "deadline": 99,
    });
    let decoded = read(&[ERC2612], CONTRACT, &message);
    assert_eq!(recognised(&decoded), Some("erc2612-permit"));
    assert_eq!(
        addresses(&decoded),
        [(SPENDER.into(), "spender"), (CONTRACT.into(), "token")]
    );
    let grant = &decoded.grants[0];
    assert_eq!((grant.form, grant.expiry), (Form::Erc2612Permit, Expiry::Never));
    assert_eq!(
        grant.amount,
        Amount::Units {
            value: U256::MAX,
            max: U256::MAX
        }
    );
    assert_eq!(
        decoded.typed_data.as_ref().unwrap().signature_deadline,
        Some(U256::from(99))
    );
    assert!(decoded.flags.is_empty());
}

#[test]
fn dai_permit_grants_everything_or_nothing() {
    for (allowed, value, expiry) in [(true, U256::MAX, 0), (false, U256::ZERO, 7)] {
        let message =
            json!({ "holder": SIGNER, "spender": SPENDER, "nonce": 0, "expiry": expiry, "allowed": allowed });
        let decoded = read(&[DAI], CONTRACT, &message);
        assert_eq!(recognised(&decoded), Some("dai-permit"));
        assert_eq!(decoded.grants[0].form, Form::Erc2612Permit);
        assert_eq!(
            decoded.grants[0].amount,
            Amount::Units {
                value,
                max: U256::MAX
            }
        );
        // Expiry 0 never ends, and is the signature's, not the allowance's.
        let deadline = (expiry != 0).then(|| U256::from(expiry));
        assert_eq!(decoded.typed_data.as_ref().unwrap().signature_deadline, deadline);
        assert_eq!(decoded.grants[0].expiry, Expiry::Never);
    }
}

#[test]
fn permit_single_ends_with_its_expiration_not_its_deadline() {
    let details =
        json!({ "token": TOKEN, "amount": max_uint160().to_string(), "expiration": 1234, "nonce": 0 });
    let message = json!({ "details": details, "spender": SPENDER, "sigDeadline": "99" });
    let decoded = read(&[SINGLE, DETAILS], PERMIT2, &message);
    assert_eq!(recognised(&decoded), Some("permit2-permit-single"));
    assert_eq!(
        addresses(&decoded),
        [(SPENDER.into(), "spender"), (TOKEN.into(), "token")]
    );
    let grant = &decoded.grants[0];
    assert_eq!(
        (grant.form, grant.expiry),
        (Form::Permit2Permit, Expiry::At(1234))
    );
    assert_eq!(
        grant.amount,
        Amount::Units {
            value: max_uint160(),
            max: max_uint160()
        }
    );
    assert_eq!(format!("{:#x}", grant.keeper), PERMIT2);
    assert!(decoded.flags.is_empty());

    let decoded = read(&[SINGLE, DETAILS], CONTRACT, &message);
    assert_eq!(
        (codes(&decoded), decoded.grants.len()),
        (vec!["non-canonical-permit2"], 1)
    );
}

#[test]
fn permit_batch_is_one_approval_per_detail() {
    let detail = |token: &str, expiration: u64| json!({ "token": token, "amount": "5", "expiration": expiration, "nonce": 0 });
    let details = [detail(TOKEN, 0), detail(OTHER, 8), detail(TOKEN, 9)];
    let message = json!({ "details": details, "spender": SPENDER, "sigDeadline": 99 });
    let decoded = read(&[BATCH, DETAILS], PERMIT2, &message);
    assert_eq!(recognised(&decoded), Some("permit2-permit-batch"));
    let approvals: Vec<_> = decoded
        .entities
        .approvals
        .iter()
        .map(|a| format!("{:#x}", a.token.address))
        .collect();
    assert_eq!(approvals, [TOKEN, OTHER, TOKEN]);
    let ends: Vec<_> = decoded.grants.iter().map(|g| g.expiry).collect();
    assert_eq!(ends, [Expiry::SameBlock, Expiry::At(8), Expiry::At(9)]);
    assert_eq!(decoded.entities.tokens.len(), 2);
}

#[test]
fn transfer_permits_are_no_approvals() {
    let permitted = json!({ "token": TOKEN, "amount": "5" });
    let witness = json!({ "to": OTHER, "validAfter": "0" });
    let witness_type = "Witness(address to,uint256 validAfter)";
    let fields = "address spender,uint256 nonce,uint256 deadline";
    let cases = [
        (
            "PermitTransferFrom",
            "TokenPermissions",
            "",
            "permit2-permit-transfer-from",
        ),
        (
            "PermitBatchTransferFrom",
            "TokenPermissions[]",
            "",
            "permit2-permit-batch-transfer-from",
        ),
        (
            "PermitWitnessTransferFrom",
            "TokenPermissions",
            ",Witness witness",
            "permit2-permit-witness-transfer-from",
        ),
        (
            "PermitBatchWitnessTransferFrom",
            "TokenPermissions[]",
            ",Witness witness",
            "permit2-permit-batch-witness-transfer-from",
        ),
    ];
    for (name, permissions, end, form) in cases {
        let primary = format!("{name}({permissions} permitted,{fields}{end})");
        let batch = permissions.ends_with("[]");
        let permitted = if batch {
            json!([permitted, permitted])
        } else {
            permitted.clone()
        };
        let mut message = json!({ "permitted": permitted, "spender": SPENDER, "nonce": 0, "deadline": 9 });
        if !end.is_empty() {
            message["witness"] = witness.clone();
        }
        let decoded = read(&[&primary, PERMISSIONS, witness_type], PERMIT2, &message);
        assert_eq!(recognised(&decoded), Some(form));
        assert!(decoded.entities.approvals.is_empty() && decoded.grants.is_empty());
        assert_eq!(
            addresses(&decoded),
            [(SPENDER.into(), "spender"), (TOKEN.into(), "token")]
        );
        assert_eq!(decoded.transfer_permits.len(), if batch { 2 } else { 1 });
        let permit = &decoded.transfer_permits[0];
        assert_eq!((permit.amount, permit.deadline), (U256::from(5), U256::from(9)));
        let receiver = permit.witness_to.map(|a| format!("{a:#x}"));
        assert_eq!(receiver.as_deref(), (!end.is_empty()).then_some(OTHER));
    }
}

#[test]
fn a_witness_of_another_type_binds_no_known_receiver() {
    let primary = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,\
                   uint256 deadline,Order witness)";
    let order = "Order(address to,uint256 price)";
    let message = json!({
        "permitted": { "token": TOKEN, "amount": "5" }, "spender": SPENDER, "nonce": 0, "deadline": 9,
        "witness": { "to": OTHER, "price": 1 },
    });
    let decoded = read(&[primary, PERMISSIONS, order], PERMIT2, &message);
    assert_eq!(recognised(&decoded), Some("permit2-permit-witness-transfer-from"));
    assert_eq!(decoded.transfer_permits[0].witness_to, None);
}

#[test]
fn erc3009_authorizations_move_the_verifying_contract() {
    let message = json!({
        "from": SIGNER, "to": OTHER, "value": "5", "validAfter": 0, "validBefore": 9, "nonce": NONCE,
    });
    for (name, form) in [
        ("TransferWithAuthorization", "erc3009-transfer"),
        ("ReceiveWithAuthorization", "erc3009-receive"),
    ] {
        let decoded = read(&[&format!("{name}{AUTHORIZATION}")], TOKEN, &message);
        assert_eq!(recognised(&decoded), Some(form));
        assert_eq!(
            addresses(&decoded),
            [(OTHER.into(), "recipient"), (TOKEN.into(), "token")]
        );
        let transfer = &decoded.transfers[0];
        assert_eq!(
            (format!("{:#x}", transfer.from), transfer.amount),
            (SIGNER.into(), U256::from(5))
        );
        assert_eq!((transfer.call_index, transfer.token_id), (None, None));
        assert_eq!(
            decoded.typed_data.as_ref().unwrap().signature_deadline,
            Some(U256::from(9))
        );
    }
    let cancel = json!({ "authorizer": SIGNER, "nonce": NONCE });
    let decoded = read(
        &["CancelAuthorization(address authorizer,bytes32 nonce)"],
        TOKEN,
        &cancel,
    );
    assert_eq!(recognised(&decoded), Some("erc3009-cancel"));
    assert_eq!(addresses(&decoded), [(TOKEN.into(), "token")]);
}

#[test]
fn what_is_almost_a_known_form_is_reported_and_grants_nothing() {
    let details = json!({ "token": TOKEN, "amount": "5", "expiration": 1234, "nonce": 0 });
    let wide = "PermitDetails(address token,uint256 amount,uint48 expiration,uint48 nonce)";
    let single = json!({ "details": details, "spender": SPENDER, "sigDeadline": "99" });
    let for_all = "PermitForAll(address owner,address operator,bool approved,uint256 nonce,uint256 deadline)";
    let all = json!({ "owner": SIGNER, "operator": SPENDER, "approved": true, "nonce": 0, "deadline": 9 });
    let transfer = "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,\
                    uint256 deadline,uint256 more)";
    let permitted = json!({
        "permitted": { "token": TOKEN, "amount": "5" }, "spender": SPENDER, "nonce": 0, "deadline": 9, "more": 1,
    });
    let renamed = "Login(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)";
    let login = json!({ "owner": SIGNER, "spender": SPENDER, "value": "1", "nonce": 0, "deadline": 9 });
    let cases: [(&[&str], &Value); 4] = [
        (&[SINGLE, wide], &single),
        (&[for_all], &all),
        (&[transfer, PERMISSIONS], &permitted),
        (&[renamed], &login),
    ];
    for (definitions, message) in cases {
        let decoded = read(definitions, PERMIT2, message);
        assert_eq!(
            (recognised(&decoded), codes(&decoded)),
            (None, vec!["unrecognised-permit"])
        );
        assert!(decoded.entities.addresses.is_empty() && decoded.transfer_permits.is_empty());
    }
}
