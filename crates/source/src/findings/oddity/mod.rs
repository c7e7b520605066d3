//! Oddities of the request's bytes, so that a report does not read as if there were none: calldata that is short, padded
//! with something or not understood, typed data on which wallets disagree, code run by delegatecall.

pub mod address;
pub mod approval;

use presight_decode::Flag;
use serde_json::{Value, json};

/// The call a flag is about, in either form of subject.
fn call_index(flag: &Flag) -> Option<usize> {
    let rest = ["/subject/calls/", "/subject/envelope/content/calls/"]
        .iter()
        .find_map(|calls| flag.pointer.strip_prefix(*calls))?;
    rest.split('/').next()?.parse().ok()
}

/// `[{ code, pointer }]`, in the order of decoding; nothing when there is none.
fn value<'a>(flags: impl Iterator<Item = &'a Flag>) -> Option<Value> {
    let listed: Vec<Value> = flags
        .map(|flag| json!({ "code": flag.code, "pointer": flag.pointer }))
        .collect();
    (!listed.is_empty()).then(|| Value::from(listed))
}

#[cfg(test)]
mod tests {
    use super::call_index;
    use presight_decode::Flag;

    #[test]
    fn a_flag_is_of_the_call_it_stands_in() {
        let of = |pointer: &str| call_index(&Flag::new("x", pointer, ""));
        assert_eq!(of("/subject/calls/1/data"), Some(1));
        assert_eq!(of("/subject/envelope/content/calls/11"), Some(11));
        assert_eq!(of("/subject/typedData/message/1"), None);
        assert_eq!(of("/subject/calls"), None);
    }
}
