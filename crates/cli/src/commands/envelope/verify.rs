//! `presight envelope verify`

use super::document;
use crate::exit::{Exit, Failure, print};
use presight_wire::Refusal;
use presight_wire::envelope::{self, Code, Coverage, PublicKey, Reason, Scheme, Status, Verification};
use serde_json::json;
use std::path::Path;

/// Prints what the producer's signature is worth.
pub(super) fn run(file: &Path, producer_keys: &[String], as_json: bool) -> Result<Exit, Failure> {
    let known: Vec<PublicKey> = producer_keys
        .iter()
        .map(|text| keys(text))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    let resolver = |_: &str| (!known.is_empty()).then(|| known.clone());
    let verification = envelope::verify(&document(file)?, &resolver)?;
    print(&if as_json {
        in_json(&verification)
    } else {
        in_words(&verification)
    });
    Ok(match verification.status {
        Status::Verified => Exit::Clean,
        Status::VerifiedUnbound | Status::Unverified | Status::Unsigned => Exit::Warn,
        Status::Invalid | Status::Rejected => Exit::Block,
    })
}

/// A key as each scheme that it can be one of.
fn keys(text: &str) -> Result<Vec<PublicKey>, Refusal> {
    let schemes = [Scheme::Secp256k1, Scheme::Ed25519, Scheme::P256];
    let keys: Vec<_> = schemes
        .iter()
        .filter_map(|scheme| PublicKey::parse(text, *scheme).ok())
        .collect();
    if keys.is_empty() {
        let message = "a --producer-key is 0x hex, a did:key or an eip155 account";
        return Err(Refusal::new(Code::BadKey.as_str(), "", message));
    }
    Ok(keys)
}

fn in_json(verification: &Verification) -> String {
    let mut document = json!({
        "status": verification.status.as_str(),
        "attested": verification.attested.is_some(),
    });
    let more = [
        ("coverage", verification.attested.map(Coverage::as_str)),
        ("warning", verification.status.warning()),
        ("detail", verification.reason.map(Reason::as_str)),
    ];
    for (name, value) in more {
        if let Some(value) = value {
            document[name] = json!(value);
        }
    }
    document.to_string()
}

fn in_words(verification: &Verification) -> String {
    let reason = verification
        .reason
        .map_or(String::new(), |reason| format!(" ({reason})"));
    let worth = match verification.status {
        Status::Verified => "the producer signed it",
        Status::VerifiedUnbound => "a good signature, and nothing ties its key to the producer",
        Status::Invalid => "tampered with, or never rightly signed",
        Status::Unverified => "the signature cannot be verified here: treat it as unsigned",
        Status::Unsigned => "nobody signed it",
        Status::Rejected => "it cannot be judged",
    };
    let attested = match verification.attested {
        None => "nothing in it is the producer's word".to_owned(),
        Some(coverage) => format!("its {} is the producer's word", coverage.as_str()),
    };
    format!("{}{reason}: {worth}; {attested}", verification.status.as_str())
}
