//! The content as the decoder reads it: from the raw calls or the typed data, never from what is said of them.

use alloy_primitives::{Address, B256};
use presight_decode::{Decoded, Flag, TypedData};
use presight_wire::envelope::{Content, Coverage, Envelope, Fields};
use presight_wire::{Refusal, Request, Timestamp};
use serde_json::{Value, json};

/// Where the decoder finds the envelope in the request made for it.
const IN_REQUEST: &str = "/subject/envelope";

/// The decoded content.
#[derive(Debug)]
pub(crate) struct DecodedContent {
    pub(crate) decoded: Decoded,
    pub(crate) signer: Signer,
}

impl DecodedContent {
    /// Oddities of the bytes, with pointers into the envelope. Without a named signer nothing is of another one.
    pub(crate) fn oddities(&self) -> Vec<Flag> {
        let flags = self.decoded.flags.iter();
        flags
            .filter(|flag| flag.code != "owner-not-signer" || matches!(self.signer, Signer::Named(_)))
            .map(|flag| Flag {
                pointer: in_envelope(&flag.pointer),
                ..flag.clone()
            })
            .collect()
    }
}

/// Whether the form of the typed data is known, and what it lets run too.
pub(crate) fn is_understood(typed: &TypedData) -> bool {
    match typed.recognised {
        None => false,
        Some(
            "safe-transaction"
            | "safe-user-operation"
            | "user-operation"
            | "meta-transaction"
            | "forward-request",
        ) => !typed.inner.is_empty(),
        Some(_) => true,
    }
}

/// Who signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signer {
    /// `content.from`.
    Named(Address),
    /// Not said: a stand-in that nothing in the envelope can name.
    StandIn(Address),
}

impl Signer {
    fn of(envelope: &Envelope) -> Self {
        match envelope.fields().content.from() {
            Some(address) => Self::Named(address),
            None => Self::StandIn(stand_in(envelope.digest(Coverage::Content))),
        }
    }

    /// The address the content was decoded with.
    pub(crate) fn address(self) -> Address {
        match self {
            Self::Named(address) | Self::StandIn(address) => address,
        }
    }

    /// Whether an account of the decoded content is a signer that the envelope does not name.
    pub(crate) fn is_unnamed(self, decoded: Address) -> bool {
        matches!(self, Self::StandIn(stand_in) if stand_in == decoded)
    }

    /// Whether an account of the decoded content may be the one that the envelope names: an unnamed signer may be any.
    pub(crate) fn may_be(self, decoded: Address, named: Address) -> bool {
        decoded == named || self.is_unnamed(decoded)
    }
}

/// An address that depends on the whole content, which therefore cannot hold it.
fn stand_in(content: B256) -> Address {
    Address::from_word(content)
}

/// Decodes the content. Members that the envelope's specification does not know are left out: the validator has
/// warned of them, and they are not signed.
///
/// # Errors
/// What the decoder refuses; the pointer is of the envelope.
pub(crate) fn decode(envelope: &Envelope) -> Result<DecodedContent, Refusal> {
    let signer = Signer::of(envelope);
    let mut content = envelope.fields().content.clone();
    match &mut content {
        Content::Calls(calls) => calls.from = Some(signer.address()),
        Content::Signature(signature) => signature.from = Some(signer.address()),
    }
    // Dates are no part of what is decoded.
    let known = Fields {
        expires_at: None,
        ..Fields::new(Timestamp(0), content)
    };
    let mut known = known.to_value();
    as_written(envelope.value(), &mut known);
    let request = json!({
        "version": presight_wire::request::VERSION,
        "subject": { "type": "erc8265-envelope", "envelope": known },
    });
    Request::from_value(request)
        .and_then(|request| presight_decode::decode(&request))
        .map(|decoded| DecodedContent { decoded, signer })
        .map_err(|refusal| Refusal {
            pointer: in_envelope(&refusal.pointer),
            ..refusal
        })
}

/// Gives the addresses of the accounts and targets the letter case in which they were received: a wrong checksum in
/// it is an oddity.
fn as_written(received: &Value, known: &mut Value) {
    let calls = received.pointer("/content/calls").and_then(Value::as_array);
    let targets = (0..calls.map_or(0, Vec::len)).map(|index| format!("/content/calls/{index}/to"));
    for pointer in targets.chain(["/content/from".to_owned()]) {
        if let (Some(written), Some(known)) = (received.pointer(&pointer), known.pointer_mut(&pointer)) {
            known.clone_from(written);
        }
    }
}

/// A pointer into the request as a pointer into the envelope.
fn in_envelope(pointer: &str) -> String {
    pointer.strip_prefix(IN_REQUEST).unwrap_or(pointer).to_owned()
}
