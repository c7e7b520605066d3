//! What can be asked, read from a JSON document.

use super::policies::Policies;
use super::problem::Problem;
use alloy_primitives::{B256, Keccak256};
use presight_policy::Policy;
use presight_verify::{Options, TrustedSource, Unverified};
use presight_wire::limits::MAX_DOCUMENT_BYTES;
use presight_wire::node::Node;
use presight_wire::{Refusal, Request, jcs, json};
use serde_json::Value;

/// Bytes of a question that holds a request and little else.
pub(crate) const MAX_CHECK_BYTES: usize = MAX_DOCUMENT_BYTES + 64 * 1024;
/// Bytes of a question that holds a report as well.
pub(crate) const MAX_VERIFY_BYTES: usize = 8 * 1024 * 1024;
/// Sources a verification may name.
const MAX_TRUSTED: usize = 100;

/// The questions by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    Report,
    Check,
    Simulate,
    Decode,
    Verify,
}

impl Topic {
    pub(crate) const ALL: [Self; 5] = [
        Self::Report,
        Self::Check,
        Self::Simulate,
        Self::Decode,
        Self::Verify,
    ];

    /// Its name in metrics and logs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Check => "check",
            Self::Simulate => "simulate",
            Self::Decode => "decode",
            Self::Verify => "verify",
        }
    }

    /// Bytes of its document.
    pub(crate) fn max_bytes(self) -> usize {
        match self {
            Self::Report | Self::Simulate | Self::Decode => MAX_DOCUMENT_BYTES,
            Self::Check => MAX_CHECK_BYTES,
            Self::Verify => MAX_VERIFY_BYTES,
        }
    }
}

/// A question.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) topic: Topic,
    /// The request it is about.
    pub(crate) request: Request,
    pub(crate) more: More,
    /// Names the question; equal questions have equal answers at the same block.
    pub(crate) digest: B256,
}

/// What a question holds besides the request.
#[derive(Debug)]
pub(crate) enum More {
    Nothing,
    Check(Box<Policy>),
    Verify(Box<Unverified>, Box<Options>),
}

impl Question {
    /// Reads a question.
    pub(crate) fn parse(topic: Topic, bytes: &[u8], policies: &Policies) -> Result<Self, Problem> {
        let (document, request, more) = match topic {
            Topic::Report | Topic::Simulate | Topic::Decode => {
                let request = Request::parse(bytes)?;
                if let (Topic::Report, Some(kinds)) = (topic, &request.kinds) {
                    presight_source::registry::check_kinds(kinds)?;
                }
                (request.value().clone(), request, More::Nothing)
            }
            Topic::Check => {
                let document = json::parse_holding_request(bytes, MAX_CHECK_BYTES)?;
                let policy = policy(&Node::root(&document), policies)?;
                let request = request_of(&document)?;
                (document, request, More::Check(Box::new(policy)))
            }
            Topic::Verify => {
                let document = json::parse_holding_request(bytes, MAX_VERIFY_BYTES)?;
                let options = options(&Node::root(&document))?;
                let request = request_of(&document)?;
                let report = Unverified::from_value(document["report"].clone());
                (
                    document,
                    request,
                    More::Verify(Box::new(report), Box::new(options)),
                )
            }
        };
        let mut digest = Keccak256::new();
        digest.update(topic.as_str());
        digest.update(jcs::digest(&document));
        if let More::Check(policy) = &more {
            digest.update(policy.hash());
        }
        Ok(Self {
            topic,
            request,
            more,
            digest: digest.finalize(),
        })
    }
}

fn request_of(document: &Value) -> Result<Request, Problem> {
    Request::from_value(document["request"].clone())
        .map_err(|refusal| Problem::from(refusal).within("request"))
}

/// `{ request, policy?, parameters? }`.
fn policy(root: &Node<'_>, policies: &Policies) -> Result<Policy, Refusal> {
    root.object_with(&["request", "policy", "parameters"])?;
    root.required("request")?;
    let named = root.optional("policy")?;
    let mut policy = match &named {
        None => policies.default().clone(),
        Some(named) => policies
            .get(named.string()?)
            .ok_or_else(|| {
                let known = policies.names().collect::<Vec<_>>().join(", ");
                named.refuse("unknown-policy", format!("no such policy; known: {known}"))
            })?
            .clone(),
    };
    if let Some(parameters) = root.optional("parameters")? {
        for name in parameters.object()?.keys() {
            let value = parameters.required(name)?;
            let text = text(value.value).ok_or_else(|| {
                value.refuse(
                    "wrong-type",
                    "a string, a number, true or false, or a list of them",
                )
            })?;
            policy
                .set(name, &text)
                .map_err(|message| value.refuse("bad-parameter", message))?;
        }
    }
    Ok(policy)
}

/// A parameter's value as it is written on the command line.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(items) => {
            let items = items.iter().filter(|item| !item.is_array()).map(text);
            let items: Option<Vec<String>> = items.collect();
            items.map(|items| items.join(","))
        }
        Value::Null | Value::Object(_) => None,
    }
}

/// `{ report, request, trusted?, maxAgeBlocks?, maxAgeSeconds?, acceptGaps? }`.
fn options(root: &Node<'_>) -> Result<Options, Refusal> {
    root.object_with(&[
        "report",
        "request",
        "trusted",
        "maxAgeBlocks",
        "maxAgeSeconds",
        "acceptGaps",
    ])?;
    root.required("report")?;
    root.required("request")?;
    let mut options = Options::default();
    if let Some(trusted) = root.optional("trusted")? {
        for source in trusted.array(MAX_TRUSTED, "MAX_TRUSTED")? {
            let parsed = TrustedSource::parse(source.string()?);
            let placed = |refusal: Refusal| source.refuse(refusal.code, refusal.message);
            options.trusted.push(parsed.map_err(placed)?);
        }
    }
    if let Some(blocks) = root.optional("maxAgeBlocks")? {
        options.max_age_blocks = blocks.small_integer()?;
    }
    if let Some(seconds) = root.optional("maxAgeSeconds")? {
        options.max_age_seconds = Some(seconds.small_integer()?);
    }
    if let Some(accept) = root.optional("acceptGaps")? {
        options.accept_gaps = accept.boolean()?;
    }
    Ok(options)
}
