//! Errors that depend on several members.

use super::code::Code;
use super::instant::Instant;
use super::problem::Problems;
use super::shapes::MAX_TIME;
use super::walk::integer_in;
use super::words::Kind;
use crate::tree::{At, Tree};

/// Runs every rule whose members are good, whatever else is wrong.
pub(crate) fn judge(kind: Option<Kind>, document: &Tree<'_>, problems: &mut Problems) {
    if document.get("version").is_some() {
        let message = "`$schema` names the version; there is no version member (§1.2)";
        problems.add(Code::VersionFieldPresent, &At::Root.member("version"), message);
    }
    origin(document, problems);
    let (Some(kind), Some(content)) = (kind, document.get("content")) else {
        return;
    };
    let at = At::Root.member("content");
    if kind.has_calls() {
        calls(kind, content, &at, problems);
        expiry(document, content, problems);
    }
    token_ids(content, &at, problems);
}

/// §3.2: a signature over the content alone leaves the origin to whoever passes the envelope on.
fn origin(document: &Tree<'_>, problems: &mut Problems) {
    let coverage = document
        .get("producer")
        .and_then(|producer| producer.get("signature")?.get("coverage")?.as_str());
    if coverage == Some("content") && document.get("origin").is_some() {
        let message = "with coverage `content` there must be no origin (§3.2)";
        problems.add(
            Code::OriginWithContentCoverage,
            &At::Root.member("origin"),
            message,
        );
    }
}

/// §5.1 and §6.4.
fn calls(kind: Kind, content: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    if let Some(calls) = content.get("calls").and_then(Tree::as_array) {
        let (good, message) = match kind {
            Kind::EvmTx => (calls.len() == 1, "an `evm-tx` has exactly one call"),
            _ => (calls.len() >= 2, "an `evm-batch` has at least two calls"),
        };
        if !good {
            problems.add(Code::CallsLength, &at.member("calls"), message);
        }
    }
    if kind == Kind::EvmTx && action(content) == Some("permit") {
        let message = "a permit is a signature, not a transaction (§6.4)";
        problems.add(
            Code::PermitOnTx,
            &at.member("description").member("action"),
            message,
        );
    }
}

/// §1.2.
fn expiry(document: &Tree<'_>, content: &Tree<'_>, problems: &mut Problems) {
    let expires = document
        .get("expiresAt")
        .and_then(|time| Instant::parse(time.as_str()?))
        .filter(|instant| instant.utc);
    let not_after = validity_time(content, "notAfter", 1);
    if let (Some(expires), Some(not_after)) = (expires, not_after)
        && !(expires.exact && expires.seconds == not_after)
    {
        let message = "not the same instant as content.validity.notAfter (§1.2)";
        problems.add(Code::ExpiresMismatch, &At::Root.member("expiresAt"), message);
    }
}

/// §5.6.
fn token_ids(content: &Tree<'_>, at: &At<'_>, problems: &mut Problems) {
    let at = at.member("metadata");
    let at = at.member("tokenMovements");
    for (index, movement) in movements(content).iter().enumerate() {
        let standard = movement.get("standard").and_then(Tree::as_str);
        if standard == Some("erc721") && movement.get("tokenId").is_none() {
            let message = "an erc721 movement names its token (§5.6)";
            problems.add(Code::MissingTokenId, &at.index(index).member("tokenId"), message);
        }
    }
}

/// `content.description.action`.
pub(crate) fn action<'t>(content: &'t Tree<'_>) -> Option<&'t str> {
    content.get("description")?.get("action")?.as_str()
}

/// `content.metadata.tokenMovements`; empty where there is none.
pub(crate) fn movements<'t, 'a>(content: &'t Tree<'a>) -> &'t [Tree<'a>] {
    list(content, "tokenMovements")
}

/// A list of `content.metadata`; empty where there is none.
pub(crate) fn list<'t, 'a>(content: &'t Tree<'a>, name: &str) -> &'t [Tree<'a>] {
    content
        .get("metadata")
        .and_then(|metadata| metadata.get(name)?.as_array())
        .unwrap_or_default()
}

/// A time of `content.validity`, when it is a good one of at least `min`.
pub(crate) fn validity_time(content: &Tree<'_>, name: &str, min: i64) -> Option<i64> {
    integer_in(content.get("validity")?.get(name)?.as_number()?, min, MAX_TIME)
}
