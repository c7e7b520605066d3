//! Vectors of what travels beside a payment: signed offers and receipts, MPP challenges and credentials, receipts. What of
//! them is a digest, a signature or a binding is recomputed.

use crate::vectors::{Vectors, files};
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::{Signature, VerifyingKey};
use presight_source::payment::FlatType;
use presight_source::payment::flat_type::signing_hash;
use presight_wire::report::sign;
use presight_wire::{jcs, json};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const OFFER: &str = "Offer(uint256 version,string resourceUrl,string scheme,string network,string asset,string payTo,\
                     string amount,uint256 validUntil)";
const RECEIPT: &str = "Receipt(uint256 version,string network,string resourceUrl,string payer,uint256 issuedAt,string transaction)";

fn bytes(value: &Value) -> Bytes {
    value.as_str().unwrap().parse().unwrap()
}

/// The digest of a signed offer or receipt; its numbers are JSON's.
fn artifact_digest(name: &str, ty: &str, payload: &Value) -> B256 {
    let mut payload = payload.clone();
    for member in payload.as_object_mut().unwrap().values_mut() {
        if let Some(number) = member.as_u64() {
            *member = number.to_string().into();
        }
    }
    let hash = FlatType::parse(ty)
        .unwrap()
        .hash_struct(payload.as_object().unwrap())
        .unwrap();
    signing_hash(name, "1", 1, hash)
}

fn jws(compact: &Value, key: &Value) -> (Value, Value) {
    let parts: Vec<&str> = compact.as_str().unwrap().split('.').collect();
    let [header, payload, signature] = parts[..] else {
        panic!("three parts expected")
    };
    let key: [u8; 32] = URL_SAFE_NO_PAD
        .decode(key.as_str().unwrap())
        .unwrap()
        .try_into()
        .unwrap();
    let signature: [u8; 64] = URL_SAFE_NO_PAD.decode(signature).unwrap().try_into().unwrap();
    let signed = format!("{header}.{payload}");
    VerifyingKey::from_bytes(&key)
        .unwrap()
        .verify_strict(signed.as_bytes(), &Signature::from_bytes(&signature))
        .unwrap();
    let part = |text| serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap();
    (part(header), part(payload))
}

#[test]
fn offers_receipts_and_sign_in() {
    let mut vectors = Vectors::read("x402-extension-vectors.json");
    vectors.not_of_a_reader("/note", "says what made the vectors");
    let seller = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    let offer = vectors.take("/offerEip712");
    for (at, name, ty) in [
        ("/offerEip712", "x402 offer", OFFER),
        ("/receiptEip712", "x402 receipt", RECEIPT),
        ("/receiptEip712NoTransaction", "x402 receipt", RECEIPT),
    ] {
        let case = vectors.take(at);
        let artifact = case.get("signedOffer").or(case.get("signedReceipt")).unwrap();
        let digest = artifact_digest(name, ty, &artifact["payload"]);
        assert_eq!(case["digest"], digest.to_string(), "{at}");
        let by = sign::recover(digest, &bytes(&artifact["signature"])).unwrap();
        assert_eq!(by.to_string(), seller, "{at}");
    }
    assert_eq!(offer["verify"]["signer"], seller);
    assert_eq!(offer["verify"]["payload"], offer["signedOffer"]["payload"]);
    let offer = vectors.take("/offerJws");
    let (header, payload) = jws(&offer["signedOffer"]["signature"], &offer["publicKeyB64url"]);
    assert_eq!((&header, &payload), (&offer["header"], &offer["payload"]));
    assert_eq!(payload, offer["verified"]);
    let receipt = vectors.take("/receiptJws");
    let (header, payload) = jws(&receipt["signedReceipt"]["signature"], &offer["publicKeyB64url"]);
    assert_eq!(header, offer["header"]);
    assert_eq!(payload["payer"], crate::PAYER);
    let sign_in = vectors.take("/signInWithX");
    let header = STANDARD.decode(sign_in["header"].as_str().unwrap()).unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&header).unwrap(),
        sign_in["payload"]
    );
    let by = sign::recover(
        personal(sign_in["message"].as_str().unwrap()),
        &bytes(&sign_in["payload"]["signature"]),
    );
    assert_eq!(by.unwrap().to_string(), sign_in["verify"]["payer"]);
    for (name, value) in sign_in["info"].as_object().unwrap() {
        assert_eq!(sign_in["payload"][name], *value, "{name}");
    }
    vectors.not_of_a_reader(
        "/paymentIdentifier",
        "which ids a server takes is the paid server's",
    );
    vectors.not_of_a_reader("/bazaar", "what a server says of itself to be found is no fact");
    vectors.finish();
}

/// EIP-191.
fn personal(message: &str) -> B256 {
    keccak256(format!(
        "\x19Ethereum Signed Message:\n{}{message}",
        message.len()
    ))
}

fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0u8; 64];
    block[..key.len()].copy_from_slice(key);
    let pad = |with: u8| block.map(|byte| byte ^ with);
    let inner = Sha256::digest([&pad(0x36)[..], message].concat());
    Sha256::digest([&pad(0x5c)[..], &inner].concat()).into()
}

#[test]
fn mpp_challenges_credentials_and_vouchers() {
    let mut vectors = Vectors::read("mpp-vectors.json");
    vectors.not_of_a_reader("/format", "names the format");
    vectors.not_of_a_reader("/made", "says what made the vectors");
    let secret = vectors.take("/secretKey");
    let realm = vectors.take("/realm");
    let body = vectors.take("/bodyForDigest");
    let digest = STANDARD.encode(Sha256::digest(body.as_str().unwrap()));
    assert_eq!(vectors.take("/digestMppx"), format!("sha-256={digest}"));
    assert_eq!(vectors.take("/digestRfc9530"), format!("sha-256=:{digest}:"));
    let challenges = vectors.items("/challenges");
    for case in &challenges {
        let text = |name: &str| {
            case["parameters"]
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let packed = |name: &str| {
            case["parameters"]
                .get(name)
                .map(|v| URL_SAFE_NO_PAD.encode(jcs::canonical(v)))
        };
        let input = [
            text("realm").to_owned(),
            text("method").to_owned(),
            text("intent").to_owned(),
            packed("request").unwrap(),
            text("expires").to_owned(),
            text("digest").to_owned(),
            packed("meta").unwrap_or_default(),
        ]
        .join("|");
        assert_eq!(case["hmacInput"], input, "{}", case["name"]);
        let mac = hmac_sha256(secret.as_str().unwrap().as_bytes(), input.as_bytes());
        let id = URL_SAFE_NO_PAD.encode(mac);
        assert_eq!(case["id"], id);
        let header = case["header"].as_str().unwrap();
        assert!(
            header.starts_with(&format!("Payment id=\"{id}\", realm=")),
            "{header}"
        );
        let hash = keccak256(format!("{id}{}", text("realm")));
        assert_eq!(case["challengeHash"], hash.to_string());
        let array = serde_json::to_string(&json!([id, text("realm")])).unwrap();
        assert_eq!(case["presignGuardNonce"], keccak256(array).to_string());
    }
    credential(
        &vectors.take("/evmCredential"),
        &challenges,
        realm.as_str().unwrap(),
    );
    let receipt = vectors.take("/receiptHeader");
    let decoded: Value = serde_json::from_slice(
        &URL_SAFE_NO_PAD
            .decode(receipt["header"].as_str().unwrap())
            .unwrap(),
    )
    .unwrap();
    assert_eq!(decoded, receipt["decoded"]);
    memo(&vectors.take("/tempoMemo"));
    voucher(&vectors.take("/sessionVoucher"));
    vectors.finish();
}

fn credential(case: &Value, challenges: &[Value], realm: &str) {
    let header = case["authorizationHeader"]
        .as_str()
        .unwrap()
        .strip_prefix("Payment ")
        .unwrap();
    let decoded: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap();
    assert_eq!(decoded, case["decoded"]);
    let challenge = challenges
        .iter()
        .find(|c| c["name"] == case["challenge"])
        .unwrap();
    let payload = &decoded["payload"];
    assert_eq!(decoded["challenge"]["id"], challenge["id"]);
    assert_eq!(decoded["challenge"]["realm"], realm);
    assert_eq!(payload["nonce"], challenge["challengeHash"]);
    let request = &challenge["parameters"]["request"];
    assert_eq!(
        (&payload["to"], &payload["value"]),
        (&request["recipient"], &request["amount"])
    );
    let digest: B256 = case["eip712Digest"].as_str().unwrap().parse().unwrap();
    let by = sign::recover(digest, &bytes(&payload["signature"])).unwrap();
    assert_eq!(by.to_string(), payload["from"]);
    let chain = &request["methodDetails"]["chainId"];
    assert_eq!(
        decoded["source"],
        format!("did:pkh:eip155:{chain}:{}", payload["from"].as_str().unwrap())
    );
}

fn memo(case: &Value) {
    let hash = |text: &str| keccak256(text).to_vec();
    let topic = keccak256("TransferWithMemo(address,address,uint256,bytes32)");
    assert_eq!(case["transferWithMemoTopic"], topic.to_string());
    let tag = hash("mpp")[..4].to_vec();
    assert_eq!(case["tag"], Bytes::from(tag.clone()).to_string());
    let server = hash(case["realm"].as_str().unwrap())[..10].to_vec();
    let nonce = hash(case["challengeId"].as_str().unwrap())[..7].to_vec();
    let client = bytes(&case["decoded"]["clientFingerprint"]).to_vec();
    let made = |client: &[u8]| Bytes::from([&tag[..], &[1], &server, client, &nonce].concat()).to_string();
    assert_eq!(case["anonymous"], made(&[0; 10]));
    assert_eq!(case["withClientAgent1"], made(&client));
    assert_eq!(
        case["decoded"]["serverFingerprint"],
        Bytes::from(server.clone()).to_string()
    );
    assert_eq!(case["decoded"]["nonce"], Bytes::from(nonce.clone()).to_string());
    assert_eq!(case["decoded"]["version"], 1);
}

fn voucher(case: &Value) {
    let descriptor = &case["descriptor"];
    let account = |value: &Value| value.as_str().unwrap().parse::<Address>().unwrap().into_word();
    let word = |value: &Value| value.as_str().unwrap().parse::<B256>().unwrap();
    let chain = U256::from(case["chainId"].as_u64().unwrap());
    let escrow = account(&case["escrow"]);
    let id = keccak256(
        [
            account(&descriptor["payer"]),
            account(&descriptor["payee"]),
            account(&descriptor["operator"]),
            account(&descriptor["token"]),
            word(&descriptor["salt"]),
            account(&descriptor["authorizedSigner"]),
            word(&descriptor["expiringNonceHash"]),
            escrow,
            chain.into(),
        ]
        .concat(),
    );
    assert_eq!(case["channelId"], id.to_string());
    let message = FlatType::parse(case["type"].as_str().unwrap()).unwrap();
    let hash = message.hash_struct(case.as_object().unwrap()).unwrap();
    let separator = keccak256(
        [
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
            keccak256(case["domain"]["name"].as_str().unwrap()),
            keccak256(case["domain"]["version"].as_str().unwrap()),
            chain.into(),
            escrow,
        ]
        .concat(),
    );
    let digest = keccak256([b"\x19\x01".as_slice(), separator.as_slice(), hash.as_slice()].concat());
    assert_eq!(case["digest"], digest.to_string());
    assert_eq!(case["protocol"], "v2");
    let by = sign::recover(digest, &bytes(&case["signature"])).unwrap();
    assert_eq!(by.to_string(), case["signer"]);
}

#[test]
fn every_recorded_mpp_exchange() {
    for file in files("mpp-exchange/") {
        let mut vectors = Vectors::read(&file);
        let name = vectors.take("/name").as_str().unwrap().to_owned();
        vectors.not_of_a_reader("/note", "says what was recorded");
        for outcome in ["/payToBalanceChange", "/clientThrew"] {
            vectors.not_of_a_reader(
                outcome,
                "what the paid server and the client did with the payment",
            );
        }
        let mut offered = Vec::new();
        for step in vectors.items("/exchange") {
            let challenges = &step["response"]["decodedHeaders"]["www-authenticate"];
            let held = &step["request"]["decodedHeaders"]["authorization"];
            if let Some(payload) = held.get("payload").filter(|payload| payload.is_object()) {
                let challenge = &held["challenge"];
                let nonce = keccak256(format!(
                    "{}{}",
                    challenge["id"].as_str().unwrap(),
                    challenge["realm"].as_str().unwrap()
                ));
                let bound = payload["nonce"] == nonce.to_string();
                let unbound = [
                    "mpp-nonce-json-array",
                    "mpp-random-nonce",
                    "mpp-challenge-altered",
                ];
                assert_eq!(bound, !unbound.contains(&name.as_str()), "{name}");
                let known: Option<&Value> = offered.iter().find(|c: &&Value| c["id"] == challenge["id"]);
                if let Some(request) = known.map(|c| &c["request"]) {
                    let paid = payload["value"] == request["amount"];
                    assert_eq!(
                        paid,
                        !["mpp-wrong-amount", "mpp-amount-altered"].contains(&name.as_str()),
                        "{name}"
                    );
                    let to = payload["to"]
                        .as_str()
                        .unwrap()
                        .eq_ignore_ascii_case(request["recipient"].as_str().unwrap());
                    assert_eq!(to, name != "mpp-wrong-recipient", "{name}");
                }
            }
            offered.extend(challenges.as_array().into_iter().flatten().cloned());
        }
        vectors.finish();
    }
}

/// Canonical JSON as the reference's receipts have it: RFC 8785 with every code unit from U+007F up escaped.
fn ascii(value: &Value) -> String {
    let canonical = String::from_utf8(jcs::canonical(value)).unwrap();
    let mut out = String::new();
    for c in canonical.chars() {
        if c < '\u{7f}' {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out += &format!("\\u{unit:04x}");
            }
        }
    }
    out
}

#[test]
fn receipts_of_presign_guard() {
    let mut vectors = Vectors::read("guard/receipt-vectors.json");
    vectors.not_of_a_reader("/about", "says where the values are from");
    for case in vectors.items("/canonical") {
        let parsed = json::parse(case["json"].as_str().unwrap().as_bytes(), json::Numbers::Double).unwrap();
        assert_eq!(case["canonical"], ascii(&parsed), "{case}");
    }
    let key = vectors.take("/key");
    let secret = keccak256(format!(
        "presign-guard receipt signer v1:{}",
        key["secret"].as_str().unwrap()
    ));
    let signer = sign::SigningKey::from_hex(&secret.to_string().as_bytes()[2..])
        .unwrap()
        .address();
    assert_eq!(key["address"], signer.to_string());
    let input = vectors.take("/inputHash");
    let bound = ascii(&json!({ "route": input["route"], "input": input["input"] }));
    assert_eq!(input["canonical"], bound);
    assert_eq!(input["sha256"], format!("{:x}", Sha256::digest(&bound)));
    let certificate = vectors.take("/certificate");
    let by = sign::recover(
        personal(certificate["message"].as_str().unwrap()),
        &bytes(&certificate["signature"]),
    );
    assert_eq!(by.unwrap().to_string(), certificate["authority"]);
    let signed = vectors.take("/signed");
    let signer_of = |answer: &Value| {
        let mut answer = answer.clone();
        let signature = bytes(&answer["receipt"]["signature"]);
        answer["receipt"].as_object_mut().unwrap().remove("signature");
        sign::recover(personal(&ascii(&answer)), &signature).ok()
    };
    let mut bare = signed["answer"].clone();
    bare["receipt"].as_object_mut().unwrap().remove("signature");
    assert_eq!(signed["message"], ascii(&bare));
    assert_eq!(signer_of(&signed["answer"]), Some(signer));
    for case in vectors.items("/mustFail") {
        let mut answer = signed["answer"].clone();
        match case["change"].as_str().unwrap() {
            "verdict set to green" => answer["verdict"] = "green".into(),
            "receipt.request_id replaced" => answer["receipt"]["request_id"] = "other".into(),
            "receipt.payment.payer replaced" => answer["receipt"]["payment"]["payer"] = "other".into(),
            "receipt.cert.valid_from moved earlier" => {
                answer["receipt"]["cert"]["valid_from"] = "2026-01-01".into();
            }
            "input.amount replaced when checking the input hash" => {
                let mut other = input["input"].clone();
                other["amount"] = "1000001".into();
                let bound = ascii(&json!({ "route": input["route"], "input": other }));
                assert_ne!(input["sha256"], format!("{:x}", Sha256::digest(&bound)));
                continue;
            }
            "signed_at date earlier than cert.valid_from with an unknown signer" => {
                answer["receipt"]["signed_at"] = "2026-01-01T00:00:00.000Z".into();
            }
            "receipt.signature missing" => {
                assert!(bare["receipt"].get("signature").is_none());
                continue;
            }
            other => panic!("{other}"),
        }
        assert_ne!(signer_of(&answer), Some(signer), "{case}");
    }
    vectors.finish();
}
