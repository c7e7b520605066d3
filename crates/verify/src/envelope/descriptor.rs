//! Whether an ERC-7730 descriptor is meant for the calls: the same chain, target and selector (§5.7).

use super::code::{ConsumerCode, Note};
use super::not_checked::NotChecked;
use alloy_primitives::{Address, hex, keccak256};
use presight_wire::envelope::CallsContent;
use presight_wire::hex::address_any_case;
use serde_json::{Map, Value};

/// Judges the inline fragment, and the document that the consumer resolved `decoderRef` to.
pub(crate) fn judge(
    content: &CallsContent,
    resolved: Option<&Map<String, Value>>,
    notes: &mut Vec<Note>,
    not_checked: &mut Vec<NotChecked>,
) {
    let mut judge = |descriptor: &Map<String, Value>, path: &str| match is_bound(content, descriptor) {
        Ok(true) => {}
        Ok(false) => {
            let message = "the descriptor is for other calls: it must not be rendered";
            notes.push(Note::new(ConsumerCode::DescriptorMismatch, path, message));
        }
        Err(why) => not_checked.push(NotChecked::new(path, why)),
    };
    if let Some(fragment) = &content.clear_signing {
        judge(fragment, "/content/clearSigning");
    }
    let path = "/content/decoderRef";
    match (&content.decoder_ref, resolved) {
        (None, _) => {}
        (Some(_), Some(descriptor)) => judge(descriptor, path),
        (Some(_), None) => {
            not_checked.push(NotChecked::new(
                path,
                "references are not resolved here; it must not be relied on",
            ));
        }
    }
}

/// Whether it is for one of the calls at least.
fn is_bound(content: &CallsContent, descriptor: &Map<String, Value>) -> Result<bool, &'static str> {
    let member = |path: [&str; 3]| {
        let [first, second, third] = path;
        descriptor.get(first)?.get(second)?.get(third)
    };
    let deployments = member(["context", "contract", "deployments"])
        .and_then(Value::as_array)
        .ok_or("the descriptor names no deployments")?;
    let formats = descriptor
        .get("display")
        .and_then(|display| display.get("formats")?.as_object())
        .ok_or("the descriptor names no functions")?;
    let deployed = |address: Address| deployments.iter().any(|d| is_at(d, content.chain.id(), address));
    let selectors: Vec<_> = formats.keys().map(|key| selector(key)).collect();
    let bound = content.calls.iter().any(|call| {
        let called = call
            .data
            .as_ref()
            .and_then(|data| data.first_chunk::<4>().copied());
        called.is_some() && deployed(call.to) && selectors.contains(&called)
    });
    Ok(bound)
}

fn is_at(deployment: &Value, chain: u128, address: Address) -> bool {
    let named = deployment.get("address").and_then(Value::as_str);
    deployment.get("chainId").and_then(Value::as_u64).map(u128::from) == Some(chain)
        && named.and_then(|named| address_any_case(named, "").ok()) == Some(address)
}

/// The selector of a key of `formats`: itself, or a signature, whose parameters may be named.
fn selector(key: &str) -> Option<[u8; 4]> {
    match key.strip_prefix("0x") {
        Some(digits) => hex::decode_to_array(digits).ok(),
        None => keccak256(canonical(key)).first_chunk().copied(),
    }
}

/// A signature without the names of its parameters.
fn canonical(signature: &str) -> String {
    let mut canonical = String::with_capacity(signature.len());
    // Of each parameter only what stands before the first white space is its type.
    let (mut in_type, mut started) = (true, true);
    for c in signature.chars() {
        match c {
            '(' | ',' => {
                canonical.push(c);
                (in_type, started) = (true, false);
            }
            ')' => {
                canonical.push(c);
                (in_type, started) = (true, true);
            }
            c if c.is_whitespace() => in_type &= !started,
            c if in_type => {
                canonical.push(c);
                started = true;
            }
            _ => {}
        }
    }
    canonical
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parameters_are_no_part_of_a_signature() {
        for (written, canonical_form) in [
            ("transfer(address,uint256)", "transfer(address,uint256)"),
            ("transfer(address to, uint256 value)", "transfer(address,uint256)"),
            (
                "f((address a, uint24 fee)[2] calldata path,  bytes data, (bool b) c)",
                "f((address,uint24)[2],bytes,(bool))",
            ),
            ("f( )", "f()"),
        ] {
            assert_eq!(canonical(written), canonical_form);
        }
    }

    #[test]
    fn a_key_may_be_a_selector() {
        let transfer = Some([0xa9, 0x05, 0x9c, 0xbb]);
        assert_eq!(selector("0xA9059cbb"), transfer);
        assert_eq!(selector("transfer(address to,uint256 value)"), transfer);
        assert_eq!(selector("0xa9059c"), None);
    }
}
