//! Warnings: what a consumer should know of a valid envelope.

use super::code::Code;
use super::problem::Problems;
use super::rules::{action, list, movements, validity_time};
use super::shapes::SCHEMA_URL;
use super::walk::chain_reference;
use super::words::Kind;
use super::{siwe, uri};
use crate::tree::{At, Number, Tree};

/// 2^256 - 1.
const MAX_UINT256: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

/// Adds the warnings of a document without errors.
pub(crate) fn give(kind: Option<Kind>, document: &Tree<'_>, problems: &mut Problems) {
    precision(document, &At::Root, problems);
    producer(document, problems);
    origin(document, problems);
    let at = At::Root.member("$schema");
    if document.get("$schema").and_then(Tree::as_str) != Some(SCHEMA_URL) {
        problems.add(
            Code::UnrecognizedSchema,
            &at,
            "another version than the one known here",
        );
    }
    if document.get("risk").is_some() {
        let message = "no statement of the producer, and not authoritative (§7)";
        problems.add(Code::RiskNotAuthoritative, &At::Root.member("risk"), message);
    }
    let atomic = document
        .get("capabilities")
        .and_then(|capabilities| capabilities.get("atomicRequired"));
    if kind != Some(Kind::EvmBatch) && atomic.and_then(Tree::as_bool) == Some(true) {
        let at = At::Root.member("capabilities");
        let message = "atomicity is asked of a batch only (§8.1)";
        problems.add(
            Code::AtomicRequiredNotBatch,
            &at.member("atomicRequired"),
            message,
        );
    }
    if let (Some(kind), Some(content)) = (kind, document.get("content")) {
        self::content(kind, content, &At::Root.member("content"), problems);
    }
}

/// RFC 8785, and so any signature, covers the rounded value.
fn precision(value: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    match value {
        Tree::Number(Number::Double { rounded: true, .. }) => {
            problems.add(
                Code::NumberPrecision,
                at,
                "a double does not hold this integer exactly",
            );
        }
        Tree::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                precision(item, &at.index(index), problems);
            }
        }
        Tree::Object(members) => {
            for (name, value) in members.iter() {
                precision(value, &at.member(name), problems);
            }
        }
        _ => {}
    }
}

/// §3.
fn producer(document: &Tree<'_>, problems: &mut Problems) {
    let at = At::Root.member("producer");
    let Some(producer) = document.get("producer") else {
        return problems.add(Code::UnsignedProducer, &at, "no producer is named");
    };
    let id = producer.get("id").and_then(Tree::as_str).unwrap_or_default();
    if uri::has_scheme_form(id).is_none() {
        let message = "not a DID, a CAIP-10 account, a registry record or a URL";
        problems.add(Code::ProducerIdForm, &at.member("id"), message);
    }
    let at = at.member("signature");
    let Some(signature) = producer.get("signature") else {
        return problems.add(Code::UnsignedProducer, &at, "the producer did not sign");
    };
    let scheme = signature.get("scheme").and_then(Tree::as_str);
    if !matches!(scheme, Some("secp256k1" | "ed25519" | "p256")) {
        let message = "a scheme that is not known here: the signature cannot be verified";
        problems.add(Code::UnknownSignatureScheme, &at.member("scheme"), message);
    }
    if signature.get("publicKey").is_none() && !id.starts_with("did:") {
        let message = "no key is given and the producer's id is no DID (§3.2)";
        problems.add(Code::PublicKeyMissing, &at.member("publicKey"), message);
    }
}

/// §4.
fn origin(document: &Tree<'_>, problems: &mut Problems) {
    let at = At::Root.member("origin");
    let Some(origin) = document.get("origin") else {
        return problems.add(Code::OriginUnverified, &at, "no origin is named");
    };
    let at = at.member("verifyStatus");
    match origin.get("verifyStatus").and_then(Tree::as_str) {
        Some("UNVERIFIED") => problems.add(Code::OriginUnverified, &at, "nothing confirmed the origin"),
        Some("MISMATCH") => problems.add(
            Code::OriginMismatch,
            &at,
            "the origin is another one than it says",
        ),
        _ => {}
    }
}

fn content(kind: Kind, content: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    if kind.has_calls() {
        calls(kind, content, at, problems);
    } else {
        message(content, at, problems);
    }
    description(content, at, problems);
    window(content, at, problems);
    let metadata = at.member("metadata");
    for (index, movement) in movements(content).iter().enumerate() {
        self::movement(
            movement,
            &metadata.member("tokenMovements").index(index),
            problems,
        );
    }
    for (index, party) in list(content, "counterparties").iter().enumerate() {
        counterparty(party, &metadata.member("counterparties").index(index), problems);
    }
}

/// §5.2 and §5.3.
fn calls(kind: Kind, content: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    if let Some(chain_id) = content.get("chainId") {
        let at = at.member("chainId");
        problems.add(Code::ChainIdDeprecated, &at, "`chain` names the chain (§5.2)");
        if !same_chain(chain_id, content) {
            problems.add(
                Code::ChainIdMismatch,
                &at,
                "not the chain that `chain` names, which counts (§5.2)",
            );
        }
    }
    let calls = content.get("calls").and_then(Tree::as_array).unwrap_or_default();
    for (index, call) in calls.iter().enumerate() {
        if call.get("operation").and_then(Tree::as_str) == Some("delegatecall") {
            let message = "the target's code runs with the account's own authority";
            problems.add(
                Code::Delegatecall,
                &at.member("calls").index(index).member("operation"),
                message,
            );
        }
    }
    if kind == Kind::EvmBatch && action(content) == Some("permit") {
        let message = "a permit is a signature, not a transaction (§6.4)";
        problems.add(
            Code::PermitOnBatch,
            &at.member("description").member("action"),
            message,
        );
    }
}

/// §6.
fn message(content: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    if matches!(action(content), Some("permit" | "approve")) && content.get("validity").is_none() {
        let message = "a signature that lets others spend should say how long it is meant (§6.3)";
        problems.add(Code::PermitWithoutExpiry, &at.member("validity"), message);
    }
    if let Some(domain) = content.get("domain") {
        let at = at.member("domain");
        let at = at.member("chainId");
        match domain.get("chainId") {
            None => problems.add(
                Code::DomainChainMissing,
                &at,
                "the signature counts on every chain the contract is on",
            ),
            Some(chain_id) if !same_chain(chain_id, content) => {
                problems.add(Code::DomainChainMismatch, &at, "not the chain that `chain` names");
            }
            Some(_) => {}
        }
    }
    let sign_in = match content.get("scheme").and_then(Tree::as_str) {
        Some("siwe") => content
            .get("messageText")
            .and_then(|text| siwe::parse(text.as_str()?)),
        _ => None,
    };
    if sign_in.is_some_and(|sign_in| !sign_in.has_checksum()) {
        let message = "the address is not in its EIP-55 form";
        problems.add(Code::SiweAddressChecksum, &at.member("messageText"), message);
    }
}

fn same_chain(chain_id: &Tree<'_>, content: &Tree<'_>) -> bool {
    let given = chain_id.as_number().and_then(Number::integer);
    let chain = content
        .get("chain")
        .and_then(|chain| chain_reference(chain.as_str()?));
    given.map(|n| n.to_string()).as_deref() == chain
}

/// §5.5.
fn description(content: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    if action(content) == Some("other") {
        let at = at.member("description");
        let message = "the kind of action is not said: confirm it with more care (§5.5)";
        problems.add(Code::ActionOther, &at.member("action"), message);
        if content
            .get("description")
            .is_some_and(|d| d.get("long").is_none())
        {
            let message = "an action `other` should be described in `long` (§5.5)";
            problems.add(Code::OtherWithoutLong, &at.member("long"), message);
        }
    }
}

/// §5.4.
fn window(content: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    let bounds = (
        validity_time(content, "notBefore", 0),
        validity_time(content, "notAfter", 1),
    );
    if matches!(bounds, (Some(not_before), Some(not_after)) if not_before > not_after) {
        let message = "notBefore is later than notAfter: there is no moment to submit";
        problems.add(Code::EmptyValidityWindow, &at.member("validity"), message);
    }
}

/// §5.6.
fn movement(movement: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    let text = |name: &str| movement.get(name).and_then(Tree::as_str);
    let unlimited = movement.get("isUnlimited").and_then(Tree::as_bool) == Some(true);
    if matches!(text("kind"), Some("approve" | "permit")) {
        if unlimited {
            problems.add(Code::UnlimitedApproval, at, "the spender may take any amount");
        } else if text("amount") == Some(MAX_UINT256) {
            let message = "the amount is 2^256 - 1 and is not said to be unlimited";
            problems.add(Code::UnlimitedNotFlagged, &at.member("isUnlimited"), message);
        }
    }
    if text("standard") == Some("erc1155") && movement.get("tokenId").is_none() {
        let message = "an erc1155 movement should name its token";
        problems.add(Code::TokenIdRecommended, &at.member("tokenId"), message);
    }
}

/// §5.6.
fn counterparty(party: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    if party.get("label").is_some() && party.get("labelSource").is_none() {
        let message = "where the label comes from is not said: take it as untrusted";
        problems.add(Code::LabelSourceMissing, &at.member("labelSource"), message);
    }
    if party.get("similarityWarning").is_some() {
        let message = "the producer says that the address resembles another one";
        problems.add(Code::SimilarityWarning, &at.member("similarityWarning"), message);
    }
}
