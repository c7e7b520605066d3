//! The bytes a producer signs (§3.2), taken over the document as received.

use super::words::Coverage;
use crate::jcs;
use alloy_primitives::{B256, keccak256};
use serde_json::{Map, Value};

/// The RFC 8785 bytes of the envelope without the top-level `risk` and the whole `producer.signature`, or of the
/// content alone. `None` where there is nothing of that kind: no object, no content.
pub fn preimage(document: &Value, coverage: Coverage) -> Option<Vec<u8>> {
    let members = document.as_object()?;
    match coverage {
        Coverage::Content => members.get("content").map(jcs::canonical),
        Coverage::Envelope => Some(object(members, |name, value| match (name, value) {
            ("risk", _) => None,
            ("producer", Value::Object(producer)) => Some(object(producer, |name, value| {
                (name != "signature").then(|| jcs::canonical(value))
            })),
            _ => Some(jcs::canonical(value)),
        })),
    }
}

/// `keccak256` of the pre-image. With coverage `envelope` it is the `subjectDigest` of ERC-8481 §Binding.
pub fn digest(document: &Value, coverage: Coverage) -> Option<B256> {
    preimage(document, coverage).map(keccak256)
}

/// An object in the order of RFC 8785; members without a `canonical` form are left out.
fn object(members: &Map<String, Value>, canonical: impl Fn(&str, &Value) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut kept: Vec<(&String, Vec<u8>)> = members
        .iter()
        .filter_map(|(name, value)| Some((name, canonical(name, value)?)))
        .collect();
    kept.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    let mut out = vec![b'{'];
    for (name, value) in kept {
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend(jcs::canonical(&Value::from(name.as_str())));
        out.push(b':');
        out.extend(value);
    }
    out.push(b'}');
    out
}
